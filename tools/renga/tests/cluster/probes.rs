//! Tracing: the kernel has its probes, a traced run is the untraced one, and what the trace says happened.

use crate::support::{Facts, Renga, Scratch, clusters_can_run, work};
use renga_emu_probes::Probes;
use renga_images::machine_code;
use renga_trace::event::ProbeEventKind;
use renga_trace::{Timed, TraceEvent, TraceReader};
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::Path;

/// Probes of a kind at least, where inlining makes many, and exactly, where there is one place.
const MANY_MIN: [(ProbeEventKind, usize); 4] = [
    (ProbeEventKind::Call, 200),
    (ProbeEventKind::Reply, 200),
    (ProbeEventKind::Accept, 200),
    (ProbeEventKind::WaitCall, 10),
];
const ONE: [ProbeEventKind; 3] = [ProbeEventKind::Fault, ProbeEventKind::Commit, ProbeEventKind::CommitEnd];
/// In each form of the home's loop, that of a board of one core and that of one of several, and where other cores enter
/// programs and sleep, in each their own and guests; in the loop of a program without a pace and in that of one with.
const EACH_LOOP: [(ProbeEventKind, usize); 4] = [
    (ProbeEventKind::Enter, 5),
    (ProbeEventKind::Idle, 3),
    (ProbeEventKind::Devices, 2),
    (ProbeEventKind::SystemCall, 2),
];

/// From the start of a board to its first event: 9.2 ms on board b of `pair`, 10.7 on that of `pair4`, which has more
/// to lay out.
const FIRST_EVENT_NS_MAX: u64 = 15_000_000;

/// The run with these options, and with what a trace is to be written to.
fn run(script: &str, options: &[&str], trace: Option<&Path>) -> Facts {
    let mut all: Vec<OsString> = vec!["--stats".into()];
    all.extend(options.iter().map(OsString::from));
    if let Some(trace) = trace {
        all.extend(["--trace".into(), trace.as_os_str().to_owned()]);
    }
    Facts::of(&Renga::script(script).with(&all).end().expect_status(0))
}

fn events(trace: &Path) -> Vec<Timed> {
    let bytes = fs::read(trace).expect("a trace was written");
    let reader = TraceReader::new(&bytes).unwrap_or_else(|bad| panic!("{bad}"));
    reader.map(|event| event.unwrap_or_else(|bad| panic!("{bad}"))).collect()
}

/// The same run twice; its events.
fn same(name: &str, script: &str, options: &[&str]) -> Vec<Timed> {
    let scratch = Scratch::new(name);
    let untraced = run(script, options, None);
    let trace = scratch.join("trace");
    let traced = run(script, options, Some(&trace));
    assert_eq!(traced, untraced, "{name}: the traced run is another run");
    let events = events(&trace);
    let places: Vec<(u64, u8)> = events
        .iter()
        .filter(|timed| !matches!(timed.event, TraceEvent::Frame(_) | TraceEvent::Token {} | TraceEvent::Started))
        .map(|timed| (timed.time_ns, timed.board))
        .collect();
    assert!(places.is_sorted(), "{name}: events are not in the order of time and board");
    println!("{name}: {} events", events.len());
    events
}

fn count(events: &[Timed]) -> BTreeMap<ProbeEventKind, usize> {
    let mut counts = BTreeMap::new();
    for (kind, _) in events.iter().filter_map(|timed| timed.event.numbers()) {
        *counts.entry(kind).or_insert(0) += 1;
    }
    counts
}

/// Holds: trace-probes.
#[test]
fn probes_of_kernel_exist_and_no_branch_skips_one() {
    if !clusters_can_run() {
        return;
    }
    Renga::script("true").end().expect_status(0);
    let kernel = fs::read(work().join("kernels/plain/kernel.elf")).expect("a kernel was built");
    let probes = Probes::read(&kernel).expect("the kernel's notes").probes;
    let mut counts: BTreeMap<ProbeEventKind, usize> = BTreeMap::new();
    for probe in &probes {
        *counts.entry(ProbeEventKind::named(&probe.name).expect("a probe with a meaning")).or_default() += 1;
    }
    println!("{} probes: {counts:?}", probes.len());
    for kind in ProbeEventKind::ALL {
        assert!(counts.contains_key(kind), "the kernel has no probe {}", kind.name());
    }
    for (kind, least) in MANY_MIN {
        assert!(counts[&kind] >= least, "{} probes {}", counts[&kind], kind.name());
    }
    for kind in ONE {
        assert_eq!(counts[&kind], 1, "probes {}", kind.name());
    }
    for (kind, loops) in EACH_LOOP {
        assert_eq!(counts[&kind], loops, "probes {}", kind.name());
    }
    let passed = machine_code::passed(&kernel, probes.iter().map(|probe| probe.address)).expect("the kernel's code");
    assert!(passed.is_empty(), "branches go past probes: {passed:x?}");
}

/// Holds: trace-same-run.
#[test]
fn trace_of_run_leaves_hashes_unchanged() {
    if !clusters_can_run() {
        return;
    }
    // A pipeline slowed down by a loop waits for its time slice.
    let pipes =
        "ls -l /bin | remote -b b sort | head -n 5; remote -b b sh -c 'echo $$ > /tmp/f; cat /tmp/f'; rm /tmp/f; sync
echo load > /proc/renga/mark; iospeed --loop --factor 20 cat /usr/share/common-licenses/BSD";
    let counts = count(&same("pipes", pipes, &[]));
    println!("{counts:?}");
    for kind in ProbeEventKind::ALL {
        assert!(counts.contains_key(kind), "no event of {}", kind.name());
    }
    // Every call has a reply, but for those that wait at the end and those whose board ended.
    let (calls, replies) = (counts[&ProbeEventKind::Call], counts[&ProbeEventKind::Reply]);
    assert!(replies <= calls && replies + 1000 > calls, "{calls} calls, {replies} replies");
}

/// Holds: trace-same-run.
#[test]
fn trace_of_run_with_faults_leaves_hashes_unchanged() {
    if !clusters_can_run() {
        return;
    }
    let across = "for i in 1 2 3; do ls -lR /etc | remote -b b md5sum; done";
    same("faults", across, &["--faults", "loss=20,corrupt=5,duplicate=10,token=2"]);
    let dies = "i=0; while [ $i -lt 8 ]; do echo $i | remote -b b cat; sleep 0.1; i=$((i+1)); done; true";
    let events = same("kill", dies, &["--kill", "b@150", "--restart", "b@400"]);
    let started = events.iter().position(|timed| timed.event == TraceEvent::Started).expect("board b starts again");
    assert_eq!(events[started].time_ns, 400_000_000);
    let later = events[started..].iter().find(|timed| timed.board == 1 && timed.event != TraceEvent::Started);
    let soon_ns = events[started].time_ns + FIRST_EVENT_NS_MAX;
    assert!(
        later.is_some_and(|timed| timed.time_ns < soon_ns),
        "its second incarnation's events have its times: {later:?}"
    );
    same("chaos", "for i in 1 2 3; do ls /bin | remote -b b sort | md5sum; done; true", &["--chaos", "7"]);
}

/// Holds: trace-same-run.
#[test]
fn trace_of_replayed_session_works() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("traced-replay");
    let recording = scratch.join("typed");
    let record = Renga::run().with(["--stats".as_ref(), "--record".as_ref(), recording.as_os_str()]);
    let recorded = record.input(b"echo hi | remote -b b cat\nexit 3\n").end().expect_status(3);
    let trace = scratch.join("trace");
    let options =
        ["--stats".as_ref(), "--replay".as_ref(), recording.as_os_str(), "--trace".as_ref(), trace.as_os_str()];
    let replayed = Renga::run().with(options).end().expect_status(3);
    assert_eq!(Facts::of(&replayed), Facts::of(&recorded));
    assert!(count(&events(&trace))[&ProbeEventKind::SystemCall] > 100);
}

/// Holds: trace-whole.
#[test]
fn trace_of_failed_run_is_whole() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("traced-failure");
    let trace = scratch.join("trace");
    let failed =
        Renga::script("while :; do :; done").with(["--panic", "b@200"]).with(["--trace".as_ref(), trace.as_os_str()]);
    failed.end().expect_status(125);
    let events = events(&trace);
    let last_ns = events.last().map(|timed| timed.time_ns);
    assert!(last_ns.is_some_and(|last_ns| (200_000_000..210_000_000).contains(&last_ns)), "until it died: {last_ns:?}");
}

//! Each setting of a profile reaches the boards, and changes what it names.

use crate::support::{Renga, Scratch, clusters_can_run};
use renga_trace::{TraceEvent, TraceReader};
use std::fs;

/// What one board prints with these settings.
fn said(script: &str, settings: &[&str]) -> String {
    let settings = settings.iter().flat_map(|setting| ["--set", setting]);
    Renga::script(script).with(["--system", "solo"]).with(settings).end().expect_status(0).text()
}

/// Two programs that compute say how often they were preempted.
const COMPUTE: &str = r#"
compute='i=0; while [ $i -lt 40000 ]; do i=$((i + 1)); done
while read name count; do [ "$name" = nonvoluntary_ctxt_switches: ] && echo $count; done < /proc/self/status; true'
sh -c "$compute" & sh -c "$compute" & wait
"#;

#[test]
fn profile_slice_changes_preemptions() {
    if !clusters_can_run() {
        return;
    }
    let count = |line: &str| line.trim().parse::<u32>().unwrap_or_else(|_| panic!("{line}"));
    let preemptions = |settings: &[&str]| said(COMPUTE, settings).lines().map(count).sum::<u32>();
    let [short, long] = [&[][..], &["os.slice_ms=10"]].map(preemptions);
    assert!(short > 5 * long && long > 0, "{short}, {long}");
}

/// A file is changed for eight seconds; the board is busy a while longer.
const CHANGE: &str = "i=0; while [ $i -lt 40 ]; do echo line >> /tmp/changed; sleep 0.2; i=$((i + 1)); done";

#[test]
fn profile_writeback_age_changes_commits() {
    if !clusters_can_run() {
        return;
    }
    let commits = |settings: &[&str]| {
        let scratch = Scratch::new("profile");
        let trace = scratch.join("trace");
        let settings = settings.iter().flat_map(|setting| ["--set", setting]);
        let run = Renga::script(CHANGE).with(["--system", "solo"]).with(settings);
        run.with(["--trace".as_ref(), trace.as_os_str()]).end().expect_status(0);
        let bytes = fs::read(&trace).expect("a trace was written");
        let reader = TraceReader::new(&bytes).expect("a trace");
        let settings = reader.header().settings.clone();
        let is_commit = |timed: &renga_trace::Timed| matches!(timed.event, TraceEvent::Commit { .. });
        (reader.map(|event| event.expect("an event")).filter(is_commit).count(), settings)
    };
    let (usual, none) = commits(&[]);
    let (many, settings) = commits(&["os.writeback_age_ms=500"]);
    assert!(none.is_empty() && settings == ["os.writeback_age_ms=500"], "{none:?} {settings:?}");
    assert!(many >= usual + 8, "{usual}, {many}");
}

#[test]
fn profile_tick_rounds_sleeps_up() {
    if !clusters_can_run() {
        return;
    }
    let slept_ms = |settings: &[&str]| {
        let text = said("/usr/lib/renga/measure sleeps sh -c 'sleep 0.003; sleep 0.003; sleep 0.003'", settings);
        let ns = text.split_whitespace().skip_while(|word| *word != "ns").nth(1).and_then(|ns| ns.parse::<u64>().ok());
        ns.unwrap_or_else(|| panic!("{text}")) / 1_000_000
    };
    let [exact, ticks] = [&[][..], &["os.tick_ms=50"]].map(slept_ms);
    assert!((9..30).contains(&exact) && (100..=200).contains(&ticks), "{exact} ms, {ticks} ms");
}

/// Settings whose waits may be none in a short run.
const MAY_BE_IDLE: [&str; 3] = ["link.timing=pins", "os.commit_interval_ms=20", "os.wakeup_granularity_us=1000"];

/// Each parameter of machine and link, and its effect on the time of the same run.
#[test]
fn profile_settings_of_machine_and_link_change_time_not_output() {
    if !clusters_can_run() {
        return;
    }
    let run = |settings: &[&str]| {
        let settings = settings.iter().flat_map(|setting| ["--set", setting]);
        Renga::script("remote -b b ls /etc | wc -l").with(["--stats"]).with(settings).end().expect_status(0)
    };
    let usual = run(&[]);
    assert!(!usual.stderr.contains("renga: profile"), "{}", usual.report());
    for setting in [
        "instruction.ns=4",
        "link.rate_mbit_s=8",
        "link.arm_us=1",
        "link.token_pass_ns=100000",
        "link.timing=pins",
        "medium=hdd-2006",
        "os.commit_interval_ms=20",
        "os.wakeup_granularity_us=1000",
    ] {
        let changed = run(&[setting]);
        assert_eq!(changed.text(), usual.text(), "{setting}");
        assert!(changed.stderr.contains(&format!("renga: profile pi3: {setting}")), "{}", changed.report());
        let differs = changed.figure("virtual time") != usual.figure("virtual time");
        assert!(differs || MAY_BE_IDLE.contains(&setting), "{setting}: {}", changed.report());
    }
}

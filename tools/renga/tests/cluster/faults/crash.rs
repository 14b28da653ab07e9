//! `renga crash`: what each idiom promises survives a cut at each of the chosen events, and what is not kept is found.
//!
//! More cuts: `RENGA_CRASH_POINTS=2000`.

use crate::images::packages_can_be_had;
use crate::support::{Renga, Scratch, clusters_can_run, root};
use renga_trace::{TraceEvent, TraceReader};
use std::ffi::OsString;
use std::fs;
use std::path::Path;

/// Cuts of each idiom at the disk's writes, which are replayed: 200 in all at least.
const POINTS_REPLAYED: &str = "30";
/// Cuts of each idiom of another kind, which are real.
const POINTS_REAL: &str = "3";

/// Of the script that acknowledges falsely: before its first `sync`, behind it, and at both ends.
const FALSE_POINTS: &str = "6";

/// What is cut really, and where: the diskless board, the disk's board.
const KILLS_REAL: [&str; 2] = ["b@frame", "a@write"];
/// All boards.
const KILL_REPLAYED: &str = "all@write";

/// Scripts of `userland/crash`, each with an oracle of its name.
const IDIOMS: [&str; 8] = ["append", "directory", "dpkg", "maildir", "recreate", "rename", "save", "sed"];

/// Scripts that need further programs: with their oracles, and the options that bring the programs.
const PACKAGED_IDIOMS: [(&str, &str, [&str; 2]); 5] = [
    ("git", "git", ["--packages", "git"]),
    ("osync", "osync", ["--image", "dev"]),
    ("python", "rename", ["--image", "dev"]),
    ("sqlite-rollback", "sqlite", ["--image", "dev"]),
    ("sqlite-wal", "sqlite", ["--image", "dev"]),
];

/// How many points are cut at, if it was said.
fn points_said() -> Option<String> {
    std::env::var("RENGA_CRASH_POINTS").ok()
}

/// `renga crash` with a shipped script; how many points were cut, without a violation.
fn expect_no_violation((script, oracle): (&str, &str), kill: &str, more: &[&str], results: &Scratch) -> u32 {
    let usual = if kill == KILL_REPLAYED { POINTS_REPLAYED } else { POINTS_REAL };
    let points = points_said().unwrap_or_else(|| usual.to_string());
    let path = |name: &str, end: &str| root().join(format!("userland/crash/{name}{end}")).into_os_string();
    let options: [OsString; 10] = [
        "-f".into(),
        path(script, ".sh"),
        "--oracle".into(),
        path(oracle, ".oracle.sh"),
        "--kill".into(),
        kill.into(),
        "--points".into(),
        points.into(),
        "--results".into(),
        results.path().into(),
    ];
    let ended = Renga::command(&["crash"]).with(options).with(more).end().expect_status(0);
    assert!(ended.text().contains(": 0 violations"), "{script} {kill}\n{}", ended.report());
    let points = ended.text().lines().last().and_then(|line| line.split(' ').next()?.parse::<u32>().ok());
    let points = points.unwrap_or_else(|| panic!("{script} {kill}\n{}", ended.report()));
    println!("{script}: {kill} at {points}");
    points
}

/// Each idiom at the disk's writes; each of the other kinds at half of the idioms, or at all where points were said.
///
/// Holds: crash-idioms.
#[test]
fn crash_idioms_keep_their_promises_at_every_chosen_cut() {
    if !clusters_can_run() {
        return;
    }
    let results = Scratch::new("crash");
    let explore = |script, kill| expect_no_violation((script, script), kill, &[], &results);
    let replayed: u32 = IDIOMS.iter().map(|script| explore(script, KILL_REPLAYED)).sum();
    assert!(replayed >= 200, "{replayed} points were cut at writes");
    for (script, kill) in IDIOMS.iter().zip(KILLS_REAL.iter().cycle()) {
        let kills = if points_said().is_some() { &KILLS_REAL[..] } else { std::slice::from_ref(kill) };
        let points: u32 = kills.iter().map(|kill| explore(script, kill)).sum();
        assert!(points >= 3, "{script}: {points} real cuts");
    }
}

/// Holds: crash-idioms.
#[test]
#[ignore = "minutes: renga test --long=crash"]
fn crash_idioms_of_packaged_programs_keep_their_promises_at_every_chosen_cut() {
    if !clusters_can_run() || !packages_can_be_had() {
        return;
    }
    let results = Scratch::new("crash-packaged");
    for (script, oracle, options) in PACKAGED_IDIOMS {
        for kill in KILLS_REAL.into_iter().chain([KILL_REPLAYED]) {
            expect_no_violation((script, oracle), kill, &options, &results);
        }
    }
}

/// Each script prints the promises that its oracle checks: an oracle without promises finds nothing.
#[test]
fn crash_scripts_promise_what_their_oracles_check() {
    if !clusters_can_run() {
        return;
    }
    // One after the other on one cluster, each in a folder of its own.
    let run =
        |script: &str| format!("echo :{script}; rm -rf /root; mkdir /root; sh /host/crash/{script}.sh || exit 1\n");
    let all: String = IDIOMS.map(run).concat();
    let put = ["--put".into(), root().join("userland/crash").into_os_string()];
    let ended = Renga::script(&all).with(put).end().expect_status(0);
    let text = ended.text();
    let promises = |part: &str| part.lines().any(|line| line.starts_with("ack "));
    let promising: Vec<&str> =
        text.split(':').filter(|part| promises(part)).filter_map(|part| part.lines().next()).collect();
    assert_eq!(promising, IDIOMS, "{}", ended.report());
}

/// An acknowledgement before the data are permanent: whatever does not find that finds nothing.
#[test]
#[ignore = "a minute: renga test --long=crash"]
fn crash_false_acknowledgement_is_found_and_repeats() {
    if !clusters_can_run() {
        return;
    }
    let results = Scratch::new("crash-found");
    let [script, oracle] = ["false.sh", "false.oracle.sh"].map(|name| results.join(name));
    fs::write(&script, "echo text > /root/file; echo ack; sleep 0.02; sync; echo second > /root/other; sync\n")
        .unwrap();
    fs::write(&oracle, "grep -q ack || exit 0; grep -q text /root/file || { echo 'the file is lost'; exit 1; }\n")
        .unwrap();
    let explore = |more: &[&str]| {
        let options =
            ["-f".into(), script.clone().into_os_string(), "--oracle".into(), oracle.clone().into_os_string()];
        let kept: [OsString; 2] = ["--results".into(), results.path().into()];
        Renga::command(&["crash"]).with(options).with(kept).with(more).end()
    };
    let first = explore(&["--points", FALSE_POINTS]).expect_status(1);
    let text = first.text();
    assert!(text.contains("the file is lost") && !text.contains(" 0 violations"), "{}", first.report());
    let point = text.lines().find_map(|line| line.trim().strip_prefix("again: ./renga crash "));
    let point = point.and_then(|line| line.rsplit(' ').next()).unwrap_or_else(|| panic!("{}", first.report()));
    // Cuts behind the `sync` lose nothing.
    let last = text.lines().last().unwrap_or_default();
    let figure = |at: Option<&str>| at.and_then(|word| word.parse::<u32>().ok()).expect("the summary has figures");
    let (points, violations) = (figure(last.split(' ').next()), figure(last.split(' ').rev().nth(1)));
    assert!(violations < points, "{}", first.report());
    // Of board a alone, which restarts in the same run: its oracle reads what was printed, too.
    let alone = explore(&["--kill", "a@write", "--points", FALSE_POINTS]).expect_status(1);
    assert!(alone.text().contains("the file is lost"), "{}", alone.report());
    let again = explore(&["--kill", point]).expect_status(1);
    assert!(again.text().starts_with(&format!("{point} (")), "{}", again.report());
}

/// Holds: kill-event.
#[test]
fn kill_at_event_equals_kill_at_its_instant() {
    if !clusters_can_run() {
        return;
    }
    let script = "remote -b b sh -c 'seq 1000 | sort -rn | tail -n 1'; echo $?";
    let run = |when: &str| Renga::script(script).with(["--stats", "--kill", when]).end();
    let ended = run("b@frame:40");
    let said = ended.stderr.lines().find(|line| line.contains("board b has lost its power"));
    assert!(said.is_some() && ended.text().ends_with("137\n"), "{}", ended.report());
    // The same instant in another spelling is the same run.
    let trace = Scratch::new("kill-event");
    let file = trace.join("trace");
    let traced = Renga::script(script).with(["--trace".into(), file.clone().into_os_string()]).end().expect_status(0);
    let at_ns = nth_frame_ns(&file, 40).unwrap_or_else(|| panic!("{}", traced.report()));
    let other = run(&format!("b@{at_ns}ns"));
    assert_eq!(ended.figures(&["frame hash", "console hash"]), other.figures(&["frame hash", "console hash"]));
    let missing = run("b@frame:100000").expect_status(125);
    assert!(missing.stderr.contains("the run has only "), "{}", missing.report());
}

/// When the `number`th frame of board b took the wire, ns.
fn nth_frame_ns(trace: &Path, number: usize) -> Option<u64> {
    let bytes = fs::read(trace).ok()?;
    let events = TraceReader::new(&bytes).ok()?.flatten();
    let frames = events.filter(|timed| timed.board == 1 && matches!(timed.event, TraceEvent::Frame(_)));
    frames.map(|timed| timed.time_ns).nth(number - 1)
}

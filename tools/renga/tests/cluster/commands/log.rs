//! The kernels' log: decoded, with the board's name and the virtual time.

use crate::support::{Renga, clusters_can_run};

/// The time of a line such as `[a 0.123456 s] info: text`, if it is one of `board`'s.
fn time_s(line: &str, board: &str) -> Option<f64> {
    let (head, _) = line.strip_prefix('[')?.split_once("] ")?;
    let (name, time) = head.split_once(' ')?;
    (name == board).then_some(())?;
    time.strip_suffix(" s")?.parse().ok()
}

/// Holds: unknown-calls.
#[test]
fn log_unknown_system_call_is_logged_once() {
    if !clusters_can_run() {
        return;
    }
    // Each tries every call number several times.
    let script = "sleep 2; /usr/lib/renga/wild calls > /dev/null < /dev/null; remote -b b /usr/lib/renga/wild calls > /dev/null < /dev/null";
    let ended = Renga::script(script).end().expect_status(0);
    for board in ["a", "b"] {
        let late = |line: &&str| time_s(line, board).is_some_and(|time_s| (2.0..60.0).contains(&time_s));
        let lines: Vec<&str> = ended.stderr.lines().filter(late).collect();
        assert!(!lines.is_empty(), "board {board} logged nothing in its time\n{}", ended.report());
        let texts: Vec<&str> = lines.iter().filter_map(|line| line.split_once("] ")).map(|(_, text)| text).collect();
        let unknown: Vec<&&str> = texts.iter().filter(|text| text.contains("not implemented")).collect();
        assert!(!unknown.is_empty(), "no unknown call is logged by {board}\n{}", ended.report());
        let twice = unknown.iter().find(|text| unknown.iter().filter(|other| other == text).count() > 1);
        assert!(twice.is_none(), "logged twice by {board}: {twice:?}");
    }
}

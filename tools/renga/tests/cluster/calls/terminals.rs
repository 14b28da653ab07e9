//! Pseudo-terminals of one board and of two.

use crate::images::packages_can_be_had;
use crate::support::{Renga, clusters_can_run};

/// Runs on Linux and on each board; its arguments are in front of the command of those that run elsewhere.
const TERMINALS: &str = include_str!("terminals.py");
/// As Linux 6.1 printed it.
const TERMINALS_SAY: &str = include_str!("terminals.txt");

/// Holds: pseudo-terminals.
#[test]
fn terminals_match_linux() {
    if !clusters_can_run() || !packages_can_be_had() {
        return;
    }
    let run = "python3 /tmp/terminals";
    let script = format!(
        "cat > /tmp/terminals <<'END'\n{TERMINALS}END\n{run}\nremote -b b {run}\n{run} remote -b b\nremote -b b {run} remote -b a\n"
    );
    let text = Renga::script(&script).with(["--image", "dev"]).end().expect_status(0).text();
    let lines = text.lines().filter(|line| !line.is_empty());
    let expected: Vec<&str> = (0..4).flat_map(|_| TERMINALS_SAY.lines()).collect();
    assert_eq!(lines.collect::<Vec<_>>(), expected, "{text}");
}

//! Users: ids, permission bits, set-id programs and signals, of programs of both boards as on Linux beside.

use crate::images::packages_can_be_had;
use crate::support::{Renga, clusters_can_run};

/// Runs on Linux and on each board.
const PROGRAM: &str = include_str!("users.py");
/// As Linux printed it.
const SAYS: &str = include_str!("users.txt");

/// Holds: users.
#[test]
fn users_match_linux_on_both_boards() {
    if !clusters_can_run() || !packages_can_be_had() {
        return;
    }
    let write = format!("cat > /tmp/p <<'END'\n{PROGRAM}END\npython3 /tmp/p\n");
    let linux = Renga::linux().with(["--image", "dev", "-c", &write]).end().expect_status(0).text();
    let script = format!("{write}rm -r /tmp/users\nremote -b b python3 /tmp/p\n");
    let boards = Renga::script(&script).with(["--image", "dev"]).end().expect_status(0).text();
    for (text, times) in [(linux, 1), (boards, 2)] {
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        assert_eq!(lines, SAYS.repeat(times).lines().collect::<Vec<_>>(), "{text}");
    }
}

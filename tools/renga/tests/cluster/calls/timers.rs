//! Timers and the signals that they send, on both boards.

use crate::support::{Renga, clusters_can_run};

/// Runs on a board: a program that is too slow is ended, whether it sleeps, computes or ignores that. (Busybox takes
/// whole seconds for `-k`; less is 0, and kills none.)
const TIMEOUTS: &str = r#"
timeout 0.2 sleep 5; echo asleep $?
timeout -s KILL 0.1 sh -c 'while :; do :; done'; echo busy $?
timeout -k 1 0.1 sh -c 'trap "" TERM; sleep 5'; echo stubborn $?
timeout 5 sleep 0.1; echo in time $?
timeout 0.1 sh -c 'seq 50000 | sort | tail -n 1 | sleep 5'; echo pipes $?
"#;

#[test]
fn timeout_on_each_board_ends_program() {
    if !clusters_can_run() {
        return;
    }
    let script = format!("sh -c '{0}'\nremote -b b sh -c '{0}'\n", TIMEOUTS.replace('\'', r"'\''"));
    let text = Renga::script(&script).end().expect_status(0).text();
    let lines: Vec<&str> = text.lines().filter(|line| !matches!(*line, "Terminated" | "Killed" | "")).collect();
    let once = ["asleep 143", "busy 137", "stubborn 137", "in time 0", "pipes 143"];
    assert_eq!(lines, [once, once].concat(), "{text}");
}

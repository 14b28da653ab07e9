//! Boards of different models in one cluster, and one image for all.

use crate::support::{Facts, Renga, clusters_can_run};

/// On both boards, through both interrupt controllers: console, disk, timers, link.
const SCRIPT: &str = "uname -n; seq 1000 | remote -b b sort -rn | tail -n 1; remote -b b sh -c 'sleep 0.1; uname -n'";

#[test]
fn a_zero_2_w_and_a_pi_4_work_together_the_same_way_every_time() {
    if !clusters_can_run() {
        return;
    }
    let run = || {
        let machines = Renga::script(SCRIPT).with(["--board", "a=zero2w", "--board", "b=pi4"]);
        machines.with(["--stats"]).end().expect_status(0).expect_text("a\n1\nb\n")
    };
    let first = run();
    let log = &first.stderr;
    let says = |board: &str, what: &str| log.lines().any(|line| line.starts_with(board) && line.contains(what));
    assert!(says("[a ", "(BCM2837), serial 0, 469762048 bytes of memory"), "{}", first.report());
    assert!(says("[b ", "Raspberry Pi 4 B (BCM2711)"), "{}", first.report());
    assert_eq!(Facts::of(&run()), Facts::of(&first));
}

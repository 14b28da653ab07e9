//! A card that takes as long after each write as the standard allows, 250 ms, through the real driver: only processes
//! that wait for it wait; a board is declared dead after 90 ms.

use crate::support::{Renga, clusters_can_run};

/// b has four commits written to a's card, while a program on a sleeps fifty times for 10 ms, which takes less than 1 s
/// of `uptime` (a 1 goes before the digits of each: those that begin with 0 are octal).
const SCRIPT: &str = "
remote -b b sh -c 'for i in 1 2 3 4; do echo $i >> /f; sync; done' &
read before rest < /proc/uptime
i=0; while [ $i -lt 50 ]; do sleep 0.01; i=$((i+1)); done
read after rest < /proc/uptime
wait; cat /f; echo took $((1${after%.*}${after#*.} - 1${before%.*}${before#*.} < 100))";

/// Holds: silicon-card.
#[test]
fn slow_card_delays_only_its_waiters() {
    if !clusters_can_run() {
        return;
    }
    let run = Renga::script(SCRIPT).with(["--system", "pair", "--card-write-ms", "250", "--stats"]);
    let ended = run.end().expect_status(0).expect_text("1\n2\n3\n4\ntook 1\n");
    // Each commit is several writes.
    assert!(ended.virtual_s() > 4.0 * 3.0 * 0.25, "the card was not slow: {}", ended.report());
}

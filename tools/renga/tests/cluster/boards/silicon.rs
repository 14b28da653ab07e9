//! Boards that are not as an emulator leaves them: full of garbage, and loaded elsewhere.

use crate::support::{Renga, clusters_can_run};

const SCRIPT: &str = "ls /bin | remote -b b sort | tail -n 2; echo $((6 * 7)) > /tmp/f; remote -b b cat /tmp/f";

fn expected() -> String {
    Renga::script(SCRIPT).end().expect_status(0).text()
}

#[test]
fn silicon_garbage_at_entry_changes_nothing() {
    if !clusters_can_run() {
        return;
    }
    let expected = expected();
    for seed in ["1", "77"] {
        Renga::script(SCRIPT).with(["--garbage", "--seed", seed]).end().expect_status(0).expect_text(&expected);
    }
}

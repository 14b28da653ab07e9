//! What system calls and commands take stays what it is.

use crate::support::{Renga, clusters_can_run};

#[test]
fn calls_and_commands_take_no_longer_than_their_bounds() {
    if !clusters_can_run() {
        return;
    }
    Renga::bench("unix").with(["--short"]).end().expect_status(0);
}

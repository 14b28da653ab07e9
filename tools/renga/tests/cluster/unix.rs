//! What rendezvous, interrupts, system calls and commands take stays what it is.

use crate::support::{Renga, clusters_can_run};

#[test]
fn calls_and_commands_take_no_longer_than_their_bounds() {
    if !clusters_can_run() {
        return;
    }
    Renga::bench("unix").with(["--short"]).end().expect_status(0);
}

#[test]
fn rendezvous_and_interrupts_take_no_more_instructions_than_their_bounds() {
    if !clusters_can_run() {
        return;
    }
    Renga::bench("rendezvous").end().expect_status(0);
}

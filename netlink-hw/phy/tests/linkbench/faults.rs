//! Boards that are not there, and wires that lose frames.

use crate::cluster::round;
use renga_phy::pins::model::{ModelSetup, Speed};

/// Holds: linkbench-losses.
#[test]
fn linkbench_silent_board_is_left_out() {
    let round = round(&ModelSetup::of(3, Speed::PI3_1200), None, &[0, 2]);
    assert!(round.pairs[1].is_none() && round.shares[1].is_none() && round.pairs[2].is_some(), "{round}");
    assert!(!round.is_whole() && round.to_string().contains("board 1: does not answer"), "{round}");
}

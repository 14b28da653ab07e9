//! Seeds that failed once, with what was wrong.
//!
//! Not here: seeds that draw something else by now; their faults have tests of their own (`docs/reference/seeds.md`).

use renga_sim::calls;
use renga_sim::cut::Cut;
use renga_sim::seed;

/// A seed of calls between boards, how many boards if not as drawn, and what is left away.
fn link(seed: u64, boards: Option<u8>, cut: &str) {
    let cut: Cut = cut.parse().unwrap();
    if let Err(failure) = calls::run(seed, boards, &cut) {
        panic!("{failure}");
    }
}

/// As `link`, of whole systems.
fn system(number: u64, boards: u8, cut: &str) {
    let cut: Cut = cut.parse().unwrap();
    if let Err(failure) = seed::run(number, Some(boards), &cut) {
        panic!("{failure}");
    }
}

/// A call had arrived and its caller's board hung or was out of reach so long that the server's board ended the
/// session; nobody told the caller, whose board saw no frame missing: it waited for ever.
#[test]
fn a_caller_learns_that_the_other_board_has_ended_the_session() {
    for seed in [20, 33, 38, 76, 143, 151, 156, 176, 181, 472, 596, 935] {
        link(seed, None, "");
    }
}

/// A board that had ended a session counted its epoch on, and its next life, numbered by boots, began with that
/// same epoch: the other board took the new life for the old one. A call was made twice, frames were refused,
/// a caller waited for ever.
#[test]
fn the_next_life_of_a_board_is_not_taken_for_the_last() {
    for seed in [1_174_985, 1_168_369, 1_203_653] {
        link(seed, None, "");
    }
}

/// A board was heard, and died before its session was up: callers waited as for a board that boots slowly. In two of
/// these it was never heard, as a third board hung with the bus; then the judge was wrong.
#[test]
fn a_board_that_dies_while_it_greets_keeps_nobody_waiting() {
    for seed in [5_034_219, 5_221_804, 5_338_221] {
        link(seed, None, "");
    }
}

/// A server here is called by the last life of a board and calls that board itself: the next session waits until the
/// call from there is over, which waits for the next session. A greeting that had to wait was once taken for a reason
/// to wait on.
#[test]
fn a_greeting_that_has_to_wait_lets_nobody_wait_longer() {
    for seed in [5_007_530, 5_008_759, 5_014_710] {
        link(seed, None, "");
    }
}

/// The judge called a caller late whose own board had hung.
#[test]
fn a_board_that_hung_is_told_when_it_goes_on() {
    link(1_122_459, None, "");
}

/// A child ended on a board that the board of its parent had greeted again: the child's slot was told so, by
/// `ESTALE`, and its parent was never told that it had ended.
#[test]
fn a_parent_on_a_board_that_has_begun_anew_is_told_of_the_end_of_its_child() {
    system(39, 3, "boards=3:actors=3:steps=7:quiet");
}

/// The player forgot what a child is to do when its fork was told `EHOSTDOWN`; but the board had only hung, and had
/// made the child.
#[test]
fn a_child_may_begin_although_its_parent_was_told_that_its_board_is_down() {
    system(107, 2, "");
}

/// References to mapped files travelled with a program to another board; one that died after its child had ended had
/// given them back, and the child's parent did so again. The next fork found the file without references: `EINVAL`.
#[test]
fn a_board_that_dies_with_a_child_takes_no_reference_along() {
    for (seed, boards) in [(16, 5), (55, 2), (92, 3), (300, 4)] {
        system(seed, boards, "");
    }
}

/// A process that was told of a board's new life in a call to one server there went on to use its open files of the
/// old life.
#[test]
fn open_files_of_an_earlier_life_are_lost() {
    system(34, 3, "");
}

/// A board ended a session and never called again: what the other one held for it, it held for ever.
#[test]
fn both_boards_learn_that_a_session_has_ended() {
    for (seed, boards) in [(1287, 3), (337, 4)] {
        system(seed, boards, "");
    }
}

/// The judge did not allow for writes that a fault cut short.
#[test]
fn a_write_may_be_cut_short_by_a_fault() {
    for (seed, boards) in [(868, 5), (1190, 4), (1521, 3)] {
        system(seed, boards, "");
    }
}

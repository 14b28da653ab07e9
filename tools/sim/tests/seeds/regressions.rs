//! Seeds that failed once, with what was wrong.
//!
//! Not here: seeds that draw something else by now; their faults have tests of their own (`docs/reference/seeds.md`).

use renga_sim::calls;
use renga_sim::cut::Cut;
use renga_sim::outcome::{Failure, Report};
use renga_sim::seed;

/// What a run must have for its seed to reach what it is kept for: figures of which none may be 0.
type Needs = &'static [&'static str];

fn check(number: u64, run: Result<Report, Box<Failure>>, needs: Needs) {
    let report = run.unwrap_or_else(|failure| panic!("{failure}"));
    for need in needs {
        assert!(report.counts.get(need) > 0, "seed {number} is blind, it has no {need}: {:?}", report.counts);
    }
}

/// A seed of calls between boards.
fn link(number: u64, needs: Needs) {
    check(number, calls::run(number, None, &Cut::default()), needs);
}

/// As `link`, of whole systems: how many boards, and what is left away.
fn system(number: u64, boards: u8, cut: &str, needs: Needs) {
    check(number, seed::run(number, Some(boards), &cut.parse().unwrap()), needs);
}

/// A call had arrived and its caller's board hung or was out of reach so long that the server's board ended the
/// session; nobody told the caller, whose board saw no frame missing: it waited for ever. These fail if who awaits a reply
/// asks nobody (`ask_at_ns`, `dead_at_ns` of sessions); the twelve that found it draw something else by now.
#[test]
fn a_caller_learns_that_the_other_board_has_ended_the_session() {
    for number in [1358, 2304, 2951] {
        link(number, &["sessions ended", "cut off", "EHOSTDOWN"]);
    }
}

/// A board that had ended a session counted its epoch on, and its next life, numbered by boots, began with that
/// same epoch: the other board took the new life for the old one. A call was made twice, frames were refused,
/// a caller waited for ever. These fail if lives are one epoch apart (`EPOCH_STEP`).
#[test]
fn the_next_life_of_a_board_is_not_taken_for_the_last() {
    for number in [1_174_985, 1_168_369, 1_203_653] {
        link(number, &["deaths", "ESTALE"]);
    }
}

/// A server here is called by the last life of a board and calls that board itself: the next session waits until the
/// call from there is over, which waits for the next session. A greeting that had to wait was once taken for a reason
/// to wait on; that was never in the product.
#[test]
fn a_greeting_that_has_to_wait_lets_nobody_wait_longer() {
    for number in [5_007_530, 5_014_710] {
        link(number, &["deaths", "sessions ended", "ESTALE"]);
    }
}

/// The judge called a caller late whose own board had hung.
#[test]
fn a_board_that_hung_is_told_when_it_goes_on() {
    link(1_122_459, &["hangs", "EHOSTDOWN"]);
}

/// A child ended on a board that the board of its parent had greeted again: the child's slot was told so, by
/// `ESTALE`, and its parent was never told that it had ended.
#[test]
fn a_parent_on_a_board_that_has_begun_anew_is_told_of_the_end_of_its_child() {
    system(39, 3, "boards=3:actors=3:steps=7:quiet", &["deaths"]);
}

/// The player forgot what a child is to do when its fork was told `EHOSTDOWN`; but the board had only hung, and had
/// made the child.
#[test]
fn a_child_may_begin_although_its_parent_was_told_that_its_board_is_down() {
    system(107, 2, "", &["hangs", "sessions ended"]);
}

/// References to mapped files travelled with a program to another board; one that died after its child had ended had
/// given them back, and the child's parent did so again. The next fork found the file without references: `EINVAL`.
#[test]
fn a_board_that_dies_with_a_child_takes_no_reference_along() {
    let seeds: [(u64, u8, Needs); 4] =
        [(16, 5, &["deaths"]), (55, 2, &["deaths"]), (92, 3, &["sessions ended"]), (300, 4, &["hangs, then reset"])];
    for (number, boards, needs) in seeds {
        system(number, boards, "", needs);
    }
}

/// A process that was told of a board's new life in a call to one server there went on to use its open files of the
/// old life.
#[test]
fn open_files_of_an_earlier_life_are_lost() {
    system(34, 3, "", &["deaths", "sessions ended"]);
}

/// A board ended a session and never called again: what the other one held for it, it held for ever.
#[test]
fn both_boards_learn_that_a_session_has_ended() {
    for (number, boards) in [(1287, 3), (337, 4)] {
        system(number, boards, "", &["sessions ended"]);
    }
}

/// The judge did not allow for writes that a fault cut short.
#[test]
fn a_write_may_be_cut_short_by_a_fault() {
    let cut_short: Needs = &["of them, in the middle of a write"];
    for (number, boards, needs) in [(868, 5, cut_short), (1190, 4, cut_short), (1521, 3, &["sessions ended"])] {
        system(number, boards, "", needs);
    }
}

/// A power cut of the disk's board waited for init, whose board hung: cut before it had begun, it began twice.
#[test]
fn a_board_that_hangs_is_cut_when_its_programs_have_begun() {
    system(41_830, 2, "boards=2:incidents=1,2:actors=0:steps=3:quiet", &["hangs", "power cuts of the disk"]);
}

/// The judge forgave that a board is thought dead where many frames are lost, but not where many are dropped.
#[test]
fn a_board_may_be_thought_dead_where_many_frames_are_dropped() {
    system(45_871, 8, "actors=:steps=1", &["sessions ended"]);
}

/// A session had ended while an inode was lent; its board asked for the size, was asked what it has, and was told the size from
/// before: it read 0 bytes of what it had written.
#[test]
fn who_was_away_is_told_the_size_that_it_has_written() {
    system(90_125, 4, "boards=4:incidents=2,3:actors=1,2,3:steps=11", &["sessions ended", "cut off"]);
}

/// Init was told that programs were killed whose board was thought dead; they lived, it stopped the system under them, and the
/// judge took `EROFS` for a fault.
#[test]
fn programs_that_outlive_what_is_told_of_them_are_waited_for() {
    system(31_404, 8, "", &["sessions ended"]);
}

//! Seeds that failed once, with what was wrong.
//!
//! Not here: seeds that draw something else by now; their faults have tests of their own (`docs/reference/seeds.md`).

use renga_sim::calls;
use renga_sim::cut::Cut;
use renga_sim::outcome::{Failure, SimReport};
use renga_sim::seed;

/// What a run must have for its seed to reach what it is kept for: figures of which none may be 0.
type Needs = &'static [&'static str];

fn check(number: u64, run: Result<SimReport, Box<Failure>>, needs: Needs) {
    let report = run.unwrap_or_else(|failure| panic!("{failure}"));
    for need in needs {
        assert!(report.counts.get(need) > 0, "seed {number} is blind, it has no {need}: {:?}", report.counts);
    }
}

/// A seed of calls between boards.
fn link(number: u64, needs: Needs) {
    check(number, calls::run(number, None, &Cut::default()), needs);
}

/// As `link`, of whole systems: how many boards, and the omitted parts.
fn system(number: u64, boards: u8, cut: &str, needs: Needs) {
    check(number, seed::run(number, Some(boards), &cut.parse().unwrap()), needs);
}

/// A call had arrived and its caller's board hung or was out of reach so long that the server's board ended the
/// session; the caller got no error, as its board saw no frame missing: it waited for ever. These fail if a caller
/// awaiting a reply never probes (`ask_at_ns`, `dead_at_ns` of sessions); the twelve seeds that found it give other
/// runs by now.
#[test]
fn session_ended_by_peer_is_reported_to_caller() {
    for number in [1358, 2304, 2951] {
        link(number, &["sessions ended", "cut off", "EHOSTDOWN"]);
    }
}

/// A board that had ended a session incremented its epoch, and its next incarnation, numbered by boots, started with
/// that same epoch: the other board took the new incarnation for the old one. A call was executed twice, frames were
/// refused, a caller waited for ever. These fail if incarnations are one epoch apart (`EPOCH_STEP`).
#[test]
fn incarnation_next_is_not_mistaken_for_previous() {
    for number in [1_174_985, 1_168_369, 1_203_653] {
        link(number, &["deaths", "ESTALE"]);
    }
}

/// The last incarnation of a board calls a server here, which calls that board itself: the next session waits until the
/// call from there is over, which waits for the next session. A hello that had to wait was once taken for a reason
/// to wait on; that was never in the product.
#[test]
fn hello_delayed_prolongs_no_wait() {
    for number in [5_007_530, 5_014_710] {
        link(number, &["deaths", "sessions ended", "ESTALE"]);
    }
}

/// The check called a caller late whose own board had hung.
#[test]
fn hung_board_learns_its_session_ended() {
    link(1_122_459, &["hangs", "EHOSTDOWN"]);
}

/// A child ended on a board that had opened a new session with the board of its parent: the child's slot got `ESTALE`,
/// and its parent never learned that it had ended.
#[test]
fn remote_child_exit_is_reported_after_reboot() {
    system(39, 3, "boards=3:actors=3:steps=7:quiet", &["deaths"]);
}

/// The player forgot the child's work when its fork returned `EHOSTDOWN`; but the board had only hung, and had created
/// the child.
#[test]
fn remote_child_may_start_after_parent_saw_board_down() {
    system(107, 2, "", &["hangs", "sessions ended"]);
}

/// References to mapped files travelled with a program to another board; one that died after its child had ended had
/// given them back, and the child's parent did so again. The next fork found the file without references: `EINVAL`.
#[test]
fn board_failure_with_child_leaks_no_reference() {
    let seeds: [(u64, u8, Needs); 4] =
        [(16, 5, &["deaths"]), (55, 2, &["deaths"]), (92, 3, &["sessions ended"]), (300, 4, &["hangs, then reset"])];
    for (number, boards, needs) in seeds {
        system(number, boards, "", needs);
    }
}

/// A process that learned of a board's new incarnation from a call to one server there continued to use its open files
/// of the old one.
#[test]
fn open_files_of_earlier_incarnation_are_stale() {
    system(34, 3, "", &["deaths", "sessions ended"]);
}

/// A board ended a session and never called again: the other one kept its resources for ever.
#[test]
fn session_end_is_learned_by_both_boards() {
    for (number, boards) in [(1287, 3), (337, 4)] {
        system(number, boards, "", &["sessions ended"]);
    }
}

/// The check did not allow for writes that a fault cut short.
#[test]
fn write_cut_short_by_fault_is_accepted() {
    let cut_short: Needs = &["of them, in the middle of a write"];
    for (number, boards, needs) in [(868, 5, cut_short), (1190, 4, cut_short), (1521, 3, &["sessions ended"])] {
        system(number, boards, "", needs);
    }
}

/// A power cut of the disk's board waited for init, whose board hung: cut before it had begun, it began twice.
#[test]
fn hung_board_is_cut_after_its_programs_started() {
    system(41_830, 2, "boards=2:incidents=1,2:actors=0:steps=3:quiet", &["hangs", "power cuts of the disk"]);
}

/// The check accepted that a board is declared dead where many frames are lost, but not where many are dropped.
#[test]
fn board_behind_lossy_link_may_be_declared_dead() {
    system(45_871, 8, "actors=:steps=1", &["sessions ended"]);
}

/// A session had ended while an inode was leased; its board queried the size, received a revocation, and got the size
/// from before: it read 0 bytes of its own data.
#[test]
fn lease_reclaimed_reports_size_written_while_orphaned() {
    system(90_125, 4, "boards=4:incidents=2,3:actors=1,2,3:steps=11", &["sessions ended", "cut off"]);
}

/// Init learned that programs were killed whose board was declared dead; they lived, it stopped the system under them,
/// and the check took `EROFS` for a fault.
#[test]
fn orphaned_programs_are_awaited_before_shutdown() {
    system(31_404, 8, "", &["sessions ended"]);
}

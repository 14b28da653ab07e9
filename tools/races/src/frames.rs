//! Plausible mutants of a frame's state, or of its count.

use super::{RaceMutant, Scenario, mutant};

const STATE: &str = "frame_state";
/// A step's code where several cores take steps.
const STEP: &str = "match self.0.compare_exchange(old, new, Ordering::AcqRel, Ordering::Relaxed) {";
/// How a root begins to end.
const ENDS: &str = "_ if old & LOCKED != 0 => Err(FrameRefusal::Borrowed),
            _ => Ok(old & (SEVERAL | COUNT | NUMBER)";
/// How a root is locked.
const LOCKS: &str = "self.step(|old| match old {
            _ if !FrameUse(old).is_root() => Err(FrameRefusal::WrongKind),";
/// The code that makes fetches see the content.
const BEGINS: &str = "if old & FETCH == 0 { Ok(old | BEING_MADE) } else { Err(FrameRefusal::Borrowed) }";
const MADE: &str = "if old & FETCH == BEING_MADE { Ok(old ^ FETCH) } else { Err(FrameRefusal::Borrowed) }";
const WRITES: &str = "if old & (KIND | NUMBER) == 0 { Ok(old & !FETCH | WRITER)";

pub(crate) const FRAMES: [RaceMutant; 14] = [
    mutant(
        "step_by_a_store",
        STATE,
        [STEP, "self.0.store(new, Ordering::Release); match Ok::<u64, u64>(old) {"],
        Scenario::Borrow,
    ),
    mutant(
        "step_without_acquire",
        STATE,
        [STEP, "match self.0.compare_exchange(old, new, Ordering::Release, Ordering::Relaxed) {"],
        Scenario::Borrow,
    ),
    mutant(
        "step_without_release",
        STATE,
        [STEP, "match self.0.compare_exchange(old, new, Ordering::Acquire, Ordering::Relaxed) {"],
        Scenario::Borrow,
    ),
    mutant(
        "write_beside_readers",
        STATE,
        [WRITES, "if old & KIND == 0 && old & NUMBER != WRITER { Ok(old & !FETCH | WRITER)"],
        Scenario::Borrow,
    ),
    mutant(
        "read_beside_a_writer",
        STATE,
        ["old & NUMBER < WRITER - READER", "old & NUMBER <= WRITER"],
        Scenario::Borrow,
    ),
    mutant("write_a_table", STATE, [WRITES, "if old & NUMBER == 0 { Ok(old & !FETCH | WRITER)"], Scenario::Table),
    mutant(
        "a_mapped_frame_becomes_a_table",
        STATE,
        ["_ if old & COUNT != 0 => Err(FrameRefusal::Mapped),", ""],
        Scenario::Table,
    ),
    mutant(
        "a_borrowed_frame_becomes_a_table",
        STATE,
        ["_ if old & NUMBER != 0 => Err(FrameRefusal::Borrowed),", ""],
        Scenario::Table,
    ),
    mutant(
        "a_table_is_mapped",
        STATE,
        [
            "let next = |old| if old & KIND == 0 { Ok((old & !gone) + 1) }",
            "let next = |old| if old != 1 { Ok((old & !gone) + 1) }",
        ],
        Scenario::Table,
    ),
    mutant(
        "unmap_without_release",
        STATE,
        [STEP, "match self.0.compare_exchange(old, new, Ordering::Acquire, Ordering::Relaxed) {"],
        Scenario::Unmap,
    ),
    mutant("end_while_locked", STATE, [ENDS, "_ => Ok(old & (SEVERAL | COUNT | NUMBER)"], Scenario::Restrict),
    mutant("lock_what_ends", STATE, [LOCKS, "self.step(|old| match old {"], Scenario::Restrict),
    mutant(
        "fetchable_at_once",
        STATE,
        [BEGINS, "if old & FETCH == 0 { Ok(old | FETCHABLE) } else { Err(FrameRefusal::Borrowed) }"],
        Scenario::Fetch,
    ),
    mutant(
        "fetchable_by_any_writer",
        STATE,
        [MADE, "Ok::<u64, FrameRefusal>(old & !FETCH | FETCHABLE)"],
        Scenario::Fetch,
    ),
];

const FRAME_COUNTS: &str = "frame_counts";
const IS_TAKEN: &str = "word.load(Ordering::Acquire) == TAKEN";

pub(crate) const COUNTS: [RaceMutant; 3] = [
    mutant(
        "count_without_release",
        FRAME_COUNTS,
        ["self.0.store(to, Ordering::Release);", "self.0.store(to, Ordering::Relaxed);"],
        Scenario::Only,
    ),
    mutant("only_without_acquire", FRAME_COUNTS, [IS_TAKEN, "word.load(Ordering::Relaxed) == TAKEN"], Scenario::Only),
    mutant("only_any_count", FRAME_COUNTS, [IS_TAKEN, "word.load(Ordering::Acquire) >= TAKEN"], Scenario::Only),
];

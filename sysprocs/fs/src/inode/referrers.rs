//! Which boards refer to which active inode: what its process asks before it changes anything for another board. And
//! which inodes are lent: their processes are not given other inodes, as taking them home may have to wait; and which session
//! with each board it is.
//!
//! Invariant: who refers is written by the directory of inodes alone, whenever a board begins or ends to refer to an inode;
//! what is lent by the inodes' processes, which are on its board. Not here: the references (`active_table.rs`).

use core::cell::Cell;
use renga_rt::{BOARDS_MAX, Call, Entry};

/// In a set: the inode is lent.
const LENT: u16 = 1 << 8;
/// Of so many inodes one may be lent.
const LENT_SHARE: usize = 4;

/// A set of boards, a bit each, for each inode process.
#[derive(Clone)]
pub struct Referrers {
    sets: &'static [Cell<u16>],
    lent: Cell<usize>,
    /// Sessions with each board that have ended.
    ended: [Cell<u32>; BOARDS_MAX],
}

impl Referrers {
    /// As many as there are `sets`.
    pub const fn new(sets: &'static [Cell<u16>]) -> Referrers {
        Referrers { sets, lent: Cell::new(0), ended: [const { Cell::new(0) }; BOARDS_MAX] }
    }
    /// A session with `board` has ended.
    pub(crate) fn end_session(&self, board: u8) {
        if let Some(ended) = self.ended.get(usize::from(board)) {
            ended.set(ended.get().wrapping_add(1));
        }
    }
    /// Which session with `board` it is. The directory of inodes is told of its end before the next one begins.
    pub(crate) fn session(&self, board: u8) -> u32 {
        self.ended.get(usize::from(board)).map_or(0, Cell::get)
    }
    pub(crate) fn set(&self, slot: u16, boards: u8) {
        if let Some(set) = self.sets.get(usize::from(slot)) {
            set.set(set.get() & LENT | u16::from(boards));
        }
    }
    /// The inode of process `slot` is lent from now on, or no longer.
    pub(crate) fn set_lent(&self, slot: u16, lent: bool) {
        let Some(set) = self.sets.get(usize::from(slot)).filter(|_| self.is_lent(slot) != lent) else { return };
        set.set(set.get() ^ LENT);
        self.lent.set(if lent { self.lent.get() + 1 } else { self.lent.get() - 1 });
    }
    pub(crate) fn is_lent(&self, slot: u16) -> bool {
        self.sets.get(usize::from(slot)).is_some_and(|set| set.get() & LENT != 0)
    }
    /// The first process from `from` on whose inode is lent.
    pub(crate) fn next_lent(&self, from: u16) -> Option<u16> {
        let count = if self.lent.get() > 0 { self.sets.len() as u16 } else { 0 };
        (from..count).find(|&slot| self.is_lent(slot))
    }
    /// Whether one more may be lent, and whether those that are should soon come home.
    pub(crate) fn may_lend(&self) -> (bool, bool) {
        let most = (self.sets.len() / LENT_SHARE).max(1);
        (self.lent.get() < most, self.lent.get() >= most.div_ceil(2))
    }
    /// Whether the board of `own` need not be asked, or that of the caller refers to the inode of process `slot`.
    pub(crate) fn admit<E: Entry>(&self, own: u8, slot: u16, call: &Call<E>) -> bool {
        let board = call.board();
        let boards = || self.sets.get(usize::from(slot)).map_or(0, Cell::get) as u8;
        board == own || boards().checked_shr(board.into()).unwrap_or(0) & 1 != 0
    }
}

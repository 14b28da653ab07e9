//! Which boards refer to which active inode: what its process asks before it changes anything for another board.
//!
//! Invariant: written by the directory of inodes alone, whenever a board begins or ends to refer to an inode; read by
//! the inodes' processes, which are on its board. Not here: the references (`active_table.rs`).

use core::cell::Cell;
use renga_rt::{Call, Entry};

/// A set of boards, a bit each, for each inode process.
#[derive(Clone, Copy)]
pub struct Referrers(&'static [Cell<u8>]);

impl Referrers {
    /// As many as there are `sets`.
    pub const fn new(sets: &'static [Cell<u8>]) -> Referrers {
        Referrers(sets)
    }
    pub(crate) fn set(&self, slot: u16, boards: u8) {
        if let Some(set) = self.0.get(usize::from(slot)) {
            set.set(boards);
        }
    }
    /// Whether the board of `own` need not be asked, or that of the caller refers to the inode of process `slot`.
    pub(crate) fn admit<E: Entry>(&self, own: u8, slot: u16, call: &Call<E>) -> bool {
        let board = call.board();
        let boards = || self.0.get(usize::from(slot)).map_or(0, Cell::get);
        board == own || boards().checked_shr(board.into()).unwrap_or(0) & 1 != 0
    }
}

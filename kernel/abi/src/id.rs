//! Numbers of boards and of system processes.
//!
//! Invariant: an identity is fixed by the placement file before boot and never reused. Not here:
//! process ids of user programs (`sysprocs/process`).

use core::fmt;

/// A board of the cluster, numbered in token order from 0.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct BoardId(pub u8);

/// A system process: its board and its index in that board's placement table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct ProcId {
    /// The board that it is placed on.
    pub board: BoardId,
    /// Its place in the board's table, in placement order.
    pub index: u16,
}

impl ProcId {
    /// The process at `index` of board `board`.
    pub const fn new(board: u8, index: u16) -> Self {
        ProcId { board: BoardId(board), index }
    }
    /// As one word: board in bits 16..24, index in bits 0..16.
    pub const fn to_word(self) -> u32 {
        (self.board.0 as u32) << 16 | self.index as u32
    }
    /// The inverse of [`ProcId::to_word`].
    pub const fn from_word(word: u32) -> Self {
        ProcId::new((word >> 16) as u8, word as u16)
    }
}

impl fmt::Display for ProcId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", (b'a' + self.board.0) as char, self.index)
    }
}

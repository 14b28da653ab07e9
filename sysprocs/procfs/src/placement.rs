//! The system as placed, as a server of synthetic files sees it.
//!
//! Called by: `whole/plan.rs`; the board implements it. Not here: the format of the text.

use core::fmt;
use renga_rt::ProcId;

/// Processes of one kind on one board.
#[derive(Clone, Copy, Debug)]
pub struct PlacedKind {
    /// The board's name.
    pub board: &'static str,
    /// The kind's.
    pub kind: &'static str,
    /// How many.
    pub count: u16,
    /// Their core.
    pub core: u8,
}

/// That processes of one kind call those of another.
#[derive(Clone, Copy, Debug)]
pub struct PlacedEdge {
    /// The callers' board.
    pub caller_board: &'static str,
    /// Their kind.
    pub caller: &'static str,
    /// The servers' kind.
    pub server: &'static str,
    /// Entries that are called, a bit each.
    pub entries: u32,
    /// Entries of the servers, by number and name.
    pub names: &'static [(u32, &'static str)],
    /// Calls that came, of an edge from another board: those within a board are not counted.
    pub calls: Option<u64>,
}

/// The system as placed: what a server of synthetic files knows of it.
pub trait Plan {
    /// The kind of a process of any board, by name.
    fn kind_name(&self, id: ProcId) -> &'static str;
    /// The name of a board.
    fn board_name(&self, board: u8) -> &'static str;
    /// Shows each kind of each board.
    fn each_kind(&self, show: &mut dyn FnMut(PlacedKind));
    /// Shows each edge to processes of this board.
    fn each_edge(&self, show: &mut dyn FnMut(PlacedEdge));
}

impl fmt::Debug for dyn Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Plan")
    }
}

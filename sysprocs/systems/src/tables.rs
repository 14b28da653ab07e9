//! A placement as constants: what the placement tool writes and a board boots from.
//!
//! Invariant: constant data only, no text to compare at boot. A process is `ProcId { board, index }`:
//! `board` the index into [`System::boards`], `index` from the `first` of its row on.

use crate::Kind;

/// One system.
#[derive(Clone, Copy, Debug)]
pub struct System {
    /// Its name.
    pub name: &'static str,
    /// Its boards, in token order.
    pub boards: &'static [Board],
    /// The edges that are not synchronous; `entries` never contains one that may not be released.
    pub async_edges: &'static [AsyncEdge],
}

/// One board.
#[derive(Clone, Copy, Debug)]
pub struct Board {
    /// Its name.
    pub name: &'static str,
    /// Whether it owns the disk.
    pub owns_disk: bool,
    /// Cores that run system processes.
    pub cores: u8,
    /// All processes, computed ones included.
    pub processes: u16,
    /// The processes placed, by `first`.
    pub placed: &'static [Placed],
    /// The proxies, by `first`; they follow the processes placed.
    pub proxies: &'static [Proxies],
    /// Processes of other boards that processes here call: each needs a stub. By board and `first`.
    pub stubs: &'static [Placed],
    /// What passes to and from each other board that has any calls with this one.
    pub peers: &'static [Peer],
    /// The bound of the memory for messages.
    pub message_bytes: u32,
}

/// Processes of one kind on one core.
#[derive(Clone, Copy, Debug)]
pub struct Placed {
    /// What they are.
    pub kind: Kind,
    /// Their board (in `Board::placed`: that board).
    pub board: u8,
    /// The index of the first.
    pub first: u16,
    /// How many.
    pub count: u16,
    /// Their core.
    pub core: u8,
}

/// The proxies of the processes of one kind of another board, one each.
#[derive(Clone, Copy, Debug)]
pub struct Proxies {
    /// The kind of those that they call for.
    pub caller_kind: Kind,
    /// The board of those.
    pub caller_board: u8,
    /// The index there of the first of those.
    pub caller_first: u16,
    /// The index of the first proxy here.
    pub first: u16,
    /// How many.
    pub count: u16,
    /// Their core.
    pub core: u8,
    /// The largest slice given to them.
    pub given_bytes: u32,
    /// The largest slice taken from them.
    pub taken_bytes: u32,
}

/// What passes to and from another board.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    /// The other board.
    pub board: u8,
    /// Slots for copies of asynchronous calls on their way there; 0 if no edge to there is asynchronous.
    pub slots_out: u16,
    /// The largest slice given in one.
    pub out_bytes: u32,
    /// Slots for copies arrived from there.
    pub slots_in: u16,
    /// The largest slice given in one.
    pub in_bytes: u32,
    /// The index of the first asynchronous proxy for that board; those for server `s` is
    /// `s.index % async_proxies`, which keeps the order of calls to one server.
    pub async_first: u16,
    /// How many there are.
    pub async_proxies: u16,
    /// Their core.
    pub async_core: u8,
}

/// An edge with asynchronous entries.
#[derive(Clone, Copy, Debug)]
pub struct AsyncEdge {
    /// The kind that calls.
    pub caller: Kind,
    /// The kind that serves.
    pub server: Kind,
    /// The entries, a bit each.
    pub entries: u32,
}

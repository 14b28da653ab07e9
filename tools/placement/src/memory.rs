//! The memory that messages between boards can need at most.
//!
//! Invariant: [`MessageMemory::total_bytes`] is what boot allocates for them on the board, and is never exceeded,
//! whatever the programs do: a proxy has room for one call, with the slice given and the slice taken; a local caller
//! has a place at the router; a copy of an asynchronous call is in a slot on the sender's board and, when it has
//! arrived, in one on the server's; frames wait in the window of each other board; answers are packed in one place. On
//! one board messages need none: they pass by reference.

use crate::PlacementError;
use crate::checked::{Checked, CheckedCall, OnBehalfOf};
use crate::legend::What;
use renga_abi::PAGE_BYTES;
use renga_systems::message_memory as sizes;

const BYTES_PER_KIB: u64 = 1024;

/// Some of the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryShare {
    /// How many.
    pub count: u64,
    /// Of what.
    pub what: What,
    /// What each takes beside its slices, bytes.
    pub header_bytes: u64,
    /// What its slices take at most, bytes.
    pub slice_bytes: u64,
}

/// What one board needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageMemory {
    /// The shares of which it is the sum.
    pub shares: Vec<MemoryShare>,
}

impl MessageMemory {
    /// The bound.
    pub fn total_bytes(&self) -> u64 {
        self.shares.iter().map(|share| share.count * (share.header_bytes + share.slice_bytes)).sum()
    }

    /// How it comes about, as one line.
    pub fn formula(&self) -> String {
        self.terms().join(" + ")
    }

    /// The summands of the bound.
    pub(crate) fn terms(&self) -> Vec<String> {
        let terms =
            self.shares.iter().map(|MemoryShare { count, what, header_bytes, slice_bytes }| match slice_bytes {
                0 => format!("{count} {} x {header_bytes}", what.name()),
                _ => format!("{count} {} x ({header_bytes} header + {slice_bytes} slices)", what.name()),
            });
        let terms: Vec<_> = terms.collect();
        if terms.is_empty() { vec!["no calls between boards".into()] } else { terms }
    }

    fn add(&mut self, count: u64, what: What, header_bytes: usize, slice_bytes: u64) {
        let header_bytes = header_bytes as u64;
        let is_same = |share: &&mut MemoryShare| (share.what, share.slice_bytes) == (what, slice_bytes);
        match self.shares.iter_mut().find(is_same) {
            Some(same) => same.count += count,
            None if count > 0 => self.shares.push(MemoryShare { count, what, header_bytes, slice_bytes }),
            None => {}
        }
    }
}

/// The bounds of all boards.
///
/// # Errors
/// [`PlacementError::MessageMemory`] for the first board whose bound is above what the file allows.
pub(crate) fn bounds(checked: &Checked) -> Result<Vec<MessageMemory>, PlacementError> {
    let mut all = Vec::new();
    for (index, board) in checked.boards.iter().enumerate() {
        let memory = of_board(checked, index);
        let (bytes, bound) = (memory.total_bytes(), u64::from(board.message_kib) * BYTES_PER_KIB);
        if bytes > bound {
            return Err(PlacementError::MessageMemory {
                line: board.line,
                board: board.name.clone(),
                bytes,
                bound,
                kib: board.message_kib,
                formula: memory.formula(),
            });
        }
        all.push(memory);
    }
    Ok(all)
}

fn of_board(checked: &Checked, board: usize) -> MessageMemory {
    let mut memory = MessageMemory::default();
    if checked.boards.len() == 1 {
        return memory;
    }
    for (_, group) in checked.groups_on(board) {
        let (what, slices) = match group.on_behalf_of {
            OnBehalfOf::Itself => continue,
            OnBehalfOf::Shared(caller) => (What::SharedProxies, proxy_slices(checked, caller, board).0),
            OnBehalfOf::Group(caller) => (What::Proxies, proxy_slices(checked, caller, board).1),
            OnBehalfOf::Board(_) => (What::AsyncProxies, 0),
        };
        let future_bytes = checked.kinds[group.kind].future_bytes as usize;
        memory.add(group.count().into(), what, sizes::PROXY + future_bytes, slices);
    }
    let callers = checked.groups_on(board).filter(|(group, _)| checked.calls_elsewhere(*group));
    memory.add(callers.map(|(_, group)| u64::from(group.count())).sum(), What::Callers, sizes::CALLER, 0);
    let (boards, others) = (checked.boards.len() as u64, (0..checked.boards.len()).filter(|other| *other != board));
    memory.add(boards, What::Windows, sizes::PEER, 0);
    memory.add(1, What::Packing, sizes::PACKER, 0);
    memory.add(others.clone().map(|other| calls_under_way(checked, board, other)).sum(), What::Calls, sizes::CALL, 0);
    let is_async = |other| has_slots(checked, board, other) || has_slots(checked, other, board);
    if others.clone().any(is_async) {
        memory.add(2 * boards * u64::from(checked.pool.slots), What::Slots, sizes::COPY, PAGE_BYTES as u64);
    }
    memory
}

/// Calls of `board` that may be at `other` at the same time: the proxies that are there for it.
pub(crate) fn calls_under_way(checked: &Checked, board: usize, other: usize) -> u64 {
    let there = checked.groups_on(other).filter(|(_, group)| match group.on_behalf_of {
        OnBehalfOf::Shared(caller) | OnBehalfOf::Group(caller) => checked.groups[caller].board == board,
        OnBehalfOf::Itself | OnBehalfOf::Board(_) => false,
    });
    there.map(|(_, group)| u64::from(group.count())).sum()
}

fn slice_bytes(checked: &Checked, server: usize, entries: u32) -> u64 {
    checked.kinds[checked.groups[server].kind].serves.map_or(0, |protocol| protocol.slice_bytes(entries))
}

/// The most bytes of slices, given and taken together, of one call of group `caller` to `board`: of those that share
/// proxies, and of those that may wait.
pub(crate) fn proxy_slices(checked: &Checked, caller: usize, board: usize) -> (u64, u64) {
    let calls =
        || checked.calls.iter().filter(|call| call.caller == caller && checked.groups[call.server].board == board);
    let most =
        |entries: fn(&CheckedCall) -> u32| calls().map(|call| slice_bytes(checked, call.server, entries(call))).max();
    (most(CheckedCall::answered_soon).unwrap_or(0), most(CheckedCall::waiting).unwrap_or(0))
}

/// Whether calls `from` a board `to` another may be asynchronous.
pub(crate) fn has_slots(checked: &Checked, from: usize, to: usize) -> bool {
    let board = |group: usize| checked.groups[group].board;
    let between = |call: &&CheckedCall| board(call.caller) == from && board(call.server) == to;
    checked.calls.iter().filter(between).any(|call| call.async_entries != 0)
}

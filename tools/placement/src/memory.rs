//! The memory that messages between boards can need at most.
//!
//! Invariant: [`MessageMemory::total_bytes`] is never exceeded on the board, whatever the programs do: a proxy holds
//! the one call of its caller (with the slice given) and its last reply (with the slice taken); a copy
//! of an asynchronous call is in a slot on the sender's board and, when it has arrived, in one on the
//! server's. On one board messages need none: they pass by reference. Not here: frames under way in the
//! link's own window (`netlink-hw`).

use crate::PlacementError;
use crate::checked::{Call, Checked, OnBehalfOf};

/// What a message takes beside its slices: operation, six words, call number, caller, server, lengths and
/// their alignment, rounded up.
pub const MESSAGE_HEADER_BYTES: u64 = 128;
const BYTES_PER_KIB: u64 = 1024;

/// What one board needs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MessageMemory {
    /// Proxies by the sizes of their slices: how many, slice given, slice taken (bytes at most).
    pub proxies: Vec<(u64, u64, u64)>,
    /// Slots for copies "to b" or "from b": which, how many, slice given.
    pub slots: Vec<(String, u64, u64)>,
}

impl MessageMemory {
    /// The bound.
    pub fn total_bytes(&self) -> u64 {
        let proxies = self.proxies.iter().map(|(count, given, taken)| count * (MESSAGE_HEADER_BYTES + given + taken));
        let slots = self.slots.iter().map(|(_, count, given)| count * (MESSAGE_HEADER_BYTES + given));
        proxies.chain(slots).sum()
    }

    /// How it comes about, as one line.
    pub fn formula(&self) -> String {
        self.terms().join(" + ")
    }

    /// The summands of the bound.
    pub(crate) fn terms(&self) -> Vec<String> {
        let header = MESSAGE_HEADER_BYTES;
        let proxies = self.proxies.iter().map(|(count, given, taken)| {
            format!("{count} proxies x ({header} header + {given} given + {taken} taken)")
        });
        let slots = self
            .slots
            .iter()
            .map(|(which, count, given)| format!("{count} slots {which} x ({header} header + {given} given)"));
        let terms: Vec<_> = proxies.chain(slots).collect();
        if terms.is_empty() { vec!["no calls from other boards".into()] } else { terms }
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
    for (_, group) in checked.groups_on(board) {
        let OnBehalfOf::Group(caller) = group.on_behalf_of else { continue };
        let (given, taken) = proxy_slices(checked, caller, board);
        let count = u64::from(group.count());
        match memory.proxies.iter_mut().find(|(_, g, t)| (*g, *t) == (given, taken)) {
            Some(same) => same.0 += count,
            None => memory.proxies.push((count, given, taken)),
        }
    }
    for other in (0..checked.boards.len()).filter(|other| *other != board) {
        let name = &checked.boards[other].name;
        for (which, from, to) in [("to", board, other), ("from", other, board)] {
            if let Some(given) = slot_slice(checked, from, to) {
                memory.slots.push((format!("{which} {name}"), u64::from(checked.pool.slots), given));
            }
        }
    }
    memory
}

fn protocol_slices(checked: &Checked, call: &Call) -> (u64, u64) {
    let serves = checked.kinds[checked.groups[call.server].kind].serves;
    serves.map_or((0, 0), |protocol| (protocol.given_bytes_max.into(), protocol.taken_bytes_max.into()))
}

/// The largest slices, given and taken, of the calls of group `caller` to `board`.
pub(crate) fn proxy_slices(checked: &Checked, caller: usize, board: usize) -> (u64, u64) {
    let calls = checked.calls.iter().filter(|call| call.caller == caller && checked.groups[call.server].board == board);
    let slices = calls.map(|call| protocol_slices(checked, call));
    slices.fold((0, 0), |(given, taken), (g, t)| (given.max(g), taken.max(t)))
}

/// The largest slice given by an asynchronous call `from` a board `to` another, if there are such.
pub(crate) fn slot_slice(checked: &Checked, from: usize, to: usize) -> Option<u64> {
    let board = |group: usize| checked.groups[group].board;
    let between = |call: &&Call| board(call.caller) == from && board(call.server) == to && call.async_entries != 0;
    checked.calls.iter().filter(between).map(|call| protocol_slices(checked, call).0).max()
}

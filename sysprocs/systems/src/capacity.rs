//! Proof that each permitted call finds a proxy: the placement tool's figures, checked again from the tables.
//!
//! Invariant: with tables that pass, a permitted call finds a proxy with pages for its slices, at once or after a call
//! that waits for no other client. So no call waits for a place that is never freed. Not here: circles of waits
//! (`tools/placement`), other rules (`valid.rs`).

use crate::kinds::Kind;
use crate::rule::{RuleText, require};
use crate::tables::{Board, PeerSlots, Permit, Placed, System};

pub(crate) fn check(system: &System<'_>, number: usize) -> Result<(), RuleText> {
    let board = &system.boards[number];
    board.placed.iter().try_for_each(check_entries)?;
    board.permits.iter().try_for_each(|permit| check_permit(system, board, permit))?;
    board.peers.iter().try_for_each(|peer| check_peer(system, number, peer))
}

/// An entry that defers is one whose callers may wait; so may those of others, if calls to them are passed on.
fn check_entries(row: &Placed) -> Result<(), RuleText> {
    let defers = row.kind.facts().serves().map_or(0, |protocol| protocol.defers);
    require(defers & !row.may_wait == 0, "a caller of an entry that defers may wait")
}

fn check_permit(system: &System<'_>, board: &Board<'_>, permit: &Permit) -> Result<(), RuleText> {
    let caller = (permit.caller_board, permit.caller_kind);
    let Some(row) = board.proxies.iter().find(|row| (row.caller_board, row.caller_kind) == caller) else {
        return Err("who may call has proxies");
    };
    let servers = board.placed.iter().filter(|placed| placed.kind == permit.server);
    let may_wait = servers.fold(0, |all, placed| all | placed.may_wait);
    let (waiting, soon) = (permit.entries & may_wait, permit.entries & !may_wait);
    require(waiting == 0 || row.own == row.callers, "each caller that may wait has a proxy of its own")?;
    require(soon == 0 || row.shared > 0, "callers that do not wait share a proxy at least")?;
    let enough = pages(permit.server, waiting) <= row.own_pages && pages(permit.server, soon) <= row.shared_pages;
    require(enough, "a proxy has pages for all slices of its calls")?;
    let released = permit.entries & system.released(permit.caller_kind, permit.server);
    let peer = board.peers.iter().find(|peer| peer.board == permit.caller_board);
    let copies = peer.is_some_and(|peer| peer.slots_in > 0 && peer.async_proxies > 0);
    require(released == 0 || copies, "asynchronous calls have slots and a proxy")
}

/// No more copies arrive than there are slots for.
fn check_peer(system: &System<'_>, number: usize, peer: &PeerSlots) -> Result<(), RuleText> {
    let there = system.boards[usize::from(peer.board)].peers.iter().find(|back| usize::from(back.board) == number);
    let slots_in = there.map_or(0, |back| back.slots_in);
    require(peer.slots_out <= slots_in, "a board sends no more copies than the other has slots for")
}

/// Most pages that a call to one of these entries lends: for the slice given and for the one taken.
fn pages(server: Kind, entries: u32) -> u8 {
    let Some(protocol) = server.facts().serves() else { return 0 };
    let (gives, takes) = (protocol.gives & entries, protocol.takes & entries);
    match (gives & takes, gives | takes) {
        (0, 0) => 0,
        (0, _) => 1,
        _ => 2,
    }
}

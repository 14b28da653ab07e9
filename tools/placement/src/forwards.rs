//! Calls that are passed on: whom their callers then wait for.
//!
//! Invariant: a caller of a server that forwards calls has an edge of its own to each server that its call may end
//! up with, so that waits, proxies and memory are computed for it. A call crosses the link once: where it arrives from
//! another board, it is passed on only to servers there, since its proxy has no proxies elsewhere.

use crate::checked::{CheckedCall, Group};
use crate::{KindFacts, PlacementError, ProtocolUse, SystemDescription};

/// What a call by `used` may be passed on to, by whichever kind serves it.
pub(crate) fn reached<'k>(placed: &[&'k KindFacts], used: &ProtocolUse) -> Vec<&'k ProtocolUse> {
    let mut found: Vec<&ProtocolUse> = Vec::new();
    let mut protocols = vec![used.protocol];
    // Bounded by the protocols: each is looked at once.
    while let Some(protocol) = protocols.pop() {
        let serving = placed.iter().filter(|kind| kind.serves(protocol));
        for next in serving.flat_map(|kind| kind.uses).filter(|next| next.forwards) {
            if !found.contains(&next) {
                found.push(next);
                protocols.push(next.protocol);
            }
        }
    }
    found
}

/// The entries that `kind` serves and that may make their callers wait for another client: those that say so, and
/// all, if it passes calls on to a kind that has any.
pub(crate) fn may_wait(kinds: &[KindFacts], kind: usize) -> u32 {
    let Some(protocol) = kinds[kind].serves else { return 0 };
    let all: Vec<&KindFacts> = kinds.iter().collect();
    let passed_on = kinds[kind].uses.iter().filter(|used| used.forwards);
    let reached = passed_on.flat_map(|used| [vec![used], reached(&all, used)].concat());
    let waits =
        |used: &ProtocolUse| kinds.iter().any(|to| to.serves.is_some_and(|p| p.name == used.protocol && p.defers != 0));
    if reached.into_iter().any(waits) { protocol.set() } else { protocol.defers }
}

/// `calls`, and those that callers make because theirs are passed on.
pub(crate) fn add_waits(
    system: &SystemDescription,
    kinds: &[KindFacts],
    groups: &[Group],
    mut calls: Vec<CheckedCall>,
    forwards: &[(usize, usize)],
) -> Result<Vec<CheckedCall>, PlacementError> {
    if forwards.is_empty() {
        return Ok(calls);
    }
    let mut next = 0;
    // Bounded by the pairs of groups: no call is added twice.
    while let Some(&CheckedCall { caller, server, .. }) = calls.get(next) {
        next += 1;
        for &(_, to) in forwards.iter().filter(|(from, _)| *from == server) {
            let board_of = |group: usize| groups[group].board;
            if board_of(to) != board_of(server) && board_of(caller) != board_of(server) {
                let name = |board: usize| system.boards[board].name.clone();
                return Err(PlacementError::ForwardLeavesBoard {
                    server: kinds[groups[server].kind].name,
                    board: name(board_of(server)),
                    protocol: kinds[groups[to].kind].serves.map_or("", |protocol| protocol.name),
                    to: name(board_of(to)),
                    caller: kinds[groups[caller].kind].name,
                    from: name(board_of(caller)),
                });
            }
            if !calls.iter().any(|call| (call.caller, call.server) == (caller, to)) {
                let may_wait = may_wait(kinds, groups[to].kind);
                calls.push(CheckedCall { caller, server: to, entries: 0, async_entries: 0, may_wait });
            }
        }
    }
    calls.sort_by_key(|call| call.caller); // as the others are; those of one caller stay in their order
    Ok(calls)
}

//! Which entries of which edges release their callers early.
//!
//! Invariant: only an entry that returns no result and never waits for another client is asynchronous.
//! The general mode takes what it may; an entry named in the file that may not be is refused.
//! Not here: what an asynchronous edge costs (`proxies.rs`, `memory.rs`).

use crate::checked::{CheckedCall, Group};
use crate::{EdgeMode, KindFacts, PlacementError, PlacementProtocol, ReleaseMode, SystemDescription};

/// Gives every call its mode.
pub(crate) fn assign(
    system: &SystemDescription,
    kinds: &[KindFacts],
    groups: &[Group],
    mut calls: Vec<CheckedCall>,
) -> Result<Vec<CheckedCall>, PlacementError> {
    let kinds_of = |call: &CheckedCall| (&kinds[groups[call.caller].kind], &kinds[groups[call.server].kind]);
    if system.mode == ReleaseMode::Async {
        for call in &mut calls {
            call.async_entries = kinds_of(call).1.serves.map_or(0, |protocol| may_be_async(&protocol) & !call.may_wait);
        }
    }
    // Whole edges first, so that the order of the file's lines does not matter.
    let (whole, single): (Vec<_>, Vec<_>) = system.edges.iter().partition(|edge| edge.entry.is_none());
    for edge in whole.into_iter().chain(single) {
        let is_meant = |call: &CheckedCall| {
            let (caller, server) = kinds_of(call);
            caller.name == edge.caller && server.name == edge.server
        };
        let Some(server) = calls.iter().find(|call| is_meant(call)).map(|call| kinds_of(call).1) else {
            return Err(no_such_edge(edge, &calls, &kinds_of));
        };
        let entries = entries(edge, server)?;
        for call in calls.iter_mut().filter(|call| is_meant(call)) {
            match edge.mode {
                ReleaseMode::Sync => call.async_entries &= !entries,
                ReleaseMode::Async => call.async_entries |= entries,
            }
        }
    }
    Ok(calls)
}

fn may_be_async(protocol: &PlacementProtocol) -> u32 {
    protocol.releases & !protocol.defers
}

fn no_such_edge<'k>(
    edge: &EdgeMode,
    calls: &[CheckedCall],
    kinds_of: &dyn Fn(&CheckedCall) -> (&'k KindFacts, &'k KindFacts),
) -> PlacementError {
    let mut known: Vec<&str> = Vec::new();
    for (caller, server) in calls.iter().map(kinds_of) {
        if caller.name == edge.caller && !known.contains(&server.name) {
            known.push(server.name);
        }
    }
    PlacementError::NoSuchEdge {
        line: edge.line,
        caller: edge.caller.clone(),
        server: edge.server.clone(),
        known: if known.is_empty() { "no server".into() } else { known.join(", ") },
    }
}

/// The entries that `edge` gives a mode.
fn entries(edge: &EdgeMode, server: &KindFacts) -> Result<u32, PlacementError> {
    let Some(protocol) = server.serves else { unreachable!("a server serves a protocol") };
    let named = match &edge.entry {
        None => None,
        Some(entry) => Some(entry_bit(edge, entry, &protocol)?),
    };
    if edge.mode == ReleaseMode::Sync {
        return Ok(named.unwrap_or(u32::MAX));
    }
    let wanted = named.unwrap_or(protocol.releases);
    let allowed = wanted & may_be_async(&protocol);
    if allowed != 0 {
        return Ok(allowed);
    }
    let (line, name) = (edge.line, protocol.name);
    if wanted & protocol.defers != 0 {
        return Err(PlacementError::AsyncDefers {
            line,
            protocol: name,
            entries: protocol.names(wanted & protocol.defers),
        });
    }
    let releasable = protocol.names(may_be_async(&protocol));
    Err(PlacementError::AsyncReturnsResult {
        line,
        protocol: name,
        entries: protocol.names(named.unwrap_or(u32::MAX)),
        releasable: if releasable.is_empty() { "none".into() } else { releasable },
    })
}

fn entry_bit(edge: &EdgeMode, entry: &str, protocol: &PlacementProtocol) -> Result<u32, PlacementError> {
    match protocol.entries.iter().find(|(_, name)| *name == entry) {
        Some((op, _)) => Ok(1 << op),
        None => Err(PlacementError::NoSuchEntry {
            line: edge.line,
            server: edge.server.clone(),
            protocol: protocol.name,
            entry: entry.into(),
            known: protocol.names(u32::MAX),
        }),
    }
}

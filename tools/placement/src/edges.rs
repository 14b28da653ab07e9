//! Who calls whom: from the protocols that kinds use to the groups that serve them.
//!
//! Invariant: every client has its servers, and no process waits on a server that may make it wait
//! for a further client while others wait for it. Not here: waiting in circles (`graph.rs`), modes
//! (`modes.rs`).

use crate::checked::{CheckedCall, Group};
use crate::forwards;
use crate::layout::line_of;
use crate::{BoardRule, KindFacts, PlacementError, ProtocolUse, ServerChoice, SystemDescription};

/// The rules between kinds that are placed, wherever they are.
pub(crate) fn check_kinds(groups: &[Group], kinds: &[KindFacts]) -> Result<(), PlacementError> {
    let placed: Vec<&KindFacts> =
        kinds.iter().enumerate().filter(|(k, _)| groups.iter().any(|g| g.kind == *k)).map(|(_, kind)| kind).collect();
    for caller in &placed {
        for used in caller.uses {
            if caller.serves(used.protocol) {
                return Err(PlacementError::CallsItself { kind: caller.name, protocol: used.protocol });
            }
            if !used.forwards {
                check_defers(&placed, caller, used)?;
                for passed_on in forwards::reached(&placed, used) {
                    check_defers(&placed, caller, passed_on)?;
                }
            }
        }
    }
    Ok(())
}

/// The kind among `placed` that calls `server`, if one does.
fn client_of<'k>(placed: &[&'k KindFacts], server: &KindFacts) -> Option<&'k KindFacts> {
    placed.iter().find(|kind| kind.uses.iter().any(|used| server.serves(used.protocol))).copied()
}

/// A server that waits for another client must not have clients waiting behind it.
fn check_defers(placed: &[&KindFacts], caller: &KindFacts, used: &ProtocolUse) -> Result<(), PlacementError> {
    let protocols = placed.iter().filter_map(|kind| kind.serves).filter(|p| p.name == used.protocol);
    let Some(protocol) = protocols.into_iter().find(|p| p.defers & used.entries != 0) else { return Ok(()) };
    let Some(waiting) = client_of(placed, caller) else { return Ok(()) };
    let free = placed.iter().filter(|kind| !kind.uses.is_empty() && client_of(placed, kind).is_none());
    Err(PlacementError::DefersBehindServer {
        caller: caller.name,
        protocol: protocol.name,
        entries: protocol.names(protocol.defers & used.entries),
        waiting: waiting.name,
        free: free.map(|kind| kind.name).collect::<Vec<_>>().join(", "),
    })
}

/// All calls between groups, or all forwards; all synchronous.
pub(crate) fn resolve(
    system: &SystemDescription,
    kinds: &[KindFacts],
    groups: &[Group],
    forwards: bool,
) -> Result<Vec<CheckedCall>, PlacementError> {
    let mut calls: Vec<CheckedCall> = Vec::new();
    for (caller, group) in groups.iter().enumerate() {
        for used in kinds[group.kind].uses.iter().filter(|used| used.forwards == forwards) {
            for server in servers(system, kinds, groups, group, used)? {
                let entries = used.entries & kinds[groups[server].kind].serves.map_or(0, |protocol| protocol.set());
                let may_wait = forwards::may_wait(kinds, groups[server].kind);
                // A protocol may be used by a `Client` and a `Family`.
                match calls.iter_mut().find(|call| (call.caller, call.server) == (caller, server)) {
                    Some(call) => call.entries |= entries,
                    None => calls.push(CheckedCall { caller, server, entries, async_entries: 0, may_wait }),
                }
            }
        }
    }
    Ok(calls)
}

/// The groups that `group` reaches by `used`.
fn servers(
    system: &SystemDescription,
    kinds: &[KindFacts],
    groups: &[Group],
    group: &Group,
    used: &ProtocolUse,
) -> Result<Vec<usize>, PlacementError> {
    let serving: Vec<usize> =
        (0..groups.len()).filter(|server| kinds[groups[*server].kind].serves(used.protocol)).collect();
    let own: Vec<usize> = serving.iter().copied().filter(|server| groups[*server].board == group.board).collect();
    let (found, on_one_board) = match used.at {
        ServerChoice::OwnBoard => (own, true),
        ServerChoice::OwnBoardIfAny => return Ok(own),
        ServerChoice::Nearest if !own.is_empty() => (own, true),
        ServerChoice::OneBoard | ServerChoice::Nearest => (serving, true),
        ServerChoice::AllBoards if serving.is_empty() && may_be_absent(system, kinds, used) => return Ok(serving),
        ServerChoice::AllBoards => (serving, false),
    };
    let caller = &kinds[group.kind];
    if found.is_empty() {
        return Err(missing(system, kinds, group, used));
    }
    let mut boards: Vec<usize> = found.iter().map(|server| groups[*server].board).collect();
    boards.dedup();
    if on_one_board && boards.len() > 1 {
        let boards: Vec<_> = boards.iter().map(|board| system.boards[*board].name.as_str()).collect();
        return Err(PlacementError::AmbiguousServer {
            line: line_of(system, caller, group.board),
            caller: caller.name,
            protocol: used.protocol,
            boards: boards.join(", "),
            kinds: serving_kinds(kinds, used.protocol),
        });
    }
    Ok(found)
}

/// Whether `used` is served by what a system may do without, or by what only a system with a link has and this one has
/// none.
fn may_be_absent(system: &SystemDescription, kinds: &[KindFacts], used: &ProtocolUse) -> bool {
    let mut serving = kinds.iter().filter(|kind| kind.serves(used.protocol)).map(|kind| kind.board).peekable();
    let alone = system.boards.len() == 1;
    let absent = |rule| rule == BoardRule::Optional || rule == BoardRule::EveryLinked && alone;
    serving.peek().is_some() && serving.all(absent)
}

fn missing(system: &SystemDescription, kinds: &[KindFacts], group: &Group, used: &ProtocolUse) -> PlacementError {
    let (caller, board) = (&kinds[group.kind], system.boards[group.board].name.clone());
    PlacementError::MissingServer {
        line: line_of(system, caller, group.board),
        caller: caller.name,
        protocol: used.protocol,
        scope: if used.at == ServerChoice::OwnBoard { format!("board \"{board}\"") } else { "any board".into() },
        board,
        kinds: serving_kinds(kinds, used.protocol),
    }
}

/// The kinds of the code that serve `protocol`, for messages.
fn serving_kinds(kinds: &[KindFacts], protocol: &str) -> String {
    let names: Vec<_> = kinds.iter().filter(|kind| kind.serves(protocol)).map(|kind| kind.name).collect();
    if names.is_empty() { "no kind in the code".into() } else { names.join(", ") }
}

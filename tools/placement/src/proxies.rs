//! The processes that the file does not name: those that call on behalf of other boards.
//!
//! Invariant: whatever arrives finds a proxy that is free, or soon will be. The processes of one kind of another board
//! share some proxies here for calls that are answered without another client's doing; their router sends no more of
//! these than there are proxies, and lets the rest wait in line. Who also calls entries that may wait for another
//! client has a proxy of its own for them, so that these delay no other call. Asynchronous calls of one board share
//! `pool.proxies` further ones, chosen by server, which keeps their order. Not here: the memory that they need
//! (`memory.rs`), that no cycle of waits contains them (`graph.rs`), that boards find them enough (`capacity.rs` of
//! `renga-systems`).

use crate::checked::{CheckedCall, Group, GroupPart, OnBehalfOf};
use crate::{BoardRule, KindFacts, PROCESSES_MAX, PlacementError, SystemDescription};

/// Adds the computed groups behind the placed ones.
pub(crate) fn add(
    system: &SystemDescription,
    kinds: &[KindFacts],
    calls: &[CheckedCall],
    groups: &mut Vec<Group>,
) -> Result<(), PlacementError> {
    let placed = groups.len();
    check_shared(system, kinds, calls, groups)?;
    for board in 0..system.boards.len() {
        let wanted = wanted(system, kinds, calls, groups, board);
        let mut next: usize = on(groups, board).map(|group| usize::from(group.count())).sum();
        let placed_count = next;
        for (on_behalf_of, count) in wanted {
            let kind = computed_kind(kinds, on_behalf_of)?;
            let core = router_core(kinds, &groups[..placed], board, &kinds[kind]);
            let first = next as u16; // the sum is checked below, before anybody reads it
            groups.push(Group { kind, board, first, parts: vec![GroupPart { core, count }], on_behalf_of });
            next += usize::from(count);
        }
        if next > PROCESSES_MAX {
            let (line, name) = (system.boards[board].line, system.boards[board].name.clone());
            let computed = next - placed_count;
            return Err(PlacementError::TooManyProcesses {
                line,
                board: name,
                count: next,
                computed,
                max: PROCESSES_MAX,
            });
        }
    }
    Ok(())
}

/// For whom there are proxies on `board`, and how many: of each caller the shared ones first.
fn wanted(
    system: &SystemDescription,
    kinds: &[KindFacts],
    calls: &[CheckedCall],
    groups: &[Group],
    board: usize,
) -> Vec<(OnBehalfOf, u16)> {
    let is_from = |call: &&CheckedCall| groups[call.server].board == board && groups[call.caller].board != board;
    let remote: Vec<&CheckedCall> = calls.iter().filter(is_from).collect();
    let mut callers: Vec<usize> = remote.iter().map(|call| call.caller).collect();
    callers.dedup(); // calls are in the order of their callers
    let mut wanted = Vec::new();
    for caller in callers {
        let of_caller = || remote.iter().filter(|call| call.caller == caller);
        let count = groups[caller].count();
        if of_caller().any(|call| call.answered_soon() != 0) {
            wanted.push((OnBehalfOf::Shared(caller), system.shared_of(kinds[groups[caller].kind].name, count)));
        }
        if of_caller().any(|call| call.waiting() != 0) {
            wanted.push((OnBehalfOf::Group(caller), count));
        }
    }
    let asynchronous = remote.iter().filter(|call| call.async_entries != 0);
    let mut boards: Vec<usize> = asynchronous.map(|call| groups[call.caller].board).collect();
    boards.dedup(); // callers are in the order of their boards
    wanted.extend(boards.into_iter().map(|caller| (OnBehalfOf::Board(caller), system.pool.proxies)));
    wanted
}

/// Each line of `[shared]` is about callers of other boards.
fn check_shared(
    system: &SystemDescription,
    kinds: &[KindFacts],
    calls: &[CheckedCall],
    groups: &[Group],
) -> Result<(), PlacementError> {
    let remote = calls.iter().filter(|call| groups[call.caller].board != groups[call.server].board);
    let mut known: Vec<&str> = remote.map(|call| kinds[groups[call.caller].kind].name).collect();
    known.sort_unstable();
    known.dedup();
    match system.shared.iter().find(|shared| !known.contains(&shared.caller.as_str())) {
        None => Ok(()),
        Some(shared) => Err(PlacementError::SharesNothing {
            line: shared.line,
            caller: shared.caller.clone(),
            known: if known.is_empty() { "none".into() } else { known.join(", ") },
        }),
    }
}

fn on(groups: &[Group], board: usize) -> impl Iterator<Item = &Group> {
    groups.iter().filter(move |group| group.board == board)
}

/// Proxies run beside the router, which wakes them: of what each linked board has, what shares something with them.
fn router_core(kinds: &[KindFacts], placed: &[Group], board: usize, proxy: &KindFacts) -> u8 {
    let linked = |group: &&Group| kinds[group.kind].board == BoardRule::EveryLinked;
    let shares = |group: &&Group| kinds[group.kind].shares.iter().any(|shared| proxy.shares.contains(shared));
    let router = on(placed, board).filter(linked).find(shares).or_else(|| on(placed, board).find(linked));
    router.map_or(0, |router| router.parts[0].core)
}

fn computed_kind(kinds: &[KindFacts], on_behalf_of: OnBehalfOf) -> Result<usize, PlacementError> {
    let (rule, name) = match on_behalf_of {
        OnBehalfOf::Board(_) => (BoardRule::PerAsyncBoard, "PerAsyncBoard"),
        OnBehalfOf::Group(_) | OnBehalfOf::Shared(_) | OnBehalfOf::Itself => {
            (BoardRule::PerRemoteCaller, "PerRemoteCaller")
        }
    };
    kinds.iter().position(|kind| kind.board == rule).ok_or(PlacementError::NoComputedKind { rule: name })
}

//! The processes that the file does not name: those that call on behalf of other boards.
//!
//! Invariant: every process of another board that calls servers here has one proxy here, of its own;
//! since it has one call outstanding at most, no call ever waits for a proxy. Asynchronous
//! calls of one board share `pool.proxies` further ones, chosen by server, which keeps their order.
//! Not here: the memory that they need (`memory.rs`).

use crate::checked::{Call, Group, OnBehalfOf, Part};
use crate::{BoardRule, KindFacts, PROCESSES_MAX, PlacementError, System};

/// Adds the computed groups behind the placed ones.
pub(crate) fn add(
    system: &System,
    kinds: &[KindFacts],
    calls: &[Call],
    groups: &mut Vec<Group>,
) -> Result<(), PlacementError> {
    let placed = groups.len();
    for board in 0..system.boards.len() {
        let is_from = |call: &&Call| groups[call.server].board == board && groups[call.caller].board != board;
        let mut callers: Vec<usize> = calls.iter().filter(is_from).map(|call| call.caller).collect();
        callers.dedup(); // calls are in the order of their callers
        let async_calls = calls.iter().filter(is_from).filter(|call| call.async_entries != 0);
        let mut boards: Vec<usize> = async_calls.map(|call| groups[call.caller].board).collect();
        boards.dedup(); // callers are in the order of their boards

        let proxies = callers.into_iter().map(|caller| (OnBehalfOf::Group(caller), groups[caller].count()));
        let async_proxies = boards.into_iter().map(|caller| (OnBehalfOf::Board(caller), system.pool.proxies));
        let wanted: Vec<_> = proxies.chain(async_proxies).collect();

        let core = router_core(kinds, &groups[..placed], board);
        let mut next: usize = on(groups, board).map(|group| usize::from(group.count())).sum();
        let placed_count = next;
        for (on_behalf_of, count) in wanted {
            let kind = computed_kind(kinds, on_behalf_of)?;
            let first = next as u16; // the sum is checked below, before anybody reads it
            groups.push(Group { kind, board, first, parts: vec![Part { core, count }], on_behalf_of });
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

fn on(groups: &[Group], board: usize) -> impl Iterator<Item = &Group> {
    groups.iter().filter(move |group| group.board == board)
}

/// Proxies run beside the router, which wakes them.
fn router_core(kinds: &[KindFacts], placed: &[Group], board: usize) -> u8 {
    let router = on(placed, board).find(|group| kinds[group.kind].board == BoardRule::EveryLinked);
    router.map_or(0, |router| router.parts[0].core)
}

fn computed_kind(kinds: &[KindFacts], on_behalf_of: OnBehalfOf) -> Result<usize, PlacementError> {
    let (rule, name) = match on_behalf_of {
        OnBehalfOf::Board(_) => (BoardRule::PerAsyncBoard, "PerAsyncBoard"),
        OnBehalfOf::Group(_) | OnBehalfOf::Itself => (BoardRule::PerRemoteCaller, "PerRemoteCaller"),
    };
    kinds.iter().position(|kind| kind.board == rule).ok_or(PlacementError::NoComputedKind { rule: name })
}

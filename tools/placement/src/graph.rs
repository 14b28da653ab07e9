//! The graph of possible waits, and the proof that it has no cycle.
//!
//! The graph of single processes has an edge for each process and each server that it may call. All
//! processes of a group have the same edges, so that graph has a circle exactly if the graph of groups
//! has one: a circle of processes passes through a circle of groups, and along a circle of groups
//! one can choose a process in each. (No group has an edge to itself: `edges.rs` refuses kinds that
//! call their own protocol.)
//!
//! A caller of another board's server waits for its proxy there, which waits for the server. A shared proxy may be
//! busy with the call of another caller of the group: who waits for one waits for all that any of them calls, which is
//! what the edges of the group of shared proxies say. They make no call that may wait for another client, so each is
//! free again in the end. The router is not waited for: it never waits for a reply. A caller may also wait, for the
//! order's sake, until earlier asynchronous calls of its board are done, so it has an edge to the asynchronous proxies.
//!
//! A server that passes a call on does not wait; the caller then waits for the next one, which has been made an edge of
//! its own (`forwards.rs`). Forwarding in a cycle is refused like waiting in one: no server would reply.
//!
//! Invariant: what passes has an order in which every process only waits for later ones. Not here: servers that
//! wait for a further client (`edges.rs`).
//!
//! No `petgraph`: a refusal prints the whole circle, of which `toposort` names one node.

use crate::PlacementError;
use crate::checked::{Checked, CheckedCall, Group, OnBehalfOf};

/// All edges between groups, proxies included; each once.
pub(crate) fn waits(groups: &[Group], calls: &[CheckedCall]) -> Vec<(usize, usize)> {
    let mut waits = Vec::new();
    for call in calls {
        let (from, to) = (groups[call.caller].board, groups[call.server].board);
        if from == to {
            waits.push((call.caller, call.server));
            continue;
        }
        // A call that is only passed on to the server may be made by either proxy.
        let passed_on = call.entries == 0;
        let made_by = [
            (call.waiting() != 0 || passed_on, OnBehalfOf::Group(call.caller)),
            (call.answered_soon() != 0 || passed_on, OnBehalfOf::Shared(call.caller)),
            (call.async_entries != 0, OnBehalfOf::Board(from)),
        ];
        for (_, whom) in made_by.into_iter().filter(|(made, _)| *made) {
            waits.extend(via(groups, call, whom).into_iter().flatten());
        }
    }
    waits.sort_unstable();
    waits.dedup();
    waits
}

/// The edges of `call` through the proxies at the server's board that act for `whom`, if there are any.
fn via(groups: &[Group], call: &CheckedCall, whom: OnBehalfOf) -> Option<[(usize, usize); 2]> {
    let board = groups[call.server].board;
    let proxy = groups.iter().position(|group| group.board == board && group.on_behalf_of == whom)?;
    Some([(call.caller, proxy), (proxy, call.server)])
}

/// The longest chain of groups of which each waits for the next.
///
/// # Errors
/// [`PlacementError::Cycle`], if the chain closes.
pub(crate) fn longest_chain(checked: &Checked) -> Result<Vec<usize>, PlacementError> {
    let mut search = DepthFirstSearch { checked, done: vec![None; checked.groups.len()], path: Vec::new() };
    let mut longest = Vec::new();
    for group in 0..checked.groups.len() {
        let chain = search.chain_from(group)?;
        if chain.len() > longest.len() {
            longest = chain;
        }
    }
    Ok(longest)
}

/// A depth-first search; its depth is bounded by the number of groups.
struct DepthFirstSearch<'c> {
    checked: &'c Checked,
    /// The longest chain from each group that is searched through.
    done: Vec<Option<Vec<usize>>>,
    /// The groups on the way to here.
    path: Vec<usize>,
}

impl DepthFirstSearch<'_> {
    fn chain_from(&mut self, group: usize) -> Result<Vec<usize>, PlacementError> {
        if let Some(chain) = &self.done[group] {
            return Ok(chain.clone());
        }
        if let Some(start) = self.path.iter().position(|on_path| *on_path == group) {
            let circle = self.path[start..].iter().chain([&group]).map(|group| self.checked.label(*group));
            return Err(PlacementError::Cycle { circle: circle.collect::<Vec<_>>().join(" -> ") });
        }
        self.path.push(group);
        let mut longest = Vec::new();
        let next = self.checked.waits.iter().chain(&self.checked.forwards);
        for (_, server) in next.filter(|(from, _)| *from == group) {
            let chain = self.chain_from(*server)?;
            if chain.len() > longest.len() {
                longest = chain;
            }
        }
        self.path.pop();
        longest.insert(0, group);
        self.done[group] = Some(longest.clone());
        Ok(longest)
    }
}

//! A checked system as the page draws it: boards, groups of processes, edges.
//!
//! Invariant: a group's processes have consecutive numbers on their board, so the page finds a process's name by its
//! number.

use renga_placement::{Checked, CheckedCall, OnBehalfOf, PlacementProtocol};
use serde::Serialize;

/// All of it.
#[derive(Clone, Debug, Serialize)]
pub struct Scene {
    /// By number.
    pub boards: Vec<SceneBoard>,
    /// In the order of boards, then of their processes' numbers.
    pub groups: Vec<SceneGroup>,
    /// Who calls whom.
    pub edges: Vec<SceneEdge>,
}

/// A board.
#[derive(Clone, Debug, Serialize)]
pub struct SceneBoard {
    /// Its name.
    pub name: String,
    /// Whether the disk is on it.
    pub disk: bool,
}

/// All processes of one kind on one board.
#[derive(Clone, Debug, Serialize)]
pub struct SceneGroup {
    /// Their board.
    pub board: usize,
    /// Their kind's name.
    pub kind: &'static str,
    /// The number of the first on its board.
    pub first: u16,
    /// How many.
    pub count: u16,
    /// The protocol that they serve.
    pub protocol: Option<&'static str>,
    /// Its entries: number and name.
    pub entries: Vec<(u32, &'static str)>,
    /// Of proxies: for which group they call.
    pub caller: Option<usize>,
}

/// That one group calls another.
#[derive(Clone, Debug, Serialize)]
pub struct SceneEdge {
    /// The calling group.
    pub caller: usize,
    /// The serving group.
    pub server: usize,
    /// The protocol.
    pub protocol: &'static str,
    /// The entries that it may call.
    pub entries: Vec<&'static str>,
    /// Those that release their callers early.
    pub released: Vec<&'static str>,
    /// Those that could.
    pub releasable: Vec<&'static str>,
}

impl Scene {
    /// That of `checked`.
    pub(crate) fn of(checked: &Checked) -> Scene {
        let boards =
            checked.boards.iter().map(|board| SceneBoard { name: board.name.clone(), disk: board.owns_disk }).collect();
        let groups = (0..checked.groups.len()).map(|index| group(checked, index)).collect();
        let edges = checked.calls.iter().filter_map(|call| edge(checked, call)).collect();
        Scene { boards, groups, edges }
    }
}

fn group(checked: &Checked, index: usize) -> SceneGroup {
    let group = &checked.groups[index];
    let serves = checked.kinds[group.kind].serves;
    let caller = match group.on_behalf_of {
        OnBehalfOf::Group(caller) | OnBehalfOf::Shared(caller) => Some(caller),
        OnBehalfOf::Itself | OnBehalfOf::Board(_) => None,
    };
    SceneGroup {
        board: group.board,
        kind: checked.kind_name(index),
        first: group.first,
        count: group.count(),
        protocol: serves.map(|protocol| protocol.name),
        entries: serves.map_or_else(Vec::new, |protocol| protocol.entries.to_vec()),
        caller,
    }
}

fn edge(checked: &Checked, call: &CheckedCall) -> Option<SceneEdge> {
    let protocol = checked.kinds[checked.groups[call.server].kind].serves?;
    let remote = checked.is_remote(call);
    let chosen = |set: u32| names(&protocol, set);
    Some(SceneEdge {
        caller: call.caller,
        server: call.server,
        protocol: protocol.name,
        entries: chosen(call.entries),
        released: if remote { chosen(call.async_entries & call.entries) } else { Vec::new() },
        releasable: if remote { chosen(protocol.releases & !call.may_wait & call.entries) } else { Vec::new() },
    })
}

fn names(protocol: &PlacementProtocol, set: u32) -> Vec<&'static str> {
    let chosen = protocol.entries.iter().filter(|(op, _)| set >> op & 1 == 1);
    chosen.map(|(_, name)| *name).collect()
}

//! The system as placed, for `/proc/renga`.
//!
//! Invariant: all of it comes from the tables and signatures that the system was booted from. Not here: its text
//! (`sysprocs/procfs`).

use crate::directory::Directory;
use crate::facts::FACTS;
use crate::kinds::Kind;
use crate::tables::Permit;
use renga_procfs::{PlacedEdge, PlacedKind, Plan};
use renga_router::Permits;
use renga_rt::ProcId;
use renga_rt::signature::Edge;

/// What boot leaves of a board's placement.
pub(crate) struct Outline {
    pub directory: &'static Directory,
    /// What the router lets in, and has counted; none in a system of one board.
    pub permits: Option<Permits>,
}

impl Outline {
    /// Calls that came by `permit`, of all its callers.
    fn calls(&self, permit: &Permit) -> u64 {
        let (table, boards) = (self.directory.table(), usize::from(self.directory.boards()));
        let Some(permits) = &self.permits else { return 0 };
        let rows = table.proxies.iter().enumerate();
        rows.filter(|(_, row)| (row.caller_board, row.caller_kind) == (permit.caller_board, permit.caller_kind))
            .map(|(row, _)| permits.calls(boards + row, permit.server as usize))
            .fold(0, u64::wrapping_add)
    }

    fn edges_within(&self, show: &mut dyn FnMut(PlacedEdge)) {
        let table = self.directory.table();
        let here = || FACTS.iter().filter(|facts| table.has(facts.kind));
        for (facts, server) in here().flat_map(|facts| here().map(move |server| (facts, server))) {
            let Some(served) = server.serves() else { continue };
            let edges = facts.signature.edges.iter().copied().flatten();
            let uses = edges.filter(|edge| !matches!(edge, Edge::Serves(_))).map(Edge::protocol);
            // A process may have several clients of one protocol, for what it calls here and elsewhere.
            let uses = uses.filter(|protocol| protocol.id == served.id);
            let entries = uses.fold(0, |all, protocol| all | protocol.entries);
            if entries != 0 {
                let (caller, names) = (facts.kind.name(), served.names);
                let (caller_board, server) = (table.name, server.kind.name());
                show(PlacedEdge { caller_board, caller, server, entries, names, calls: None });
            }
        }
    }
}

impl Plan for Outline {
    fn kind_name(&self, id: ProcId) -> &'static str {
        self.directory.kind_name(id)
    }

    fn board_name(&self, board: u8) -> &'static str {
        self.directory.system().boards.get(usize::from(board)).map_or("?", |board| board.name)
    }

    fn each_kind(&self, show: &mut dyn FnMut(PlacedKind)) {
        for board in self.directory.system().boards {
            for placed in board.placed {
                let (kind, count, core) = (placed.kind.name(), placed.count, placed.core);
                show(PlacedKind { board: board.name, kind, count, core });
            }
            for kind in [Kind::Proxy, Kind::AsyncProxy].into_iter().filter(|kind| board.has(*kind)) {
                let count = board.range(kind).len() as u16;
                show(PlacedKind { board: board.name, kind: kind.name(), count, core: 0 });
            }
        }
    }

    fn each_edge(&self, show: &mut dyn FnMut(PlacedEdge)) {
        self.edges_within(show);
        for permit in self.directory.table().permits {
            show(PlacedEdge {
                caller_board: self.board_name(permit.caller_board),
                caller: permit.caller_kind.name(),
                server: permit.server.name(),
                entries: permit.entries,
                names: permit.server.facts().serves().map_or(&[], |protocol| protocol.names),
                calls: Some(self.calls(permit)),
            });
        }
    }
}

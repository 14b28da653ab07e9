//! `/proc/renga/system` and `/proc/renga/edges`: what the placement made of the system, and what its edges between
//! boards have carried to this board.

use crate::placement::{PlacedEdge, PlacedKind};
use crate::server::ProcFilesState;
use crate::window::{TextWindow, put};
use renga_hal::memory::UserMemory;

impl<M: UserMemory> ProcFilesState<M> {
    pub(super) fn system(&self, out: &mut TextWindow<'_>) {
        put!(out, "board kind count core\n");
        self.plan.each_kind(&mut |PlacedKind { board, kind, count, core }| {
            put!(out, "{board} {kind} {count} {core}\n");
        });
    }

    pub(super) fn edges(&self, out: &mut TextWindow<'_>) {
        put!(out, "from caller to server entries calls\n");
        let here = self.plan.board_name(self.board);
        self.plan.each_edge(&mut |PlacedEdge { caller_board, caller, server, entries, names, calls }| {
            put!(out, "{caller_board} {caller} {here} {server} ");
            let called = names.iter().filter(|(entry, _)| entries >> entry & 1 != 0);
            for (count, (_, name)) in called.enumerate() {
                put!(out, "{}{name}", if count > 0 { "," } else { "" });
            }
            match calls {
                Some(calls) => put!(out, " {calls}\n"),
                None => out.push(b" -\n"),
            }
        });
    }
}

//! `/proc/renga/system`, `/proc/renga/edges` and `/proc/renga/log`: what the placement made of the system, what its
//! edges between boards have carried to this board, and the last lines of this board's log (Linux's `dmesg`).

use crate::placement::{PlacedEdge, PlacedKind};
use crate::server::ProcFilesState;
use crate::window::{TextWindow, put};
use renga_hal::memory::UserMemory;

const NS_PER_S: u64 = 1_000_000_000;
const NS_PER_US: u64 = 1_000;

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

    pub(super) fn log(&self, out: &mut TextWindow<'_>) {
        for line in self.me.log_lines() {
            let (seconds, us) = (line.at_ns / NS_PER_S, line.at_ns % NS_PER_S / NS_PER_US);
            // Level 6, information: lines carry no level.
            put!(out, "<6>[{seconds:5}.{us:06}] ");
            match line.who {
                Some(who) => put!(out, "{} {}: ", self.plan.kind_name(who), who.index),
                None => out.push(b"kernel: "),
            }
            let [first, second] = line.figures;
            put!(out, "{} {first:#x} {second:#x}\n", line.text);
        }
    }
}

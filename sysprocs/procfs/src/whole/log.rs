//! `/proc/renga/log`: the last lines of this board's log, as Linux's `dmesg` has its own.

use crate::server::ProcFilesState;
use crate::window::{TextWindow, put};
use renga_hal::memory::UserMemory;

const NS_PER_S: u64 = 1_000_000_000;
const NS_PER_US: u64 = 1_000;

impl<M: UserMemory> ProcFilesState<M> {
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

//! Phases: what crossed between boards from one mark of a program to the next.
//!
//! Invariant: a phase ends where the next begins, so that their times add up to the run's; a call belongs to the phase
//! in which it begins, a frame to that in which it takes the wire. Called by: `renga trace`, `renga bench compare`. Not
//! here: what the boards do meanwhile (`meter`).

use crate::calls::Calls;
use crate::event::{Timed, TraceEvent, program_name};
use crate::header::TraceHeader;
use serde::{Deserialize, Serialize};
use std::fmt::Write;

/// The word that ends the phase before it without beginning another one.
pub const END: &str = "end";
const NS_PER_MS: f64 = 1e6;

/// What crossed between boards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LinkUse {
    /// Calls to other boards.
    pub calls: u64,
    /// Of these, how many went to entries that may release their callers early.
    pub releasable: u64,
    /// Of these, how many did.
    pub released: u64,
    /// Frames that took the wire.
    pub frames: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Their time on the wire, ns.
    pub wire_ns: u64,
}

impl LinkUse {
    /// Both together.
    #[must_use]
    pub fn and(self, other: LinkUse) -> LinkUse {
        LinkUse {
            calls: self.calls + other.calls,
            releasable: self.releasable + other.releasable,
            released: self.released + other.released,
            frames: self.frames + other.frames,
            bytes: self.bytes + other.bytes,
            wire_ns: self.wire_ns + other.wire_ns,
        }
    }
}

/// What happened from one mark to the next, or to the end of the trace.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunPhase {
    /// The word of the mark.
    pub name: String,
    /// When it was written, ns.
    pub begin_ns: u64,
    /// When the next one was, ns.
    pub end_ns: u64,
    /// What crossed meanwhile.
    pub link: LinkUse,
}

impl RunPhase {
    /// How long it was, ns.
    pub fn ns(&self) -> u64 {
        self.end_ns.saturating_sub(self.begin_ns)
    }

    /// The part of its time for which a frame was on the wire, %.
    pub fn busy_percent(&self) -> f64 {
        100.0 * self.link.wire_ns as f64 / self.ns().max(1) as f64
    }
}

/// Collects the phases of a run, event by event.
#[derive(Clone)]
pub struct Phases {
    header: TraceHeader,
    calls: Calls,
    whole: LinkUse,
    phases: Vec<RunPhase>,
    /// The last of `phases` goes on.
    is_open: bool,
    time_ns: u64,
}

impl Phases {
    /// Of a run with these names, before it begins.
    pub fn new(header: TraceHeader) -> Phases {
        Phases {
            header,
            calls: Calls::default(),
            whole: LinkUse::default(),
            phases: Vec::new(),
            is_open: false,
            time_ns: 0,
        }
    }

    /// Takes the next event.
    pub fn take(&mut self, timed: &Timed) {
        // Clocks of the cores of a board may differ by a slice.
        self.time_ns = self.time_ns.max(timed.time_ns);
        if let TraceEvent::Mark { name, rest, .. } = timed.event {
            self.end();
            self.begin(program_name([name, rest]));
        }
        let Phases { header, calls, whole, phases, is_open, .. } = self;
        let mut link = LinkUse::default();
        match &timed.event {
            TraceEvent::Call { caller, server, op } if caller.board != server.board => {
                link.calls += 1;
                link.releasable += u64::from(header.is_releasable(*server, *op));
            }
            TraceEvent::Frame(frame) => {
                link.frames += 1;
                link.bytes += frame.bytes.len() as u64;
                link.wire_ns += frame.wire_ns;
            }
            _ => {}
        }
        calls.take(header, timed, &mut |_, call| link.released += u64::from(call.released_early));
        *whole = whole.and(link);
        phases.last_mut().filter(|_| *is_open).into_iter().for_each(|phase| phase.link = phase.link.and(link));
    }

    fn begin(&mut self, name: String) {
        if name == END {
            return;
        }
        let (begin_ns, end_ns) = (self.time_ns, self.time_ns);
        self.phases.push(RunPhase { name, begin_ns, end_ns, link: LinkUse::default() });
        self.is_open = true;
    }

    fn end(&mut self) {
        let end_ns = self.time_ns;
        self.phases.last_mut().filter(|_| self.is_open).into_iter().for_each(|phase| phase.end_ns = end_ns);
        self.is_open = false;
    }

    /// What crossed in the whole run until now.
    pub fn whole(&self) -> LinkUse {
        self.whole
    }

    /// The phases; the last one ends with the run.
    pub fn finish(mut self) -> Vec<RunPhase> {
        self.end();
        self.phases
    }
}

/// The phases as a table, with an empty line behind it; nothing without marks.
pub fn table(phases: &[RunPhase]) -> String {
    if phases.is_empty() {
        return String::new();
    }
    let mut text =
        "Phases\n        ms  link busy  calls across  could release  released  frames     bytes  phase\n".to_string();
    for phase in phases {
        let LinkUse { calls, releasable, released, frames, bytes, .. } = phase.link;
        let (ms, busy) = (phase.ns() as f64 / NS_PER_MS, phase.busy_percent());
        // A String takes everything.
        let _ = writeln!(
            text,
            "{ms:>10.3} {busy:>8.1} % {calls:>13} {releasable:>14} {released:>9} {frames:>7} {bytes:>9}  {}",
            phase.name
        );
    }
    text + "\n"
}

//! What a trace adds up to: calls of each edge, time of the boards, overlap.
//!
//! Time of a call is from its beginning to its answer; *waiting* is the part before a server took it. Calls that were not
//! answered count, without time.

use crate::calls::Calls;
use crate::cores::{Cores, Doing};
use crate::event::{Event, Timed};
use crate::header::Header;
use std::collections::BTreeMap;
use std::fmt;

/// Who calls whom: kinds, and whether on another board; and which entry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Edge {
    /// Board and kind of the callers.
    pub from: String,
    /// Board and kind of the servers.
    pub to: String,
    /// The entry.
    pub entry: String,
    /// To another board.
    pub remote: bool,
}

/// What the calls of an edge add up to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// How many.
    pub calls: u64,
    /// From call to answer, ns.
    pub total_ns: u64,
    /// From call to accept, ns.
    pub waiting_ns: u64,
}

/// What the core of a board did, ns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CoreTime {
    /// User programs ran.
    pub programs_ns: u64,
    /// System processes and the kernel ran.
    pub system_ns: u64,
    /// It waited for an interrupt.
    pub idle_ns: u64,
}

/// A summary.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Summary {
    /// From the first event to the last, ns.
    pub span_ns: u64,
    /// Events.
    pub events: u64,
    /// By edge.
    pub edges: BTreeMap<Edge, Sum>,
    /// By board.
    pub cores: Vec<(String, CoreTime)>,
    /// At least two cores were not idle, ns.
    pub overlap_ns: u64,
    /// The disk worked, ns; and of that, a core was not idle.
    pub disk_ns: (u64, u64),
    /// Frames, their bytes, their time on the wire and their waits for the token, ns.
    pub frames: [u64; 4],
}

/// Sums up.
pub fn summary(header: &Header, events: &[Timed]) -> Summary {
    let mut sums = Summary { events: events.len() as u64, ..Summary::default() };
    let first_ns = events.first().map_or(0, |event| event.time_ns);
    sums.span_ns = events.last().map_or(0, |event| event.time_ns).saturating_sub(first_ns);
    for call in Calls::of(header, events) {
        let place = |id| format!("{}: {}", header.board(call_board(id)), header.kind(id));
        let entry = header.entry(call.server, call.op).to_string();
        let edge = Edge { from: place(call.caller), to: place(call.server), entry, remote: call.is_remote() };
        let sum = sums.edges.entry(edge).or_default();
        sum.calls += 1;
        if let Some(end_ns) = call.end_ns {
            let accept_ns = call.accept_ns.unwrap_or(end_ns);
            sum.total_ns = sum.total_ns.saturating_add(end_ns.saturating_sub(call.begin_ns));
            sum.waiting_ns = sum.waiting_ns.saturating_add(accept_ns.saturating_sub(call.begin_ns));
        }
    }
    times(header, events, first_ns, &mut sums);
    sums
}

fn call_board(id: renga_abi::ProcId) -> u8 {
    id.board.0
}

fn times(header: &Header, events: &[Timed], first_ns: u64, sums: &mut Summary) {
    let mut now = Cores::new(header.boards.len());
    let mut cores = vec![CoreTime::default(); header.boards.len()];
    let mut before_ns = first_ns;
    for timed in events {
        let ns = timed.time_ns.saturating_sub(before_ns);
        before_ns = timed.time_ns;
        sums.overlap_ns += if now.busy() > 1 { ns } else { 0 };
        sums.disk_ns.0 += if now.disk_works() { ns } else { 0 };
        sums.disk_ns.1 += if now.disk_works() && now.busy() > 0 { ns } else { 0 };
        for (core, doing) in cores.iter_mut().zip(now.doing()) {
            match doing {
                Doing::Idle => core.idle_ns += ns,
                Doing::System => core.system_ns += ns,
                Doing::Program => core.programs_ns += ns,
            }
        }
        if let Event::Frame(frame) = &timed.event {
            let figures = [1, frame.bytes.len() as u64, frame.wire_ns, frame.token_wait_ns];
            sums.frames.iter_mut().zip(figures).for_each(|(sum, figure)| *sum = sum.saturating_add(figure));
        }
        now.take(timed);
    }
    sums.cores = header.boards.iter().map(|board| board.name.clone()).zip(cores).collect();
}

fn us(ns: u64) -> String {
    format!("{}.{:03}", ns / 1000, ns % 1000)
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{} events in {} us", self.events, us(self.span_ns))?;
        writeln!(f, "\n{:<6} {:>15} {:>15} {:>15}", "board", "programs, us", "system, us", "idle, us")?;
        for (name, core) in &self.cores {
            let CoreTime { programs_ns, system_ns, idle_ns } = core;
            writeln!(f, "{name:<6} {:>15} {:>15} {:>15}", us(*programs_ns), us(*system_ns), us(*idle_ns))?;
        }
        writeln!(f, "at least two boards busy: {} us", us(self.overlap_ns))?;
        writeln!(f, "the disk busy: {} us, of these a board too: {} us", us(self.disk_ns.0), us(self.disk_ns.1))?;
        let [frames, bytes, wire_ns, token_ns] = self.frames;
        writeln!(
            f,
            "{frames} frames, {bytes} bytes, {} us on the wire, {} us waiting for the token",
            us(wire_ns),
            us(token_ns)
        )?;
        for remote in [true, false] {
            let mut edges: Vec<_> = self.edges.iter().filter(|(edge, _)| edge.remote == remote).collect();
            edges.sort_by_key(|(_, sum)| std::cmp::Reverse(sum.total_ns));
            let calls: u64 = edges.iter().map(|(_, sum)| sum.calls).sum();
            let total_ns = edges.iter().fold(0u64, |total_ns, (_, sum)| total_ns.saturating_add(sum.total_ns));
            let what = if remote { "between boards" } else { "within a board" };
            writeln!(f, "\nCalls {what}: {calls}, {} us", us(total_ns))?;
            writeln!(f, "{:>9} {:>15} {:>15}  edge", "calls", "time, us", "waiting, us")?;
            for (edge, sum) in edges {
                let Sum { calls, total_ns, waiting_ns } = *sum;
                let arrow = format!("{} -> {}, {}", edge.from, edge.to, edge.entry);
                writeln!(f, "{calls:>9} {:>15} {:>15}  {arrow}", us(total_ns), us(waiting_ns))?;
            }
        }
        Ok(())
    }
}

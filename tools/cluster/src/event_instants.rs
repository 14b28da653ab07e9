//! The instants of one kind of event of a run: what `--kill b@frame:20` and `renga crash` count.
//!
//! Owns: [`EventName`], [`EventInstants`]. Invariant: a run repeats to the nanosecond until something is cut, so the
//! instants of a rehearsal are those of the run itself. Called by: `renga run`, `renga crash`. Not here: the rehearsal
//! (`session`).

use crate::listener::Listener;
use anyhow::{Context, Result, bail};
use renga_emu::FrameEvent;
use renga_emu_probes::{Hit, Probes};
use renga_trace::event::ProbeEventKind;
use renga_trace::{Decoder, TraceEvent};
use std::fmt;
use std::fs;
use std::path::Path;

/// A kind of event that can be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventName {
    /// A frame of the board takes the wire.
    Frame,
    /// The board begins to write blocks to its card.
    Write,
    /// The board reaches a probe of its kernel.
    Probe(ProbeEventKind),
}

impl EventName {
    /// Reads `frame`, `write` or the name of a probe.
    ///
    /// # Errors
    /// If there is no such event; the message lists those there are.
    pub fn parse(text: &str) -> Result<EventName> {
        let probe = || ProbeEventKind::ALL.iter().find(|kind| kind.name() == text).copied();
        match text {
            "frame" => Ok(EventName::Frame),
            "write" => Ok(EventName::Write),
            _ => probe().map(EventName::Probe).with_context(|| {
                let names: Vec<&str> = ProbeEventKind::ALL.iter().map(|kind| kind.name()).collect();
                format!("there is no event `{text}`; events are frame, write, {}", names.join(", "))
            }),
        }
    }

    fn is(self, event: &TraceEvent) -> bool {
        match self {
            EventName::Frame => false,
            EventName::Write => matches!(event, TraceEvent::Disk { writes: true, .. }),
            EventName::Probe(kind) => event.numbers().is_some_and(|(other, _)| other == kind),
        }
    }
}

impl fmt::Display for EventName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EventName::Frame => f.write_str("frame"),
            EventName::Write => f.write_str("write"),
            EventName::Probe(kind) => f.write_str(kind.name()),
        }
    }
}

/// The `number`th event of a kind, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EventMoment {
    /// Which kind.
    pub event: EventName,
    /// Which of them.
    pub number: u32,
}

impl EventMoment {
    /// Reads `frame:20`.
    ///
    /// # Errors
    /// If it is none.
    pub fn parse(text: &str) -> Result<EventMoment> {
        let (name, number) =
            text.split_once(':').with_context(|| format!("`{text}` names no event, as in frame:20"))?;
        match number.parse() {
            Ok(number @ 1..) => Ok(EventMoment { event: EventName::parse(name)?, number }),
            _ => bail!("`{number}` is no number of an event: the first one is {name}:1"),
        }
    }
}

impl fmt::Display for EventMoment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.event, self.number)
    }
}

/// Which blocks of the partition a write to the disk writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DiskWrite {
    /// The first.
    pub first: u64,
    /// How many.
    pub blocks: u32,
}

/// Listens to a rehearsal: notes when the events of one kind happen, and what the terminal shows.
pub struct EventInstants {
    decoder: Decoder,
    /// Of one board, or of all.
    board: Option<u8>,
    event: EventName,
    console_board: u8,
    /// When each of them happened, ns.
    pub times_ns: Vec<u64>,
    /// Of writes to the disk also: what each of them wrote.
    pub writes: Vec<DiskWrite>,
    /// What the terminal showed, and when, ns.
    pub console: Vec<(u64, Vec<u8>)>,
}

impl EventInstants {
    /// Listens to `board`, or all, whose kernel has this ELF file.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn new(elf: &Path, board: Option<u8>, event: EventName, console_board: u8) -> Result<EventInstants> {
        let kernel = fs::read(elf).with_context(|| format!("cannot read {}", elf.display()))?;
        let decoder = Probes::read(&kernel).and_then(|probes| Decoder::new(&probes));
        let decoder = decoder.map_err(|what| anyhow::anyhow!("{}: {what}", elf.display()))?;
        Ok(EventInstants {
            decoder,
            board,
            event,
            console_board,
            times_ns: Vec::new(),
            writes: Vec::new(),
            console: Vec::new(),
        })
    }

    fn hears(&self, board: u8) -> bool {
        self.board.is_none_or(|only| only == board)
    }

    /// When the `number`th happened, ns; the first is 1.
    ///
    /// # Errors
    /// If there were fewer.
    pub fn time_ns(&self, number: u32) -> Result<u64> {
        let found = self.times_ns.get((number as usize).wrapping_sub(1)).copied();
        found.with_context(|| format!("`{}:{number}`: the run has only {} of them", self.event, self.times_ns.len()))
    }
}

impl Listener for EventInstants {
    fn console(&mut self, board: u8, time_ns: u64, bytes: &[u8]) {
        if board == self.console_board {
            self.console.push((time_ns, bytes.to_vec()));
        }
    }

    fn log(&mut self, _: &str) {}

    fn probe(&mut self, board: u8, hit: &Hit) {
        let Some(event) = self.decoder.event(hit).filter(|event| self.hears(board) && self.event.is(event)) else {
            return;
        };
        self.times_ns.push(hit.time_ns);
        if let TraceEvent::Disk { writes: true, first, blocks, .. } = event {
            self.writes.push(DiskWrite { first, blocks });
        }
    }

    fn frame(&mut self, frame: &FrameEvent) {
        if self.event == EventName::Frame && self.hears(frame.source) {
            self.times_ns.push(frame.start_ns());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{EventMoment, EventName};
    use renga_trace::event::ProbeEventKind;

    #[test]
    fn event_moment_names_kind_and_number_or_is_refused() {
        let moment = |event, number| EventMoment { event, number };
        assert_eq!(EventMoment::parse("frame:20").unwrap(), moment(EventName::Frame, 20));
        assert_eq!(EventMoment::parse("write:1").unwrap().to_string(), "write:1");
        assert_eq!(EventMoment::parse("commit:3").unwrap(), moment(EventName::Probe(ProbeEventKind::Commit), 3));
        let refused = |text: &str| EventMoment::parse(text).unwrap_err().to_string();
        assert!(refused("frames:1").contains("events are frame, write, call"), "{}", refused("frames:1"));
        assert_eq!(refused("frame:0"), "`0` is no number of an event: the first one is frame:1");
        assert_eq!(refused("frame"), "`frame` names no event, as in frame:20");
    }
}

//! `--trace`: every rendezvous and every frame as a line of JSON, with its virtual time.
//!
//! Invariant: lines of one board are in the order of its time. Not here: pictures and tables of it.

use crate::system::SystemFile;
use anyhow::{Context, Result};
use renga_abi::ProcId;
use renga_core::trace::Event;
use renga_emu::FrameEvent;
use serde_json::{Value, json};
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;

/// A trace file, and the names of what it tells of.
pub struct TraceFile {
    out: BufWriter<File>,
    /// By board and index: kind, ordinal and names of entries.
    processes: Vec<Vec<Named>>,
    boards: Vec<String>,
    /// By board: when it was started last, ns.
    started_ns: Vec<u64>,
}

#[derive(Clone)]
struct Named {
    name: String,
    entries: &'static [(u32, &'static str)],
}

impl TraceFile {
    /// Creates it.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn create(path: &Path, system: &SystemFile) -> Result<TraceFile> {
        let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
        let checked = &system.checked;
        let named = |board| {
            let instances = checked.instances(board);
            let mut named = vec![Named { name: "?".to_string(), entries: &[] }; instances.len()];
            for instance in instances {
                let facts = checked.kinds.iter().find(|kind| kind.name == instance.kind);
                let entries = facts.and_then(|facts| facts.serves).map_or(&[][..], |protocol| protocol.entries);
                let name = format!("{} {}", instance.kind, instance.ordinal);
                named[usize::from(instance.id.index)] = Named { name, entries };
            }
            named
        };
        let processes = (0..checked.boards.len()).map(named).collect();
        let started_ns = vec![0; checked.boards.len()];
        let boards = checked.boards.iter().map(|board| board.name.clone()).collect();
        Ok(TraceFile { out: BufWriter::new(file), processes, boards, started_ns })
    }

    fn name(&self, id: ProcId) -> String {
        let board = self.boards.get(usize::from(id.board.0)).map_or("?", String::as_str);
        let process = self.named(id).map_or("?", |named| &named.name);
        format!("{board}: {process}")
    }

    fn named(&self, id: ProcId) -> Option<&Named> {
        self.processes.get(usize::from(id.board.0))?.get(usize::from(id.index))
    }

    fn line(&mut self, value: &Value) {
        // A full disk shows when the file is finished.
        let _ = writeln!(self.out, "{value}");
    }

    /// Writes a record of the kernel's trace: time (two words) and event (three).
    pub fn record(&mut self, board: u8, words: &[u32]) {
        let &[low, high, first, second, third] = words else { return };
        let started_ns = self.started_ns.get(usize::from(board)).copied().unwrap_or(0);
        let time_ns = started_ns + (u64::from(high) << 32 | u64::from(low));
        let board = self.boards.get(usize::from(board)).cloned().unwrap_or_default();
        let value = match Event::from_words([first, second, third]) {
            Some(Event::Call { caller, server, op }) => {
                let entries = self.named(server).map_or(&[][..], |named| named.entries);
                let entry = entries.iter().find(|(number, _)| *number == u32::from(op)).map_or("?", |(_, name)| name);
                json!({"t_ns": time_ns, "board": board, "event": "call", "caller": self.name(caller),
                    "server": self.name(server), "entry": entry})
            }
            Some(Event::Reply { caller }) => {
                json!({"t_ns": time_ns, "board": board, "event": "reply", "caller": self.name(caller)})
            }
            Some(Event::Dispatch { process }) => {
                json!({"t_ns": time_ns, "board": board, "event": "dispatch", "process": self.name(process)})
            }
            Some(Event::UserTrap { process }) => {
                json!({"t_ns": time_ns, "board": board, "event": "trap", "process": self.name(process)})
            }
            None => return,
        };
        self.line(&value);
    }

    /// A board was started at this time: its own clock begins anew.
    pub fn started(&mut self, board: u8, time_ns: u64) {
        if let Some(started_ns) = self.started_ns.get_mut(usize::from(board)) {
            *started_ns = time_ns;
        }
        let name = self.boards.get(usize::from(board)).cloned().unwrap_or_default();
        self.line(&json!({"t_ns": time_ns, "board": name, "event": "start"}));
    }

    /// Writes a frame of the link.
    pub fn frame(&mut self, frame: &FrameEvent) {
        let board = |number: u8| self.boards.get(usize::from(number)).map_or("all", String::as_str);
        let value = json!({"t_ns": frame.start_ns(), "event": "frame", "from": board(frame.source),
            "to": board(frame.destination), "bytes": frame.bytes.len(), "sent_ns": frame.sent_ns,
            "token_wait_ns": frame.token_wait_ns, "wire_ns": frame.wire_ns, "delivered_ns": frame.delivered_ns,
            "frame": hexadecimal(&frame.bytes)});
        self.line(&value);
    }

    /// Makes sure that all of it is in the file.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self) -> Result<()> {
        self.out.flush().context("the trace cannot be written")
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

//! What is kept of a run while it runs: the disk board's console, and its trace.

use anyhow::Result;
use renga_cluster::listener::Listener;
use renga_cluster::trace::TraceFile;
use renga_emu::FrameEvent;
use renga_emu_probes::Hit;

/// Keeps it.
pub(super) struct Keeper {
    pub(super) text: Vec<u8>,
    console_board: u8,
    trace: Option<TraceFile>,
}

impl Keeper {
    pub(super) fn new(console_board: u8, trace: Option<TraceFile>) -> Keeper {
        Keeper { text: Vec::new(), console_board, trace }
    }

    /// The run has ended.
    pub(super) fn finish(&mut self) -> Result<()> {
        self.trace.take().map_or(Ok(()), TraceFile::finish)
    }
}

impl Listener for Keeper {
    fn console(&mut self, board: u8, _: u64, bytes: &[u8]) {
        if board == self.console_board {
            self.text.extend_from_slice(bytes);
        }
    }
    fn log(&mut self, _: &str) {}
    fn started(&mut self, board: u8, time_ns: u64) {
        if let Some(trace) = &mut self.trace {
            trace.started(board, time_ns);
        }
    }
    fn stopped(&mut self, board: u8, time_ns: u64) {
        if let Some(trace) = &mut self.trace {
            trace.stopped(board, time_ns);
        }
    }
    fn probe(&mut self, board: u8, hit: &Hit) {
        if let Some(trace) = &mut self.trace {
            trace.probe(board, hit);
        }
    }
    fn frame(&mut self, frame: &FrameEvent) {
        if let Some(trace) = &mut self.trace {
            trace.frame(frame);
        }
    }
}

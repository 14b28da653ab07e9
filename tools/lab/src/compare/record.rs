//! What a run of a comparison is reduced to while it runs: its phases, with what crossed between boards in each.
//!
//! Invariant: no trace is stored; the record holds what the events add up to.

use anyhow::Result;
use renga_cluster::listener::Listener;
use renga_cluster::trace::{self, EventDecoder};
use renga_emu::FrameEvent;
use renga_emu_probes::Hit;
use renga_images::system::SystemFile;
use renga_profile::Profile;
use renga_trace::phases::{Phases, RunPhase};
use serde::{Deserialize, Serialize};
use std::path::Path;

/// What came of a run.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RunRecord {
    /// When its load started, us after the boards had.
    pub(super) offset_us: u64,
    /// Its phases, in order; a name may come several times.
    pub(super) phases: Vec<RunPhase>,
    /// The sum of all that the consoles said.
    pub(super) console_hash: String,
}

/// Records a run.
pub(super) struct PhaseRecorder {
    decoder: EventDecoder,
    phases: Phases,
    console_board: u8,
    /// What the terminal shows.
    pub(super) text: Vec<u8>,
}

impl PhaseRecorder {
    /// For boards of `system` that run the kernel with this ELF file.
    ///
    /// # Errors
    /// If the kernel's probes cannot be listed.
    pub(super) fn new((system, profile): (&SystemFile, &Profile), elf: &Path) -> Result<PhaseRecorder> {
        Ok(PhaseRecorder {
            decoder: EventDecoder::new(elf)?,
            phases: Phases::new(trace::header(system, profile)),
            console_board: system.checked.console_board(),
            text: Vec::new(),
        })
    }

    /// The phases of the run, which is over.
    pub(super) fn phases(self) -> Vec<RunPhase> {
        self.phases.finish()
    }
}

impl Listener for PhaseRecorder {
    fn console(&mut self, board: u8, _: u64, bytes: &[u8]) {
        if board == self.console_board {
            self.text.extend_from_slice(bytes);
        }
    }
    fn log(&mut self, _: &str) {}
    fn probe(&mut self, board: u8, hit: &Hit) {
        if let Some(event) = self.decoder.probe(board, hit) {
            self.phases.take(&event);
        }
    }
    fn frame(&mut self, frame: &FrameEvent) {
        self.phases.take(&trace::frame_event(frame));
    }
}

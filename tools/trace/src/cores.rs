//! What the cores of boards and the disk do, event by event.
//!
//! Invariant: a board that has stopped does nothing, and neither does its disk.

use crate::event::{Timed, TraceEvent};
use crate::header::TraceHeader;

/// What a core does at a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Doing {
    /// It waits for an interrupt.
    Idle,
    /// System processes and the kernel run.
    System,
    /// A user program runs.
    Program,
}

/// All cores and the disk.
#[derive(Clone, Debug)]
pub struct TracedCores {
    /// By board and core.
    doing: Vec<Vec<Doing>>,
    /// Transfers under way, and on which board.
    disk: (u64, u8),
}

impl TracedCores {
    /// Those of these boards, before anything happens.
    pub fn new(header: &TraceHeader) -> TracedCores {
        let doing = header.boards.iter().map(|board| vec![Doing::Idle; usize::from(board.cores())]);
        TracedCores { doing: doing.collect(), disk: (0, 0) }
    }

    /// Takes the next event.
    pub fn take(&mut self, timed: &Timed) {
        match &timed.event {
            TraceEvent::Disk { .. } => self.disk = (self.disk.0 + 1, timed.board),
            TraceEvent::DiskEnd { .. } => self.disk.0 = self.disk.0.saturating_sub(1),
            TraceEvent::Started | TraceEvent::Stopped if self.disk.1 == timed.board => self.disk.0 = 0,
            _ => {}
        }
        let Some(board) = self.doing.get_mut(usize::from(timed.board)) else { return };
        let now = match timed.event {
            TraceEvent::Started | TraceEvent::Stopped => return board.fill(Doing::Idle),
            TraceEvent::Idle {} => Doing::Idle,
            TraceEvent::Enter { .. } => Doing::Program,
            // The emulator's link reports its token, whatever the board does.
            TraceEvent::Frame(_) | TraceEvent::Token {} => return,
            _ => Doing::System,
        };
        if let Some(doing) = board.get_mut(usize::from(timed.core)) {
            *doing = now;
        }
    }

    /// By board, of each of its cores.
    pub fn doing(&self) -> &[Vec<Doing>] {
        &self.doing
    }

    /// Whether a core of `board` does not wait.
    pub fn works(&self, board: usize) -> bool {
        self.doing.get(board).is_some_and(|cores| cores.iter().any(|doing| *doing != Doing::Idle))
    }

    /// Boards that work.
    pub fn busy(&self) -> usize {
        (0..self.doing.len()).filter(|board| self.works(*board)).count()
    }

    /// Cores on which the system runs.
    pub fn in_system(&self) -> usize {
        self.doing.iter().flatten().filter(|doing| **doing == Doing::System).count()
    }

    /// Whether the disk works.
    pub fn disk_works(&self) -> bool {
        self.disk.0 > 0
    }
}

//! What the cores of boards and the disk do, event by event.
//!
//! Invariant: a board that has stopped does nothing, and neither does its disk.

use crate::event::{Event, Timed};
use crate::header::Header;

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
pub struct Cores {
    /// By board and core.
    doing: Vec<Vec<Doing>>,
    /// Transfers under way, and on which board.
    disk: (u64, u8),
}

impl Cores {
    /// Those of these boards, before anything happens.
    pub fn new(header: &Header) -> Cores {
        let doing = header.boards.iter().map(|board| vec![Doing::Idle; usize::from(board.cores())]);
        Cores { doing: doing.collect(), disk: (0, 0) }
    }

    /// Takes the next event.
    pub fn take(&mut self, timed: &Timed) {
        match &timed.event {
            Event::Disk { .. } => self.disk = (self.disk.0 + 1, timed.board),
            Event::DiskEnd { .. } => self.disk.0 = self.disk.0.saturating_sub(1),
            Event::Started | Event::Stopped if self.disk.1 == timed.board => self.disk.0 = 0,
            _ => {}
        }
        let Some(board) = self.doing.get_mut(usize::from(timed.board)) else { return };
        let now = match timed.event {
            Event::Started | Event::Stopped => return board.fill(Doing::Idle),
            Event::Idle {} => Doing::Idle,
            Event::Enter { .. } => Doing::Program,
            // The emulator's link tells of its token, whatever the board does.
            Event::Frame(_) | Event::Token {} => return,
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

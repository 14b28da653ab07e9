//! What cores and disk do, event by event.
//!
//! Invariant: a board that has stopped does nothing, and neither does its disk.

use crate::event::{Event, Timed};

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
    doing: Vec<Doing>,
    /// Transfers under way, and on which board.
    disk: (u64, u8),
}

impl Cores {
    /// Those of so many boards, before anything happens.
    pub fn new(boards: usize) -> Cores {
        Cores { doing: vec![Doing::Idle; boards], disk: (0, 0) }
    }

    /// Takes the next event.
    pub fn take(&mut self, timed: &Timed) {
        match &timed.event {
            Event::Disk { .. } => self.disk = (self.disk.0 + 1, timed.board),
            Event::DiskEnd { .. } => self.disk.0 = self.disk.0.saturating_sub(1),
            Event::Started | Event::Stopped if self.disk.1 == timed.board => self.disk.0 = 0,
            _ => {}
        }
        let now = match timed.event {
            Event::Idle {} | Event::Started | Event::Stopped => Doing::Idle,
            Event::Enter { .. } => Doing::Program,
            // The emulator's link tells of its token, whatever the board does.
            Event::Frame(_) | Event::Token {} => return,
            _ => Doing::System,
        };
        if let Some(doing) = self.doing.get_mut(usize::from(timed.board)) {
            *doing = now;
        }
    }

    /// By board.
    pub fn doing(&self) -> &[Doing] {
        &self.doing
    }

    /// Cores that do not wait.
    pub fn busy(&self) -> usize {
        self.doing.iter().filter(|doing| **doing != Doing::Idle).count()
    }

    /// Cores on which the system runs.
    pub fn in_system(&self) -> usize {
        self.doing.iter().filter(|doing| **doing == Doing::System).count()
    }

    /// Whether the disk works.
    pub fn disk_works(&self) -> bool {
        self.disk.0 > 0
    }
}

//! Wires between the boards' pins that are broken.
//!
//! Not here: what runs where (`wires`).

use renga_emu_device::pins::Drive;

/// A wire that is broken, of those that run straight through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WireFault {
    /// It has contact with ground.
    HeldLow {
        /// Its pin, at all boards.
        pin: u8,
    },
    /// At one board it has no contact.
    Open {
        /// The board.
        board: u8,
        /// Its pin there.
        pin: u8,
    },
}

/// All that are broken.
#[derive(Debug)]
pub struct Broken {
    held_low: u32,
    /// Pins with contact, by board.
    contact: Vec<u32>,
}

impl Broken {
    /// `faults` of the wires between `boards` boards.
    pub fn new(faults: &[WireFault], boards: usize) -> Self {
        let mut broken = Self { held_low: 0, contact: vec![u32::MAX; boards] };
        for fault in faults {
            match *fault {
                WireFault::HeldLow { pin } => broken.held_low |= 1 << pin,
                WireFault::Open { board, pin } => broken.contact[usize::from(board)] &= !(1 << pin),
            }
        }
        broken
    }

    /// The pins at which `board` has contact.
    pub fn contact(&self, board: usize) -> u32 {
        self.contact[board]
    }

    /// What the harness itself does to the pins of `board`.
    pub fn harness(&self, board: usize) -> Drive {
        Drive { low: self.held_low & self.contact[board], ..Drive::default() }
    }
}

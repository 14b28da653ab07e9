//! Wires between the boards' pins that are broken.
//!
//! Not here: what runs where (`wires`).

use renga_emu_device::pins::PinDrive;

/// A wire that is broken, of those that run straight through.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmulatedWireFault {
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
pub struct BrokenWires {
    held_low: u32,
    /// Pins with contact, by board.
    contact: Vec<u32>,
}

impl BrokenWires {
    /// `faults` of the wires between `boards` boards.
    pub fn new(faults: &[EmulatedWireFault], boards: usize) -> Self {
        let mut broken = Self { held_low: 0, contact: vec![u32::MAX; boards] };
        for fault in faults {
            match *fault {
                EmulatedWireFault::HeldLow { pin } => broken.held_low |= 1 << pin,
                EmulatedWireFault::Open { board, pin } => broken.contact[usize::from(board)] &= !(1 << pin),
            }
        }
        broken
    }

    /// The pins at which `board` has contact.
    pub fn contact(&self, board: usize) -> u32 {
        self.contact[board]
    }

    /// What the harness itself does to the pins of `board`.
    pub fn harness(&self, board: usize) -> PinDrive {
        PinDrive { low: self.held_low & self.contact[board], ..PinDrive::default() }
    }
}

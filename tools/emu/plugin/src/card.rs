//! The host of the board's card in front of QEMU's: only its register of events, where transfers fail that the host
//! refuses, or all of it, if the card is to be slow.
//!
//! Invariant: what a register shows is `renga_emu_device`'s `card_fault` and `slow_card`; QEMU's host does the rest.

use crate::machine::{MachineDevice, Region, RegisterPage};
use crate::stderr::StderrReader;
use crate::{fail, with_board};
use renga_emu_device::card_fault::{CardFault, INTERRUPT, INTERRUPT_BYTES};
use renga_emu_device::slow_card::{BLOCK_BYTES, SlowCard};
use std::ffi::c_void;
use std::io;
use std::ptr::without_provenance_mut;

/// What the emulator adds to the board's card.
pub struct EmulatedCard {
    slow: Option<SlowCard>,
    fault: CardFault,
    stderr: StderrReader,
}

impl EmulatedCard {
    /// A card that is busy for so long after a write, ns, if it is slow.
    pub fn new(write_ns: Option<u64>) -> io::Result<EmulatedCard> {
        Ok(EmulatedCard {
            slow: write_ns.map(SlowCard::new),
            fault: CardFault::default(),
            stderr: StderrReader::open()?,
        })
    }

    /// Whether it is slow.
    pub fn is_slow(&self) -> bool {
        self.slow.is_some()
    }

    /// Whether it has failed now, for the first time.
    pub fn fails(&mut self) -> bool {
        let news = self.stderr.news();
        let news = news.unwrap_or_else(|error| fail(&format!("QEMU's standard error cannot be read: {error}")));
        self.fault.note_stderr(&news)
    }

    /// What the board reads at `offset` when QEMU's host says `value`.
    pub fn adjusted(&self, offset: u64, value: u32, now_ns: u64) -> u32 {
        let value = self.slow.as_ref().map_or(value, |slow| slow.adjusted(offset, value, now_ns));
        self.fault.adjusted(offset, value)
    }

    /// The board writes `value` at `offset`.
    pub fn written(&mut self, offset: u64, value: u32, now_ns: u64) {
        self.fault.written(offset, value);
        if let Some(slow) = &mut self.slow {
            slow.written(offset, now_ns);
        }
    }
}

/// Puts it over QEMU's at `address`, which is the result.
pub fn overlay(address: u64, slow: bool) -> Option<Region> {
    let own = MachineDevice::find(c"/machine/soc/peripherals/sdhci", c"generic-sdhci")?.registers()?;
    let (first, bytes) = if slow { (0, BLOCK_BYTES) } else { (INTERRUPT, INTERRUPT_BYTES) };
    // The argument is where in the block the page begins.
    let page = RegisterPage { read, write, argument: without_provenance_mut(first as usize), bytes_min: 4 };
    page.map(c"renga-card", address + first, bytes);
    Some(own)
}

extern "C" fn read(first: *mut c_void, offset: u64, _: u32) -> u64 {
    u64::from(with_board(|board| board.read_card(first.addr() as u64 + offset)))
}

extern "C" fn write(first: *mut c_void, offset: u64, value: u64, _: u32) {
    with_board(|board| board.write_card(first.addr() as u64 + offset, value as u32));
}

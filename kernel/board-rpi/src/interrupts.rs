//! The interrupt controllers of a BCM2837: one per core (QA7), and one for all peripherals, whose line
//! goes to core 0. The datasheet, section 7.5.
//!
//! Not here: the devices' own interrupt enables, with their drivers.

use renga_hal::irq::{Irq, Pending, Source};
use renga_hal::registers::Registers;

mod local {
    pub const CORE0_TIMER_CONTROL: usize = 0x40;
    pub const CORE0_SOURCE: usize = 0x60;
    pub const VIRTUAL_TIMER: u32 = 1 << 3;
    pub const PERIPHERALS: u32 = 1 << 8;
}

/// Offsets of the peripherals' controller; sources 32 to 63 are its second bank.
mod peripheral {
    pub const PENDING_2: usize = 0x08;
    pub const FIQ: usize = 0x0c;
    pub const ENABLE_2: usize = 0x14;
    pub const DISABLE: [usize; 3] = [0x1c, 0x20, 0x24];
    pub const DISABLE_2: usize = 0x20;
    /// The emulator's link device, and the first pins: whichever the link is, the other one is silent.
    pub const LINK: u32 = 1 << (48 - 32) | 1 << (49 - 32);
    pub const UART: u32 = 1 << (57 - 32);
}

/// Both controllers, as core 0 sees them.
pub struct Interrupts<R> {
    local: R,
    peripherals: R,
}

impl<R: Registers> Interrupts<R> {
    /// All sources disabled.
    pub fn new(mut local: R, mut peripherals: R) -> Self {
        local.write(local::CORE0_TIMER_CONTROL, 0);
        peripherals.write(peripheral::FIQ, 0);
        for bank in peripheral::DISABLE {
            peripherals.write(bank, u32::MAX);
        }
        Self { local, peripherals }
    }
}

impl<R: Registers> Irq for Interrupts<R> {
    fn pending(&mut self) -> Pending {
        let local = self.local.read(local::CORE0_SOURCE);
        let mut pending = Pending { timer: local & local::VIRTUAL_TIMER != 0, ..Pending::default() };
        if local & local::PERIPHERALS != 0 {
            let peripherals = self.peripherals.read(peripheral::PENDING_2);
            pending.link = peripherals & peripheral::LINK != 0;
            pending.uart = peripherals & peripheral::UART != 0;
        }
        pending
    }

    fn enable(&mut self, source: Source) {
        match source {
            Source::Timer => self.local.write(local::CORE0_TIMER_CONTROL, local::VIRTUAL_TIMER),
            Source::Uart => self.peripherals.write(peripheral::ENABLE_2, peripheral::UART),
            Source::Link => self.peripherals.write(peripheral::ENABLE_2, peripheral::LINK),
        }
    }

    fn disable(&mut self, source: Source) {
        match source {
            Source::Timer => self.local.write(local::CORE0_TIMER_CONTROL, 0),
            Source::Uart => self.peripherals.write(peripheral::DISABLE_2, peripheral::UART),
            Source::Link => self.peripherals.write(peripheral::DISABLE_2, peripheral::LINK),
        }
    }
}

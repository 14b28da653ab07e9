//! Interrupt sources: the controllers of a BCM2837 (one per core, QA7; one for all peripherals, the datasheet, 7.5), or
//! the GIC-400 of a BCM2711.
//!
//! Invariant: nothing is ever acknowledged; all sources are levels, and stay pending until their device is served.
//! Not here: the devices' own interrupt enables, with their drivers.

use crate::gic::Gic;
use renga_hal::irq::{IrqSource, Pending};
use renga_hal::registers::Registers;

/// The peripherals' lines by number: the same on both chips.
pub mod line {
    /// The auxiliary peripherals, with the mini UART.
    pub const LOG: u32 = 29;
    /// The emulator's link device.
    pub const EMULATOR: u32 = 48;
    /// The first pins.
    pub const PINS: u32 = 49;
    /// The PL011.
    pub const UART: u32 = 57;
}

mod local {
    /// To which core the peripherals' interrupts go.
    pub const PERIPHERALS_TO: usize = 0x0c;
    pub const CORE0_TIMER_CONTROL: usize = 0x40;
    pub const CORE0_SOURCE: usize = 0x60;
    /// From a core's register to the next one's.
    pub const CORE_STRIDE: usize = 4;
    pub const VIRTUAL_TIMER: u32 = 1 << 3;
    pub const PERIPHERALS: u32 = 1 << 8;
}

/// Offsets of the peripherals' controller, by bank of 32 lines.
mod peripheral {
    pub const PENDING: [usize; 2] = [0x04, 0x08];
    pub const FIQ: usize = 0x0c;
    pub const ENABLE: [usize; 2] = [0x10, 0x14];
    pub const DISABLE: [usize; 2] = [0x1c, 0x20];
    pub const DISABLE_BASIC: usize = 0x24;
}

const LOG: u32 = 1 << line::LOG;
/// Whichever of the two the link is, the other one is silent.
const LINK: u32 = 1 << (line::EMULATOR - 32) | 1 << (line::PINS - 32);
const UART: u32 = 1 << (line::UART - 32);

/// The controllers, as one core sees them: core 0 at first.
pub enum Interrupts<R> {
    /// BCM2837.
    Legacy(Legacy<R>),
    /// BCM2711.
    Gic(Gic<R>),
}

/// Both controllers of a BCM2837.
pub struct Legacy<R> {
    local: R,
    peripherals: R,
    /// The core that sees them.
    core: usize,
    log: bool,
}

/// Lets the virtual timer of `core` of a BCM2837 interrupt that core; `local` are the cores' registers.
pub fn enable_timer_of<R: Registers>(local: &mut R, core: u8) {
    local.write(local::CORE0_TIMER_CONTROL + local::CORE_STRIDE * usize::from(core), local::VIRTUAL_TIMER);
    local.fence();
}

impl<R: Registers> Legacy<R> {
    /// All sources disabled.
    pub fn new(mut local: R, mut peripherals: R) -> Self {
        local.write(local::CORE0_TIMER_CONTROL, 0);
        local.fence();
        peripherals.write(peripheral::FIQ, 0);
        for bank in peripheral::DISABLE {
            peripherals.write(bank, u32::MAX);
        }
        peripherals.write(peripheral::DISABLE_BASIC, u32::MAX);
        peripherals.fence();
        Self { local, peripherals, core: 0, log: false }
    }

    fn pending(&mut self) -> Pending {
        let local = self.local.read(local::CORE0_SOURCE + local::CORE_STRIDE * self.core);
        let mut pending = Pending { timer: local & local::VIRTUAL_TIMER != 0, ..Pending::default() };
        if local & local::PERIPHERALS != 0 {
            self.peripherals.fence();
            let peripherals = self.peripherals.read(peripheral::PENDING[1]);
            pending.link = peripherals & LINK != 0;
            pending.uart = peripherals & UART != 0;
            pending.log = self.log && self.peripherals.read(peripheral::PENDING[0]) & LOG != 0;
            self.peripherals.fence();
        }
        pending
    }

    fn set(&mut self, source: IrqSource, on: bool) {
        let (bank, bits) = match source {
            IrqSource::Timer => {
                let control = local::CORE0_TIMER_CONTROL + local::CORE_STRIDE * self.core;
                return self.local.write(control, if on { local::VIRTUAL_TIMER } else { 0 });
            }
            IrqSource::Log => {
                self.log = on;
                (0, LOG)
            }
            IrqSource::Uart => (1, UART),
            IrqSource::Link => (1, LINK),
        };
        self.peripherals.fence();
        self.peripherals.write(if on { peripheral::ENABLE } else { peripheral::DISABLE }[bank], bits);
        self.peripherals.fence();
    }
}

/// All sources are levels: one stays pending until its device is served or quiet, or until the source is disabled.
impl<R: Registers> Interrupts<R> {
    /// The sources that are enabled and pending.
    pub fn pending(&mut self) -> Pending {
        match self {
            Interrupts::Legacy(legacy) => legacy.pending(),
            Interrupts::Gic(gic) => gic.pending(),
        }
    }

    /// From now on the peripherals interrupt `core`, which is this one, and it is its timer that is let interrupt or
    /// not.
    pub fn come_to(&mut self, core: u8) {
        match self {
            Interrupts::Legacy(legacy) => {
                legacy.core = usize::from(core);
                legacy.local.write(local::PERIPHERALS_TO, core.into());
                legacy.local.fence();
            }
            Interrupts::Gic(gic) => gic.come_to(core),
        }
    }

    /// Lets `source` interrupt.
    pub fn enable(&mut self, source: IrqSource) {
        match self {
            Interrupts::Legacy(legacy) => legacy.set(source, true),
            Interrupts::Gic(gic) => gic.set(source, true),
        }
    }

    /// Stops `source` from interrupting.
    pub fn disable(&mut self, source: IrqSource) {
        match self {
            Interrupts::Legacy(legacy) => legacy.set(source, false),
            Interrupts::Gic(gic) => gic.set(source, false),
        }
    }
}

//! The GIC-400 of a BCM2711. Arm Generic Interrupt Controller Architecture Specification 2.0.
//!
//! Invariant: the driver reads pending interrupts from the distributor and never acknowledges one, so none is ever
//! active. Groups stay as the firmware set them. Of the first 32 numbers each core sees its own. Not here: when a
//! core's IPI is pending (`core_ipi.rs`).

use crate::interrupts::line;
use renga_hal::irq::{IrqSource, Pending};
use renga_hal::registers::Registers;

mod distributor {
    pub const CONTROL: usize = 0x000;
    pub const ENABLE: usize = 0x100;
    pub const DISABLE: usize = 0x180;
    pub const PENDING: usize = 0x200;
    pub const CLEAR_PENDING: usize = 0x280;
    pub const CLEAR_ACTIVE: usize = 0x380;
    pub const PRIORITY: usize = 0x400;
    pub const TARGETS: usize = 0x800;
    /// Interrupts cores by a number of software.
    pub const SOFTWARE: usize = 0xf00;
    pub const CLEAR_PENDING_SOFTWARE: usize = 0xf10;
    pub const PENDING_SOFTWARE: usize = 0xf20;
}

mod processor {
    pub const CONTROL: usize = 0x00;
    pub const PRIORITY_MASK: usize = 0x04;
}

const ON: u32 = 1;
/// Every priority but the lowest passes.
const ALL_PRIORITIES: u32 = 0xff;
/// The same for all, in four bytes.
const PRIORITY: u32 = 0xa0a0_a0a0;
/// Core 0, in four bytes; the next ones are bits further on.
const CORE_0: u32 = 0x0101_0101;
/// So many numbers each core has of its own, or for itself.
const OWN_NUMBERS: u32 = 32;
/// Interrupt numbers in use: 16 of software, 16 of the core, the peripherals'.
const NUMBERS: u32 = 256;
/// The first number of the peripherals' lines.
const PERIPHERALS: u32 = 96;
/// The core's virtual timer.
const VIRTUAL_TIMER: u32 = 27;

/// Lets the core that does this be interrupted by its IPI, the first number of software: register and value.
pub(crate) const IPI_ENABLE: (usize, u32) = (distributor::ENABLE, 1);
/// Where a core reads which cores' IPIs are pending for it: register and bits.
pub(crate) const IPI_PENDING: (usize, u32) = (distributor::PENDING_SOFTWARE, 0xff);
/// Acknowledges the IPIs of the executing core, whichever core sent them: register and value.
pub(crate) const IPI_ACKNOWLEDGE: (usize, u32) = (distributor::CLEAR_PENDING_SOFTWARE, 0xff);

/// Rings the IPI of `core`: register and value.
pub(crate) const fn send_ipi(core: u8) -> (usize, u32) {
    (distributor::SOFTWARE, 1 << (16 + core))
}

/// Enables the controller's interrupts of this core, after another core made the controller ready ([`Gic::new`]).
/// Called once, before the core enables its own sources.
pub fn join<R: Registers>(distributor: &mut R, processor: &mut R) {
    distributor.fence();
    distributor.write(distributor::DISABLE, u32::MAX);
    distributor.write(distributor::CLEAR_PENDING, u32::MAX);
    distributor.write(distributor::CLEAR_ACTIVE, u32::MAX);
    for word in (0..OWN_NUMBERS as usize).step_by(4) {
        distributor.write(distributor::PRIORITY + word, PRIORITY);
    }
    distributor.fence();
    processor.write(processor::PRIORITY_MASK, ALL_PRIORITIES);
    processor.write(processor::CONTROL, ON);
    processor.fence();
}

/// Lets the virtual timer of this core interrupt it.
pub fn enable_timer<R: Registers>(distributor: &mut R) {
    distributor.fence();
    distributor.write(distributor::ENABLE, 1 << VIRTUAL_TIMER);
    distributor.fence();
}

/// The controller, as the core sees it to which the peripherals' interrupts come: core 0 at first.
pub struct Gic<R> {
    distributor: R,
    /// Sources that are enabled; the pending bits show others too.
    enabled: [bool; 4],
}

fn numbers(source: IrqSource) -> &'static [u32] {
    match source {
        IrqSource::Timer => &[VIRTUAL_TIMER],
        IrqSource::Uart => &[PERIPHERALS + line::UART],
        IrqSource::Link => &[PERIPHERALS + line::PINS, PERIPHERALS + line::EMULATOR],
        IrqSource::Log => &[PERIPHERALS + line::LOG],
    }
}

impl<R: Registers> Gic<R> {
    /// All sources disabled, whatever was left pending or active forgotten.
    pub fn new(mut distributor: R, mut processor: R) -> Self {
        distributor.write(distributor::CONTROL, 0);
        for word in (OWN_NUMBERS / 8..NUMBERS / 8).step_by(4).map(|word| word as usize) {
            distributor.write(distributor::DISABLE + word, u32::MAX);
            distributor.write(distributor::CLEAR_PENDING + word, u32::MAX);
            distributor.write(distributor::CLEAR_ACTIVE + word, u32::MAX);
        }
        for word in (OWN_NUMBERS..NUMBERS).step_by(4).map(|word| word as usize) {
            distributor.write(distributor::PRIORITY + word, PRIORITY);
            distributor.write(distributor::TARGETS + word, CORE_0);
        }
        distributor.write(distributor::CONTROL, ON);
        join(&mut distributor, &mut processor);
        Self { distributor, enabled: [false; 4] }
    }

    /// From now on the peripherals interrupt `core`, which is this one and has [joined](join).
    pub fn come_to(&mut self, core: u8) {
        self.distributor.fence();
        for word in (OWN_NUMBERS..NUMBERS).step_by(4).map(|word| word as usize) {
            self.distributor.write(distributor::TARGETS + word, CORE_0 << core);
        }
        self.distributor.fence();
    }

    /// What is enabled and pending.
    pub fn pending(&mut self) -> Pending {
        let is =
            |source| self.enabled[source as usize] && numbers(source).iter().any(|&number| self.is_pending(number));
        Pending {
            timer: is(IrqSource::Timer),
            uart: is(IrqSource::Uart),
            link: is(IrqSource::Link),
            log: is(IrqSource::Log),
        }
    }

    fn is_pending(&self, number: u32) -> bool {
        self.distributor.read(distributor::PENDING + (number / 32 * 4) as usize) >> (number % 32) & 1 != 0
    }

    /// Lets `source` interrupt, or not.
    pub fn set(&mut self, source: IrqSource, on: bool) {
        self.enabled[source as usize] = on;
        let register = if on { distributor::ENABLE } else { distributor::DISABLE };
        self.distributor.fence();
        for &number in numbers(source) {
            self.distributor.write(register + (number / 32 * 4) as usize, 1 << (number % 32));
        }
        self.distributor.fence();
    }
}

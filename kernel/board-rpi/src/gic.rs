//! The GIC-400 of a BCM2711. Arm Generic Interrupt Controller Architecture Specification 2.0.
//!
//! Invariant: interrupts are looked at in the distributor and never acknowledged, so none is ever active. Groups stay
//! as the firmware set them.

use crate::interrupts::line;
use renga_hal::irq::{Pending, Source};
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
/// Core 0, in four bytes.
const CORE_0: u32 = 0x0101_0101;
/// Interrupt numbers in use: 16 of software, 16 of the core, the peripherals'.
const NUMBERS: u32 = 256;
/// The first number of the peripherals' lines.
const PERIPHERALS: u32 = 96;
/// The core's virtual timer.
const VIRTUAL_TIMER: u32 = 27;

/// The controller, as core 0 sees it.
pub struct Gic<R> {
    distributor: R,
    /// Sources that are enabled; the pending bits show others too.
    enabled: [bool; 4],
}

fn numbers(source: Source) -> &'static [u32] {
    match source {
        Source::Timer => &[VIRTUAL_TIMER],
        Source::Uart => &[PERIPHERALS + line::UART],
        Source::Link => &[PERIPHERALS + line::PINS, PERIPHERALS + line::EMULATOR],
        Source::Log => &[PERIPHERALS + line::LOG],
    }
}

impl<R: Registers> Gic<R> {
    /// All sources disabled, whatever was left pending or active forgotten.
    pub fn new(mut distributor: R, mut processor: R) -> Self {
        distributor.write(distributor::CONTROL, 0);
        for word in (0..NUMBERS / 8).step_by(4).map(|word| word as usize) {
            distributor.write(distributor::DISABLE + word, u32::MAX);
            distributor.write(distributor::CLEAR_PENDING + word, u32::MAX);
            distributor.write(distributor::CLEAR_ACTIVE + word, u32::MAX);
        }
        for word in (0..NUMBERS).step_by(4).map(|word| word as usize) {
            distributor.write(distributor::PRIORITY + word, PRIORITY);
            // The first 32 numbers are the core's own.
            if word >= 32 {
                distributor.write(distributor::TARGETS + word, CORE_0);
            }
        }
        distributor.write(distributor::CONTROL, ON);
        distributor.fence();
        processor.write(processor::PRIORITY_MASK, ALL_PRIORITIES);
        processor.write(processor::CONTROL, ON);
        processor.fence();
        Self { distributor, enabled: [false; 4] }
    }

    /// What is enabled and pending.
    pub fn pending(&mut self) -> Pending {
        let is =
            |source| self.enabled[source as usize] && numbers(source).iter().any(|&number| self.is_pending(number));
        Pending { timer: is(Source::Timer), uart: is(Source::Uart), link: is(Source::Link), log: is(Source::Log) }
    }

    fn is_pending(&self, number: u32) -> bool {
        self.distributor.read(distributor::PENDING + (number / 32 * 4) as usize) >> (number % 32) & 1 != 0
    }

    /// Lets `source` interrupt, or not.
    pub fn set(&mut self, source: Source, on: bool) {
        self.enabled[source as usize] = on;
        let register = if on { distributor::ENABLE } else { distributor::DISABLE };
        self.distributor.fence();
        for &number in numbers(source) {
            self.distributor.write(register + (number / 32 * 4) as usize, 1 << (number % 32));
        }
        self.distributor.fence();
    }
}

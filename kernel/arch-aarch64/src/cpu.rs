//! One core: waiting, counting.

use crate::registers::{read_register, write_register};

/// The core that runs this code.
#[derive(Clone, Copy, Debug, Default)]
pub struct ThisCore;

impl ThisCore {
    /// The part number of its kind: 0xd03 is a Cortex-A53, 0xd08 a Cortex-A72.
    pub fn part(self) -> u16 {
        (read_register!("midr_el1") >> 4 & 0xfff) as u16
    }
    /// Keeps the number by which code that runs on any core finds what is this core's own (TPIDR_EL1).
    pub fn keep_number(self, number: u8) {
        // SAFETY: the kernel's own register: the processor does nothing with it.
        unsafe { write_register!("tpidr_el1", u64::from(number)) };
    }
    /// The number that was kept.
    pub fn number(self) -> u8 {
        read_register!("tpidr_el1") as u8
    }

    /// Stops until an interrupt is pending. The interrupt is not taken: the caller asks the interrupt controller.
    pub fn wait_for_interrupt(self) {
        // SAFETY: stops until an interrupt is pending; being masked, it is not taken. The barrier makes
        // device writes before the wait effective (a level just quieted must not wake at once).
        unsafe { core::arch::asm!("dsb sy", "wfi", options(nostack, preserves_flags)) };
    }

    /// A counter for measurements: ticks of the system counter (instructions in the emulator when a tick is 1 ns and an
    /// instruction takes one).
    pub fn cycles(self) -> u64 {
        read_register!("cntvct_el0")
    }
}

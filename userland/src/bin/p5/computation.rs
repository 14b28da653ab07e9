//! Computation of so many instructions.

use core::arch::asm;

/// Executes that many instructions, all in registers.
pub fn compute(instructions: u32) {
    let iterations = u64::from(instructions / 2);
    if iterations > 0 {
        // SAFETY: counts a register down.
        unsafe { asm!("2: subs {0}, {0}, #1", "b.ne 2b", inout(reg) iterations => _, options(nomem, nostack)) };
    }
}

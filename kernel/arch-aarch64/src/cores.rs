//! The board's other cores: fetched from the firmware, and what each finds when it gets there.
//!
//! A core that is not core 0 waits in the firmware, in WFE, until its word of the spin table is an address. `boot.S`
//! brings it to EL1 as it does core 0, on the coarse map and a stack of its own, and calls
//! `renga_core_main(core: u64) -> !` of the image, which takes the kernel's map ([`crate::memory::KernelMap::join`]).
//!
//! Invariant: a word of the spin table is written before its event, past the cache. An event may be lost on a core that
//! is just going to wait, so cores may be fetched again. Not here: what such a core does, its interrupts.

use crate::physical::{to_kernel, to_physical};

/// Cores that any board has.
pub const CORES_MAX: u8 = 4;
/// Where the firmware's spin table is, physical: word n says where core n goes. (Device trees name the same place.)
const SPIN_TABLE: u64 = 0xd8;

/// Sends the cores below `count` to the image, those behind them to sleep.
///
/// # Safety
/// By core 0 only, with the same `count` each time, when the kernel's map is installed and what `renga_core_main` uses
/// is there.
pub unsafe fn fetch(count: u8) {
    unsafe extern "C" {
        fn renga_other_core();
        fn renga_park();
    }
    for core in 1..CORES_MAX {
        let entry: unsafe extern "C" fn() = if core < count { renga_other_core } else { renga_park };
        let (word, to) = (to_kernel(SPIN_TABLE + 8 * u64::from(core)), to_physical(entry as usize));
        // SAFETY: the firmware's word, in mapped memory that no other code uses. The core reads the word with its cache
        // off, so it is cleaned to memory before the event.
        unsafe {
            core::arch::asm!("str {to}, [{word}]", "dc civac, {word}", "dsb sy", "sev",
                word = in(reg) word, to = in(reg) to, options(nostack, preserves_flags));
        }
    }
}

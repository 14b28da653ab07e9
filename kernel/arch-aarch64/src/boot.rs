//! From the firmware's entry to the image's `renga_kernel_main`, and what the linker knows.
//!
//! `boot.S` does the work: it brings the core to EL1 with every control register at a value of ours,
//! turns on translation with a coarse map of the image, clears `.bss` and calls
//! `renga_kernel_main(boot_data: u64) -> !` of the image on the kernel stack, where `boot_data` is the
//! physical address that the firmware left (a device tree, or ATAGs). The image then installs the real
//! map ([`crate::memory::KernelMap`]).
//!
//! The other cores come the same way, when they are fetched ([`crate::cores`]).
//!
//! The image's linker script must define: `__bss_start`, `__bss_end`, `__stack_guard`, `__stack_top`,
//! `__emergency_stack_top`, `__core_stacks`, `__core_stack_stride`, `__text_end`, `__rodata_end`, `__kernel_end`, all
//! on page borders except those of `.bss`.

use crate::cores::CORES_MAX;
use crate::physical::to_physical;

core::arch::global_asm!(include_str!("boot.S"));
core::arch::global_asm!(include_str!("vectors.S"));
core::arch::global_asm!(include_str!("bytes.S"));

/// Physical memory that the coarse map covers: the image must fit. In bytes.
pub const COARSE_MAP_BYTES: u64 = 64 << 20;

/// The borders of the image, as physical addresses.
#[derive(Clone, Copy, Debug)]
pub struct ImageLayout {
    /// Code: from here to `text_end`.
    pub start: u64,
    /// Read-only data: from here to `rodata_end`.
    pub text_end: u64,
    /// Writable data: from here to `end`.
    pub rodata_end: u64,
    /// The unmapped page below each core's stack.
    pub stack_guards: [u64; CORES_MAX as usize],
    /// First address behind everything.
    pub end: u64,
}

impl ImageLayout {
    /// What the linker wrote down.
    pub fn get() -> Self {
        unsafe extern "C" {
            static _start: u8;
            static __text_end: u8;
            static __rodata_end: u8;
            static __stack_guard: u8;
            static __core_stacks: u8;
            static __core_stack_stride: u8;
            static __kernel_end: u8;
        }
        let physical = |symbol: *const u8| to_physical(symbol as usize);
        let (others, stride) = (physical(&raw const __core_stacks), (&raw const __core_stack_stride).addr() as u64);
        let guard = |core: usize| match core.checked_sub(1) {
            None => physical(&raw const __stack_guard),
            Some(before) => others + before as u64 * stride,
        };
        Self {
            start: physical(&raw const _start),
            text_end: physical(&raw const __text_end),
            rodata_end: physical(&raw const __rodata_end),
            stack_guards: core::array::from_fn(guard),
            end: physical(&raw const __kernel_end),
        }
    }
}

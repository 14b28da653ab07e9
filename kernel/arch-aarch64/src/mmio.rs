//! Device registers in the kernel's address space.
//!
//! Invariant: an access is one load or store of 32 bits, to device memory, in program order.
//!
//! Not here: addresses of devices, and which code uses which (`renga-board-rpi`, the image).

use crate::physical::device_to_kernel;
use renga_hal::registers::Registers;

/// Words moved between two checks for the end of a buffer.
const RUN_WORDS: usize = 16;

/// A block of device registers.
pub struct Mmio(*mut u32);

impl Mmio {
    /// The block at physical address `base`.
    ///
    /// # Safety
    /// `base` stays mapped as device memory for all offsets that the driver uses. The image gives each block to one
    /// user: two handles to one block break the drivers' state, not memory.
    pub const unsafe fn at(base: u64) -> Self {
        Self(device_to_kernel(base) as *mut u32)
    }
}

impl Registers for Mmio {
    #[inline(always)]
    fn read(&self, offset: usize) -> u32 {
        // SAFETY: mapped, by `at`.
        unsafe { self.0.byte_add(offset).read_volatile() }
    }

    #[inline(always)]
    fn write(&mut self, offset: usize, value: u32) {
        // SAFETY: mapped, by `at`.
        unsafe { self.0.byte_add(offset).write_volatile(value) }
    }

    #[inline(always)]
    fn fence(&self) {
        // SAFETY: a barrier; it changes nothing.
        unsafe { core::arch::asm!("dsb sy", options(nostack, preserves_flags)) };
    }

    fn read_data(&self, offset: usize, out: &mut [u8]) {
        // SAFETY: any words are bytes.
        let (before, words, behind) = unsafe { out.align_to_mut::<u32>() };
        if before.is_empty() && behind.is_empty() {
            let (runs, rest) = words.as_chunks_mut::<RUN_WORDS>();
            runs.iter_mut().flatten().chain(rest).for_each(|word| *word = self.read(offset).to_le());
            return;
        }
        for word in out.as_chunks_mut::<4>().0 {
            *word = self.read(offset).to_le_bytes();
        }
    }

    fn write_data(&mut self, offset: usize, data: &[u8]) {
        // SAFETY: any bytes are words.
        let (before, words, behind) = unsafe { data.align_to::<u32>() };
        if before.is_empty() && behind.is_empty() {
            let (runs, rest) = words.as_chunks::<RUN_WORDS>();
            runs.iter().flatten().chain(rest).for_each(|word| self.write(offset, u32::from_le(*word)));
            return;
        }
        for &word in data.as_chunks::<4>().0 {
            self.write(offset, u32::from_le_bytes(word));
        }
    }
}

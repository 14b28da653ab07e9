//! A block of 32-bit device registers.

/// Words moved between two looks at the end of a buffer.
const RUN_WORDS: usize = 16;

/// Exclusive use of a block of registers.
pub struct Registers(*mut u32);

impl Registers {
    /// The block at kernel address `base`.
    ///
    /// # Safety
    /// `base` stays mapped as device memory for all offsets that the driver uses, and no other value of
    /// this type covers the same registers.
    pub const unsafe fn at(base: usize) -> Self {
        Self(base as *mut u32)
    }

    /// The register `offset` bytes from the beginning.
    #[inline]
    pub fn read(&self, offset: usize) -> u32 {
        // SAFETY: mapped and ours, by `at`.
        unsafe { self.0.byte_add(offset).read_volatile() }
    }

    /// Writes the register `offset` bytes from the beginning.
    #[inline]
    pub fn write(&mut self, offset: usize, value: u32) {
        // SAFETY: mapped and ours, by `at`.
        unsafe { self.0.byte_add(offset).write_volatile(value) }
    }

    /// All accesses before are over before any after them begins. The peripherals of a BCM2837 answer one
    /// another's accesses out of order (the datasheet, 1.3): who goes from one to another says so.
    #[inline]
    pub fn fence(&self) {
        // SAFETY: a barrier; it changes nothing.
        unsafe { core::arch::asm!("dsb sy", options(nostack, preserves_flags)) };
    }

    /// Fills `out` (whole words) with what a data register gives, word after word.
    pub fn read_data(&self, offset: usize, out: &mut [u8]) {
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

    /// Gives `data` (whole words) to a data register, word after word.
    pub fn write_data(&mut self, offset: usize, data: &[u8]) {
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

    /// Changes the bits of `mask` to those of `value`.
    pub fn modify(&mut self, offset: usize, mask: u32, value: u32) {
        self.write(offset, self.read(offset) & !mask | value);
    }
}

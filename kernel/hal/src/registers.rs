//! A block of 32-bit device registers, as a driver sees it.
//!
//! On a board it is the device itself (`renga_arch_aarch64::mmio`); in tests a model that behaves as silicon
//! does, which is stricter than the emulator.
//!
//! Not here: which registers there are (`renga-board-rpi`).

/// Use of a block of registers; offsets are bytes from its beginning. Several drivers may have handles to one block if they use
/// other registers of it, or one after the other: whoever makes the handles sees to that (the image's `hardware.rs`).
pub trait Registers {
    /// The register at `offset`.
    fn read(&self, offset: usize) -> u32;

    /// Writes the register at `offset`.
    fn write(&mut self, offset: usize, value: u32);

    /// All accesses before are over before any after them begins. The peripherals of a BCM2837 answer one
    /// another's accesses out of order (the datasheet, 1.3): who goes from one to another says so.
    fn fence(&self);

    /// Fills `out` (whole words) with what a data register gives, word after word.
    fn read_data(&self, offset: usize, out: &mut [u8]) {
        for word in out.as_chunks_mut::<4>().0 {
            *word = self.read(offset).to_le_bytes();
        }
    }

    /// Gives `data` (whole words) to a data register, word after word.
    fn write_data(&mut self, offset: usize, data: &[u8]) {
        for &word in data.as_chunks::<4>().0 {
            self.write(offset, u32::from_le_bytes(word));
        }
    }

    /// Changes the bits of `mask` to those of `value`.
    fn modify(&mut self, offset: usize, mask: u32, value: u32) {
        self.write(offset, self.read(offset) & !mask | value);
    }
}

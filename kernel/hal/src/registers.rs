//! A block of 32-bit device registers, as a driver sees it.
//!
//! On a board it is the device itself (`renga_arch_aarch64::mmio`); in tests a model that behaves as silicon
//! does, which is stricter than the emulator.
//!
//! Not here: which registers there are (`renga-board-rpi`).

/// Use of a block of registers; offsets are bytes from its start. Several drivers may have handles to one block if they
/// use different registers, or use it at different times; the image's `hardware.rs` ensures that.
pub trait Registers {
    /// The register at `offset`.
    fn read(&self, offset: usize) -> u32;

    /// Writes the register at `offset`.
    fn write(&mut self, offset: usize, value: u32);

    /// Orders all earlier accesses before all later ones. The peripherals of a BCM2837 answer one another's accesses
    /// out of order (the datasheet, 1.3), so a driver fences between two peripherals.
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

//! What is written to: a card, or what stands for one in a test.

use std::io;

/// A medium that is open. Places and lengths are multiples of 512 bytes.
pub trait FlashMedium {
    /// Writes some of `bytes` at `at`; how many. [`FlashMedium::flush`] makes sure of them.
    ///
    /// # Errors
    /// What the host says.
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<usize>;

    /// Waits until all that was written is on the medium.
    ///
    /// # Errors
    /// The host's error; earlier writes may then be lost.
    fn flush(&mut self) -> io::Result<()>;

    /// Reads some bytes at `at` from the medium itself; how many, 0 at its end.
    ///
    /// # Errors
    /// What the host says.
    fn read_at(&mut self, at: u64, out: &mut [u8]) -> io::Result<usize>;

    /// Whether it is still the medium that was opened.
    fn is_same(&mut self) -> bool;
}

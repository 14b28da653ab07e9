//! Memory that a device reads and writes past the processor's caches.

/// A few words, in cache lines of their own.
pub trait SharedWords {
    /// Where the device finds them; a multiple of 64.
    fn bus_address(&self) -> u32;

    /// Stores words from the beginning on, so that the device sees them.
    fn store(&mut self, words: &[u32]);

    /// Takes words from the beginning on, as the device left them.
    fn load(&mut self, words: &mut [u32]);
}

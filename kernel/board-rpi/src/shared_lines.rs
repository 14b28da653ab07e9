//! Words that the processor shares with a device which does not see its caches.
//!
//! Invariant: stores reach memory before the device is notified, and the processor fetches again what the device wrote;
//! the words have their cache lines to themselves. Caches are behind a trait, so that a model shows stale words when a
//! step is missing (`silicon::cache`).
//! Not here: the instructions (`renga_arch_aarch64::shared`), the meaning of the words (`mailbox`).

use renga_hal::shared::SharedWords;

/// The words.
pub const WORDS: usize = 32;
/// The least line of any core that we run on, bytes.
pub const LINE_BYTES: usize = 64;
/// Words of a line.
const LINE_WORDS: usize = LINE_BYTES / 4;
/// Where the firmware's processor sees memory without its own cache. BCM2835 ARM Peripherals, 1.2.3.
const UNCACHED_ALIAS: u32 = 0xc000_0000;
/// What that alias reaches.
const ALIAS_BYTES: u32 = 0x4000_0000;

/// [`WORDS`] words of memory behind the processor's caches.
pub trait CachedWords {
    /// Where they are in memory.
    fn physical(&self) -> u32;
    /// Loads the word at `index`, from the cache if that has it.
    fn read(&self, index: usize) -> u32;
    /// Stores the word at `index`, which may stay in the cache.
    fn write(&mut self, index: usize, word: u32);
    /// Writes what the cache has of the line around the word at `index` to memory, and forgets it: DC CIVAC.
    fn flush(&mut self, index: usize);
    /// Completes all earlier accesses before any later one starts: DSB SY.
    fn barrier(&self);
}

/// The words, as a device's driver has them.
pub struct SharedLines<C>(C);

impl<C: CachedWords> SharedLines<C> {
    /// Shares `words`.
    pub fn new(words: C) -> Self {
        let at = words.physical();
        assert!(at.is_multiple_of(LINE_BYTES as u32), "the shared words begin within a cache line");
        assert!(at <= ALIAS_BYTES - WORDS as u32 * 4, "the firmware does not see the shared words");
        Self(words)
    }

    fn flush(&mut self) {
        for line in 0..WORDS / LINE_WORDS {
            self.0.flush(line * LINE_WORDS);
        }
        self.0.barrier();
    }
}

impl<C: CachedWords> SharedWords for SharedLines<C> {
    fn bus_address(&self) -> u32 {
        self.0.physical() | UNCACHED_ALIAS
    }

    fn store(&mut self, words: &[u32]) {
        assert!(words.len() <= WORDS, "the shared words are {WORDS}");
        for (index, &word) in words.iter().enumerate() {
            self.0.write(index, word);
        }
        self.flush();
    }

    fn load(&mut self, words: &mut [u32]) {
        assert!(words.len() <= WORDS, "the shared words are {WORDS}");
        // Nothing of it is changed here, so that forgetting loses nothing of the device's.
        self.flush();
        for (index, word) in words.iter_mut().enumerate() {
            *word = self.0.read(index);
        }
    }
}

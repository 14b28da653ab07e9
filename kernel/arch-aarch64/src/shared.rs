//! The words that the processor shares with the firmware: cache lines of their own, seen past the caches.
//!
//! Invariant: `shared_words` of `boot.S` is used here only. Not here: what is in them (`renga-board-rpi`).

use crate::physical::to_physical;
use renga_hal::shared::SharedWords;

/// The words.
const WORDS: usize = 32;
/// The least line of any core that we run on, bytes.
const LINE_BYTES: usize = 64;
/// Where the firmware's processor sees memory without its own cache. BCM2835 ARM Peripherals, 1.2.3.
const UNCACHED_ALIAS: u32 = 0xc000_0000;

unsafe extern "C" {
    static shared_words: u8;
}

/// The words; there is one handle.
pub struct SharedLines(*mut u32);

impl SharedLines {
    /// The handle.
    ///
    /// # Safety
    /// Called once.
    pub unsafe fn take() -> Self {
        Self((&raw const shared_words).cast_mut().cast())
    }

    /// Writes what the cache has of them to memory, and forgets it.
    fn flush(&self) {
        for line in 0..WORDS * 4 / LINE_BYTES {
            let address = self.0 as usize + line * LINE_BYTES;
            // SAFETY: cleans and forgets a line of ours.
            unsafe { core::arch::asm!("dc civac, {}", in(reg) address, options(nostack, preserves_flags)) };
        }
        // SAFETY: a barrier.
        unsafe { core::arch::asm!("dsb sy", options(nostack, preserves_flags)) };
    }
}

impl SharedWords for SharedLines {
    fn bus_address(&self) -> u32 {
        to_physical(self.0 as usize) as u32 | UNCACHED_ALIAS
    }

    fn store(&mut self, words: &[u32]) {
        assert!(words.len() <= WORDS, "the shared words are {WORDS}");
        for (index, &word) in words.iter().enumerate() {
            // SAFETY: within the words, which only this handle uses.
            unsafe { self.0.add(index).write_volatile(word) };
        }
        self.flush();
    }

    fn load(&mut self, words: &mut [u32]) {
        assert!(words.len() <= WORDS, "the shared words are {WORDS}");
        // Nothing of it is changed here, so that forgetting loses nothing of the firmware's.
        self.flush();
        for (index, word) in words.iter_mut().enumerate() {
            // SAFETY: as above.
            *word = unsafe { self.0.add(index).read_volatile() };
        }
    }
}

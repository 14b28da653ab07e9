//! The memory that the processor shares with the firmware: cache lines of their own.
//!
//! Invariant: `shared_words` of `boot.S` is used here only; the image's check sees that nothing else is in its lines.
//! Not here: when they are cleaned and forgotten, and what is in them (`renga-board-rpi`).

use crate::physical::to_physical;

/// The words.
const WORDS: usize = 32;

unsafe extern "C" {
    static shared_words: u8;
}

/// The words; there is one handle.
pub struct SharedMemory(*mut u32);

impl SharedMemory {
    /// The handle.
    ///
    /// # Safety
    /// Called once.
    pub unsafe fn take() -> Self {
        Self((&raw const shared_words).cast_mut().cast())
    }

    /// Where they are in memory.
    pub fn physical(&self) -> u64 {
        to_physical(self.0 as usize)
    }

    fn at(&self, index: usize) -> *mut u32 {
        assert!(index < WORDS, "the shared words are {WORDS}");
        self.0.wrapping_add(index)
    }

    /// Loads a word, from the cache if that has it.
    #[inline(always)]
    pub fn read(&self, index: usize) -> u32 {
        // SAFETY: within the words, which only this handle uses.
        unsafe { self.at(index).read_volatile() }
    }

    /// Stores a word.
    #[inline(always)]
    pub fn write(&mut self, index: usize, word: u32) {
        // SAFETY: as above.
        unsafe { self.at(index).write_volatile(word) }
    }

    /// Writes what the cache has of the line around a word to memory, and forgets it.
    #[inline(always)]
    pub fn flush(&mut self, index: usize) {
        // SAFETY: cleans and forgets a line of ours.
        unsafe { core::arch::asm!("dc civac, {}", in(reg) self.at(index), options(nostack, preserves_flags)) };
    }

    /// Completes all earlier accesses before any later one starts.
    #[inline(always)]
    pub fn barrier(&self) {
        // SAFETY: a barrier.
        unsafe { core::arch::asm!("dsb sy", options(nostack, preserves_flags)) };
    }
}

//! How many references each page frame of a board has, a word each: a holder sees without a call whether its reference
//! is the only one.
//!
//! Invariant: the memory process alone writes them. A frame with one reference gets no second one but by who has that
//! one; so who finds that it has the only one has it as long as it likes. What others did with the frame before they
//! gave their references back is seen by who finds so. Not here: which frames are free (`frames.rs`).

use core::sync::atomic::{AtomicU32, Ordering};
use renga_hal::memory::Frame;
use renga_rt::Arena;

/// Of a frame's word: it has references, which the lowest bits count. Between: the board that stored it and one, until
/// a program of this board has taken it over. Without this bit the word is the next free frame, or [`END`].
pub(crate) const USED: u32 = 1 << 31;
pub(crate) const COUNT: u32 = (1 << STORER_SHIFT) - 1;
pub(crate) const STORER_SHIFT: u32 = 12;
/// A frame with one reference, not stored for another board.
pub(crate) const TAKEN: u32 = USED | 1;
/// End of the chain of free frames.
pub(crate) const END: u32 = USED - 1;

/// The words of a board.
pub struct FrameCounts(&'static [AtomicU32]);

impl FrameCounts {
    /// Of `frames` frames, all free.
    ///
    /// # Panics
    /// If there is no room for them.
    pub fn new(arena: &'static Arena, frames: usize) -> &'static Self {
        let words = arena.put_slice(frames, |_| AtomicU32::new(END));
        arena.put(|| FrameCounts(words))
    }

    /// Whether the reference to `frame` that the caller has is the only one.
    #[inline]
    pub fn is_only(&self, frame: Frame) -> bool {
        self.0.get(frame.0 as usize).is_some_and(|word| word.load(Ordering::Acquire) == TAKEN)
    }

    /// How many frames there are.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// The word of a frame that there is, for the memory process.
    #[inline(always)]
    pub(crate) fn word(&self, frame: Frame) -> Option<CountWord> {
        self.0.get(frame.0 as usize).map(CountWord)
    }
}

/// The word of a frame, for who writes it.
#[derive(Clone, Copy)]
pub(crate) struct CountWord(&'static AtomicU32);

impl CountWord {
    #[inline(always)]
    pub fn get(self) -> u32 {
        self.0.load(Ordering::Relaxed) // this process alone writes it
    }

    #[inline(always)]
    pub fn set(self, to: u32) {
        self.0.store(to, Ordering::Release);
    }
}

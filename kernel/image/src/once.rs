//! A static that boot fills once.
//!
//! Invariant: after `set` it never changes; before, `get` finds nothing. Sound because one core runs
//! the kernel and interrupts are masked in it; the others (`cores.rs`) read only what was set before they were fetched,
//! and of that only plain values.

use core::cell::OnceCell;

/// A place that is filled once.
pub struct Once<T>(OnceCell<T>);

// SAFETY: one core runs this image's kernel, uninterrupted (see above): nothing is ever shared.
unsafe impl<T> Sync for Once<T> {}

impl<T> Once<T> {
    /// An empty place.
    pub const fn new() -> Self {
        Once(OnceCell::new())
    }
    /// Fills it.
    ///
    /// # Panics
    /// If it is filled already.
    pub fn set(&self, value: T) {
        assert!(self.0.set(value).is_ok(), "static filled twice");
    }
    /// What is in it.
    pub fn get(&self) -> Option<&T> {
        self.0.get()
    }
}

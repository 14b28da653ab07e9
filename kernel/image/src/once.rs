//! Statics that boot fills once: for all cores, or for the first one alone.
//!
//! Invariant: after `set` they never change; before, `get` finds nothing. The first core fills them, uninterrupted, before it
//! fetches the others (`cores.rs`).

use core::cell::OnceCell;
use renga_arch_aarch64::cpu::ThisCore;

/// A place that is filled once, which all cores read.
pub struct Once<T>(OnceCell<T>);

// SAFETY: filled by the first core, with interrupts masked, before the others are fetched; from then on it is only
// read, and what is in it may be shared.
unsafe impl<T: Sync> Sync for Once<T> {}

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

/// A place that is filled once, whose content only the first core reaches.
pub struct OnFirstCore<T>(OnceCell<T>);

// SAFETY: `set` and `get` touch it on the first core alone, where nothing interrupts the kernel: it is never shared.
unsafe impl<T> Sync for OnFirstCore<T> {}

impl<T> OnFirstCore<T> {
    /// An empty place.
    pub const fn new() -> Self {
        OnFirstCore(OnceCell::new())
    }
    /// Fills it.
    ///
    /// # Panics
    /// If it is filled already, or on another core.
    pub fn set(&self, value: T) {
        assert!(ThisCore.number() == 0 && self.0.set(value).is_ok(), "static filled twice, or by another core");
    }
    /// What is in it; on other cores nothing.
    pub fn get(&self) -> Option<&T> {
        if ThisCore.number() == 0 { self.0.get() } else { None }
    }
}

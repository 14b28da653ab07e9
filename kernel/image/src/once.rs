//! Statics that boot fills once: for all cores, or for the programs' home alone.
//!
//! Invariant: after `set` they never change; before, `get` finds nothing. The first core fills them, uninterrupted,
//! before it fetches the others (`cores.rs`), and hands over to the home, if that is another one, as the last thing.

use core::cell::OnceCell;
use core::sync::atomic::{AtomicU8, Ordering};
use renga_arch_aarch64::cpu::ThisCore;

/// The core that reaches what is [`OnHome`]: the first one, until it has handed over.
static HOME: AtomicU8 = AtomicU8::new(0);

/// From now on `core` reaches what is [`OnHome`].
///
/// # Safety
/// By the first core, once, which from then on uses nothing that it has got of those, unless it is `core` itself.
pub unsafe fn hand_over(core: u8) {
    HOME.store(core, Ordering::Release);
}

fn is_home() -> bool {
    ThisCore.number() == HOME.load(Ordering::Acquire)
}

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

/// A place that is filled once, whose content only the home reaches, and while the board boots the first core.
pub struct OnHome<T>(OnceCell<T>);

// SAFETY: `set` and `get` touch it on one core alone, where nothing interrupts the kernel, and which is another one
// once at most, when the first is done with it (`hand_over`): it is never shared, and its next core sees what the first
// has written.
unsafe impl<T> Sync for OnHome<T> {}

impl<T> OnHome<T> {
    /// An empty place.
    pub const fn new() -> Self {
        OnHome(OnceCell::new())
    }
    /// Fills it.
    ///
    /// # Panics
    /// If it is filled already, or on another core.
    pub fn set(&self, value: T) {
        assert!(is_home() && self.0.set(value).is_ok(), "static filled twice, or by another core");
    }
    /// What is in it; on other cores nothing.
    pub fn get(&self) -> Option<&T> {
        if is_home() { self.0.get() } else { None }
    }
}

//! A spin lock, for a few instructions at a time.
//!
//! Invariant: `with` holds the lock's [`FrameState`] borrowed to write, so one core at a time reaches the value. Not
//! here: longer waits, which are calls.

use crate::frame_borrow::FrameWriteGuard;
use crate::frame_state::{FrameState, wait};
use core::cell::UnsafeCell;
use core::ptr::NonNull;

/// A value that one core at a time has.
pub struct SpinLock<T> {
    state: FrameState,
    value: UnsafeCell<T>,
}

// SAFETY: `value` is reached by `with` alone, which has `state` borrowed exclusively meanwhile (B1): so the value goes
// from core to core, each of which sees what the one before has done, and is never shared.
unsafe impl<T: Send> Sync for SpinLock<T> {}

impl<T> SpinLock<T> {
    /// Holds `value`.
    pub const fn new(value: T) -> Self {
        SpinLock { state: FrameState::new(true), value: UnsafeCell::new(value) }
    }

    /// Reaches it, when no other core does.
    ///
    /// # Panics
    /// If `reach` locks again, or another core never unlocks.
    pub fn with<R>(&self, reach: impl FnOnce(&mut T) -> R) -> R {
        let attempt = || {
            let content = NonNull::from(&self.value).cast();
            // SAFETY: an `UnsafeCell` lies where its content does, which lives as long as `self`; only this makes
            // references to it.
            unsafe { FrameWriteGuard::begin(&self.state, content) }
        };
        let Ok(mut value) = wait(true, attempt) else { panic!("another core never unlocks") };
        reach(&mut value)
    }
}

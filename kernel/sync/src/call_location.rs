//! The location of a call while it may be on another core than its caller, for a cancellation.
//!
//! Invariant: the core that has the call publishes the location, and reads the cancellation after that; a cancelling
//! core publishes the cancellation first and reads the location after that. So one of the two sees the other, and no
//! cancellation is lost between cores. Not here: the effect of one.

use core::sync::atomic::{AtomicBool, AtomicU8, Ordering, fence};

/// No core's number: the core that receives the call will read the cancellation.
const ON_ITS_WAY: u8 = u8::MAX;

/// Which core has a call, and whether its caller is cancelled.
pub struct CallLocation {
    core: AtomicU8,
    cancelled: AtomicBool,
}

impl CallLocation {
    /// On core `home`, that of the caller.
    pub const fn new(home: u8) -> Self {
        CallLocation { core: AtomicU8::new(home), cancelled: AtomicBool::new(false) }
    }

    /// By the caller's core, which has the call: whether the caller is cancelled, as known there.
    pub fn begin(&self, cancelled: bool) {
        self.cancelled.store(cancelled, Ordering::Relaxed);
    }

    /// By the core that has the call and posts it now.
    pub fn depart(&self) {
        self.core.store(ON_ITS_WAY, Ordering::Relaxed);
    }

    /// Called by `core`, which has the call now, and checks for a cancellation when the server accepts it.
    pub fn arrive(&self, core: u8) {
        self.core.store(core, Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }

    /// By the caller's core: cancels. The core to notify; none if the call is on its way.
    pub fn cancel(&self) -> Option<u8> {
        self.cancelled.store(true, Ordering::Relaxed);
        fence(Ordering::SeqCst);
        self.core()
    }

    /// Which core has the call; none while it is on its way.
    pub fn core(&self) -> Option<u8> {
        let core = self.core.load(Ordering::Relaxed);
        (core != ON_ITS_WAY).then_some(core)
    }

    /// Whether the caller is cancelled, as far as the core that has the call knows.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

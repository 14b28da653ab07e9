//! Where a call is while it may be on another core than its caller, for whoever interrupts the caller.
//!
//! Invariant: only who has the call says where it is. Whoever it comes to looks whether the caller is cancelled
//! after it has said so; who interrupts says that first and looks then where the call is. So one of the two sees the other,
//! and no interruption is lost between cores. Not here: what is done about one.

use core::sync::atomic::{AtomicBool, AtomicU8, Ordering, fence};

/// No core's number: who takes the call will look.
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

    /// By who has the call and posts it now.
    pub fn depart(&self) {
        self.core.store(ON_ITS_WAY, Ordering::Relaxed);
    }

    /// By `core`, which has the call now and looks whether the caller is cancelled when the server accepts it.
    pub fn arrive(&self, core: u8) {
        self.core.store(core, Ordering::Relaxed);
        fence(Ordering::SeqCst);
    }

    /// By the caller's core: it is cancelled. Which core is to be told: none that takes the call later.
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

    /// Whether the caller is cancelled, as far as is known; by who has the call.
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Relaxed)
    }
}

//! What a process waits for.
//!
//! Invariant: its own core writes it (C2 of `crossing.rs`); any core may look, and sees what it is or was. A look and a word cost what an
//! ordinary load and store cost. Not here: what completes a wait (`rendezvous.rs`, `notify.rs`, `user.rs`).

use core::sync::atomic::{AtomicU8, Ordering};

/// What a process waits for; only the process itself and whoever completes the wait write it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Wait {
    /// Not waiting: ready, or running.
    Nothing,
    /// Its message is written, not sent.
    Prepared,
    /// Its call is at the server.
    Reply,
    /// Its call has gone to a server of another core.
    ReplyElsewhere,
    /// The reply is in the header.
    Replied,
    /// A call to one of its open entries.
    Accept,
    /// An interrupt, an alarm or another notification.
    Notification,
    /// Its turn, after others of its priority.
    Turn,
    /// Its user program: ready to run, or running.
    User,
    /// It never runs: it stands for a process of another core.
    Gate,
    /// As `Reply`, and its poll is still on the stack below the server's.
    ReplyInPlace = IN_PLACE,
    /// As `ReplyInPlace`, and the server has passed the call on.
    Forwarded,
}

/// The bit of those whose poll is on the stack, which one instruction tests.
const IN_PLACE: u8 = 1 << 7;

impl Wait {
    #[inline(always)]
    pub(crate) fn is_in_place(self) -> bool {
        self as u8 & IN_PLACE != 0
    }
}

/// What one process waits for.
pub(crate) struct Waiting(AtomicU8);

impl Waiting {
    pub(crate) const fn new(wait: Wait) -> Waiting {
        Waiting(AtomicU8::new(wait as u8))
    }
    #[inline(always)]
    pub(crate) fn set(&self, wait: Wait) {
        self.0.store(wait as u8, Ordering::Relaxed);
    }
    #[inline(always)]
    pub(crate) fn get(&self) -> Wait {
        // SAFETY: only `new` and `set` write it.
        unsafe { core::mem::transmute::<u8, Wait>(self.0.load(Ordering::Relaxed)) }
    }
}

//! A signal: bits that any core raises, and one message that tells the owner so.
//!
//! Invariant: while no bit is up, nobody holds the message and it is in no mailbox; who raises the first one posts it, and
//! the owner lowers all bits when it gives the message back. So a signal takes one place in a mailbox however often it is
//! raised, nobody waits to raise it, and no bit is lost.

use crate::mailbox::{Ipi, Mailbox};
use crate::message::{CoreMessage, OwnedMessage};
use core::ptr;
use core::sync::atomic::{AtomicU32, Ordering};

/// Bits for one receiver, in the mailbox of its core.
pub struct EventFlags<T: 'static> {
    raised: AtomicU32,
    message: CoreMessage<T>,
}

impl<T> EventFlags<T> {
    /// No bit up; the message that tells of them holds `payload`.
    pub const fn new(payload: T) -> Self {
        EventFlags { raised: AtomicU32::new(0), message: CoreMessage::new(payload) }
    }

    /// Raises `bits`. Whoever lowers them sees what was written before.
    ///
    /// # Panics
    /// If there are none.
    pub fn set(&'static self, bits: u32, mailbox: &Mailbox<T>, ipi: &(impl Ipi + ?Sized)) {
        assert!(bits != 0, "a signal of nothing");
        if self.raised.fetch_or(bits, Ordering::AcqRel) == 0 {
            mailbox.post(self.message.reclaim(), ipi);
        }
    }

    /// Takes the bits that are up, for their message.
    ///
    /// # Panics
    /// If `message` is not this signal's.
    pub fn take(&'static self, message: OwnedMessage<T>) -> u32 {
        assert!(ptr::eq(message.into_message(), &raw const self.message), "the message of another signal");
        self.raised.swap(0, Ordering::AcqRel)
    }
}

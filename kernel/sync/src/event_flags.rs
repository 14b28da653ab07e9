//! Event flags: bits that any core sets, and one message that reports them to the owner.
//!
//! Invariant: while no bit is set, the message has no owner and is in no mailbox. The core that sets the first bit
//! posts it; the owner clears all bits when it gives the message back. So event flags take one place in a mailbox
//! however often they are set, setting never waits, and no bit is lost.

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
    /// No bit is set; the message that reports them carries `payload`.
    pub const fn new(payload: T) -> Self {
        EventFlags { raised: AtomicU32::new(0), message: CoreMessage::new(payload) }
    }

    /// Sets `bits`. The core that takes them sees what was written before.
    ///
    /// # Panics
    /// If there are none.
    pub fn set(&'static self, bits: u32, mailbox: &Mailbox<T>, ipi: &(impl Ipi + ?Sized)) {
        assert!(bits != 0, "no event flag");
        if self.raised.fetch_or(bits, Ordering::AcqRel) == 0 {
            mailbox.post(self.message.reclaim(), ipi);
        }
    }

    /// Takes the bits that are set, and their message back.
    ///
    /// # Panics
    /// If `message` is not that of these flags.
    pub fn take(&'static self, message: OwnedMessage<T>) -> u32 {
        assert!(ptr::eq(message.into_message(), &raw const self.message), "the message of other event flags");
        self.raised.swap(0, Ordering::AcqRel)
    }
}

//! The mailbox of a core: all other cores post into it, its owner alone drains it.
//!
//! Invariant: one word has both the messages and whether the owner polls. So a post sees, by the step that makes it
//! visible, whether to send an IPI; and the owner stops polling by a step that fails if a message was posted: no
//! wake-up is lost. Messages come out in the order of their posts.

use crate::message::{MailboxLink, MessageLink, OwnedMessage};
use core::sync::atomic::Ordering;

/// An inter-processor interrupt, which wakes a core that sleeps or runs a program.
pub trait Ipi {
    /// Wakes the owner, which then sees what was written before. Callable on any core.
    fn send(&self);
    /// Clears it, before all later writes of the owner.
    fn acknowledge(&self);
    /// Waits until it is pending or another interrupt comes; returns at once if it is pending.
    fn wait(&self);
}

/// Messages for one core.
pub struct Mailbox<T: 'static>(MessageLink<T>);

impl<T> Default for Mailbox<T> {
    fn default() -> Self {
        Mailbox::new()
    }
}

impl<T> Mailbox<T> {
    /// An empty mailbox, whose owner polls.
    pub const fn new() -> Self {
        Mailbox(MessageLink::new())
    }

    /// Posts `message`, and sends an IPI if the owner does not poll.
    #[inline]
    pub fn post(&self, message: OwnedMessage<T>, ipi: &(impl Ipi + ?Sized)) {
        let message = message.into_message();
        let mut newest = self.0.get();
        // Bounded by the number of messages: each retry follows another post or a drain.
        loop {
            message.next.set(newest);
            match self.0.exchange(newest, MailboxLink::Message(message), Ordering::AcqRel) {
                Ok(()) => break,
                Err(now) => newest = now,
            }
        }
        if let MailboxLink::OwnerAway = newest {
            ipi.send();
        }
    }

    /// Whether it is empty; for the owner, and perhaps late.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        !matches!(self.0.get(), MailboxLink::Message(_))
    }

    /// Delivers all messages in the order of their posts; the owner polls from now on.
    #[inline]
    pub fn drain(&self, mut deliver: impl FnMut(OwnedMessage<T>)) {
        let mut messages = Self::reversed(self.0.swap(MailboxLink::Empty, Ordering::Acquire));
        while let MailboxLink::Message(message) = messages {
            messages = message.next.get(); // before the delivery: it may be posted again at once
            deliver(message.reclaim());
        }
    }

    /// A chain of messages the other way round.
    fn reversed(mut newest: MailboxLink<T>) -> MailboxLink<T> {
        let mut reversed = MailboxLink::Empty;
        while let MailboxLink::Message(message) = newest {
            newest = message.next.get();
            message.next.set(reversed);
            reversed = MailboxLink::Message(message);
        }
        reversed
    }

    /// Lets the owner stop polling until its next drain: a post sends an IPI meanwhile. Returns false if a message has
    /// come, so that the owner must drain.
    #[inline]
    pub fn stop_polling(&self) -> bool {
        // A sender that finds the owner not polling sends an IPI, after the owner's last acknowledgement: hence a
        // release here, and an acquire in the sender.
        let left = self.0.exchange(MailboxLink::Empty, MailboxLink::OwnerAway, Ordering::Release);
        matches!(left, Ok(()) | Err(MailboxLink::OwnerAway))
    }

    /// Has the owner sleep until a message is posted, or anything else interrupts.
    #[inline]
    pub fn sleep(&self, ipi: &(impl Ipi + ?Sized)) {
        if self.stop_polling() {
            ipi.wait();
        }
        ipi.acknowledge();
    }
}

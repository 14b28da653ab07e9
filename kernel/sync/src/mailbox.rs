//! The mailbox of a core: all others post into it, it alone takes out.
//!
//! Invariant: one word says both what is there and whether the owner looks. So a post sees, by the same step by which
//! it becomes visible, whether it must ring; and the owner leaves by a step that fails if anything was posted: no
//! wake-up can come between. Letters come out in the order in which they were posted.

use crate::message::{LinkTarget, MessageLink, OwnedMessage};
use core::sync::atomic::Ordering;

/// What wakes a core that sleeps or runs a program.
pub trait Ipi {
    /// Wakes the owner, which then finds what was written before. To be called on any core.
    fn send(&self);
    /// Forgets that it was pending, before anything is written that the owner writes later.
    fn acknowledge(&self);
    /// Waits until it is pending, or anything else interrupts; at once if it was pending and not silenced.
    fn wait(&self);
}

/// Letters for one core.
pub struct Mailbox<T: 'static>(MessageLink<T>);

impl<T> Default for Mailbox<T> {
    fn default() -> Self {
        Mailbox::new()
    }
}

impl<T> Mailbox<T> {
    /// An empty mailbox, whose owner looks.
    pub const fn new() -> Self {
        Mailbox(MessageLink::new())
    }

    /// Hands `message` to the owner, and rings if that does not look.
    #[inline]
    pub fn post(&self, message: OwnedMessage<T>, ipi: &(impl Ipi + ?Sized)) {
        let message = message.into_message();
        let mut newest = self.0.get();
        // Bounded by the messages there are: each time round another one was posted, or the owner took all of them.
        loop {
            message.next.set(newest);
            match self.0.exchange(newest, LinkTarget::Message(message), Ordering::AcqRel) {
                Ok(()) => break,
                Err(now) => newest = now,
            }
        }
        if let LinkTarget::OwnerAway = newest {
            ipi.send();
        }
    }

    /// Whether there is nothing to take; by the owner, which may be told late.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        !matches!(self.0.get(), LinkTarget::Message(_))
    }

    /// Hands out all messages that are there, in the order in which they were posted; the owner looks from now on.
    #[inline]
    pub fn drain(&self, mut deliver: impl FnMut(OwnedMessage<T>)) {
        let mut messages = Self::reversed(self.0.swap(LinkTarget::Empty, Ordering::Acquire));
        while let LinkTarget::Message(message) = messages {
            messages = message.next.get(); // before it is handed out: it may be posted anew at once
            deliver(message.reclaim());
        }
    }

    /// A chain of messages the other way round.
    fn reversed(mut newest: LinkTarget<T>) -> LinkTarget<T> {
        let mut reversed = LinkTarget::Empty;
        while let LinkTarget::Message(message) = newest {
            newest = message.next.get();
            message.next.set(reversed);
            reversed = LinkTarget::Message(message);
        }
        reversed
    }

    /// Lets the owner do something else until it takes again: whoever posts meanwhile rings. False if a message is
    /// there, so that it must not.
    #[inline]
    pub fn mark_away(&self) -> bool {
        // Who finds the owner away rings: that must come behind the owner's last `silence`, hence a release here and an
        // acquire where it is found.
        let left = self.0.exchange(LinkTarget::Empty, LinkTarget::OwnerAway, Ordering::Release);
        matches!(left, Ok(()) | Err(LinkTarget::OwnerAway))
    }

    /// Has the owner sleep until a message is posted, or anything else interrupts.
    #[inline]
    pub fn sleep(&self, ipi: &(impl Ipi + ?Sized)) {
        if self.mark_away() {
            ipi.wait();
        }
        ipi.acknowledge();
    }
}

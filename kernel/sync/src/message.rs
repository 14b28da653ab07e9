//! A message from one core to another, with its place in a mailbox.
//!
//! L1 A message lives for ever (`&'static`), and a [`MessageLink`] is empty, [`MailboxLink::OwnerAway`] or a message.
//! L2 A message has at most one [`OwnedMessage`], or is in one mailbox: posting gives the ownership up, and only a
//!    drain returns it. So one core at a time reaches the payload.
//! L3 A post and the drain that finds it are a release and an acquire on the mailbox's head (`mailbox.rs`), so the
//!    receiver sees what was written before the post.

use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

/// A place for payload of one core at a time.
pub struct CoreMessage<T: 'static> {
    pub(crate) next: MessageLink<T>,
    payload: UnsafeCell<T>,
}

// SAFETY: the payload is reached through the message's one `OwnedMessage` (L2), which is where it was posted to; that
// it goes to another core is why `T` must be `Send`.
unsafe impl<T: Send> Sync for CoreMessage<T> {}

impl<T> CoreMessage<T> {
    /// A message that holds `payload`.
    pub const fn new(payload: T) -> Self {
        CoreMessage { next: MessageLink::new(), payload: UnsafeCell::new(payload) }
    }
    /// Its ownership; the exclusive reference proves it.
    pub fn own(&'static mut self) -> OwnedMessage<T> {
        OwnedMessage(self)
    }
    /// The ownership of a message that has no owner and is in no mailbox (L2).
    pub(crate) fn reclaim(&'static self) -> OwnedMessage<T> {
        OwnedMessage(self)
    }
}

/// The ownership of a message: of its payload, and the right to post it. Dropped, the message is lost.
#[must_use]
pub struct OwnedMessage<T: 'static>(&'static CoreMessage<T>);

impl<T> OwnedMessage<T> {
    /// Its payload.
    pub fn payload(&mut self) -> &mut T {
        // SAFETY: this is the message's only `OwnedMessage` (L2) and is borrowed for as long; L3 orders it behind the
        // last one.
        unsafe { &mut *self.0.payload.get() }
    }
    /// Gives the right up.
    pub(crate) fn into_message(self) -> &'static CoreMessage<T> {
        self.0
    }
}

/// The target of a link.
pub(crate) enum MailboxLink<T: 'static> {
    /// Nothing.
    Empty,
    /// No message, and the mailbox's owner does not poll.
    OwnerAway,
    /// This message.
    Message(&'static CoreMessage<T>),
}

impl<T> Clone for MailboxLink<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for MailboxLink<T> {}

impl<T> MailboxLink<T> {
    /// As no message's address: messages are aligned as pointers are.
    const OWNER_AWAY: *mut CoreMessage<T> = ptr::without_provenance_mut(1);

    fn to_pointer(self) -> *mut CoreMessage<T> {
        match self {
            MailboxLink::Empty => ptr::null_mut(),
            MailboxLink::OwnerAway => Self::OWNER_AWAY,
            MailboxLink::Message(message) => ptr::from_ref(message).cast_mut(),
        }
    }
    fn from_pointer(pointer: *mut CoreMessage<T>) -> Self {
        if pointer == Self::OWNER_AWAY {
            return MailboxLink::OwnerAway;
        }
        // SAFETY: a pointer that is neither null nor `OWNER_AWAY` came from a `&'static CoreMessage` by `to_pointer`
        // (L1), and it yields shared references only.
        unsafe { pointer.as_ref() }.map_or(MailboxLink::Empty, MailboxLink::Message)
    }
}

/// A place that holds an [`MailboxLink`], of any core. As `Send` and `Sync` as what can be reached through it.
pub(crate) struct MessageLink<T: 'static>(AtomicPtr<CoreMessage<T>>, PhantomData<&'static CoreMessage<T>>);

impl<T> MessageLink<T> {
    pub(crate) const fn new() -> Self {
        MessageLink(AtomicPtr::new(ptr::null_mut()), PhantomData)
    }
    #[inline(always)]
    pub(crate) fn get(&self) -> MailboxLink<T> {
        MailboxLink::from_pointer(self.0.load(Ordering::Relaxed))
    }
    #[inline(always)]
    pub(crate) fn set(&self, to: MailboxLink<T>) {
        self.0.store(to.to_pointer(), Ordering::Relaxed);
    }
    #[inline(always)]
    pub(crate) fn swap(&self, to: MailboxLink<T>, order: Ordering) -> MailboxLink<T> {
        MailboxLink::from_pointer(self.0.swap(to.to_pointer(), order))
    }
    /// Replaces `from` by `to`, or returns the present target.
    #[inline(always)]
    pub(crate) fn exchange(
        &self,
        from: MailboxLink<T>,
        to: MailboxLink<T>,
        order: Ordering,
    ) -> Result<(), MailboxLink<T>> {
        let done = self.0.compare_exchange(from.to_pointer(), to.to_pointer(), order, Ordering::Relaxed);
        done.map(|_| ()).map_err(MailboxLink::from_pointer)
    }
}

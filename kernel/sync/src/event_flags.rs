//! A signal: bits that any core raises, and one letter that tells the owner so.
//!
//! Invariant: while no bit is up, nobody holds the letter and it is in no inbox; who raises the first one posts it, and
//! the owner lowers all bits when it gives the letter back. So a signal takes one place in an inbox however often it is
//! raised, nobody waits to raise it, and no bit is lost.

use crate::mailbox::{Bell, Inbox};
use crate::message::{Held, Letter};
use core::ptr;
use core::sync::atomic::{AtomicU32, Ordering};

/// Bits for one receiver, in the inbox of its core.
pub struct Signal<T: 'static> {
    raised: AtomicU32,
    letter: Letter<T>,
}

impl<T> Signal<T> {
    /// No bit up; the letter that tells of them holds `content`.
    pub const fn new(content: T) -> Self {
        Signal { raised: AtomicU32::new(0), letter: Letter::new(content) }
    }

    /// Raises `bits`. Whoever lowers them sees what was written before.
    ///
    /// # Panics
    /// If there are none.
    pub fn raise(&'static self, bits: u32, inbox: &Inbox<T>, bell: &(impl Bell + ?Sized)) {
        assert!(bits != 0, "a signal of nothing");
        if self.raised.fetch_or(bits, Ordering::AcqRel) == 0 {
            inbox.post(self.letter.hold_again(), bell);
        }
    }

    /// Takes the bits that are up, for their letter.
    ///
    /// # Panics
    /// If `letter` is not this signal's.
    pub fn lower(&'static self, letter: Held<T>) -> u32 {
        assert!(ptr::eq(letter.into_letter(), &raw const self.letter), "the letter of another signal");
        self.raised.swap(0, Ordering::AcqRel)
    }
}

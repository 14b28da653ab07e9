//! The inbox of a core: all others post into it, it alone takes out.
//!
//! Invariant: one word says both what is there and whether the owner looks. So a post sees, by the same step by which
//! it becomes visible, whether it must ring; and the owner leaves by a step that fails if anything was posted: no
//! wake-up can come between. Letters come out in the order in which they were posted.

use crate::message::{At, Held, Link};
use core::sync::atomic::Ordering;

/// What wakes a core that sleeps or runs a program.
pub trait Bell {
    /// Wakes the owner, which then finds what was written before. To be called on any core.
    fn ring(&self);
    /// Forgets that it was rung, before anything is written that the owner writes later.
    fn silence(&self);
    /// Waits until it is rung, or anything else interrupts; at once if it was rung and not silenced.
    fn wait(&self);
}

/// Letters for one core.
pub struct Inbox<T: 'static>(Link<T>);

impl<T> Default for Inbox<T> {
    fn default() -> Self {
        Inbox::new()
    }
}

impl<T> Inbox<T> {
    /// An empty inbox, whose owner looks.
    pub const fn new() -> Self {
        Inbox(Link::new())
    }

    /// Hands `letter` to the owner, and rings if that does not look.
    #[inline]
    pub fn post(&self, letter: Held<T>, bell: &(impl Bell + ?Sized)) {
        let letter = letter.into_letter();
        let mut newest = self.0.get();
        // Bounded by the letters there are: each time round another one was posted, or the owner took all of them.
        loop {
            letter.next.set(newest);
            match self.0.exchange(newest, At::Letter(letter), Ordering::AcqRel) {
                Ok(()) => break,
                Err(now) => newest = now,
            }
        }
        if let At::Away = newest {
            bell.ring();
        }
    }

    /// Whether there is nothing to take; by the owner, which may be told late.
    #[inline(always)]
    pub fn is_empty(&self) -> bool {
        !matches!(self.0.get(), At::Letter(_))
    }

    /// Hands out all letters that are there, in the order in which they were posted; the owner looks from now on.
    #[inline]
    pub fn take(&self, mut deliver: impl FnMut(Held<T>)) {
        let mut letters = Self::turned(self.0.swap(At::Empty, Ordering::Acquire));
        while let At::Letter(letter) = letters {
            letters = letter.next.get(); // before it is handed out: it may be posted anew at once
            deliver(letter.hold_again());
        }
    }

    /// A chain of letters the other way round.
    fn turned(mut newest: At<T>) -> At<T> {
        let mut turned = At::Empty;
        while let At::Letter(letter) = newest {
            newest = letter.next.get();
            letter.next.set(turned);
            turned = At::Letter(letter);
        }
        turned
    }

    /// Lets the owner do something else until it takes again: whoever posts meanwhile rings. False if a letter is
    /// there, so that it must not.
    #[inline]
    pub fn leave(&self) -> bool {
        // Who finds the owner away rings: that must come behind the owner's last `silence`, hence a release here and an
        // acquire where it is found.
        matches!(self.0.exchange(At::Empty, At::Away, Ordering::Release), Ok(()) | Err(At::Away))
    }

    /// Has the owner sleep until a letter is posted, or anything else interrupts.
    #[inline]
    pub fn rest(&self, bell: &(impl Bell + ?Sized)) {
        if self.leave() {
            bell.wait();
        }
        bell.silence();
    }
}

//! A letter: what one core has for another, with its place in a queue.
//!
//! L1 A letter lives for ever (`&'static`), and a [`Link`] holds nothing, [`At::Away`] or a letter.
//! L2 Of a letter there is at most one [`Held`], or it is in one inbox: who has the one posts it, and gets none before
//!    the letter is taken. So its content is reached by one core at a time.
//! L3 Between a post and the take that finds it there is a release and an acquire on the inbox's head (`inbox.rs`),
//!    so who takes a letter sees what was written before it was posted.

use core::cell::UnsafeCell;
use core::marker::PhantomData;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

/// A place for content of one core at a time.
pub struct Letter<T: 'static> {
    pub(crate) next: Link<T>,
    content: UnsafeCell<T>,
}

// SAFETY: the content is reached through the letter's one `Held` (L2), which is where it was posted to; that it goes
// to another core is why `T` must be `Send`.
unsafe impl<T: Send> Sync for Letter<T> {}

impl<T> Letter<T> {
    /// A letter that holds `content`.
    pub const fn new(content: T) -> Self {
        Letter { next: Link::new(), content: UnsafeCell::new(content) }
    }
    /// The right to it: whoever has the only way to a letter has the right.
    pub fn hold(&'static mut self) -> Held<T> {
        Held(self)
    }
    /// The right to a letter that nobody holds and that is in no inbox (L2).
    pub(crate) fn hold_again(&'static self) -> Held<T> {
        Held(self)
    }
}

/// The right to a letter: to its content, and to post it. There is no other, so one that is dropped is lost.
#[must_use]
pub struct Held<T: 'static>(&'static Letter<T>);

impl<T> Held<T> {
    /// What is in it.
    pub fn content(&mut self) -> &mut T {
        // SAFETY: this is the letter's only `Held` (L2) and is borrowed for as long; L3 orders it behind the last one.
        unsafe { &mut *self.0.content.get() }
    }
    /// Gives the right up.
    pub(crate) fn into_letter(self) -> &'static Letter<T> {
        self.0
    }
}

/// What a link leads to.
pub(crate) enum At<T: 'static> {
    /// Nothing.
    Empty,
    /// Nothing, and the inbox's owner does not look.
    Away,
    /// This letter.
    Letter(&'static Letter<T>),
}

impl<T> Clone for At<T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for At<T> {}

impl<T> At<T> {
    /// As no letter's address: letters are aligned as pointers are.
    const AWAY: *mut Letter<T> = ptr::without_provenance_mut(1);

    fn to_pointer(self) -> *mut Letter<T> {
        match self {
            At::Empty => ptr::null_mut(),
            At::Away => Self::AWAY,
            At::Letter(letter) => ptr::from_ref(letter).cast_mut(),
        }
    }
    fn from_pointer(pointer: *mut Letter<T>) -> Self {
        if pointer == Self::AWAY {
            return At::Away;
        }
        // SAFETY: what is neither null nor `AWAY` came from a `&'static Letter` by `to_pointer` (L1), and only shared
        // references are made of it.
        unsafe { pointer.as_ref() }.map_or(At::Empty, At::Letter)
    }
}

/// A place that holds an [`At`], of any core. As `Send` and `Sync` as what can be reached through it.
pub(crate) struct Link<T: 'static>(AtomicPtr<Letter<T>>, PhantomData<&'static Letter<T>>);

impl<T> Link<T> {
    pub(crate) const fn new() -> Self {
        Link(AtomicPtr::new(ptr::null_mut()), PhantomData)
    }
    #[inline(always)]
    pub(crate) fn get(&self) -> At<T> {
        At::from_pointer(self.0.load(Ordering::Relaxed))
    }
    #[inline(always)]
    pub(crate) fn set(&self, to: At<T>) {
        self.0.store(to.to_pointer(), Ordering::Relaxed);
    }
    #[inline(always)]
    pub(crate) fn swap(&self, to: At<T>, order: Ordering) -> At<T> {
        At::from_pointer(self.0.swap(to.to_pointer(), order))
    }
    /// Puts `to` where `from` is; or says what is there.
    #[inline(always)]
    pub(crate) fn exchange(&self, from: At<T>, to: At<T>, order: Ordering) -> Result<(), At<T>> {
        let done = self.0.compare_exchange(from.to_pointer(), to.to_pointer(), order, Ordering::Relaxed);
        done.map(|_| ()).map_err(At::from_pointer)
    }
}

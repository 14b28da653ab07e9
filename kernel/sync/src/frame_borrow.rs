//! The content of a frame, as long as its state says that it is borrowed.
//!
//! B1. Whoever reaches the content by this file has begun a borrow in the frame's state and not ended it: one who writes
//! is alone, several read. That is `state.rs`'s invariant, and its steps order what they do.
//! B2. A frame's content is reached otherwise by programs that are shown it, by no reference.

use crate::frame_state::{FrameState, Refused};
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

/// Exclusive use of a frame's content, until dropped.
pub struct Exclusive<'a, T> {
    state: &'a FrameState,
    content: NonNull<T>,
    holds: PhantomData<&'a mut T>,
}

impl<'a, T> Exclusive<'a, T> {
    /// Borrows it.
    ///
    /// # Safety
    /// `content` is valid for `'a`, and whoever makes references to it does so by `state` and this file.
    #[inline(always)]
    pub unsafe fn begin(state: &'a FrameState, content: NonNull<T>) -> Result<Self, Refused> {
        state.begin_write()?;
        Ok(Exclusive { state, content, holds: PhantomData })
    }
}

impl<T> Deref for Exclusive<'_, T> {
    type Target = T;
    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: valid, as promised, and borrowed exclusively until the end of `self` (B1).
        unsafe { self.content.as_ref() }
    }
}

impl<T> DerefMut for Exclusive<'_, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as `deref`.
        unsafe { self.content.as_mut() }
    }
}

impl<T> Drop for Exclusive<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        self.state.end_write();
    }
}

/// Shared use of a frame's content, until dropped.
pub struct Shared<'a, T> {
    state: &'a FrameState,
    content: NonNull<T>,
    holds: PhantomData<&'a T>,
}

impl<'a, T> Shared<'a, T> {
    /// Borrows it.
    ///
    /// # Safety
    /// As [`Exclusive::begin`].
    #[inline(always)]
    pub unsafe fn begin(state: &'a FrameState, content: NonNull<T>) -> Result<Self, Refused> {
        state.begin_read()?;
        Ok(Shared { state, content, holds: PhantomData })
    }
}

impl<T> Deref for Shared<'_, T> {
    type Target = T;
    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: valid, as promised, and borrowed until the end of `self`, by readers only (B1).
        unsafe { self.content.as_ref() }
    }
}

impl<T> Drop for Shared<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        self.state.end_read();
    }
}

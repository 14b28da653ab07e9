//! The content of a frame, as long as its state says that it is borrowed.
//!
//! B1. Whoever reaches the content by this file has begun a borrow in the frame's state and not ended it: one who writes
//! is alone, several read. That is `state.rs`'s invariant, and its steps order what they do.
//! B2. A frame's content is reached otherwise by programs that are shown it, by no reference.

use crate::frame_state::{FrameRefusal, FrameState};
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

/// FrameWriteGuard use of a frame's content, until dropped.
pub struct FrameWriteGuard<'a, T> {
    state: &'a FrameState,
    content: NonNull<T>,
    holds: PhantomData<&'a mut T>,
}

impl<'a, T> FrameWriteGuard<'a, T> {
    /// Borrows it.
    ///
    /// # Safety
    /// `content` is valid for `'a`, and whoever makes references to it does so by `state` and this file.
    #[inline(always)]
    pub unsafe fn begin(state: &'a FrameState, content: NonNull<T>) -> Result<Self, FrameRefusal> {
        state.begin_write()?;
        Ok(FrameWriteGuard { state, content, holds: PhantomData })
    }
}

impl<T> Deref for FrameWriteGuard<'_, T> {
    type Target = T;
    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: valid, as promised, and borrowed exclusively until the end of `self` (B1).
        unsafe { self.content.as_ref() }
    }
}

impl<T> DerefMut for FrameWriteGuard<'_, T> {
    #[inline(always)]
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: as `deref`.
        unsafe { self.content.as_mut() }
    }
}

impl<T> Drop for FrameWriteGuard<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        self.state.end_write();
    }
}

/// FrameReadGuard use of a frame's content, until dropped.
pub struct FrameReadGuard<'a, T> {
    state: &'a FrameState,
    content: NonNull<T>,
    holds: PhantomData<&'a T>,
}

impl<'a, T> FrameReadGuard<'a, T> {
    /// Borrows it.
    ///
    /// # Safety
    /// As [`FrameWriteGuard::begin`].
    #[inline(always)]
    pub unsafe fn begin(state: &'a FrameState, content: NonNull<T>) -> Result<Self, FrameRefusal> {
        state.begin_read()?;
        Ok(FrameReadGuard { state, content, holds: PhantomData })
    }
}

impl<T> Deref for FrameReadGuard<'_, T> {
    type Target = T;
    #[inline(always)]
    fn deref(&self) -> &T {
        // SAFETY: valid, as promised, and borrowed until the end of `self`, by readers only (B1).
        unsafe { self.content.as_ref() }
    }
}

impl<T> Drop for FrameReadGuard<'_, T> {
    #[inline(always)]
    fn drop(&mut self) {
        self.state.end_read();
    }
}

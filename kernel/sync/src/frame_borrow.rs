//! Borrows of a frame's content, as Rust references.
//!
//! B1 A reference of this file exists only during a borrow in the frame's state: one writer alone, or several readers.
//!    `frame_state.rs` ensures that, and its steps order the accesses.
//! B2 Programs reach a frame's content by their mappings only, by no reference.

use crate::frame_state::{FrameRefusal, FrameState};
use core::marker::PhantomData;
use core::ops::{Deref, DerefMut};
use core::ptr::NonNull;

/// Exclusive use of a frame's content, until dropped.
pub struct FrameWriteGuard<'a, T> {
    state: &'a FrameState,
    content: NonNull<T>,
    holds: PhantomData<&'a mut T>,
}

impl<'a, T> FrameWriteGuard<'a, T> {
    /// Borrows it.
    ///
    /// # Safety
    /// `content` is valid for `'a`, and only this file makes references to it, each after a borrow of `state`.
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

/// Shared use of a frame's content, until dropped.
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

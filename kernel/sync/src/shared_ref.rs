//! A reference that one core replaces and any core reads.
//!
//! Invariant: the pointer always comes from a `&'static T`. Readers see what was written to the value before the
//! reference was stored.

use core::marker::PhantomData;
use core::ptr::from_ref;
use core::sync::atomic::{AtomicPtr, Ordering};

/// A replaceable `&'static T`. As `Sync` as the reference.
pub struct SharedRef<T: 'static>(AtomicPtr<T>, PhantomData<&'static T>);

impl<T> SharedRef<T> {
    /// Refers to `value`.
    pub const fn new(value: &'static T) -> Self {
        SharedRef(AtomicPtr::new(from_ref(value).cast_mut()), PhantomData)
    }
    /// Refers to `value` from now on.
    pub fn set(&self, value: &'static T) {
        self.0.store(from_ref(value).cast_mut(), Ordering::Release);
    }
    /// The value.
    pub fn get(&self) -> &'static T {
        // SAFETY: `new` and `set` store pointers from `&'static T` only, and these yield shared references only.
        unsafe { &*self.0.load(Ordering::Acquire) }
    }
}

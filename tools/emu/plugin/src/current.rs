//! The core that a callback is about. QEMU runs all cores of a board in one thread, in turn, and the number that it
//! gives to callbacks is that of another core then; the variable `current_cpu` of that thread is right.
//!
//! Invariant: used in callbacks of executed instructions only, so in the cores' thread.

use crate::fail;
use crate::ffi::{self, Opaque};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicPtr, Ordering};

/// Where the variable is in the cores' thread, of which there is one.
static PLACE: AtomicPtr<*mut Opaque> = AtomicPtr::new(null_mut());

/// Where it is.
pub fn place() -> *mut *mut Opaque {
    let known = PLACE.load(Ordering::Relaxed);
    if known.is_null() { find() } else { known }
}

/// The core.
pub fn core() -> *mut Opaque {
    // SAFETY: the variable of this thread, which lives as long as it; no other thread writes to it.
    unsafe { place().read() }
}

#[cold]
fn find() -> *mut *mut Opaque {
    // SAFETY: resolves a name; for a variable of each thread the result is this thread's.
    let place: *mut *mut Opaque = unsafe { ffi::dlsym(null_mut(), c"current_cpu".as_ptr()) }.cast();
    if place.is_null() {
        fail("this QEMU does not show which core a thread executes");
    }
    PLACE.store(place, Ordering::Relaxed);
    place
}

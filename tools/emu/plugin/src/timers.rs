//! The timers of virtual time that run in this QEMU, seen from inside.
//!
//! QEMU reports when its first timer runs out, but the first one may be the timer with which it switches between cores
//! every 100 ms of virtual time. That one restarts whenever the machine wakes, so a board would never seem idle. This
//! module reads the list itself and leaves that timer out.
//!
//! Invariant: nothing is read unless [`TimerList::find`] has seen a timer of the plugin's own in the list, with its own
//! values, at the places that this module reads.

use crate::ffi::QemuTimer;
use crate::notices::{self, QemuTimerList};
use std::ffi::c_void;
use std::ptr::NonNull;

/// Words of a `QEMUTimerList` among which the pointer to its first timer is searched for.
const LIST_WORDS: usize = 12;
/// More timers than this machine has.
const TIMERS_MAX: usize = 256;

/// The beginning of `QEMUTimer`.
#[repr(C)]
struct TimerView {
    expire_ns: i64,
    list: *const [*const TimerView; LIST_WORDS],
    callback: *const c_void,
    argument: *const c_void,
    next: *const TimerView,
}

/// The list of running timers.
pub struct TimerList {
    list: NonNull<QemuTimerList>,
    first: NonNull<*const TimerView>,
}

// SAFETY: the pointer is only used under the big lock.
unsafe impl Send for TimerList {}

impl TimerList {
    /// Finds the list by a timer that was just set to `expire_ns`, with `callback` and no argument, and is the first to
    /// run out; nothing if QEMU's structures are not as expected.
    pub fn find(own: NonNull<QemuTimer>, expire_ns: i64, callback: extern "C" fn(*mut c_void)) -> Option<Self> {
        let own: *const TimerView = own.as_ptr().cast();
        // SAFETY: a `QEMUTimer` of the plugin's, which is larger than a view of it and initialised.
        let view = unsafe { &*own };
        let as_given =
            view.expire_ns == expire_ns && view.callback == callback as *const c_void && view.argument.is_null();
        if !as_given || view.list.is_null() {
            return None;
        }
        // SAFETY: the timer has the values it was given, so this is its pointer to the `QEMUTimerList` that it is in,
        // which begins with a pointer, a mutex of 40 bytes or more, and three pointers: twelve words at least.
        let words = unsafe { &*view.list };
        let first = words.iter().find(|word| **word == own)?;
        Some(Self { list: NonNull::new(view.list.cast_mut().cast())?, first: NonNull::from(first) })
    }

    /// From now on another list of this clock is notified only if it has timers; `None` if QEMU is not as expected.
    pub fn be_alone(&self) -> Option<()> {
        notices::quieten(self.list, self.first.cast())
    }

    /// When the first timer of the machine or the plugin runs out, ns.
    pub fn next_ns(&self) -> Option<u64> {
        // SAFETY: `find` saw a timer here; QEMU changes the list under the big lock only, as this machine has no other
        // threads with timers of virtual time.
        let mut timer = unsafe { *self.first.as_ptr() };
        for _ in 0..TIMERS_MAX {
            // SAFETY: as above; a null pointer ends the list.
            let view = unsafe { timer.as_ref() }?;
            // Devices and cores pass themselves as the argument; the switch between cores passes nothing. The plugin's
            // own timers do so too, but their owners know their next times better.
            if !view.argument.is_null() {
                return u64::try_from(view.expire_ns).ok();
            }
            timer = view.next;
        }
        None
    }
}

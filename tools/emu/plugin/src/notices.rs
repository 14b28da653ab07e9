//! Notifications of virtual time to QEMU's main thread: only those that it waits for.
//!
//! When a timer of virtual time runs out, QEMU notifies every list of such timers, and that wakes its main
//! thread: a write, a read, a poll, and a fight for the big lock at the end of each quantum. But all such timers of
//! this machine are in one list, which the core's own thread serves; those of the main thread's event loops are empty.
//! So the functions that notify these are replaced by one that passes a notification on only if the list has a timer.
//!
//! Invariant: nothing is replaced unless all lists of the clock are chained as expected, forwards and back, and the
//! plugin's own is among them, with the function that it is known to have.

use crate::ffi::{self, Opaque};
use std::ffi::{c_int, c_void};
use std::ptr::NonNull;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicPtr, Ordering};

/// More lists than a clock of this machine has.
const LISTS_MAX: usize = 16;

/// Notifies its first argument of news of this clock.
type NotifyCallback = extern "C" fn(*mut c_void, c_int);

/// `QEMUTimerList`.
#[repr(C)]
pub struct QemuTimerList {
    /// Begins with the pointer to its first list.
    clock: *const *mut QemuTimerList,
    lock: [u64; 6],
    first: AtomicPtr<Opaque>,
    next: *mut QemuTimerList,
    /// The pointer to this list: in the list before, or in the clock.
    back: *const *mut QemuTimerList,
    notify: NotifyCallback,
    whom: *mut c_void,
}

/// A list that is notified only if it has a timer.
struct Quiet {
    list: NonNull<QemuTimerList>,
    notify: NotifyCallback,
}

// SAFETY: lists live as long as QEMU, and only two fields are read: the first timer, which is atomic, and the receiver
// of notifications, which does not change.
unsafe impl Send for Quiet {}
// SAFETY: as above.
unsafe impl Sync for Quiet {}

static QUIET: OnceLock<Vec<Quiet>> = OnceLock::new();

/// Does it for all lists of the clock but `own`, whose first timer is at `first`; nothing if QEMU's structures are not
/// as expected.
pub fn quieten(own: NonNull<QemuTimerList>, first: NonNull<c_void>) -> Option<()> {
    let lists = chained(own, first)?;
    let others = lists.into_iter().filter(|list| *list != own);
    // SAFETY: `chained` has seen that these are lists; no notification runs now: the big lock is taken, and no core has
    // run.
    let quiet = others.map(|list| Quiet { list, notify: unsafe { list.as_ref() }.notify }).collect();
    for quiet in QUIET.get_or_init(|| quiet) {
        // SAFETY: as above.
        unsafe { (*quiet.list.as_ptr()).notify = notify_if_concerned };
    }
    Some(())
}

/// All lists of the clock of `own`.
fn chained(own: NonNull<QemuTimerList>, first: NonNull<c_void>) -> Option<Vec<NonNull<QemuTimerList>>> {
    // SAFETY: `own` is a `QEMUTimerList` (`TimerList::find`), which is as large as this view of it.
    let clock = unsafe { own.as_ref() }.clock;
    let (mut back, mut lists) = (clock, Vec::new());
    // SAFETY: the clock is a structure that begins with this pointer; later a place in a list seen.
    while let Some(list) = NonNull::new(*unsafe { back.as_ref() }?) {
        // SAFETY: the chain points at a list, which is read as such.
        let view = unsafe { list.as_ref() };
        if view.clock != clock || view.back != back || lists.len() == LISTS_MAX {
            return None;
        }
        lists.push(list);
        back = &raw const view.next;
    }
    // SAFETY: as above.
    let view = unsafe { own.as_ref() };
    let known = &raw const view.first == first.as_ptr().cast()
        && view.notify as *const () == ffi::qemu_timer_notify_cb as *const ();
    (known && lists.contains(&own)).then_some(lists)
}

/// In place of the function of a quiet list; called by any thread.
extern "C" fn notify_if_concerned(whom: *mut c_void, clock: c_int) {
    let quiet = QUIET.get().into_iter().flatten();
    // SAFETY: lists live as long as QEMU.
    let concerned = quiet.filter(|quiet| unsafe { quiet.list.as_ref() }.whom == whom);
    for quiet in concerned {
        // SAFETY: as above.
        if !unsafe { quiet.list.as_ref() }.first.load(Ordering::Acquire).is_null() {
            (quiet.notify)(whom, clock);
        }
    }
}

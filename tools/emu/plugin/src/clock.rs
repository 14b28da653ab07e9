//! QEMU's clock of virtual time, which counts the instructions of all cores: read without counting, and moved to where
//! another core stands.
//!
//! Invariant: only the cores' thread moves it, while a core of the board executes or under the big lock; QEMU's main
//! thread does so only while all cores wait. Nothing is moved unless [`check`] has seen that the clock has the layout
//! of `ffi`.

use crate::ffi;
use crate::machine;
use std::sync::atomic::{AtomicI64, Ordering};

/// By so much the clock is moved to see whether it follows, ns.
const TRIAL_NS: i64 = 4096;

fn word(at: *const i64) -> &'static AtomicI64 {
    // SAFETY: a word of QEMU's own variable, which lives as long as QEMU, aligned; QEMU reads and writes it atomically
    // too.
    unsafe { AtomicI64::from_ptr(at.cast_mut()) }
}

/// As of when QEMU last counted what a core executed, ns.
pub fn settled_ns() -> i64 {
    let state = &raw const ffi::timers_state;
    // SAFETY: places within that variable, of which nothing is read here; the shift is set before the machine is built.
    let (bias, count, shift) = unsafe { (&raw const (*state).bias, &raw const (*state).count, (*state).shift) };
    word(bias).load(Ordering::SeqCst) + (word(count).load(Ordering::SeqCst) << shift)
}

/// Moves it on, or back, ns.
pub fn move_by(ns: i64) {
    let state = &raw const ffi::timers_state;
    // SAFETY: as in `settled_ns`.
    word(unsafe { &raw const (*state).bias }).fetch_add(ns, Ordering::SeqCst);
}

/// Before any core runs: whether the clock has the expected layout.
pub fn check() -> bool {
    let is_settled = || machine::now_ns() as i64 == settled_ns();
    let before = is_settled();
    move_by(TRIAL_NS);
    let after = is_settled() && settled_ns() >= TRIAL_NS;
    move_by(-TRIAL_NS);
    before && after && is_settled()
}

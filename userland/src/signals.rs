//! Signals as something to wait for: blocked, taken one by one, sent on, died of.
//!
//! Invariant: what is in a [`SignalSet`] is what the kernel's `sigset_t` says, bit `signal - 1`. Not here: handlers, of
//! which these programs have none.

use crate::Errno;
use crate::syscall::{call, plain};

/// Signals, a bit each.
pub type SignalSet = u64;

const SET_BYTES: isize = 8;
const SETMASK: isize = 2;

/// The set of `signals`.
pub const fn set_of(signals: &[u32]) -> SignalSet {
    let (mut set, mut at) = (0, 0);
    while at < signals.len() {
        set |= 1 << (signals[at] - 1);
        at += 1;
    }
    set
}

/// A signal that was taken.
pub struct DeliveredSignal {
    /// Which.
    pub signal: u32,
    /// Whether a program sent it, rather than a key or the end of a child.
    pub sent: bool,
}

/// Blocks exactly the signals of `set`; those that were blocked before.
pub fn block_only(set: SignalSet) -> SignalSet {
    const RT_SIGPROCMASK: usize = 135;
    let mut before: SignalSet = 0;
    let (new, old) = (core::ptr::from_ref(&set) as isize, core::ptr::from_mut(&mut before) as isize);
    // SAFETY: both addresses are those of live sets of the length said.
    let _ = unsafe { call(RT_SIGPROCMASK, [SETMASK, new, old, SET_BYTES, 0, 0]) };
    before
}

/// Waits for one of `set`, which are blocked, and takes it.
pub fn take(set: SignalSet) -> Result<DeliveredSignal, Errno> {
    const RT_SIGTIMEDWAIT: usize = 137;
    // A whole `siginfo_t`; its second pair of words starts with `si_code`.
    let mut info = [0u32; 32];
    let (set, place) = (core::ptr::from_ref(&set) as isize, info.as_mut_ptr() as isize);
    // SAFETY: the addresses are those of a live set and of as many bytes as a `siginfo_t` has; no time is given.
    let signal = unsafe { call(RT_SIGTIMEDWAIT, [set, place, 0, SET_BYTES, 0, 0]) }? as u32;
    Ok(DeliveredSignal { signal, sent: info[2] as i32 <= 0 })
}

/// Sends `signal` to the process `pid`.
pub fn send(pid: u32, signal: u32) -> Result<(), Errno> {
    const KILL: usize = 129;
    plain(KILL, [pid as isize, signal as isize, 0]).map(|_| ())
}

/// Has `signal` take its default effect on this program; returns if that is none, or over.
pub fn suffer(signal: u32) {
    const RT_SIGACTION: usize = 134;
    const GETPID: usize = 172;
    // SIG_DFL, flags, restorer, mask.
    let action = [0u64; 4];
    // SAFETY: the address is that of a whole `struct sigaction` of the kernel.
    let _ = unsafe { call(RT_SIGACTION, [signal as isize, action.as_ptr() as isize, 0, SET_BYTES, 0, 0]) };
    let own = plain(GETPID, [0, 0, 0]).unwrap_or(0) as u32;
    let _ = send(own, signal);
    let before = block_only(!set_of(&[signal]));
    block_only(before);
}

//! The page that all boards of a cluster share, and waiting for a word of it.
//!
//! The coordinator gives it to each QEMU as its standard input, which nothing else reads.
//!
//! Invariant: it is mapped for ever, and only as these atomics.

use std::io;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicU32, AtomicU64};
use std::time::Duration;

/// No fewer than a cluster may have; half of what the coordinator makes the file long (`renga_emu::page`).
const SLOTS: usize = 16;

/// A board's words for the others; its own cache lines.
#[repr(C, align(128))]
pub struct SharedSlot {
    /// The round that it takes part in.
    pub round: AtomicU64,
    /// It does nothing before this, in the cluster's time, ns.
    pub past_ns: AtomicU64,
    /// The last round that it has left.
    pub left: AtomicU64,
    /// Changes with each of these.
    pub news: AtomicU32,
    /// Boards that wait for news.
    pub waiting: AtomicU32,
}

/// The slots of all boards.
pub type Slots = [SharedSlot; SLOTS];

/// Maps the page; an error if the standard input is none.
pub fn map() -> io::Result<&'static Slots> {
    let bytes = size_of::<Slots>();
    let (access, flags) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_SHARED);
    // SAFETY: a new mapping, where the kernel likes.
    let address = unsafe { libc::mmap(null_mut(), bytes, access, flags, libc::STDIN_FILENO, 0) };
    if address == libc::MAP_FAILED {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: a page boundary, so many bytes, never unmapped; any bytes are atomics, and other processes use them as
    // such.
    Ok(unsafe { &*address.cast() })
}

/// Waits until `word` is not `seen`, `wake` is called, or `longest` is over.
pub fn wait(word: &AtomicU32, seen: u32, longest: Duration) {
    let seconds = longest.as_secs().try_into().unwrap_or(libc::time_t::MAX);
    let longest = libc::timespec { tv_sec: seconds, tv_nsec: longest.subsec_nanos().into() };
    // SAFETY: the word is mapped, and the time lives through the call. Whatever the result, the caller reads the word
    // again.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAIT, seen, &raw const longest) };
}

/// Wakes all that wait for `word`.
pub fn wake(word: &AtomicU32) {
    // SAFETY: the word is mapped.
    unsafe { libc::syscall(libc::SYS_futex, word.as_ptr(), libc::FUTEX_WAKE, i32::MAX) };
}

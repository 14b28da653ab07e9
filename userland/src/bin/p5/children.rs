//! Processes on cores that start together.

use crate::Outcome;
use core::sync::atomic::{AtomicU32, Ordering};
use renga_userland::process::fork;
use renga_userland::schedule::pin;
use renga_userland::syscall::{exit, map_shared, sleep};

/// Interval at which a waiting process polls, ns.
const POLL_NS: u64 = 100_000;
const SHARED_BYTES: usize = 4096;
/// Exit code of one that cannot be where it should.
const MISPLACED: i32 = 3;

/// Words that all processes share, the gate in front of them.
pub struct BarrierWords {
    words: &'static [AtomicU32],
}

impl BarrierWords {
    const READY: usize = 0;
    const OPEN: usize = 1;
    const FIRST: usize = 2;

    /// Fresh ones, the gate closed.
    pub fn make() -> Result<BarrierWords, (&'static str, renga_userland::Errno)> {
        let words = map_shared(-1, SHARED_BYTES).map_err(|errno| ("mmap", errno))?;
        Ok(BarrierWords { words })
    }

    /// A word for whatever its users agree on.
    pub fn word(&self, place: usize) -> &AtomicU32 {
        &self.words[BarrierWords::FIRST + place]
    }

    /// Makes a process that does `work` on `core`; its pid.
    pub fn start(
        &self,
        core: u32,
        work: impl FnOnce() -> Outcome,
    ) -> Result<u32, (&'static str, renga_userland::Errno)> {
        let pid = fork().map_err(|errno| ("fork", errno))?;
        if pid != 0 {
            return Ok(pid);
        }
        if pin(core).is_err() {
            exit(MISPLACED);
        }
        exit(i32::from(work().is_err()))
    }

    /// Says that the caller is where it should be.
    pub fn arrive(&self) {
        self.words[BarrierWords::READY].fetch_add(1, Ordering::SeqCst);
    }

    /// Waits until so many have arrived. One that is not there will never be: then its parent ends this one.
    pub fn await_all(&self, count: u32) {
        while self.words[BarrierWords::READY].load(Ordering::SeqCst) < count {
            sleep(POLL_NS);
        }
    }

    /// Opens the gate.
    pub fn open(&self) {
        self.words[BarrierWords::OPEN].store(1, Ordering::SeqCst);
    }

    /// Waits until it is open.
    pub fn pass(&self) {
        while self.words[BarrierWords::OPEN].load(Ordering::SeqCst) == 0 {
            sleep(POLL_NS);
        }
    }
}

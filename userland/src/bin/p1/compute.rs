//! Computation of a known length: instructions, not time, so that two programs of one board take twice as long.

use core::hint::black_box;
use renga_userland::syscall::ticks;

/// The time of a round is the difference between a long and a short run, so the fixed part cancels. The counts are so
/// small that a machine with a million instructions a second finishes within a time slice, at least in one of many
/// tries.
const FEW: u64 = 50;
const MORE: u64 = 150;
const TRIES: u32 = 32;

/// Computes. The compiler cannot specialise the measured rounds for a known count.
#[inline(never)]
pub fn rounds(count: u64) {
    for round in 0..count {
        black_box(round);
    }
}

/// How many rounds take `ns`, alone on a board.
pub fn rounds_in(ns: u64) -> u64 {
    let one = |count: u64| {
        let begin = ticks();
        rounds(count);
        ticks() - begin
    };
    let least = |count: u64| (0..TRIES).map(|_| one(count)).min().unwrap_or(0);
    // A tick of the emulated boards is a nanosecond.
    ns * (MORE - FEW) / least(MORE).saturating_sub(least(FEW)).max(1)
}

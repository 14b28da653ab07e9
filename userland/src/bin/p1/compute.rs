//! Computation of a known length: instructions, not time, so that two programs of one board take twice as long.

use core::hint::black_box;
use renga_userland::syscall::ticks;

/// Rounds by which a round is measured, and how often: once it is not interrupted.
const TRIED: u64 = 2000;
const TRIES: u32 = 8;

/// Computes.
pub fn rounds(count: u64) {
    for round in 0..count {
        black_box(round);
    }
}

/// How many rounds take `ns`, alone on a board.
pub fn rounds_in(ns: u64) -> u64 {
    let one = |_| {
        let begin = ticks();
        rounds(TRIED);
        ticks() - begin
    };
    // A tick of the emulated boards is a nanosecond.
    let least = (0..TRIES).map(one).min().unwrap_or(1).max(1);
    ns * TRIED / least
}

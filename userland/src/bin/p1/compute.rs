//! Computation of a known length: instructions, not time, so that two programs of one board take twice as long.

use core::hint::black_box;
use renga_userland::syscall::ticks;

/// What a round takes is what these more take than those: what goes before and after is in both. So few that a machine which does a
/// million instructions a second is done with them before another program's turn comes, and so often that it is once.
const FEW: u64 = 50;
const MORE: u64 = 150;
const TRIES: u32 = 32;

/// Computes. The rounds that are measured are those that are then made: not a copy for a number that the compiler knows.
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

//! Calls the console of another board without words or slices, and prints when each call started and ended: the cost of
//! a rendezvous between boards for a program.
//!
//! The times are the counter's, whose ticks are ns in the emulator: a clock that is read by a system call would add its
//! own way out of the kernel and into it, 0.9 us.
#![no_std]
#![no_main]

use renga_userland::syscall::{control, ticks, write};
use renga_userland::text::Decimal;
use renga_userland::{ProgramArguments, program};

program!(main);

/// Reads the terminal's foreground group: one call to the console process, which replies at once.
const TIOCGPGRP: usize = 0x540f;
const CALLS: usize = 64;

fn main(_: ProgramArguments) -> i32 {
    let mut times = [(0, 0); CALLS];
    let mut group = 0;
    for time in &mut times {
        let begin_ns = ticks();
        if control(0, TIOCGPGRP, &mut group).is_err() {
            return 1;
        }
        *time = (begin_ns, ticks());
    }
    for (begin_ns, end_ns) in times {
        for part in [b"linkcall ", Decimal::new(begin_ns).digits(), b" ", Decimal::new(end_ns).digits(), b"\n"] {
            let _ = write(1, part);
        }
    }
    0
}

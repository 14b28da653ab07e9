//! The programs of the experiments of `bench`, one each:
//!
//! - `p1 calls FOLDER`: single system calls, far apart, each behind a mark in the trace;
//! - `p1 storm PROGRAM COUNT`: so many programs start at once;
//! - `p1 send COUNT PAUSE_NS`, `p1 receive COUNT PAUSE_NS`: bytes through a pipe, with computation between them.
//!
//! Linux system calls only, so that the same file measures Linux on the same board.
#![no_std]
#![no_main]

mod calls;
mod compute;
mod pauses;
mod storm;

use renga_userland::syscall::write;
use renga_userland::text::{Decimal, complain, parse};
use renga_userland::{Errno, ProgramArguments, program};

program!(main);

/// What failed.
type Outcome = Result<(), (&'static str, Errno)>;

const USAGE: &[u8] = b"usage: p1 calls FOLDER | storm PROGRAM COUNT | send COUNT PAUSE_NS | receive COUNT PAUSE_NS\n";
const EINVAL: Errno = Errno(22);

fn main(arguments: ProgramArguments) -> i32 {
    let number = |index: usize| arguments.get(index).and_then(|word| parse(word.to_bytes())).unwrap_or(0).into();
    let outcome = match arguments.get(1).map(|word| word.to_bytes()) {
        Some(b"calls") => calls::make(&arguments),
        Some(b"storm") => storm::raise(&arguments, number(3)),
        Some(b"send") => pauses::send(number(2), number(3)),
        Some(b"receive") => pauses::receive(number(2), number(3)),
        _ => Err(("its arguments", EINVAL)),
    };
    let Err((what, errno)) = outcome else { return 0 };
    complain(&[b"p1: ", what.as_bytes(), b" failed: ", Decimal::new(errno.0.into()).digits(), b"\n", USAGE]);
    1
}

/// A line of words and numbers.
fn say(word: &str, numbers: &[u64]) {
    // The reader of the output notices missing lines.
    let _ = write(1, word.as_bytes());
    for number in numbers {
        let _ = write(1, b" ").and_then(|_| write(1, Decimal::new(*number).digits()));
    }
    let _ = write(1, b"\n");
}

//! What a system call that does nothing costs a program, in ticks of the counter: under the
//! emulator, instructions.
#![no_std]
#![no_main]

use renga_userland::syscall::{plain, ticks, write};
use renga_userland::text::Decimal;
use renga_userland::{ProgramArguments, program};

program!(main);

const GETPID: usize = 172;
const ROUNDS: u64 = 1000;

fn main(_: ProgramArguments) -> i32 {
    let start = ticks();
    let cost = ticks() - start;
    let (mut least, mut most, mut sum) = (u64::MAX, 0, 0);
    for _ in 0..ROUNDS {
        let start = ticks();
        let _ = plain(GETPID, [0, 0, 0]);
        let count = ticks() - start - cost;
        (least, most, sum) = (least.min(count), most.max(count), sum + count);
    }
    say(b"bench null-system-call = ");
    number(least);
    say(b" ");
    number(most);
    say(b" ");
    number(sum / ROUNDS);
    say(b".");
    number(sum * 10 / ROUNDS % 10);
    say(b"\n");
    0
}

fn say(text: &[u8]) {
    let _ = write(1, text);
}

fn number(value: u64) {
    say(Decimal::new(value).digits());
}

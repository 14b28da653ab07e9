//! What the threshold experiment of paper P2 runs: a program that reads the disk, or writes to its output, for so many
//! eighths of the time. It does not know that it is regulated.
#![no_std]
#![no_main]

use core::ffi::CStr;
use renga_userland::syscall::{now_ns, open, read_at, sleep, write};
use renga_userland::text::{complain, parse};
use renga_userland::{ProgramArguments, program};

program!(main);

const USAGE: &[u8] = b"usage: p2 disk EIGHTHS MS START
       p2 send EIGHTHS MS

Reads a byte of every 8 KB of the disk from block START of 4 KB on, or writes 4 KB after 4 KB
to its output, for MS: in each 40 ms for so many eighths of them.
";
const READ_ONLY: i32 = 0;
/// From one byte that is read to the next.
const STRIDE_BYTES: u64 = 8192;
const BLOCK_BYTES: u64 = 4096;
/// After so many it starts over; no memory keeps as much.
const READS: u64 = 9000;
const WRITE_BYTES: usize = 4096;
const EIGHTHS: u64 = 8;
const CYCLE_NS: u64 = 40_000_000;
const NS_PER_MS: u64 = 1_000_000;

fn main(arguments: ProgramArguments) -> i32 {
    let number = |index| arguments.get(index).and_then(|word| parse(word.to_bytes())).map(u64::from);
    let (Some(eighths), Some(ms)) = (number(2).filter(|eighths| (1..=EIGHTHS).contains(eighths)), number(3)) else {
        complain(&[USAGE]);
        return 2;
    };
    let done = match (arguments.get(1).map(CStr::to_bytes), number(4)) {
        (Some(b"disk"), Some(start)) => {
            let Ok(file) = open(c"/dev/root", READ_ONLY) else { return 1 };
            let mut byte = [0];
            in_part(eighths, ms, |which| {
                read_at(file, &mut byte, start * BLOCK_BYTES + which % READS * STRIDE_BYTES) == Ok(1)
            })
        }
        (Some(b"send"), None) => in_part(eighths, ms, |_| write(1, &[0; WRITE_BYTES]).is_ok()),
        _ => {
            complain(&[USAGE]);
            return 2;
        }
    };
    i32::from(!done)
}

/// Does `io` again and again, for so many eighths of each cycle; whether all of them went well.
fn in_part(eighths: u64, ms: u64, mut io: impl FnMut(u64) -> bool) -> bool {
    let began_ns = now_ns();
    let mut which = 0;
    // Ends when time has passed, which it does by itself.
    loop {
        let past_ns = now_ns() - began_ns;
        if past_ns >= ms * NS_PER_MS {
            return true;
        }
        let in_cycle_ns = past_ns % CYCLE_NS;
        if in_cycle_ns * EIGHTHS >= eighths * CYCLE_NS {
            sleep(CYCLE_NS - in_cycle_ns);
            continue;
        }
        if !io(which) {
            return false;
        }
        which += 1;
    }
}

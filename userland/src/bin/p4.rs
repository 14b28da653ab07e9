//! What the I/O of paper P4's evaluation programs takes: reads of the disk, writes to the terminal, and programs beside
//! them. It does not know that it is paced.
#![no_std]
#![no_main]

use core::ffi::CStr;
use core::hint::black_box;
use renga_userland::syscall::{now_ns, open, read_at, sleep, ticks, write};
use renga_userland::text::{Decimal, complain, parse};
use renga_userland::{ProgramArguments, program};

program!(main);

const USAGE: &[u8] = b"usage: p4 disk LABEL READS WINDOW START
       p4 console LABEL WRITES WINDOW BYTES
       p4 compute LABEL MILLIONS
       p4 pulse COMPUTED_US PAUSE_US
       p4 read START
";
const READ_ONLY: i32 = 0;
const BLOCK_BYTES: u64 = 4096;
/// Of each read, as in the paper.
const READ_BYTES: usize = 1024;
/// Reads are spread over so many blocks, each of another; a prime, and a step of its own.
const SPREAD: u64 = 1009;
const STEP: u64 = 367;
const WINDOWS_MAX: usize = 512;
const WRITE_BYTES_MAX: usize = 256;
const ADDITIONS_PER_US: u64 = 250;
/// As the emulator has them: a nanosecond each.
const TICKS_PER_US: u64 = 1_000;

fn main(arguments: ProgramArguments) -> i32 {
    let number = |index| arguments.get(index).and_then(|word| parse(word.to_bytes())).map(u64::from);
    let label = arguments.get(2).map_or(&b""[..], CStr::to_bytes);
    let numbers = (number(3), number(4), number(5));
    match (arguments.get(1).map(CStr::to_bytes), numbers) {
        (Some(b"disk"), (Some(reads), Some(window), Some(start))) => disk(label, reads, window, start),
        (Some(b"console"), (Some(writes), Some(window), Some(bytes))) => console(label, writes, window, bytes as usize),
        (Some(b"compute"), (Some(millions), ..)) => {
            let began_ns = now_ns();
            add(millions * 1_000_000);
            report(label, &[now_ns() - began_ns], 0)
        }
        (Some(b"pulse"), (Some(pause_us), ..)) => pulse(number(2).unwrap_or(0), pause_us),
        (Some(b"read"), _) => disk(b"", u64::MAX, u64::MAX, number(2).unwrap_or(0)),
        _ => {
            complain(&[USAGE]);
            2
        }
    }
}

/// Reads blocks of the disk, one after the other, from all over a region.
fn disk(label: &[u8], reads: u64, window: u64, start: u64) -> i32 {
    let Ok(file) = open(c"/dev/root", READ_ONLY) else { return 1 };
    let mut bytes = [0; READ_BYTES];
    windows(label, reads, window, |which| {
        let block = start + which / SPREAD * SPREAD + which * STEP % SPREAD;
        read_at(file, &mut bytes, block * BLOCK_BYTES) == Ok(READ_BYTES)
    })
}

fn console(label: &[u8], writes: u64, window: u64, bytes: usize) -> i32 {
    let line = [b'.'; WRITE_BYTES_MAX];
    let Some(line) = line.get(..bytes) else { return 2 };
    windows(label, writes, window, |_| write(1, line) == Ok(bytes))
}

/// Prints how long each `window` of so many I/Os took.
fn windows(label: &[u8], count: u64, window: u64, mut io: impl FnMut(u64) -> bool) -> i32 {
    let (mut times, mut which) = ([0; WINDOWS_MAX], 0);
    let (mut own, mut began_ns) = (0, now_ns());
    let mut left = ticks();
    for time in &mut times {
        if which >= count {
            break;
        }
        for _ in 0..window.min(count - which) {
            own += ticks() - left;
            let done = io(which);
            left = ticks();
            if !done {
                complain(&[b"p4: an I/O has failed\n"]);
                return 1;
            }
            which += 1;
        }
        let now_ns = now_ns();
        *time = now_ns - began_ns;
        // What the clock took is no I/O's.
        (began_ns, left) = (now_ns, ticks());
    }
    let own_us = own / TICKS_PER_US;
    let all = times.iter().position(|time| *time == 0).unwrap_or(WINDOWS_MAX);
    report(label, &times[..all], own_us)
}

/// Computes and pauses without end.
fn pulse(computed_us: u64, pause_us: u64) -> ! {
    loop {
        add(computed_us * ADDITIONS_PER_US);
        sleep(pause_us * 1_000);
    }
}

/// Adds 1 to a variable, so often.
fn add(times: u64) {
    let mut sum = 0_u64;
    for _ in 0..times {
        sum = black_box(sum + 1);
    }
}

/// Prints `times` as `label`, and as its own the part of them that passed between I/Os.
fn report(label: &[u8], times: &[u64], own_us: u64) -> i32 {
    say(b"\np4 ");
    say(label);
    for time in times {
        say(b" ");
        say(Decimal::new(*time).digits());
    }
    say(b"\np4 ");
    say(label);
    say(b"-own ");
    say(Decimal::new(own_us).digits());
    say(b"\n");
    0
}

fn say(text: &[u8]) {
    let _ = write(1, text);
}

//! The board that the emulator's tests run: a program without an operating system, in EL2.
//!
//! The first word of its command line (`play`) selects its behaviour. It never takes an interrupt: pending ones,
//! masked, wake it from `wfi`. Not here: any part of Renga.
#![no_std]
#![no_main]

/// Writes a line to the console.
macro_rules! say {
    ($($arg:tt)*) => {{ let _ = writeln!(crate::Console, $($arg)*); }};
}

mod cores;
mod pins;

use core::arch::{asm, global_asm};
use core::fmt::{self, Write};

global_asm!(".section .text.start", ".globl _start", "_start:", "mov x0, #0x80000", "mov sp, x0", "bl main", "b .",);

const ATAGS: usize = 0x100;
const ATAG_CMDLINE: u32 = 0x5441_0009;
const UART: usize = 0x3f20_1000;
const AUX_ENABLES: usize = 0x3f21_5004;
const LOG: usize = 0x3f21_5040;
const LINK: usize = 0x3fb0_0000;
const ENABLE_INTERRUPTS_2: usize = 0x3f00_b214;
const CORE_TIMERS: usize = 0x4000_0040;
const NS_PER_S: u64 = 1_000_000_000;

fn read(address: usize) -> u32 {
    // SAFETY: the test's addresses are the registers and tags of the emulated machine.
    unsafe { (address as *const u32).read_volatile() }
}

fn write(address: usize, value: u32) {
    // SAFETY: as in `read`.
    unsafe { (address as *mut u32).write_volatile(value) }
}

fn now_ns() -> u64 {
    let time: u64;
    // SAFETY: reads a counter.
    unsafe { asm!("isb", "mrs {}, cntpct_el0", out(reg) time) };
    time
}

fn wait() {
    // SAFETY: waits until an interrupt is pending; it is masked.
    unsafe { asm!("dsb sy", "wfi") };
}

fn sleep_until(time_ns: u64) {
    // SAFETY: sets the timer, whose interrupt is masked.
    unsafe { asm!("msr cntp_cval_el0, {}", "msr cntp_ctl_el0, {}", "isb", in(reg) time_ns, in(reg) 1u64) };
    while now_ns() < time_ns {
        wait();
    }
    // SAFETY: as above.
    unsafe { asm!("msr cntp_ctl_el0, {}", "isb", in(reg) 2u64) };
}

struct Console;

impl Write for Console {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        text.bytes().for_each(|byte| write(UART, u32::from(byte)));
        Ok(())
    }
}

fn exit(status: u32) -> ! {
    write(LINK + 0x30, status);
    loop {
        wait();
    }
}

/// The first word of the command line, as up to eight bytes.
fn play() -> [u8; 8] {
    let mut word = [0; 8];
    let mut tag = ATAGS;
    while read(tag) != 0 && read(tag + 4) != ATAG_CMDLINE {
        tag += read(tag) as usize * 4;
    }
    for (index, letter) in word.iter_mut().enumerate() {
        // SAFETY: inside the tag, or behind it in memory that the machine has.
        let byte = unsafe { ((tag + 8 + index) as *const u8).read_volatile() };
        if !byte.is_ascii_lowercase() {
            break;
        }
        *letter = byte;
    }
    word
}

fn send(destination: u32, words: &[u32]) {
    words.iter().for_each(|word| write(LINK + 0x14, *word));
    write(LINK + 0x18, destination << 16 | words.len() as u32 * 4);
}

/// Waits for a frame; its first word and its arrival.
fn receive() -> (u32, u64) {
    while read(LINK + 0x04) & 1 == 0 {
        wait();
    }
    let word = read(LINK + 0x0c);
    let arrival_ns = u64::from(read(LINK + 0x20)) | u64::from(read(LINK + 0x24)) << 32;
    write(LINK + 0x10, 1);
    (word, arrival_ns)
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

fn work(steps: u64) {
    for step in 0..steps {
        core::hint::black_box(step);
    }
}

/// Board 0 calls, board 1 answers, both with work between.
fn ping(board: u32) -> ! {
    const CALLS: u32 = 300;
    let mut random = Random(u64::from(board) + 1);
    write(LINK + 0x28, 1);
    let mut hash = 0u64;
    for call in 0..CALLS {
        let words = [call; 64];
        let length = 2 + (random.next() % 60) as usize;
        if board == 0 {
            let begin_ns = now_ns();
            send(1, &words[..length]);
            let (answer, arrival_ns) = receive();
            assert!(answer == call, "the answer is not to the call");
            hash = (hash ^ now_ns() ^ arrival_ns).wrapping_mul(0x100_0000_01b3);
            if call % 50 == 0 {
                let (wait_ns, wire_ns) = (read(LINK + 0x34), read(LINK + 0x38));
                say!("call {call}: {} ns, my frame waited {wait_ns} ns, wire {wire_ns} ns", now_ns() - begin_ns);
            }
        } else {
            let (word, arrival_ns) = receive();
            hash = (hash ^ now_ns() ^ arrival_ns).wrapping_mul(0x100_0000_01b3);
            work(random.next() % 5000);
            send(0, &[word, 0]);
        }
        work(random.next() % 3000);
    }
    // The frames in the transmitter leave before the board ends.
    while read(LINK + 0x04) & 2 != 0 {
        sleep_until(now_ns() + 10_000);
    }
    say!("board {board} done at {} ns, hash {hash:016x}", now_ns());
    exit(0)
}

/// Every board sends to every other at random, busy or asleep between, and reports all that it hears.
fn mesh(board: u32) -> ! {
    const END_NS: u64 = 20_000_000;
    let mut random = Random(u64::from(board) * 0x9e37_79b9 + 1);
    let (mut sent, mut received, mut hash) = (0, 0, 0u64);
    while now_ns() < END_NS {
        while read(LINK + 0x04) & 1 != 0 {
            let (word, arrival_ns) = receive();
            received += 1;
            hash = (hash ^ u64::from(word) ^ arrival_ns ^ now_ns()).wrapping_mul(0x100_0000_01b3);
        }
        if read(LINK + 0x2c) > 0 && random.next() % 4 != 0 {
            send(if random.next() % 3 == 0 { 0xf } else { (random.next() % 3) as u32 }, &[sent; 30]);
            sent += 1;
        }
        match random.next() % 3 {
            0 => sleep_until(now_ns() + random.next() % 300_000),
            _ => work(random.next() % 40_000),
        }
        write(LOG, sent);
    }
    say!("board {board}: sent {sent}, received {received}, hash {:016x}", hash ^ cores::noted());
    exit(0)
}

/// Echoes the console with the time of each byte; `q` ends it.
fn echo() -> ! {
    write(UART + 0x38, 1 << 4 | 1 << 6);
    write(UART + 0x34, 0);
    write(UART + 0x2c, 0x70);
    write(UART + 0x30, 0x301);
    write(ENABLE_INTERRUPTS_2, 1 << 25);
    say!("ready {}", read(LINK + 0x44));
    loop {
        while read(UART + 0x18) & 1 << 4 != 0 {
            wait();
        }
        let byte = read(UART) as u8;
        say!("{} at {}", byte as char, now_ns());
        if byte == b'q' {
            exit(7);
        }
    }
}

/// Prints that it starts and what it hears; sends to all, every millisecond, a word with its number and its count of
/// starts, until it has run for a second.
fn starts(board: u32) -> ! {
    const BEAT_NS: u64 = 1_000_000;
    let starts = read(LINK + 0x54);
    let calendar_ns = u64::from(read(LINK + 0x48)) * NS_PER_S + u64::from(read(LINK + 0x50));
    say!("start {starts} at {calendar_ns}");
    let mut heard = u32::MAX;
    for beat in 1..1000 {
        while read(LINK + 0x04) & 1 != 0 {
            let (word, _) = receive();
            if word != heard {
                say!("{word:#x} after {beat}");
                heard = word;
            }
        }
        send(0xf, &[board << 16 | starts, beat, beat]);
        sleep_until(u64::from(beat) * BEAT_NS);
    }
    exit(0)
}

/// Naps, each after a few instructions since the clock was last read, and says how late it was awake.
fn nap() -> ! {
    const NAPS: u64 = 20_000;
    let (mut late_ns, mut latest_ns) = (0, 0);
    for nap in 0..NAPS {
        let end_ns = now_ns() + 3_000 + nap % 7 * 100;
        // SAFETY: sets the timer, whose interrupt is masked.
        unsafe { asm!("msr cntp_cval_el0, {}", "msr cntp_ctl_el0, {}", "isb", in(reg) end_ns, in(reg) 1u64) };
        work(nap % 16);
        wait();
        let woken_ns = now_ns() - end_ns;
        late_ns += woken_ns;
        latest_ns = woken_ns.max(latest_ns);
    }
    say!("late by {late_ns} ns in all, by {latest_ns} ns at most");
    exit(0)
}

/// Sleeps for ever, and wakes once a second.
fn tick() -> ! {
    for second in 1u64.. {
        sleep_until(second * NS_PER_S);
        if second % 600 == 0 {
            say!("{second} s");
        }
    }
    exit(1)
}

/// Computes for a while, and says how fast its clock is.
fn compute() -> ! {
    let begin_ns = now_ns();
    work(200_000_000);
    say!("computed for {} ns", now_ns() - begin_ns);
    exit(0)
}

#[unsafe(no_mangle)]
extern "C" fn main() -> ! {
    write(AUX_ENABLES, 1);
    write(UART + 0x30, 0x301);
    write(CORE_TIMERS, 2);
    write(ENABLE_INTERRUPTS_2, 1 << 16 | 1 << 17);
    let board = read(LINK + 0x1c);
    match play().split(|byte| *byte == 0).next() {
        Some(b"hello") => {
            say!("hello from board {board} of {:#x}, epoch {}", read(LINK), read(LINK + 0x48));
            write(LOG, u32::from(b'L'));
            exit(3)
        }
        Some(b"ping") => ping(board),
        Some(b"mesh") => mesh(board),
        Some(b"echo") => echo(),
        Some(b"starts") => starts(board),
        Some(b"nap") => nap(),
        Some(b"tick") => tick(),
        Some(b"compute") => compute(),
        Some(b"cores") => cores::compute(),
        Some(b"gang") => {
            cores::fetch(cores::Part::Noise);
            mesh(board)
        }
        Some(b"wires") => pins::wires(board),
        Some(b"shake") => pins::shake(board),
        Some(b"spin") => loop {},
        _ => loop {
            wait();
        },
    }
}

#[panic_handler]
fn panic(info: &core::panic::PanicInfo) -> ! {
    say!("{info}");
    exit(99)
}

//! Boards with several cores: fetched from the firmware's spin table, each with a stack and a timer of its own.

use crate::{CORE_TIMERS, LOG, Random, exit, now_ns, sleep_until, wait, work, write};
use core::arch::{asm, global_asm};
use core::fmt::Write;

global_asm!(
    ".section .text.core",
    ".globl core_start",
    "core_start:",
    "mrs x0, mpidr_el1",
    "and x0, x0, #3",
    "lsl x1, x0, #16",
    "mov x2, #0x80000",
    "sub x1, x2, x1",
    "mov sp, x1",
    "bl core_main",
    "b .",
);

unsafe extern "C" {
    fn core_start();
}

const SPIN_TABLE: usize = 0xd8;
/// The cores' shared words: which play, and then 64 bytes for each core.
const SHARED: usize = 0x20_0000;
const CORES: usize = 4;
/// Iterations of a loop of two instructions.
const LOOPS: u64 = 1_000_000;
/// When all cores begin, ns.
const BEGIN_NS: u64 = 1_000_000;
/// When all have ended, ns.
const END_NS: u64 = 12_000_000;

/// What the other cores do.
#[derive(Clone, Copy, PartialEq)]
pub enum Part {
    Loops = 1,
    Noise = 2,
}

fn place(core: usize, word: usize) -> *mut u64 {
    (SHARED + 64 * (core + 1) + 8 * word) as *mut u64
}

/// Fetches the other cores.
pub fn fetch(part: Part) {
    // SAFETY: memory that the test's machine has and nothing else uses; the firmware's table, then its signal.
    unsafe {
        (SHARED as *mut u64).write_volatile(part as u64);
        for core in 1..CORES {
            ((SPIN_TABLE + 8 * core) as *mut u64).write_volatile(core_start as *const () as u64);
        }
        asm!("dsb sy", "sev");
    }
}

fn count_down() {
    // SAFETY: counts a register down.
    unsafe { asm!("2: subs {0}, {0}, #1", "b.ne 2b", inout(reg) LOOPS => _) };
}

/// Computes, and leaves how long that took.
fn loops(core: usize) {
    sleep_until(BEGIN_NS);
    let begin_ns = now_ns();
    count_down();
    // SAFETY: as in `fetch`.
    unsafe { place(core, 0).write_volatile(now_ns() - begin_ns) };
}

/// Works and sleeps at random, for ever, and writes down the time and a character now and then.
fn noise(core: usize) -> ! {
    let mut random = Random(core as u64 + 77);
    for round in 0u64.. {
        match random.next() % 3 {
            0 => sleep_until(now_ns() + random.next() % 200_000),
            _ => work(random.next() % 30_000),
        }
        // SAFETY: as in `fetch`.
        unsafe { place(core, 0).write_volatile(now_ns()) };
        if round % 8 == 0 {
            write(LOG, b'a' as u32 + core as u32);
        }
    }
    exit(1)
}

/// What the other cores wrote down last, as one number.
pub fn noted() -> u64 {
    // SAFETY: as in `fetch`.
    (1..CORES).fold(0, |sum, core| sum ^ unsafe { place(core, 0).read_volatile() }.rotate_left(core as u32))
}

/// All cores run the same loop at once.
pub fn compute() -> ! {
    fetch(Part::Loops);
    loops(0);
    sleep_until(END_NS);
    for core in 0..CORES {
        // SAFETY: as in `fetch`.
        say!("core {core}: {} ns", unsafe { place(core, 0).read_volatile() });
    }
    exit(0)
}

#[unsafe(no_mangle)]
extern "C" fn core_main(core: usize) -> ! {
    write(CORE_TIMERS + 4 * core, 2);
    // SAFETY: as in `fetch`.
    if unsafe { (SHARED as *const u64).read_volatile() } == Part::Noise as u64 {
        noise(core);
    }
    loops(core);
    loop {
        wait();
    }
}

//! What boards do with pins that are wired to those of others.

use crate::{exit, now_ns, read, sleep_until, wait, write};
use core::fmt::Write;

const PINS: usize = 0x3f20_0000;
const SET: usize = PINS + 0x1c;
const CLEAR: usize = PINS + 0x28;
const LEVELS: usize = PINS + 0x34;
const EVENTS: usize = PINS + 0x40;
const FALLING: usize = PINS + 0x58;

const TOKEN_OUT: u32 = 2;
const STROBE: u32 = 5;
const NOT_READY: u32 = 6;
const NOT_ACCEPTED: u32 = 7;
const ATTENTION: u32 = 8;
const TOKEN_IN: u32 = 9;
const FIRST_DATA: u32 = 16;

/// Time between two scenes, ns.
const SCENE_NS: u64 = 1_000_000;

fn output(pin: u32, on: bool) {
    let word = PINS + (pin / 10) as usize * 4;
    let shift = pin % 10 * 3;
    write(word, read(word) & !(7 << shift) | u32::from(on) << shift);
}

fn high(pin: u32) -> bool {
    read(LEVELS) & 1 << pin != 0
}

/// When `pin` is first seen at `level`, ns.
fn seen_ns(pin: u32, level: bool) -> u64 {
    while high(pin) != level {}
    now_ns()
}

/// Board 0 does something, the others say when they saw it.
pub fn wires(board: u32) -> ! {
    // A line is pulled by becoming an output; the latch is low.
    sleep_until(SCENE_NS);
    if board == 0 {
        output(STROBE, true);
        say!("strobe low before {}", now_ns());
        assert!(!high(STROBE), "my own pin");
        sleep_until(SCENE_NS + 50_000);
        let begin_ns = now_ns();
        output(STROBE, false);
        say!("strobe free after {begin_ns}");
    } else {
        say!("strobe low at {}", seen_ns(STROBE, false));
        say!("strobe free at {}", seen_ns(STROBE, true));
    }

    // Wired-AND: the last one to let go decides.
    sleep_until(2 * SCENE_NS + u64::from(board) * 10_000);
    output(NOT_READY, true);
    sleep_until(2 * SCENE_NS + 100_000 + u64::from(board) * 10_000);
    output(NOT_READY, false);
    let free_ns = now_ns();
    let line_free_ns = seen_ns(NOT_READY, true);
    say!("line free {} ns after mine", (line_free_ns - free_ns) / 1_000 * 1_000);

    // The token's wire leads to the next board only, and wakes it.
    write(FALLING, 1 << TOKEN_IN | 1 << ATTENTION);
    sleep_until(3 * SCENE_NS);
    if board == 0 {
        let begin_ns = now_ns();
        output(TOKEN_OUT, true);
        sleep_until(begin_ns + 100_000);
        output(ATTENTION, true);
        say!("token after {begin_ns}");
    } else {
        while read(EVENTS) == 0 {
            wait();
        }
        say!("woken by {:#x} at {}", read(EVENTS), now_ns());
    }

    // Two boards drive a line to different levels.
    sleep_until(4 * SCENE_NS);
    write(FALLING, 0);
    write(EVENTS, u32::MAX);
    match board {
        0 => write(SET, 1 << FIRST_DATA),
        _ => write(CLEAR, 1 << FIRST_DATA),
    }
    if board < 2 {
        output(FIRST_DATA, true);
    }
    sleep_until(5 * SCENE_NS);
    // A core that ends releases everything.
    if board == 0 {
        exit(0);
    }
    sleep_until(6 * SCENE_NS);
    say!("attention {} then", high(ATTENTION));
    exit(0)
}

/// The three-wire handshake of the bus, from board 0 to all others, for a while.
pub fn shake(board: u32) -> ! {
    const WORDS: u32 = 200;
    let mut hash = 0u64;
    sleep_until(SCENE_NS);
    if board != 0 {
        output(NOT_ACCEPTED, true);
    }
    sleep_until(2 * SCENE_NS);
    for word in 0..WORDS {
        if board == 0 {
            write(SET, word << FIRST_DATA);
            write(CLEAR, (!word & 0xff) << FIRST_DATA);
            (FIRST_DATA..FIRST_DATA + 8).for_each(|pin| output(pin, true));
            seen_ns(NOT_READY, true);
            output(STROBE, true);
            let accepted_ns = seen_ns(NOT_ACCEPTED, true);
            output(STROBE, false);
            seen_ns(NOT_ACCEPTED, false);
            hash = (hash ^ accepted_ns).wrapping_mul(0x100_0000_01b3);
        } else {
            let strobe_ns = seen_ns(STROBE, false);
            let heard = read(LEVELS) >> FIRST_DATA & 0xff;
            assert!(heard == word, "heard {heard}, not {word}");
            output(NOT_READY, true);
            output(NOT_ACCEPTED, false);
            seen_ns(STROBE, true);
            output(NOT_ACCEPTED, true);
            output(NOT_READY, false);
            hash = (hash ^ strobe_ns).wrapping_mul(0x100_0000_01b3);
        }
    }
    say!("board {board} done at {} ns, hash {hash:016x}", now_ns());
    exit(0)
}

//! Has numbers in the floating-point registers while others run, and in those of a child: for tests.
//!
//! `floats`: the child is one of `fork`. `floats BOARD`: it runs on that board. Exits with 1 if a register has changed.
#![no_std]
#![no_main]

use core::arch::asm;
use renga_userland::process::exit_code;
use renga_userland::syscall::{exit, plain, wait};
use renga_userland::text::parse;
use renga_userland::{ProgramArguments, program};

program!(main);

const GETPID: usize = 172;
const CLONE: usize = 220;
const FORK_ON: usize = 1000;
const SIGCHLD: isize = 17;
/// Children, one after the other.
const ROUNDS: u64 = 3;
/// Two instructions each: longer than a time slice while others wait.
const ITERATIONS: u64 = 5_000_000;
/// Where FPCR has the way of rounding.
const ROUNDING_SHIFT: u32 = 22;

/// All that a program computes with.
#[derive(Clone, Copy, PartialEq, Eq)]
struct FloatRegisters {
    vectors: [u64; 64],
    control: u64,
}

impl FloatRegisters {
    /// Values that differ for each `number`.
    fn of(number: u64) -> FloatRegisters {
        let word = |place| (number << 6 | place as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        FloatRegisters { vectors: core::array::from_fn(word), control: (number % 4) << ROUNDING_SHIFT }
    }
}

fn main(arguments: ProgramArguments) -> i32 {
    let board = arguments.get(1).and_then(|text| parse(text.to_bytes()));
    let (call, argument) = board.map_or((CLONE, SIGCHLD), |board| (FORK_ON, board as isize));
    let own = plain(GETPID, [0, 0, 0]).unwrap_or(0) as u64;
    for round in 0..ROUNDS {
        let before = FloatRegisters::of(own * ROUNDS + round);
        let (made, after) = fork_and_compute(call, argument, before);
        let whole = before == after;
        match made {
            0 => exit(i32::from(!whole)),
            1.. if whole && wait(made as i32, 0).is_ok_and(|(_, status)| exit_code(status) == 0) => {}
            _ => return 1,
        }
    }
    0
}

/// Makes a child between loading all registers and computing for a while; its number, 0 there, and what they are then.
fn fork_and_compute(call: usize, argument: isize, before: FloatRegisters) -> (isize, FloatRegisters) {
    let mut after = FloatRegisters { vectors: [0; 64], control: 0 };
    let made: isize;
    // SAFETY: reads and writes 512 bytes that are ours; compiled code uses none of these registers; the call takes no
    // address.
    unsafe {
        asm!(
            ".arch_extension fp",
            ".arch_extension simd",
            "msr fpcr, {control}",
            "ld1 {{v0.2d-v3.2d}}, [{from}], #64",
            "ld1 {{v4.2d-v7.2d}}, [{from}], #64",
            "ld1 {{v8.2d-v11.2d}}, [{from}], #64",
            "ld1 {{v12.2d-v15.2d}}, [{from}], #64",
            "ld1 {{v16.2d-v19.2d}}, [{from}], #64",
            "ld1 {{v20.2d-v23.2d}}, [{from}], #64",
            "ld1 {{v24.2d-v27.2d}}, [{from}], #64",
            "ld1 {{v28.2d-v31.2d}}, [{from}], #64",
            "svc #0",
            "2: subs {iterations}, {iterations}, #1",
            "b.ne 2b",
            "st1 {{v0.2d-v3.2d}}, [{to}], #64",
            "st1 {{v4.2d-v7.2d}}, [{to}], #64",
            "st1 {{v8.2d-v11.2d}}, [{to}], #64",
            "st1 {{v12.2d-v15.2d}}, [{to}], #64",
            "st1 {{v16.2d-v19.2d}}, [{to}], #64",
            "st1 {{v20.2d-v23.2d}}, [{to}], #64",
            "st1 {{v24.2d-v27.2d}}, [{to}], #64",
            "st1 {{v28.2d-v31.2d}}, [{to}], #64",
            "mrs {control}, fpcr",
            control = inout(reg) before.control => after.control,
            from = inout(reg) before.vectors.as_ptr() => _,
            to = inout(reg) after.vectors.as_mut_ptr() => _,
            iterations = inout(reg) ITERATIONS => _,
            inlateout("x0") argument => made,
            in("x1") 0, in("x2") 0, in("x3") 0, in("x4") 0, in("x5") 0, in("x8") call,
            options(nostack),
        );
    }
    (made, after)
}

//! The programs of P5's experiments, which place themselves on cores:
//!
//! - `p5 loops INSTRUCTIONS CORE...`: a process on each of these cores computes; how long each took;
//! - `p5 reads LABEL FILE BLOCKS FILE2 BLOCKS2 ROUND READS COMPUTED LOAD PAUSE CORE CORE2 REPEATS`: AP1 and the load
//!   process on CORE, AP2 on CORE2 (`-`: there is none); reads of 4 KiB, AP1's of the BLOCKS of FILE and AP2's of the
//!   BLOCKS2 of FILE2, each block once and in no order, COMPUTED instructions before each, LOAD instructions between
//!   the load's pauses of PAUSE ns (0: no load); how long AP1 took for READS, each of REPEATS times. The first of these
//!   is round ROUND: no two rounds read the same blocks.
//!
//! Linux system calls only, so that the same file measures Linux on the same board. An instruction of its computation
//! takes what the machine says; nothing here is calibrated.
#![no_std]
#![no_main]

mod children;
mod computation;
mod line;
mod loops;
mod reads;

use renga_userland::text::{Decimal, complain, parse};
use renga_userland::{Errno, ProgramArguments, program};

program!(main);

/// What failed.
type Outcome = Result<(), (&'static str, Errno)>;

const USAGE: &[u8] =
    b"usage: p5 loops INSTRUCTIONS CORE... | reads LABEL FILE BLOCKS FILE2 BLOCKS2 ROUND READS COMPUTED LOAD PAUSE CORE CORE2 REPEATS\n";
const EINVAL: Errno = Errno(22);

fn main(arguments: ProgramArguments) -> i32 {
    let number = |index: usize| arguments.get(index).and_then(|word| parse(word.to_bytes()));
    let outcome = match arguments.get(1).map(|word| word.to_bytes()) {
        Some(b"loops") => loops::run(number(2).unwrap_or(0), (3..arguments.count()).filter_map(number)),
        Some(b"reads") => {
            reads::ReadsExperiment::read(&arguments).ok_or(("its arguments", EINVAL)).and_then(|it| it.run())
        }
        _ => Err(("its arguments", EINVAL)),
    };
    let Err((what, errno)) = outcome else { return 0 };
    complain(&[b"p5: ", what.as_bytes(), b" failed: ", Decimal::new(errno.0.into()).digits(), b"\n", USAGE]);
    1
}

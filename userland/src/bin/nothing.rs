//! Ends at once with status 0: the least program, for measuring what any program costs.
#![no_std]
#![no_main]

use renga_userland::{ProgramArguments, program};

program!(main);

fn main(_: ProgramArguments) -> i32 {
    0
}

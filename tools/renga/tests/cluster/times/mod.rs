//! Durations, and shares of a board: virtual time, instructions, shares, the kernel's stack.

mod idle;
mod shares;
mod stack;
mod time;
mod unix;

//! Futexes: who waits for which word of memory ([`futexes`]), in the order in which they came ([`WaitQueue`]).
//!
//! A word of a private mapping is kept by the board of its program, one of a file by the file's board, so that programs
//! on all boards meet there. Not here: reading the word, waiting (the program's slot, and the clock of its board).
#![no_std]
#![forbid(unsafe_code)]

mod queue;
mod server;

pub use queue::{FutexWait, WaitQueue};
pub use server::futexes;

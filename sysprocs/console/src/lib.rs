//! Terminals: the console, on the UART of the board that has it, and pseudo-terminals.
//!
//! [`console`] and [`terminals`] are the processes, [`termios`] the settings as Linux lays them out, `line` the line
//! discipline of both, which never waits. Not here: delivery of signals (the keyboard process and writers of masters
//! request them), line editing beyond erase, which shells do.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod line;
mod master_queue;
mod output;
mod pair;
mod pairs;
mod server;
pub mod termios;
mod window;

pub use line::InputQueue;
pub use master_queue::PairMemory;
pub use pair::TerminalPair;
pub use pairs::terminals;
pub use server::console;

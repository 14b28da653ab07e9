//! The console: one terminal on the UART of the board that has it.
//!
//! [`console`] is the process, [`termios`] the settings as Linux lays them out, `line` the line discipline, which
//! never waits. Not here: delivery of signals (the keyboard process requests them), line editing beyond erase, which
//! shells do.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod line;
mod output;
mod server;
pub mod termios;
mod window;

pub use server::console;

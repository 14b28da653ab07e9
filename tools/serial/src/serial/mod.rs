//! Real boards' serial lines: consoles and logs of several boards at once.
//!
//! **Tried with pseudo-terminals; no adapter and no board has been connected yet.** Not here: the emulated boards'
//! consoles (`session`), the command (`command::console`).

mod lines;
mod port;

pub use lines::Interleaver;
pub use port::{Input, RATE_BPS, SerialPort, listen};

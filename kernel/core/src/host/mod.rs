//! Processes inside a host program: one board, and the cores of one board interleaved.
//!
//! Not here: simulated devices (`tools/sim`).

mod board;
pub mod interleaved;
#[doc(hidden)]
pub mod refusals;

pub use board::HostBoard;

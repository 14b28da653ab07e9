//! The token protocol on an abstract bus of two to four boards, whose lines, frames and times are those
//! of the wires in their order of sizes. Each board runs the real `renga_mac::Mac`.

mod board;
mod bus;
mod check;

pub use board::{Board, Talk};
pub use bus::{Change, World};
pub use check::{DOUBLED_TICKS, Found, RECOVERY_TICKS, Search, search};

//! The token protocol on an abstract bus of two to four boards, whose lines, frames and times are those
//! of the wires in their order of sizes. Each board runs the real `renga_mac::Mac`.

mod board;
mod bus;
mod check;

pub use board::{TokenBoard, TokenTalk};
pub use bus::{TokenChange, TokenWorld};
pub use check::{DOUBLED_TICKS, RECOVERY_TICKS, TokenFound, TokenSearch, search};

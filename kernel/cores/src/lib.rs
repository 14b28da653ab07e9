//! What crosses from one core of a board to another: letters, signals, the bell that wakes whoever sleeps,
//! and where a call is meanwhile.
//!
//! Invariant: what is in a letter is reached by one core at a time, by whoever has its [`Held`]; it goes to another
//! core by [`Inbox::post`] alone, where [`Inbox::take`] hands it out. Nothing is copied and nothing allocated: an inbox
//! is as long as there are letters, which boot makes. All `unsafe` is in `letter.rs`. Not here: processes
//! (`kernel/core`), how a bell is rung (`board-rpi`). Decision 0065; every interleaving of these files, and of mistakes
//! in them, is searched by `tools/races`.
#![no_std]

mod inbox;
mod letter;
mod signal;
mod whereabouts;

pub use inbox::{Bell, Inbox};
pub use letter::{Held, Letter};
pub use signal::Signal;
pub use whereabouts::Whereabouts;

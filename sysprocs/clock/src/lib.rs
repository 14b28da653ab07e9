//! The clock of a board: calendar time, sleeping that a signal can end, and the timers of the board's programs.
//!
//! Invariant: a sleeper is answered at its time or when interrupted, whichever is first; a timer's signal is sent at its
//! time. Time comes from the board's own timer; calendar time is that plus an offset, which starts at a value that the
//! system's configuration fixes, so that runs repeat; who waits for calendar time follows when it is set. Programs wait here
//! for one of several things too: who has one that becomes ready has them woken. Beside it are what programs read
//! of time and of each other without bytes: event files ([`events`]). Not here: time slices of user programs, what is ready.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod due;
mod events;
mod server;
mod timers;
mod waker;

pub use due::DuePlace;
pub use events::{EventPlace, WatchPlace, events};
pub use server::{Sleeper, SlotWait, clock};
pub use timers::Timer;
pub use waker::waker;

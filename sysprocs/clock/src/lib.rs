//! The clock of a board: calendar time, cancellable sleeps, and the timers of the board's programs.
//!
//! Invariant: a sleeper is answered at its time or at its cancellation, whichever comes first; a timer's signal is sent
//! at its time. Calendar time is the board's timer plus an offset, which starts at a configured value, so that runs
//! repeat. A program that waits for one of several things waits here too, until an object's server has it woken
//! ([`waker`]). Event files ([`events`]) are served beside it. Not here: time slices of programs, readiness.
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
pub use events::{EventPlace, InodeWatch, NoticeMemory, NoticePlace, WatchPlace, events};
pub use server::{Sleeper, SlotWait, clock};
pub use timers::Timer;
pub use waker::waker;

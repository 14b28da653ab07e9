//! What crosses from one core of a board to another: letters, signals, the bell that wakes whoever sleeps,
//! and where a call is meanwhile.
//!
//! Invariant: what is in a letter is reached by one core at a time, by whoever has its [`Held`]; it goes to another
//! core by [`Inbox::post`] alone, where [`Inbox::take`] hands it out. Nothing is copied and nothing allocated: an inbox
//! is as long as there are letters, which boot makes. All `unsafe` is in `letter.rs`. Not here: processes
//! (`kernel/core`), how a bell is rung (`board-rpi`); why: docs/design/rendezvous-and-cores.md. Every interleaving of these files, and of mistakes
//! in them, is searched by `tools/races`.
#![no_std]

mod call_location;
mod event_flags;
mod frame_borrow;
mod frame_state;
mod mailbox;
mod message;
mod spin_lock;

pub use call_location::Whereabouts;
pub use event_flags::Signal;
pub use frame_borrow::{Exclusive, Shared};
pub use frame_state::{FrameState, Kind, Refused, Use, wait};
pub use mailbox::{Bell, Inbox};
pub use message::{Held, Letter};
pub use spin_lock::SpinLock;

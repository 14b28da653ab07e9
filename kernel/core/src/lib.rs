//! The kernel without hardware: processes, rendezvous, ready queue, timers, notifications, probes.
//!
//! Invariant: no statics and no allocation; all state is in one [`Core`] per processor core and the
//! headers of its processes, so that many kernels fit into one host program. All `unsafe` is in
//! `rendezvous.rs`, `remote.rs`, `user.rs` and `probe.rs` (and the host harness). Not here: traps, interrupts'
//! sources and page tables (`arch-aarch64`, `board-rpi`), other boards (`sysprocs/router`).
#![cfg_attr(not(feature = "host"), no_std)]

pub mod account;
pub mod address;
pub mod api;
mod arena;
mod call_queue;
#[cfg(feature = "host")]
pub mod events;
pub mod forward;
#[cfg(feature = "host")]
pub mod host;
#[cfg(feature = "host")]
pub mod interleaved;
pub mod log;
pub mod notification;
pub mod probe;
pub mod process;
pub mod protocol;
mod queue;
pub mod raw;
pub mod ready;
pub mod remote_call;
pub mod remote_run_queue;
pub mod rendezvous;
pub mod ring_buffer;
mod timer;
pub mod user;

pub use address::{Address, Members};
pub use api::{ALL_ENTRIES, Accept, Call, CallFuture, Caller, Client, Family, Local, Port};
pub use arena::Arena;
pub use call_queue::CallQueue;
pub use forward::{Forward, ForwardFamily};
#[doc(hidden)]
pub use pastey::paste;
pub use process::{Me, Process, WORDS, Wait};
pub use protocol::{Entry, Lends, Protocol};
pub use ready::Core;
pub use renga_abi::{InWords, Word, in_words, word_enum};

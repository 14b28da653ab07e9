//! The kernel without hardware: processes, rendezvous, ready queue, timers, notifications, probes.
//!
//! Layers, of which each uses only those before it: `types` (data), `sched` (one core), `ipc` (calls), `user`
//! (programs), `smp` (several cores), `api` (rights); `host` runs all of it inside a host program.
//!
//! Invariant: no statics and no allocation; all state is in one [`Core`] per processor core and the headers of its
//! processes, so that many kernels fit into one host program. Not here: traps, interrupts' sources and page tables
//! (`arch-aarch64`, `board-rpi`), other boards (`sysprocs/router`).
#![cfg_attr(not(feature = "host"), no_std)]

mod api;
#[cfg(feature = "host")]
pub mod host;
mod ipc;
mod sched;
mod smp;
mod types;
mod user;

#[cfg(feature = "host")]
pub use host::interleaved;
pub use ipc::{CallQueue, notification, protocol, raw, rendezvous};
pub use sched::account;
pub use smp::{remote_call, remote_run_queue};
#[cfg(feature = "host")]
pub use types::events;
pub use types::probe;
pub use user::time_slice as user_slice;

pub use api::rights::{Notifier, WaitCanceller};
pub use ipc::address::{Address, Members};
pub use ipc::forward::{Forward, ForwardFamily};
pub use ipc::protocol::{Entry, Lends, Protocol};
pub use ipc::typed::{ALL_ENTRIES, Accept, Call, CallFuture, Caller, Client, Family, Local, Port};
#[doc(hidden)]
pub use pastey::paste;
pub use renga_abi::{InWords, Word, WordCounts, in_word, in_words, word_enum};
pub use types::arena::Arena;
pub use types::state::{Core, CoreEndpoint, LINES, Log, Me, MessagePart, Process, SharedProcess, WORDS, Wait};
pub use types::state::{ProcessRef, WaitingProcess};

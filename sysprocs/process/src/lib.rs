//! User processes: the table of a board's processes, the slots that run them, the keyboard's signals.
//!
//! - [`procs`]: pids, parents, groups, waiting, pending signals, work for idle slots;
//! - [`user`]: runs one program at a time and carries out its system calls;
//! - [`keyboard`]: takes signals from the terminal to process groups on every board.
//!
//! Not here: address spaces (`renga-memory`), how the processor enters a program (`kernel`).
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod group_kill;
pub mod keyboard;
mod probes;
pub mod procs;
pub mod signals;
pub mod user;

pub use keyboard::keyboard;
pub use procs::queue::QueuedSignal;
pub use procs::rows::ProcessRow;
pub use procs::server::procs;
pub use procs::state::SlotUse;
pub use procs::table::RECORDS_MAX;
pub use user::{
    DESCRIPTORS_MAX, DescriptorSlot, IntegerProcessor, PATHS_BYTES, Processor, ProgramState, ThreadGroups, UserClients,
    UserFacts, user,
};

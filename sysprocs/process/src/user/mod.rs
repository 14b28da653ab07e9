//! The process of one user-process slot: it runs a program and carries out its system calls.
//!
//! Layers, each of which uses only those above it in this list:
//! - `state`: data of a program;
//! - `servers`: clients, and calls that need no program;
//! - `slot`: [`slot::User`], with the memory of its program;
//! - `facts`, `signals`, `memory`, `files`, `lifecycle`: the system calls, as methods of `User`;
//! - `dispatch`: the loop and the table of calls.
//!
//! Invariant: a failed system call is an errno, a failed program a signal; neither is a fault of the board. A program
//! moves as a process image (`state/process_image.rs`): fork makes one, and a free slot of any board takes it up.

mod dispatch;
mod facts;
mod files;
mod lifecycle;
mod memory;
mod servers;
mod signals;
mod slot;
mod state;
#[cfg(test)]
mod tests;

pub use dispatch::slot_loop::user;
pub use dispatch::table::IMPLEMENTED;
pub use servers::services::UserClients;
pub use slot::{IntegerProcessor, PATHS_BYTES, Processor};
pub use state::{DESCRIPTORS_MAX, DescriptorSlot, ProgramState, ThreadGroups, UserFacts};

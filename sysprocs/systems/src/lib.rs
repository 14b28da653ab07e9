//! Systems: the kinds of process that there are, what a placement of them is, and how a board boots from it.
//!
//! [`kinds`] is the one list: each kind's function, where it may be, and what it is given that its types do
//! not say. The placement tool checks the system files (`*.toml`, beside this crate's sources) against it; image
//! and simulator start a board's processes from it ([`start_all`]), each on its own [`Machine`].
//!
//! Not here: the rules of placement (`tools/placement`), the processes themselves.
#![no_std]
#![forbid(unsafe_code)]

pub mod blob;
mod boot;
mod capacity;
mod core_directory;
mod directory;
mod facts;
mod fields;
mod kinds;
mod link;
mod machine;
mod outline;
mod permits;
mod rule;
pub mod shared;
pub mod tables;
mod valid;

pub use boot::{Started, start_all, start_those};
pub use directory::Directory;
pub use facts::{FACTS, Facts, Place};
pub use kinds::Kind;
pub use machine::{Devices, Machine};
pub use renga_router::message_memory;
pub use rule::RuleText;
pub use valid::{CORES_MAX, POOL_SLOTS_MAX, PROCESSES_MAX, check};

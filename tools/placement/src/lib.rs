//! The placement tool: from a system file (TOML) to checked tables.
//!
//! [`parse`] reads the file into a [`SystemDescription`]; [`check`] compares it with the facts that the code
//! states about its process kinds ([`KindFacts`]) and either refuses it with one [`PlacementError`] or
//! returns a [`Checked`] system: every process with its [`renga_abi::ProcId`], the computed proxies, a proof that
//! no process can deadlock, and a bound on the memory for messages.
//!
//! Invariant: what `check` accepts can be booted as it is; nothing is left to be found out on a board.
//!
//! Not here: the facts themselves (they follow from the process functions' signatures, in
//! `sysprocs/systems`), link parameters and machine speed (profiles), and boot (`kernel/image`).
#![forbid(unsafe_code)]

mod checked;
mod code;
mod cores;
mod dot;
mod edges;
mod error;
mod facts;
mod forwards;
mod generate;
mod graph;
mod layout;
mod legend;
mod memory;
mod modes;
mod parse;
mod proxies;
mod reader;
mod system;
mod tables;
mod text;

pub use checked::{Checked, CheckedCall, Group, GroupPart, Instance, OnBehalfOf, check};
pub use code::code_kinds;
pub use error::PlacementError;
pub use facts::{BoardRule, KindFacts, PlacementProtocol, ProtocolUse, ServerChoice};
pub use generate::{GenerateError, SystemForm, generate};
pub use legend::What;
pub use memory::{MemoryShare, MessageMemory};
pub use parse::{SYSTEM_NAME_BYTES_MAX, parse};
pub use renga_systems::{CORES_MAX, POOL_SLOTS_MAX, PROCESSES_MAX};
pub use system::{
    AsyncPool, EdgeMode, MessageForm, On, ReleaseMode, SharedProxies, SystemBoard, SystemDescription, SystemPlace,
};

/// Proxies that the processes of one kind of a board may share on another.
pub const SHARED_PROXIES_MAX: u16 = 64;
/// Processes that carry out one board's asynchronous calls on another.
pub const POOL_PROXIES_MAX: u16 = 16;

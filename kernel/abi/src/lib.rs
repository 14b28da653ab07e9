//! The contract between the kernel, system processes and tools: identities, errors, accounts, values in words.
//!
//! Invariant: everything here is plain data with one meaning on every board. Not here: protocols
//! (`sysprocs/proto`), link frames (`netlink-hw/wire`).
#![no_std]
#![forbid(unsafe_code)]

pub mod account;
pub mod errno;
pub mod id;
pub mod lends;
pub mod log;
pub mod os_times;
pub mod pace;
pub mod policy;
pub mod user;
pub mod words;

pub use errno::Errno;
pub use id::{BoardId, ProcId};
pub use os_times::OsTimes;
pub use words::{InWords, Word, WordCounts};

/// Bytes of a page, of a file-system block and of the largest slice that a message lends.
pub const PAGE_BYTES: usize = 4096;
/// Boards that one cluster may have; the bus has as many acknowledgement lines.
pub const BOARDS_MAX: usize = 8;

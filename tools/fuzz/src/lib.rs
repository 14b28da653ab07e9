//! What hostile input is tried on: one function for each place where bytes come from outside.
//!
//! Invariant: a target returns for every input; a panic, a hang or a broken promise that it checks is a
//! bug of what it calls. A target gives the same answer for the same bytes, whatever ran before it. Not
//! here: where inputs come from: `libfuzzer` (makes them), `corpus` (keeps the interesting ones, which
//! `tests/corpus.rs` runs with every `cargo test`).
#![forbid(unsafe_code)]

pub mod elf;
pub mod frame;
pub mod fs;
pub mod memory;
pub mod placement;
pub mod recording;
pub mod router;
pub mod syscall;
pub mod tables;
pub mod trace;

/// A target.
pub struct Target {
    /// Its name: of its binary, and of its folder in `corpus`.
    pub name: &'static str,
    /// Tries one input.
    pub run: fn(&[u8]),
}

/// All of them.
pub const TARGETS: &[Target] = &[
    Target { name: "elf", run: elf::run },
    Target { name: "ext2", run: fs::ext2::run },
    Target { name: "frame", run: frame::run },
    Target { name: "path", run: fs::path::run },
    Target { name: "placement", run: placement::run },
    Target { name: "recording", run: recording::run },
    Target { name: "router", run: router::run },
    Target { name: "syscall", run: syscall::run },
    Target { name: "tables", run: tables::run },
    Target { name: "trace", run: trace::run },
];

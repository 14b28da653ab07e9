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
pub struct FuzzTarget {
    /// Its name: of its binary, and of its folder in `corpus`.
    pub name: &'static str,
    /// Tries one input.
    pub run: fn(&[u8]),
}

/// All of them.
pub const TARGETS: &[FuzzTarget] = &[
    FuzzTarget { name: "elf", run: elf::run },
    FuzzTarget { name: "ext2", run: fs::ext2::run },
    FuzzTarget { name: "frame", run: frame::run },
    FuzzTarget { name: "path", run: fs::path::run },
    FuzzTarget { name: "placement", run: placement::run },
    FuzzTarget { name: "recording", run: recording::run },
    FuzzTarget { name: "router", run: router::run },
    FuzzTarget { name: "syscall", run: syscall::run },
    FuzzTarget { name: "tables", run: tables::run },
    FuzzTarget { name: "trace", run: trace::run },
];

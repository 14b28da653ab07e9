//! Traces of runs: what happened on all boards and on the link, in one order, with exact virtual times.
//!
//! - [`event`]: what can happen;
//! - [`format`]: the file that `renga run --trace` writes (docs/reference/trace.md);
//! - [`header`]: who the boards and their processes are;
//! - [`decode`]: from a probe that the emulator saw to an event;
//! - [`calls`], [`cores`], [`summary`], [`path`], [`diff`], [`perfetto`]: what a trace says.
//!
//! Not here: how probes are seen (`tools/emu/plugin`), where they are (`kernel/core/src/probe.rs`).
#![forbid(unsafe_code)]

pub mod calls;
pub mod cores;
pub mod decode;
pub mod diff;
pub mod event;
pub mod format;
pub mod header;
pub mod path;
pub mod perfetto;
pub mod summary;

pub use decode::Decoder;
pub use event::{Event, Frame, Timed};
pub use format::{BadTrace, Reader, Writer};
pub use header::{Board, CallsFor, Header, ProcessKind, Protocol};

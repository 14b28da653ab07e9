//! Traces of runs: what happened on all boards and on the link, in one order, with exact virtual times.
//!
//! - [`event`]: what can happen;
//! - [`format`]: the file that `renga run --trace` writes (docs/reference/trace.md);
//! - [`header`]: the boards and their processes;
//! - [`decode`]: from a probe that the emulator saw to an event;
//! - [`follow`]: a trace that grows, read event by event;
//! - [`calls`], [`cores`], [`charges`], [`moment`]: which process waits, works and is idle at an instant, and for which
//!   account;
//! - [`figures`], [`meter`]: what has added up at an instant;
//! - [`phases`]: what happened between the marks of programs;
//! - [`snapshot`]: how things stand at an instant, as events;
//! - [`summary`], [`path`], [`diff`], [`perfetto`]: what a trace says.
//!
//! Not here: how probes are seen (`tools/emu/plugin`), where they are (`kernel/core/src/types/probe.rs`).
#![forbid(unsafe_code)]

pub mod calls;
pub mod charges;
pub mod cores;
pub mod decode;
pub mod diff;
pub mod event;
pub mod figures;
pub mod follow;
pub mod format;
pub mod header;
pub mod meter;
pub mod moment;
pub mod path;
#[cfg(feature = "perfetto")]
pub mod perfetto;
pub mod phases;
pub mod snapshot;
pub mod summary;
#[cfg(feature = "perfetto")]
mod system_call;

pub use decode::Decoder;
pub use event::{Timed, TraceEvent, TracedFrame};
pub use follow::{FollowStep, Follower};
pub use format::{BadTrace, TraceReader, TraceWriter};
pub use header::{CallsFor, ProcessKind, TraceBoard, TraceHeader, TracedProtocol};
#[cfg(feature = "perfetto")]
pub use system_call::system_call_name;

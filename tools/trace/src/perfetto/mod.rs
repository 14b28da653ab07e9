//! Export for the Perfetto UI: boards as processes there, their cores, programs and system processes as tracks, calls
//! as slices, and calls between boards as flows; the link as a track of frames, the disk as one of transfers; loads and
//! queues as counters; what takes no time as instants.
//!
//! - [`export`]: the whole;
//! - [`slices`]: slices and instants; [`counters`]: counters, with [`run_queue`];
//! - [`track`]: the tracks; [`message`]: the messages.
//!
//! Invariant: slices of a track are within each other or follow each other, packets are in the order of time, and a
//! track is described exactly if it has an event.

mod counters;
mod export;
mod message;
mod run_queue;
mod slices;
mod track;

pub use export::{encode, export};
pub use message::{
    CounterDescriptor, DebugAnnotation, PerfettoTrace, ProcessDescriptor, TracePacket, TrackDescriptor, TrackEvent,
};

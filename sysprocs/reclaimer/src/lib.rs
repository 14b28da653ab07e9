//! The reclaimer of a board (paper P3): has the page cache give frames back before there are none.
//!
//! - the *ordinary reclaimer*: woken when few frames are free, it frees small batches until there are enough;
//! - the *batcher*, if it is on: once a second it samples how many pages of files come in and how many frames are free,
//!   and frees one large batch at once, so that the ordinary reclaimer has nothing to do.
//!
//! Invariant: while frames are not short and the batcher is off it waits without an alarm. Not here: which pages go
//! (`renga_pages`), who wakes it (`renga_memory`), files and commands.
#![no_std]
#![forbid(unsafe_code)]

#[cfg(test)]
extern crate std;

mod machine;
mod server;
mod settings;
mod text;

pub use machine::{MemorySample, ReclaimMachine, ReclaimStep, ReclaimWork, WorkCounts};
pub use server::{ReclaimerClients, reclaimer};
pub use settings::{ReclaimSettings, ReclaimThreshold};

//! The map of synchronous against asynchronous calls: message size by boards, callers and the link's rate. Beyond the
//! paper, which has one point of it.
//!
//! - [`point`]: a cluster, so many callers, a rate: two runs of a small C program (`writer.c`), which the run compiles;
//! - [`cell`]: the times of a size there in both modes, and the winner; [`fitted`]: software and wire separated by the
//!   rate;
//! - [`law`]: what a call takes in either mode by its stages, fitted on few cells and judged on the others;
//! - [`explanation`]: where and why, in sentences; [`drawing`]: the same as tables and as a picture;
//! - [`row`]: all of that as a row.
//!
//! The calls are `inode.WriteAt` of boards without leases: each carries data, and returns nothing. Not here: running,
//! pixels.

mod cell;
mod drawing;
mod explanation;
mod fitted;
mod law;
mod point;
mod row;
#[cfg(test)]
pub(crate) mod support;

pub use row::ROW;

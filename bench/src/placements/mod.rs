//! Which of several jobs should run on which of two boards: predicted from what each takes alone, and measured. Beyond
//! the paper, which spreads by hand.
//!
//! - [`job`]: the jobs, each alone and all together as scripts; [`placement`]: the board of each job, and the search
//!   for the best;
//! - [`demand`]: what a job alone took of each core, of the wire and of the disk, and when, from its trace;
//! - [`queueing`]: how long jobs with such demands take together;
//! - [`comparison`]: predictions beside what was measured;
//! - [`row`]: all of that as a row.
//!
//! Not here: moving programs while they run, and running anything.

mod comparison;
mod demand;
mod job;
mod placement;
mod queueing;
mod row;
#[cfg(test)]
pub(crate) mod support;

pub use row::ROW;

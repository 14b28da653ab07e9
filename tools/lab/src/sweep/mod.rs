//! Sweeps: many independent runs, each named by its content, carried out wherever there are cores; what is done is
//! never done again.
//!
//! - [`Sweep`]: its jobs, which of them are done, how one is carried out; [`of_runs`], [`seeds`], [`chaos`]: those
//!   there are;
//! - [`here`]: by the cores of this machine; [`slurm`]: by the machines of a cluster, as an array of tasks;
//! - [`kept`]: results as files that are there in full or not at all.
//!
//! Invariant: a job's result depends on its name alone, so any worker, in any order and after any
//! failures of workers, leaves the same files. Not here: the command (`command::sweep`), what a run is.

mod chaos;
mod here;
mod job;
mod kept;
mod of_runs;
mod remaining;
mod seeds;
mod slurm;

pub use chaos::Chaos;
pub use here::carry_out;
pub use job::{Job, Sweep, missing};
pub use kept::Kept;
pub use of_runs::{OfRow, OfRuns};
pub use seeds::{Seeds, SeedsChoice};
pub use slurm::Slurm;

//! The programs of the page's clusters: a small shell as init, and its commands.
//!
//! Invariant: whatever fails, init goes on. Not here: how closures become programs (`renga_sim::program`).

mod commands;
mod shell;

pub use commands::COMMANDS;

use renga_sim::program::SimPrograms;
use renga_sim::system::INIT;

/// All of them.
pub fn programs() -> SimPrograms {
    let programs = SimPrograms::default();
    programs.add(INIT, shell::shell);
    programs
}

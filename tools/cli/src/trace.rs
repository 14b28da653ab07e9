//! `renga trace`: options.

use clap::Args;
use std::path::PathBuf;

/// `renga trace`
#[derive(Args, Debug, Clone)]
pub struct Trace {
    /// What `renga run --trace` wrote
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Write it for the Perfetto UI (ui.perfetto.dev)
    #[arg(long, value_name = "FILE", group = "what")]
    pub perfetto: Option<PathBuf>,
    /// Draw what the longest system call waited for, or the longest with this number, or a program: b:3, of user process 3
    /// of board b
    #[arg(long, value_name = "longest|NUMBER|BOARD:PROCESS", group = "what")]
    pub path: Option<String>,
    /// Who waits for whom at this virtual time
    #[arg(long, value_name = "NANOSECONDS", group = "what")]
    pub waits: Option<u64>,
    /// Where another trace parts from this one, and what it has more of; exit with 1 if they differ
    #[arg(long, value_name = "FILE", group = "what")]
    pub diff: Option<PathBuf>,
}

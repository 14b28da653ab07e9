//! `renga trace`: options.

use clap::Args;
use std::path::PathBuf;

/// `renga trace`
#[derive(Args, Debug, Clone)]
pub struct TraceArgs {
    /// What `renga run --trace` wrote
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Write it for the Perfetto UI (ui.perfetto.dev)
    #[arg(long, value_name = "FILE", group = "what")]
    pub perfetto: Option<PathBuf>,
    /// Draw the waits of the longest system call, of the longest with this number, or of a program: b:3 is user process
    /// 3 of board b
    #[arg(long, value_name = "longest|NUMBER|BOARD:PROCESS", group = "what")]
    pub path: Option<String>,
    /// List the processes that wait at this virtual time, and for which
    #[arg(long, value_name = "NANOSECONDS", group = "what")]
    pub waits_at_ns: Option<u64>,
    /// Compare with another trace: the first difference, and counts; exit with 1 if they differ
    #[arg(long, value_name = "FILE", group = "what")]
    pub diff: Option<PathBuf>,
    /// Write the summary as JSON into this file, or print that instead of the text
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    #[arg(group = "what")]
    pub json: Option<PathBuf>,
}

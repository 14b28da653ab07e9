//! `renga view`: options.

use clap::Args;
use std::path::PathBuf;

/// `renga view`
#[derive(Args, Debug, Clone)]
pub struct ViewArgs {
    /// What `renga run --trace` wrote
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The page's file; without it, the trace's name and `.html`
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Show this trace beside it, and what differs
    #[arg(long, value_name = "FILE")]
    pub diff: Option<PathBuf>,
    /// Overwrite the page
    #[arg(long)]
    pub force: bool,
}

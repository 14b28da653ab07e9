//! `renga linux`: options.

use super::Job;
use clap::Args;

/// `renga linux`
#[derive(Args, Debug, Clone)]
pub struct Linux {
    /// What runs, from which disk.
    #[command(flatten)]
    pub job: Job,
    /// Show what Linux says while it starts and stops, on standard error
    #[arg(long)]
    pub log: bool,
    /// End it after so many seconds of this machine
    #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
    pub limit_s: u64,
}

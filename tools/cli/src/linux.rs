//! `renga linux`: options.

use super::Job;
use clap::Args;

/// `renga linux`
#[derive(Args, Debug, Clone)]
pub struct Linux {
    /// What runs, from which disk.
    #[command(flatten)]
    pub job: Job,
    /// Cores for programs; several run side by side, as on the board
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=4))]
    pub cores: u8,
    /// Add a disk without content, /dev/nullb0, each of whose requests is done so many nanoseconds after it came
    #[arg(long, value_name = "NS")]
    pub null_disk: Option<u32>,
    /// Let Linux use so much of the board's memory, MiB
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u16).range(64..=1024))]
    pub memory_mib: Option<u16>,
    /// Say at the end how much virtual and real time it took, and the run's hash; with several cores
    #[arg(long)]
    pub stats: bool,
    /// Show what Linux says while it starts and stops, on standard error
    #[arg(long)]
    pub log: bool,
    /// End it after so many seconds of this machine
    #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
    pub limit_s: u64,
}

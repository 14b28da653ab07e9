//! `renga linux`: options.

use super::ScriptOptions;
use clap::Args;

/// `renga linux`
#[derive(Args, Debug, Clone)]
pub struct LinuxArgs {
    /// What runs, from which disk.
    #[command(flatten)]
    pub job: ScriptOptions,
    /// Cores for programs
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=4))]
    pub cores: u8,
    /// Add a disk without content, /dev/nullb0, whose requests complete after this time
    #[arg(long, value_name = "NANOSECONDS")]
    pub null_disk_ns: Option<u32>,
    /// Each request of the card takes this time, instead of none; its content is in memory meanwhile
    #[arg(long, value_name = "MICROSECONDS", requires = "card_mb_s", conflicts_with = "memory_mib")]
    pub card_us: Option<u32>,
    /// And all of them together pass so many bytes
    #[arg(long, value_name = "MB_PER_SECOND", requires = "card_us", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub card_mb_s: Option<u32>,
    /// The memory of the board that Linux uses
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u16).range(64..=1024))]
    pub memory_mib: Option<u16>,
    /// Say at the end how much virtual and real time it took, and the run's hash; with several cores
    #[arg(long)]
    pub stats: bool,
    /// Show what Linux says while it starts and stops, on standard error
    #[arg(long)]
    pub log: bool,
    /// Give up after this much time of this machine
    #[arg(long, value_name = "SECONDS", default_value_t = 3600)]
    pub host_limit_s: u64,
}

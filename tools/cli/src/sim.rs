//! `renga sim`: options.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `renga sim`
#[derive(Args, Debug, Clone)]
pub struct Sim {
    /// Number of seeds to run
    #[arg(long, default_value_t = 1000, value_name = "N")]
    pub seeds: u64,
    /// The first seed
    #[arg(long, default_value_t = 1, value_name = "SEED")]
    pub first: u64,
    /// Seeds at a time [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Levels to run
    #[arg(long, value_enum, default_value_t = SimLevel::Both)]
    pub level: SimLevel,
    /// Number of boards [default: by the seed]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(2..=8))]
    pub boards: Option<u8>,
    /// Run this seed alone, and print every detail if it fails
    #[arg(long, value_name = "SEED")]
    pub replay: Option<u64>,
    /// Cut the power at each event of this seed's system: the disk's board at each write, each other board at each
    /// frame; at most `--seeds` points of each kind, spread evenly
    #[arg(long, value_name = "SEED", conflicts_with_all = ["replay", "json"])]
    pub crash: Option<u64>,
    /// Leave out parts of the runs, as a report of a failure says
    #[arg(long, default_value = "", hide_default_value = true, value_name = "PARTS")]
    pub cut: String,
    /// With `--replay`: search for the smallest part that still fails
    #[arg(long)]
    pub shrink: bool,
    /// Stop after this number of failures
    #[arg(long, default_value_t = 5, value_name = "N")]
    pub failures: usize,
    /// Print the result of each seed
    #[arg(short, long)]
    pub verbose: bool,
    /// Write the figures and the failures as JSON into this file, or print them; they depend on the seeds alone
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    pub json: Option<PathBuf>,
    /// Build a page in this folder that runs a cluster in a browser, and print its path [default:
    /// target/renga/simulator]
    #[arg(long, value_name = "DIR", num_args = 0..=1, require_equals = true, exclusive = true)]
    pub browser: Option<Option<PathBuf>>,
    /// Be a worker: print results as JSON lines
    #[arg(long, hide = true)]
    pub worker: bool,
}

/// Levels of the simulator.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum SimLevel {
    /// Calls between boards
    Link,
    /// Whole systems: also disk, files and programs
    System,
    /// Of ten seeds one is of the system
    Both,
}

//! `renga sweep`: options.

use super::{BenchProfiles, SimLevel};
use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `renga sweep`
#[derive(Args, Debug, Clone)]
#[command(after_help = AFTER)]
pub struct SweepArgs {
    /// Of what.
    #[command(subcommand)]
    pub of: SweepOf,
    /// Where.
    #[command(flatten)]
    pub by: SweepPlace,
}

const AFTER: &str = "Examples:
  ./renga sweep map --profile pi3                         the runs of the map, by the cores of this machine
  ./renga sweep seeds --level system --seeds 100000 --slurm
                                                          seeds of the simulator, as an array of jobs
  ./renga sweep chaos --slurm --sbatch=--partition=night  with an option for sbatch
  ./renga sweep map --print                               a command for each run without a result, for other engines

Exit status: 0 all results are there and good; 1 a seed failed; 125 some jobs failed.";

/// What is swept.
#[derive(Subcommand, Debug, Clone)]
pub enum SweepOf {
    /// The runs of `renga bench map`
    Map(BenchProfiles),
    /// The runs of `renga bench p1`
    P1 {
        /// Rows, as in T1 or P1.T1 [default: all]
        #[arg(value_name = "ROW")]
        rows: Vec<String>,
        /// With which machine.
        #[command(flatten)]
        profiles: BenchProfiles,
    },
    /// Seeds of the simulator, as of `renga sim`
    Seeds {
        /// Levels to run
        #[arg(long, value_enum, default_value_t = SimLevel::Both)]
        level: SimLevel,
        /// The first seed
        #[arg(long, default_value_t = 1, value_name = "SEED")]
        first: u64,
        /// How many
        #[arg(long, default_value_t = 10_000, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        seeds: u64,
        /// Seeds of one job
        #[arg(long, default_value_t = 500, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        block: u64,
    },
    /// Seeds of link faults and deaths on booted boards, as of `renga run --chaos`, checked as by the tests
    Chaos {
        /// The first seed
        #[arg(long, default_value_t = 50, value_name = "SEED")]
        first: u64,
        /// How many
        #[arg(long, default_value_t = 200, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
        seeds: u64,
    },
}

/// Where a sweep runs.
#[derive(Args, Debug, Clone)]
pub struct SweepPlace {
    /// Jobs at a time, on this machine [default: the number of cores]
    #[arg(long, global = true, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Hand the jobs to Slurm as an array, and wait for them; all machines must see this folder
    #[arg(long, global = true, conflicts_with_all = ["jobs", "print"])]
    pub slurm: bool,
    /// An option for sbatch (may be repeated), as in --sbatch=--partition=night
    #[arg(long, global = true, value_name = "OPTION", requires = "slurm", allow_hyphen_values = true)]
    pub sbatch: Vec<String>,
    /// Print the commands of the jobs without results, one a line
    #[arg(long, global = true, conflicts_with = "jobs")]
    pub print: bool,
    /// Folder for results [default: that of `renga bench` and other sweeps]
    #[arg(long, global = true, value_name = "FOLDER")]
    pub results: Option<PathBuf>,
    /// Carry out this job alone
    #[arg(long, global = true, value_name = "KEY", hide = true, conflicts_with_all = ["jobs", "slurm", "print"])]
    pub job: Option<String>,
}

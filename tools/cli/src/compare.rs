//! `renga bench compare`: options.

use super::{ClusterArgs, ImageChoice};
use clap::Args;
use std::path::PathBuf;

/// `renga bench compare`
#[derive(Args, Debug, Clone)]
#[command(after_help = AFTER)]
pub struct CompareArgs {
    /// The system and the machine where nothing varies.
    #[command(flatten)]
    pub machine: ClusterArgs,
    /// The load: a shell script, which `sh` runs on the disk's board. A word that it, or any program, writes to
    /// /proc/renga/mark begins a phase
    #[arg(short = 'f', value_name = "FILE")]
    pub file: PathBuf,
    /// What varies (may be repeated: all combinations run): mode=sync,async, system=NAME,NAME, seed=1,2 or a parameter
    /// of the machine, as in link.rate_mbit_s=1,18
    #[arg(long, value_name = "KEY=VALUE,...")]
    pub vary: Vec<String>,
    /// Run each combination with the load at N offsets of up to 5 s, drawn from the seed; rows give median, least, most
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub phases: u16,
    /// Runs at a time [default: the number of cores]; the results are the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Hand the runs to Slurm as an array, and wait for them; all machines must see this folder
    #[arg(long, conflicts_with = "jobs")]
    pub slurm: bool,
    /// An option for sbatch (may be repeated), as in --sbatch=--partition=night
    #[arg(long, value_name = "OPTION", requires = "slurm", allow_hyphen_values = true)]
    pub sbatch: Vec<String>,
    /// Folder for compare.json, compare.csv, compare.svg, compare.md and compare.html
    #[arg(long, short, value_name = "FOLDER")]
    pub out: PathBuf,
    /// Copy this file or folder of the host into /host on the disk (may be repeated)
    #[arg(long, value_name = "PATH")]
    pub put: Vec<PathBuf>,
    /// What is on the disk.
    #[command(flatten)]
    pub image: ImageChoice,
    /// Carry out this run alone
    #[arg(long, value_name = "KEY", hide = true, conflicts_with_all = ["jobs", "slurm"])]
    pub job: Option<String>,
}

const AFTER: &str = "Examples:
  ./renga bench compare -f work.sh --vary mode=sync,async --out results
  ./renga bench compare -f work.sh --system mine.toml --vary mode=sync,async --vary link.rate_mbit_s=1,4,18,100 \\
      --phases 8 --put program.c --image dev --out results

A run that was made is kept under the sum of all that it depends on: a second call makes only what is missing.";

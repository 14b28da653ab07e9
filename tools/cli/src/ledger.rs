//! `renga bench p1`, `renga bench map`, `renga bench diff`, `renga bench report`: options.

use super::BenchProfiles;
use clap::Args;
use std::path::PathBuf;

/// `renga bench p1`
#[derive(Args, Debug, Clone)]
pub struct Ledger {
    /// Rows, as in T1 or P1.T1 [default: all]
    #[arg(value_name = "ROW")]
    pub rows: Vec<String>,
    /// How.
    #[command(flatten)]
    pub measuring: Measuring,
}

/// With which machine, how much of it, where to: `renga bench map`, `placements` and `scale`, and of `renga bench p1`
/// what is not its rows.
#[derive(Args, Debug, Clone)]
pub struct Measuring {
    /// With which machines.
    #[command(flatten)]
    pub profiles: BenchProfiles,
    /// Repeat runs whose results are there
    #[arg(long)]
    pub force: bool,
    /// Runs at a time [default: the number of cores]; the results are the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    pub jobs: Option<u8>,
    /// Run rows of P2, P3, P4 and P1.T4 with the load at N offsets, drawn from the seed; they give median, least, most
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1000))]
    pub phases: u16,
    /// Folder for results, a JSON file each [default: target/renga/bench/results]
    #[arg(long, value_name = "FOLDER")]
    pub results: Option<PathBuf>,
}

/// `renga bench placements`
#[derive(Args, Debug, Clone)]
pub struct PlacementsArgs {
    /// Place the system's own processes on four boards, instead of jobs
    #[arg(long)]
    pub os: bool,
    /// How.
    #[command(flatten)]
    pub measuring: Measuring,
}

/// `renga bench diff`
#[derive(Args, Debug, Clone)]
pub struct BenchDiff {
    /// Folder of results of `renga bench p1`
    #[arg(value_name = "OLD")]
    pub old: PathBuf,
    /// Folder of others
    #[arg(value_name = "NEW")]
    pub new: PathBuf,
}

/// `renga bench report`
#[derive(Args, Debug, Clone)]
pub struct ReportArgs {
    /// Folder of the results [default: target/renga/bench/results]
    #[arg(long, value_name = "FOLDER")]
    pub results: Option<PathBuf>,
    /// Folder for report.html and the Markdown pages [default: target/renga/bench/report]
    #[arg(long, short, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// The results are those of `--short`; the pages say so
    #[arg(long)]
    pub short: bool,
    /// Write only the Markdown page and its pictures
    #[arg(long)]
    pub markdown: bool,
}

//! `renga bench p1`, `renga bench map`, `renga bench compare`, `renga bench report`: options.

use super::ProfileName;
use clap::Args;
use std::path::PathBuf;

/// `renga bench p1`
#[derive(Args, Debug, Clone)]
pub struct Ledger {
    /// Only these rows, as T1 or P1.T1; without any, all
    #[arg(value_name = "ROW")]
    pub rows: Vec<String>,
    /// How.
    #[command(flatten)]
    pub measuring: Measuring,
}

/// With which machine, how much of it, where to: `renga bench map`, `placements` and `scale`, and of `renga bench p1` what is not its rows.
#[derive(Args, Debug, Clone)]
pub struct Measuring {
    /// Only this machine; without it, both
    #[arg(long, value_enum)]
    pub profile: Option<ProfileName>,
    /// Only the least that shows it: for tests
    #[arg(long)]
    pub short: bool,
    /// Also carry out what was done before
    #[arg(long)]
    pub again: bool,
    /// Runs at once; without it, as many as there are cores: the results are the same
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..))]
    pub jobs: Option<u8>,
    /// Where results go, a JSON file each; without it, target/renga/bench/results
    #[arg(long, value_name = "FOLDER")]
    pub results: Option<PathBuf>,
}

/// `renga bench compare`
#[derive(Args, Debug, Clone)]
pub struct Compare {
    /// Results of `renga bench p1`
    #[arg(value_name = "FOLDER")]
    pub old: PathBuf,
    /// Others
    #[arg(value_name = "FOLDER")]
    pub new: PathBuf,
}

/// `renga bench report`
#[derive(Args, Debug, Clone)]
pub struct Report {
    /// Results of `renga bench p1`; without it, target/renga/bench/results
    #[arg(long, value_name = "FOLDER")]
    pub results: Option<PathBuf>,
    /// Where the page report.html and the pages for documents go; without it, target/renga/bench/report
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Of the results of `renga bench p1 --short`, which the pages then say
    #[arg(long)]
    pub short: bool,
    /// Write the Markdown and its pictures alone, as a page of the documents
    #[arg(long)]
    pub markdown: bool,
}

//! `renga top`: options.

use clap::{Args, ValueEnum};
use std::path::PathBuf;

/// `renga top`
#[derive(Args, Debug, Clone)]
pub struct Top {
    /// What `renga run --trace` writes, or has written
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// Print the sums of the whole trace, as far as it is written, and end
    #[arg(long)]
    pub once: bool,
    /// Virtual time of an interval; without a terminal, each is printed until the trace ends
    #[arg(long, value_name = "SECONDS", default_value_t = 0.1, value_parser = interval)]
    pub interval_s: f64,
    /// View to begin with; without a terminal, views to print
    #[arg(long, value_enum, value_delimiter = ',', value_name = "VIEW,...")]
    pub view: Vec<ViewName>,
    /// Show this board alone
    #[arg(long, value_name = "BOARD")]
    pub board: Option<String>,
    /// Write JSON into this file, or print it: a line for each interval, all figures exact
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    pub json: Option<PathBuf>,
    /// Print rates instead of sums, or sums instead of the rates of an interval
    #[arg(long)]
    pub rescale: bool,
    /// Speed at which a complete trace is played: virtual by real time, as a power of two
    #[arg(long, value_name = "POWER", allow_negative_numbers = true, default_value_t = -3)]
    pub speed: i32,
}

/// Views by name.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ViewName {
    /// Cores, calls, link and disk by board
    Boards,
    /// User programs
    Programs,
    /// System processes by kind
    Processes,
    /// Who calls whom
    Edges,
    /// Each core of each board
    Cores,
}

fn interval(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (1e-6..=1e6).contains(&seconds) => Ok(seconds),
        _ => Err("from 0.000001 to 1000000 seconds".to_string()),
    }
}

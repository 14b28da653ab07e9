//! `renga bench p1`: options.

use super::ProfileName;
use clap::Args;
use std::path::PathBuf;

/// `renga bench p1`
#[derive(Args, Debug, Clone)]
pub struct Ledger {
    /// Only these rows, as T1 or P1.T1; without any, all
    #[arg(value_name = "ROW")]
    pub rows: Vec<String>,
    /// Only this machine; without it, both
    #[arg(long, value_enum)]
    pub profile: Option<ProfileName>,
    /// Only the least that shows each row: for tests
    #[arg(long)]
    pub short: bool,
    /// Where results go, a JSON file each; without it, target/renga/bench/results
    #[arg(long, value_name = "FOLDER")]
    pub results: Option<PathBuf>,
}

//! The arguments of `renga image`.

use super::{ImageChoice, ProgramName};
use clap::Args;
use std::path::PathBuf;

/// The name of a cluster of real boards that was not given one.
pub const DEFAULT_CLUSTER_NAME: &str = "renga";

/// `renga image`
#[derive(Args, Debug, Clone)]
pub struct ImageArgs {
    /// What is on the disk.
    #[command(flatten)]
    pub choice: ImageChoice,
    /// List the images that there are: packages, sizes, and whether they are built
    #[arg(long, conflicts_with_all = ["board", "cluster", "inspect", "out"])]
    pub list: bool,
    /// Make the cards of a cluster of real boards, all of this model, or each of its own (may be repeated): pi3,
    /// zero2w, pi4, b=zero2w
    #[arg(long, value_name = "MODEL|BOARD=MODEL", conflicts_with_all = ["cluster", "inspect"])]
    pub board: Vec<String>,
    /// System of the cards: pair, solo, or a file
    #[arg(long, default_value = "pair", value_name = "NAME|FILE.toml", conflicts_with_all = ["cluster", "inspect"])]
    pub system: String,
    /// Name of the cluster of real boards
    #[arg(long, default_value = DEFAULT_CLUSTER_NAME, conflicts_with_all = ["cluster", "inspect"])]
    pub name: String,
    /// What joins the real boards: pins (16 data wires), pins4, spi
    #[arg(long, value_name = "LINK", conflicts_with_all = ["cluster", "inspect"])]
    pub link: Option<String>,
    /// Instead of the system, the real boards run this
    #[arg(long, value_enum, value_name = "PROGRAM", conflicts_with_all = ["inspect", "list"])]
    pub program: Option<ProgramName>,
    /// Make the cards that this file describes; with --inspect, compare the card with it
    #[arg(long, value_name = "FILE.toml")]
    pub cluster: Option<PathBuf>,
    /// Write the kernel of the sources, with the tables of --system, as a file for `renga-update` on a running cluster
    #[arg(long, value_name = "FILE", conflicts_with_all = ["board", "inspect", "out", "list"])]
    pub update: Option<PathBuf>,
    /// List what is on this card or card image, with checksums, and say what is wrong with it
    #[arg(long, value_name = "FILE", conflicts_with = "out")]
    pub inspect: Option<PathBuf>,
    /// With --inspect, write the same as JSON into this file, or print that instead of the text
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    #[arg(requires = "inspect")]
    pub json: Option<PathBuf>,
    /// Where to put it: a folder for cards, a file for the disk image (without it, where runs take it from)
    #[arg(long, short, value_name = "PATH")]
    pub out: Option<PathBuf>,
}

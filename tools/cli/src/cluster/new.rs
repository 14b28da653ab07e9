//! `renga cluster new`: an option for each of its questions.

use crate::ImageChoice;
use clap::Args;
use std::path::PathBuf;

/// The numbers of cores for which there are systems.
const CORES: [&str; 2] = ["1", "4"];
const ABOUT: &str = "At a terminal it asks for what no option says; Enter takes the value in brackets, as --yes does.";

/// `renga cluster new`
#[derive(Args, Debug, Clone)]
#[command(after_help = ABOUT)]
pub struct ClusterNew {
    /// Name of the cluster
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// How many boards
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=8))]
    pub boards: Option<u8>,
    /// What the boards are: all of this model, or each of its own (may be repeated): pi3, zero2w, pi4, b=zero2w
    #[arg(long, value_name = "MODEL|BOARD=MODEL")]
    pub board: Vec<String>,
    /// On how many cores of each board its processes run
    #[arg(long, value_name = "N", value_parser = CORES)]
    pub cores: Option<String>,
    /// What joins the boards: pins (16 data wires), pins4, spi
    #[arg(long, value_name = "LINK")]
    pub link: Option<String>,
    /// The board that owns the disk
    #[arg(long, value_name = "BOARD")]
    pub disk_board: Option<String>,
    /// Put everything into this new folder
    #[arg(long, short, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Leave the card images for later: they need Debian's packages and a built kernel
    #[arg(long, conflicts_with = "ImageChoice")]
    pub no_cards: bool,
    /// What is on the disk.
    #[command(flatten)]
    pub image: ImageChoice,
    /// Ask nothing
    #[arg(long)]
    pub yes: bool,
    /// Also write over the files of a folder that exists
    #[arg(long)]
    pub force: bool,
}

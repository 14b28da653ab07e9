//! `renga system`: options.

use clap::{Args, Subcommand};
use std::path::PathBuf;

/// `renga system`
#[derive(Args, Debug, Clone)]
pub struct SystemArgs {
    /// What to do.
    #[command(subcommand)]
    pub what: SystemCommand,
}

/// What can be done with system files.
#[derive(Subcommand, Debug, Clone)]
pub enum SystemCommand {
    /// Write a system file for so many boards, with the memory that their messages need
    New(SystemNew),
}

/// `renga system new`
#[derive(Args, Debug, Clone)]
pub struct SystemNew {
    /// How many boards
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=8))]
    pub boards: u8,
    /// System whose processes it has, with as many of each on a board [default: solo for one board, pair for two, quad
    /// for three or four, octet for more]
    #[arg(long, value_name = "NAME|FILE.toml")]
    pub from: Option<String>,
    /// The board that owns the disk [default: that of the system it is made of]
    #[arg(long, value_name = "BOARD")]
    pub disk_board: Option<String>,
    /// Write it into this file, whose name becomes the system's, instead of printing it
    #[arg(long, short, value_name = "FILE.toml")]
    pub out: Option<PathBuf>,
}

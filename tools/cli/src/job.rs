//! The script of a run, and its disk.

use super::ImageChoice;
use clap::Args;
use std::path::PathBuf;

/// A script, and the disk on which it runs.
#[derive(Args, Debug, Clone)]
pub struct ScriptOptions {
    /// Run this shell command, and exit with its status
    #[arg(short = 'c', value_name = "SCRIPT", conflicts_with = "file")]
    pub command: Option<String>,
    /// Run this file as a shell script
    #[arg(short = 'f', value_name = "FILE")]
    pub file: Option<PathBuf>,
    /// What is on the disk.
    #[command(flatten)]
    pub image: ImageChoice,
    /// Use and keep this disk image; without it, each run starts from a fresh one
    #[arg(long, value_name = "IMAGE", conflicts_with = "ImageChoice")]
    pub disk: Option<PathBuf>,
    /// Copy this file or folder of the host into /host on the disk (may be repeated)
    #[arg(long, value_name = "PATH")]
    pub put: Vec<PathBuf>,
    /// After a clean stop, copy the disk's tree into this folder
    #[arg(long, value_name = "FOLDER")]
    pub extract: Option<PathBuf>,
}

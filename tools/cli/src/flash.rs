//! The arguments of `renga flash`.

use clap::Args;
use std::path::PathBuf;

const FLASH_STATUS: &str = "Exit status:
  0  done: written, read back and equal
  1  what was read back differs from the image
  2  wrong arguments
  3  the device is refused, is not there, or cannot be opened
  4  not confirmed
  5  the card was taken out, is full, or cannot be written or read
  6  the card is another board's already
  7  the image is not sound
  125  anything else";

/// `renga flash`
#[derive(Args, Debug, Clone)]
#[command(after_help = FLASH_STATUS)]
pub struct Flash {
    /// The card's device, such as /dev/sdb; with --cluster several, written at once. Nothing is ever chosen for you
    #[arg(value_name = "DEVICE", requires = "what", group = "target")]
    pub device: Vec<PathBuf>,
    /// Instead of a device, write this file, which must not exist yet, or be confirmed
    #[arg(long, value_name = "FILE", requires = "card", group = "target")]
    pub to_file: Option<PathBuf>,
    /// Write this card image, which may be packed by xz
    #[arg(long, value_name = "FILE", group = "what", requires = "target")]
    pub card: Option<PathBuf>,
    /// Write the cards of this cluster; a journal beside the file remembers which are done
    #[arg(long, value_name = "FILE.toml", group = "what", requires = "target")]
    pub cluster: Option<PathBuf>,
    /// Of the cluster, only this board's
    #[arg(long, value_name = "BOARD", requires = "cluster")]
    pub board: Option<String>,
    /// Take the cluster's images from this folder instead of making them
    #[arg(long, value_name = "FOLDER", requires = "cluster")]
    pub cards: Option<PathBuf>,
    /// Also write images that `image --inspect` calls not sound, or that are not Renga's
    #[arg(long)]
    pub raw: bool,
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Only compare the card with the image
    #[arg(long, conflicts_with = "dry_run")]
    pub verify_only: bool,
    /// Allow a device of more than 128 GB
    #[arg(long)]
    pub large: bool,
    /// Also write cards of boards that have one, and cards of other boards
    #[arg(long, requires = "cluster")]
    pub force: bool,
    /// Do not ask; needs --serial
    #[arg(long, requires = "serial")]
    pub yes: bool,
    /// With --yes, the whole serial number of the device (its model, or its path, if it has none), or the path of the
    /// file; once for each device, in their order
    #[arg(long, value_name = "TEXT", requires = "yes")]
    pub serial: Vec<String>,
}

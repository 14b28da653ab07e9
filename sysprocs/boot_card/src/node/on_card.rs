//! The file's bytes, from a card: first partition, FAT32, root folder.
//!
//! Not here: FAT32 (`volume.rs`).

use super::NODE_FILE;
use crate::{NoFile, PARTITIONS, find};
use core::fmt;
use renga_hal::block::{Block, BlockError, SECTOR_BYTES};

/// The file is in one sector.
pub const NODE_BYTES_MAX: usize = SECTOR_BYTES;

/// Why there is no such file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoNodeFile {
    /// The card could not be read.
    Unreadable(BlockError),
    /// Its first partition is not FAT32.
    NotFat32,
    /// The root folder has no such file.
    Missing,
    /// The file is longer than it can be, or empty.
    Length,
}

impl From<NoFile> for NoNodeFile {
    fn from(why: NoFile) -> NoNodeFile {
        match why {
            NoFile::Unreadable(error) => NoNodeFile::Unreadable(error),
            NoFile::NotFat32 => NoNodeFile::NotFat32,
            NoFile::Missing => NoNodeFile::Missing,
            NoFile::Scattered => NoNodeFile::Length,
        }
    }
}

impl fmt::Display for NoNodeFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoNodeFile::Unreadable(error) => write!(f, "the card cannot be read ({error:?})"),
            NoNodeFile::NotFat32 => f.write_str("the card's first partition is not FAT32"),
            NoNodeFile::Missing => write!(f, "there is no {NODE_FILE} on the card"),
            NoNodeFile::Length => write!(f, "{NODE_FILE} is empty, or longer than {NODE_BYTES_MAX} bytes"),
        }
    }
}

/// Reads the file into `out`, and parses it.
///
/// # Errors
/// Why it cannot be had. What it says is for [`crate::NodeFile::parse`].
pub fn read_node_file<'a, D: Block + ?Sized>(
    card: &mut D,
    out: &'a mut [u8; NODE_BYTES_MAX],
) -> Result<&'a [u8], NoNodeFile> {
    let extent = find(card, PARTITIONS[0], NODE_FILE)?;
    let len_bytes = extent.len_bytes as usize;
    if len_bytes > NODE_BYTES_MAX {
        return Err(NoNodeFile::Length);
    }
    card.read(extent.first_sector, out).map_err(NoNodeFile::Unreadable)?;
    Ok(out.get(..len_bytes).unwrap_or_default())
}

//! What a board refuses to mount is refused before one starts, by the board's own check of the superblock.
//!
//! Invariant: the image is read only. Not here: what only the mount itself sees, as a damaged journal (`sysprocs/fs`).

use super::ImageError;
use super::error::at;
use super::partition;
use crate::partition_table::SECTOR_BYTES;
use renga_hal::block::{Block, BlockError, check_range};
use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::os::unix::fs::FileTypeExt;
use std::path::Path;

/// Refuses what cannot be a disk whatever it holds: opening a pipe, for one, may take for ever.
///
/// # Errors
/// [`ImageError::NotExt2`] with what it is, or [`ImageError::File`].
pub fn expect_disk_file(image: &Path) -> Result<(), ImageError> {
    let kind = fs::metadata(image).map_err(at(image))?.file_type();
    let reason = match kind {
        kind if kind.is_file() || kind.is_block_device() => return Ok(()),
        kind if kind.is_dir() => "it is a folder",
        _ => "it is neither a file nor a block device",
    };
    Err(ImageError::NotExt2 { image: image.to_path_buf(), reason })
}

/// Refuses a file that is no card of the emulator's, or that no board would mount.
///
/// # Errors
/// [`ImageError::NotExt2`] or [`ImageError::Unmountable`] with the reason, or [`ImageError::File`].
pub fn expect_mountable(image: &Path) -> Result<(), ImageError> {
    // The emulator writes it.
    let mut file = File::options().read(true).write(true).open(image).map_err(at(image))?;
    let len_bytes = file.seek(SeekFrom::End(0)).map_err(at(image))?;
    partition::find(image)?;
    if !len_bytes.is_power_of_two() {
        let reason = "its length is not a power of two, as an emulated card's must be (truncate -s)";
        return Err(ImageError::NotExt2 { image: image.to_path_buf(), reason });
    }
    let mut medium = ImageMedium { file, sectors: len_bytes / SECTOR_BYTES };
    let refused = |why: renga_fs::NotExt2| ImageError::Unmountable { image: image.to_path_buf(), reason: why.text() };
    renga_fs::recognise(&mut medium).map(|_| ()).map_err(refused)
}

/// An image, as a board sees it before it writes.
struct ImageMedium {
    file: File,
    sectors: u64,
}

impl Block for ImageMedium {
    fn blocks(&self) -> u64 {
        self.sectors
    }
    fn read(&mut self, sector: u64, out: &mut [u8]) -> Result<(), BlockError> {
        check_range(self.sectors, sector, out.len())?;
        self.file.seek(SeekFrom::Start(sector * SECTOR_BYTES)).map_err(|_| BlockError::Failed)?;
        self.file.read_exact(out).map_err(|_| BlockError::Failed)
    }
    fn write(&mut self, _: u64, _: &[u8]) -> Result<(), BlockError> {
        Err(BlockError::Failed)
    }
}

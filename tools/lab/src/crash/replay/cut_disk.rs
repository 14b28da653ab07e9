//! A disk as a cut leaves it: the image from before the run, and the sectors that were written since.
//!
//! Invariant: the image is only read. Called by: `recovery`, `tree`. Not here: which sectors (`write_log`).

use super::write_log::Sector;
use anyhow::{Context, Result};
use renga_hal::block::{Block, BlockError, SECTOR_BYTES, check_range};
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;

/// So much is compared at once.
const CHUNK_BYTES: usize = 1 << 16;

/// The disk.
#[derive(Clone)]
pub struct CutDisk {
    base: Arc<File>,
    sectors: u64,
    written: BTreeMap<u64, Sector>,
}

impl CutDisk {
    /// The image `base` with these sectors written, one after the other.
    ///
    /// # Errors
    /// If the image cannot be read.
    pub fn new(base: &Path, written: &[(u64, Sector)]) -> Result<CutDisk> {
        let cannot = || format!("cannot read {}", base.display());
        let file = File::open(base).with_context(cannot)?;
        let sectors = file.metadata().with_context(cannot)?.len() / SECTOR_BYTES as u64;
        Ok(CutDisk { base: Arc::new(file), sectors, written: written.iter().copied().collect() })
    }

    /// Reads `out.len()` bytes from `at_bytes` on.
    ///
    /// # Errors
    /// If the image is shorter or cannot be read.
    pub fn read_bytes(&self, at_bytes: u64, out: &mut [u8]) -> Result<()> {
        self.base.read_exact_at(out, at_bytes).context("cannot read the disk's image")?;
        let end_bytes = at_bytes + out.len() as u64;
        let sector_bytes = SECTOR_BYTES as u64;
        for (number, sector) in self.written.range(at_bytes / sector_bytes..end_bytes.div_ceil(sector_bytes)) {
            let begin = number * sector_bytes;
            let (from, to) = (begin.max(at_bytes), (begin + sector_bytes).min(end_bytes));
            out[(from - at_bytes) as usize..(to - at_bytes) as usize]
                .copy_from_slice(&sector[(from - begin) as usize..(to - begin) as usize]);
        }
        Ok(())
    }

    /// Takes these sectors as written, with what they have.
    ///
    /// # Errors
    /// If the image cannot be read.
    pub fn touch(&mut self, sectors: impl Iterator<Item = u64>) -> Result<()> {
        for number in sectors {
            let mut sector = [0; SECTOR_BYTES];
            self.read_bytes(number * SECTOR_BYTES as u64, &mut sector)?;
            self.written.insert(number, sector);
        }
        Ok(())
    }

    /// The sectors that were written.
    pub fn written(&self) -> impl Iterator<Item = u64> {
        self.written.keys().copied()
    }

    /// Writes to it whatever the file `changed` has otherwise; `changed` begins at `start_bytes` of the disk.
    ///
    /// # Errors
    /// If a file cannot be read.
    pub fn write_changes(&mut self, changed: &Path, start_bytes: u64) -> Result<()> {
        let cannot = || format!("cannot read {}", changed.display());
        let file = File::open(changed).with_context(cannot)?;
        let bytes = file.metadata().with_context(cannot)?.len();
        let (mut new, mut old) = (vec![0; CHUNK_BYTES], vec![0; CHUNK_BYTES]);
        let mut at_bytes = 0;
        while at_bytes < bytes {
            let length = (bytes - at_bytes).min(CHUNK_BYTES as u64) as usize;
            file.read_exact_at(&mut new[..length], at_bytes).with_context(cannot)?;
            self.read_bytes(start_bytes + at_bytes, &mut old[..length])?;
            if new[..length] != old[..length] {
                let first = (start_bytes + at_bytes) / SECTOR_BYTES as u64;
                let both = new[..length].as_chunks().0.iter().zip(old.as_chunks::<SECTOR_BYTES>().0);
                let differs = (first..).zip(both).filter(|(_, (new, old))| new != old);
                self.written.extend(differs.map(|(number, (new, _))| (number, *new)));
            }
            at_bytes += length as u64;
        }
        Ok(())
    }

    /// Whether one of these sectors was written.
    pub fn has_written(&self, first: u64, count: u64) -> bool {
        self.written.range(first..first + count).next().is_some()
    }

    /// Writes it to `to`, which begins at `start_bytes` of the disk: a copy of `copied`, which has the image's bytes.
    ///
    /// # Errors
    /// If a file cannot be read or written.
    pub fn write_to(&self, copied: &Path, start_bytes: u64, to: &Path) -> Result<()> {
        let cannot = || format!("cannot write {}", to.display());
        fs::copy(copied, to).with_context(cannot)?;
        let file = File::options().write(true).open(to).with_context(cannot)?;
        for (number, sector) in &self.written {
            let Some(at_bytes) = (number * SECTOR_BYTES as u64).checked_sub(start_bytes) else { continue };
            file.write_all_at(sector, at_bytes).with_context(cannot)?;
        }
        Ok(())
    }
}

impl Block for CutDisk {
    fn blocks(&self) -> u64 {
        self.sectors
    }

    fn read(&mut self, sector: u64, out: &mut [u8]) -> Result<(), BlockError> {
        check_range(self.sectors, sector, out.len())?;
        self.read_bytes(sector * SECTOR_BYTES as u64, out).map_err(|_| BlockError::Failed)
    }

    fn write(&mut self, sector: u64, data: &[u8]) -> Result<(), BlockError> {
        check_range(self.sectors, sector, data.len())?;
        for (number, part) in data.as_chunks().0.iter().enumerate() {
            self.written.insert(sector + number as u64, *part);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::CutDisk;
    use renga_hal::block::Block;
    use std::fs;

    #[test]
    fn crash_cut_disk_has_image_with_written_sectors() {
        let folder = std::env::temp_dir().join(format!("renga-cut-disk-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let (image, written) = (folder.join("image"), folder.join("written"));
        fs::write(&image, [7; 4096]).unwrap();
        let mut disk = CutDisk::new(&image, &[(1, [8; 512]), (1, [9; 512])]).unwrap();
        let mut out = [0; 600];
        disk.read_bytes(500, &mut out).unwrap();
        assert_eq!((out[11], out[12], out[523], out[524]), (7, 9, 9, 7));
        disk.write(2, &[1; 1024]).unwrap();
        assert!(disk.write(7, &[1; 1024]).is_err());
        assert!(disk.has_written(3, 2) && !disk.has_written(4, 4));
        disk.write_to(&image, 0, &written).unwrap();
        let bytes = fs::read(&written).unwrap();
        assert_eq!((bytes[511], bytes[512], bytes[1024], bytes[2047], bytes[2048]), (7, 9, 1, 1, 7));
        assert_eq!(fs::read(&image).unwrap(), [7; 4096]);
        let mut same = CutDisk::new(&image, &[]).unwrap();
        same.write_changes(&written, 0).unwrap();
        assert_eq!(same.written().collect::<Vec<_>>(), [1, 2, 3]);
        fs::remove_dir_all(&folder).unwrap();
    }
}

//! All writes of one run to the disk, in order: what the disk has at a cut is a part of them, from the first on.
//!
//! Invariant: the emulator's log has the sectors that the file system said it would write, and no others. Not here:
//! what is done with the disk (`cut_state`).

use anyhow::{Context, Result, bail, ensure};
use renga_cluster::event_instants::DiskWrite;
use renga_hal::block::SECTOR_BYTES;
use std::fs;
use std::path::Path;

const SECTORS_PER_BLOCK: u64 = 8;

/// The content of a sector.
pub type Sector = [u8; SECTOR_BYTES];

/// The writes.
pub struct WriteLog {
    sectors: Vec<(u64, Sector)>,
    /// How many sectors were written before each write of the file system.
    before: Vec<usize>,
}

impl WriteLog {
    /// Reads the log of a run whose file system begins at `first_sector` and wrote `writes`.
    ///
    /// # Errors
    /// If the log has other writes.
    pub fn read(log: &Path, first_sector: u64, writes: &[DiskWrite]) -> Result<WriteLog> {
        let bytes = fs::read(log).with_context(|| format!("cannot read {}", log.display()))?;
        WriteLog::of(&bytes, first_sector, writes)
            .context("the emulator's log of writes is not that of the file system")
    }

    fn of(log: &[u8], first_sector: u64, writes: &[DiskWrite]) -> Result<WriteLog> {
        // The first sector is the log's own; it is complete only when the emulator ends by itself.
        let mut entries = LoggedSectors(log.get(SECTOR_BYTES..).unwrap_or_default());
        let (mut sectors, mut before) = (Vec::new(), Vec::new());
        for (number, write) in writes.iter().enumerate() {
            before.push(sectors.len());
            let first = first_sector + write.first * SECTORS_PER_BLOCK;
            for expected in first..first + u64::from(write.blocks) * SECTORS_PER_BLOCK {
                match entries.next()? {
                    Some((at, sector)) if at == expected => sectors.push((at, sector)),
                    // The run ended during its last write.
                    None if number + 1 == writes.len() => break,
                    other => bail!("write {}: sector {:?}, not {expected}", number + 1, other.map(|(at, _)| at)),
                }
            }
        }
        ensure!(entries.next()?.is_none(), "there are more writes");
        Ok(WriteLog { sectors, before })
    }

    /// The sectors that were written before the `number`th write, counted from 1.
    pub fn before(&self, number: u32) -> &[(u64, Sector)] {
        let end = self.before.get((number as usize).wrapping_sub(1)).copied().unwrap_or(self.sectors.len());
        &self.sectors[..end]
    }
}

/// What is left of the log: a head of four words (sector, sectors, flags, bytes) takes a sector, its data follow.
struct LoggedSectors<'a>(&'a [u8]);

impl LoggedSectors<'_> {
    /// The next sector that is written; heads without data are flushes.
    fn next(&mut self) -> Result<Option<(u64, Sector)>> {
        while let Some((head, rest)) = self.0.split_first_chunk::<SECTOR_BYTES>() {
            let word = |at: usize| head[at..at + 8].iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
            let (at, count) = (word(0), word(8));
            ensure!(count <= 1, "{count} sectors at once, from {at} on");
            if count == 0 {
                self.0 = rest;
                continue;
            }
            let Some((sector, rest)) = rest.split_first_chunk::<SECTOR_BYTES>() else { break };
            self.0 = rest;
            return Ok(Some((at, *sector)));
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::{DiskWrite, SECTOR_BYTES, WriteLog};

    fn log(sectors: &[u64]) -> Vec<u8> {
        let mut log = vec![0; SECTOR_BYTES];
        for at in sectors {
            let mut head = [0; SECTOR_BYTES];
            head[..8].copy_from_slice(&at.to_le_bytes());
            head[8] = 1;
            log.extend(head);
            log.extend([*at as u8; SECTOR_BYTES]);
            log.extend([0; SECTOR_BYTES]); // a flush
        }
        log
    }

    #[test]
    fn crash_write_log_is_divided_into_writes_of_the_file_system() {
        let writes = [DiskWrite { first: 1, blocks: 1 }, DiskWrite { first: 0, blocks: 2 }];
        let sectors: Vec<u64> = (108..116).chain(100..116).collect();
        let read = |sectors: &[u64]| WriteLog::of(&log(sectors), 100, &writes);
        let all = read(&sectors).unwrap();
        assert_eq!([1, 2].map(|number| all.before(number).len()), [0, 8]);
        assert_eq!(all.before(2)[1], (109, [109; SECTOR_BYTES]));
        assert!(read(&sectors[..20]).is_ok(), "the last write is not complete");
        let swapped: Vec<u64> = (100..116).chain(108..116).collect();
        for bad in [&sectors[1..], &sectors[..7], &swapped, &[&sectors[..], &[1]].concat()] {
            assert!(read(bad).is_err(), "{bad:?}");
        }
    }
}

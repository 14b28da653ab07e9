//! How often a board was started, and a time that is not later than now: kept on its card, since a board has no clock
//! that runs on.
//!
//! Two sectors, written alternately, each with a checksum: whenever writing is interrupted, the other one is whole.
//! Invariant: a count is on the card before any other code reads it, so no two starts have the same.

use crate::PARTITIONS;
use crate::volume::{NoFile, find};
use crc::{CRC_32_ISCSI, Crc, Table};
use renga_hal::block::{Block, SECTOR_BYTES};

/// The file's name, in the first partition.
pub const STARTS_FILE: &str = "STARTS.BIN";
/// Its length.
pub const STARTS_BYTES: usize = PLACES * SECTOR_BYTES;
const PLACES: usize = 2;
const MAGIC: [u8; 8] = *b"RENGASTA";
const SUMMED_BYTES: usize = 16;

static SUM: Crc<u32, Table<1>> = Crc::<u32, Table<1>>::new(&CRC_32_ISCSI);

/// What one of the sectors says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartCount {
    /// Starts until now.
    pub starts: u32,
    /// From 1970 to the last start, as far as was known then, s.
    pub time_s: u32,
}

impl StartCount {
    fn parse(sector: &[u8; SECTOR_BYTES]) -> Option<StartCount> {
        let word = |at: usize| u32::from_le_bytes([sector[at], sector[at + 1], sector[at + 2], sector[at + 3]]);
        let whole = sector.starts_with(&MAGIC) && SUM.checksum(&sector[..SUMMED_BYTES]) == word(SUMMED_BYTES);
        whole.then(|| StartCount { starts: word(8), time_s: word(12) })
    }

    fn sector(self) -> [u8; SECTOR_BYTES] {
        let mut sector = [0; SECTOR_BYTES];
        sector[..8].copy_from_slice(&MAGIC);
        sector[8..12].copy_from_slice(&self.starts.to_le_bytes());
        sector[12..16].copy_from_slice(&self.time_s.to_le_bytes());
        let sum = SUM.checksum(&sector[..SUMMED_BYTES]);
        sector[SUMMED_BYTES..SUMMED_BYTES + 4].copy_from_slice(&sum.to_le_bytes());
        sector
    }
}

/// The file of a board that was never started, on a card written at `time_s`.
pub fn first_starts(time_s: u32) -> [u8; STARTS_BYTES] {
    let mut bytes = [0; STARTS_BYTES];
    bytes[..SECTOR_BYTES].copy_from_slice(&StartCount { starts: 0, time_s }.sector());
    bytes
}

/// Counts a start that is not before `time_s`: this one included.
///
/// # Errors
/// If the card has no such file, neither of its sectors is whole, or it cannot be written.
pub fn count<D: Block + ?Sized>(card: &mut D, time_s: u32) -> Result<StartCount, NoFile> {
    let extent = find(card, PARTITIONS[0], STARTS_FILE)?;
    if extent.sectors() < PLACES as u64 {
        return Err(NoFile::Scattered);
    }
    let mut newest = None;
    let mut sector = [0; SECTOR_BYTES];
    for place in 0..PLACES as u64 {
        // A sector that was being written when the power went may be unreadable, too.
        if card.read(extent.first_sector + place, &mut sector).is_err() {
            continue;
        }
        if let Some(count) = StartCount::parse(&sector)
            && newest.is_none_or(|(_, before): (u64, StartCount)| count.starts > before.starts)
        {
            newest = Some((place, count));
        }
    }
    let (place, before) = newest.ok_or(NoFile::Scattered)?;
    let now = StartCount { starts: before.starts.saturating_add(1), time_s: time_s.max(before.time_s) };
    let at = extent.first_sector + (place + 1) % PLACES as u64;
    card.write(at, &now.sector()).map_err(NoFile::Unreadable)?;
    Ok(now)
}

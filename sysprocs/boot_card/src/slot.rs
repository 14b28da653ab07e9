//! A partition from which the board can start: its kernel, its tables, and what is recorded of them.
//!
//! Invariant: a slot that is whole has the sums that its record names.

use crate::record::{KERNEL_FILE, RECORD_BYTES, RECORD_FILE, Record, TABLES_FILE};
use crate::volume::{Extent, NoFile, Volume};
use core::fmt;
use crc::{CRC_32_ISCSI, Crc, Table};
use renga_hal::block::{Block, SECTOR_BYTES};

static SUM: Crc<u32, Table<1>> = Crc::<u32, Table<1>>::new(&CRC_32_ISCSI);
/// Sectors that are moved at once.
pub(crate) const RUN_SECTORS: usize = 8;
pub(crate) type SectorRun = [u8; RUN_SECTORS * SECTOR_BYTES];

/// Why a partition is no slot, or not a whole one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoSlot {
    /// This file of it cannot be had.
    File(&'static str, NoFile),
    /// Writing it was broken off.
    BrokenOff,
    /// This file of it has other sums than is recorded.
    Damaged(&'static str),
}

impl fmt::Display for NoSlot {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoSlot::File(name, why) => write!(out, "{name}: {why}"),
            NoSlot::BrokenOff => out.write_str("the writing of its kernel was broken off"),
            NoSlot::Damaged(name) => write!(out, "{name} is damaged"),
        }
    }
}

/// The slot's files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BootSlot {
    /// Which partition.
    pub partition: u8,
    /// Its kernel.
    pub kernel: Extent,
    /// Its tables.
    pub tables: Extent,
    /// What is recorded of both.
    pub record: Extent,
}

impl BootSlot {
    /// The slot in `partition`.
    ///
    /// # Errors
    /// If a file of it is missing or in pieces.
    pub fn open<D: Block + ?Sized>(card: &mut D, partition: u8) -> Result<BootSlot, NoSlot> {
        let volume = Volume::open(card, partition).map_err(|why| NoSlot::File(RECORD_FILE, why))?;
        let mut file = |name| volume.find(card, name).map_err(|why| NoSlot::File(name, why));
        let slot =
            BootSlot { partition, kernel: file(KERNEL_FILE)?, tables: file(TABLES_FILE)?, record: file(RECORD_FILE)? };
        if slot.record.len_bytes as usize != RECORD_BYTES {
            return Err(NoSlot::File(RECORD_FILE, NoFile::Scattered));
        }
        Ok(slot)
    }

    /// What is recorded of it, which is believed: whether that is so is [`BootSlot::check`]'s.
    ///
    /// # Errors
    /// If it cannot be read, or its writing was broken off.
    pub fn record<D: Block + ?Sized>(&self, card: &mut D) -> Result<Record, NoSlot> {
        let mut sector = [0; SECTOR_BYTES];
        let read = card.read(self.record.first_sector, &mut sector);
        read.map_err(|error| NoSlot::File(RECORD_FILE, NoFile::Unreadable(error)))?;
        Record::parse(&sector).ok_or(NoSlot::BrokenOff)
    }

    /// Reads all of it and compares; what is recorded.
    ///
    /// # Errors
    /// If it is not whole.
    pub fn check<D: Block + ?Sized>(&self, card: &mut D) -> Result<Record, NoSlot> {
        let record = self.record(card)?;
        let files = [
            (KERNEL_FILE, self.kernel, record.kernel_sectors, record.kernel_sum),
            (TABLES_FILE, self.tables, record.tables_sectors, record.tables_sum),
        ];
        for (name, extent, sectors, sum) in files {
            let found = sum_of(card, extent).map_err(|why| NoSlot::File(name, why))?;
            if extent.sectors() != u64::from(sectors) || found != sum {
                return Err(NoSlot::Damaged(name));
            }
        }
        Ok(record)
    }
}

/// The sum of a file of whole sectors.
pub(crate) fn sum_of<D: Block + ?Sized>(card: &mut D, extent: Extent) -> Result<u32, NoFile> {
    let mut digest = SUM.digest();
    let mut run: SectorRun = [0; RUN_SECTORS * SECTOR_BYTES];
    let mut at = 0;
    // Each iteration passes a run of the file.
    while at < extent.sectors() {
        let sectors = (extent.sectors() - at).min(RUN_SECTORS as u64) as usize;
        let part = &mut run[..sectors * SECTOR_BYTES];
        card.read(extent.first_sector + at, part).map_err(NoFile::Unreadable)?;
        digest.update(part);
        at += sectors as u64;
    }
    Ok(digest.finalize())
}

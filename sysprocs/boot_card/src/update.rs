//! Writing another kernel to the partition that the board does not usually start from.
//!
//! The order: spoil the partition's record, write kernel and tables, read all back and compare, write the record. So
//! a partition with a valid record is complete. The update does not touch the partition from which the board boots.

use crate::choice::chosen;
use crate::other;
use crate::record::{RECORD_BYTES, Record};
use crate::slot::{BootSlot, NoSlot, RUN_SECTORS, SectorRun, sum_of};
use crate::volume::{Extent, NoFile};
use core::fmt;
use renga_hal::block::{Block, SECTOR_BYTES};

/// Where a new kernel comes from: its record, padded to a sector, then kernel and tables without the zeros behind them.
pub trait UpdateSource {
    /// Fills `out` from this offset on, with zeros behind the end.
    ///
    /// # Errors
    /// If it cannot be read.
    fn read(&mut self, offset: u64, out: &mut [u8]) -> Result<(), NoUpdate>;
}

/// Why a kernel was not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoUpdate {
    /// The source cannot be read.
    Source,
    /// It is no kernel for an update.
    NotUpdate,
    /// The card's files are of another length.
    Room,
    /// The card has no place for it, or does not say where it starts from.
    Slot(NoSlot),
    /// The card cannot be written.
    Unwritable,
    /// The board runs a kernel that is being tried: it is kept or given up first.
    Trial,
}

impl fmt::Display for NoUpdate {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoUpdate::Source => out.write_str("the file cannot be read"),
            NoUpdate::NotUpdate => out.write_str("the file is no kernel for an update, or damaged"),
            NoUpdate::Room => out.write_str("this card's files have another length: it needs to be flashed"),
            NoUpdate::Slot(why) => write!(out, "the card: {why}"),
            NoUpdate::Unwritable => out.write_str("the card cannot be written"),
            NoUpdate::Trial => out.write_str("this board runs a kernel that is being tried"),
        }
    }
}

/// Writes what `source` has to the partition that the board does not usually start from, unless that is the one that it
/// `runs`.
///
/// # Errors
/// If nothing was written, or not all; the board then starts as before.
pub fn write_update<D: Block + ?Sized>(
    card: &mut D,
    source: &mut dyn UpdateSource,
    runs: u8,
) -> Result<BootSlot, NoUpdate> {
    let usual = chosen(card).map_err(|why| NoUpdate::Slot(NoSlot::File(crate::CHOICE_FILE, why)))?;
    if runs != usual {
        return Err(NoUpdate::Trial);
    }
    let mut head = [0; SECTOR_BYTES];
    source.read(0, &mut head)?;
    let record = Record::parse(&head).ok_or(NoUpdate::NotUpdate)?;
    let lengths = [RECORD_BYTES, RECORD_BYTES + 4].map(|at| number(&head, at));
    let slot = BootSlot::open(card, other(usual)).map_err(NoUpdate::Slot)?;
    let files = [
        (slot.kernel, record.kernel_sectors, record.kernel_sum, lengths[0]),
        (slot.tables, record.tables_sectors, record.tables_sum, lengths[1]),
    ];
    for (extent, sectors, _, len_bytes) in files {
        if extent.sectors() != u64::from(sectors) || u64::from(len_bytes) > sectors_bytes(extent) {
            return Err(NoUpdate::Room);
        }
    }
    write(card, slot.record.first_sector, &[b'#'; SECTOR_BYTES])?;
    let mut from = SECTOR_BYTES as u64;
    for (extent, _, sum, len_bytes) in files {
        copy(card, source, (from, len_bytes), extent)?;
        from += u64::from(len_bytes);
        if sum_of(card, extent).map_err(|_| NoUpdate::Unwritable)? != sum {
            return Err(NoUpdate::NotUpdate);
        }
    }
    head[RECORD_BYTES..].fill(0);
    write(card, slot.record.first_sector, &head)?;
    slot.check(card).map_err(NoUpdate::Slot)?;
    Ok(slot)
}

fn sectors_bytes(extent: Extent) -> u64 {
    extent.sectors() * SECTOR_BYTES as u64
}

/// Copies `len_bytes` bytes of `source` from `offset` on to `extent`, with zeros behind them.
fn copy<D: Block + ?Sized>(
    card: &mut D,
    source: &mut dyn UpdateSource,
    (offset, len_bytes): (u64, u32),
    extent: Extent,
) -> Result<(), NoUpdate> {
    let mut run: SectorRun = [0; RUN_SECTORS * SECTOR_BYTES];
    let mut at = 0;
    // Each iteration passes a run of the file.
    while at < sectors_bytes(extent) {
        let bytes = (sectors_bytes(extent) - at).min(run.len() as u64) as usize;
        let given = u64::from(len_bytes).saturating_sub(at).min(bytes as u64) as usize;
        if given > 0 {
            source.read(offset + at, &mut run[..given])?;
        }
        run[given..].fill(0);
        write(card, extent.first_sector + at / SECTOR_BYTES as u64, &run[..bytes])?;
        at += bytes as u64;
    }
    Ok(())
}

fn write<D: Block + ?Sized>(card: &mut D, sector: u64, bytes: &[u8]) -> Result<(), NoUpdate> {
    card.write(sector, bytes).map_err(|_| NoUpdate::Unwritable)
}

fn number(bytes: &[u8; SECTOR_BYTES], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

impl From<NoFile> for NoUpdate {
    fn from(why: NoFile) -> NoUpdate {
        NoUpdate::Slot(NoSlot::File(crate::CHOICE_FILE, why))
    }
}

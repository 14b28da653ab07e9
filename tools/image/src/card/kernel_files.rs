//! A kernel and its system's tables as files of a card, filled up to the room that they have there, and as a file for
//! an update.
//!
//! Invariant: the record names the sums of the files as they are on the card. Not here: who writes an update
//! (`renga-boot-card`).

use super::fat::CardFile;
use super::sha256;
use anyhow::{Result, bail};
use crc::{CRC_32_ISCSI, Crc};
use renga_boot_card::{
    KERNEL_FILE, KERNEL_ROOM_BYTES, RECORD_BYTES, RECORD_FILE, Record, TABLES_FILE, TABLES_ROOM_BYTES,
};
use renga_hal::block::SECTOR_BYTES;

static SUM: Crc<u32> = Crc::<u32>::new(&CRC_32_ISCSI);

/// Kernel, tables, record.
///
/// # Errors
/// If one has no room.
pub fn files(kernel: &[u8], tables: &[u8]) -> Result<[CardFile; 3]> {
    let kernel = filled(KERNEL_FILE, kernel, KERNEL_ROOM_BYTES)?;
    let tables = filled(TABLES_FILE, tables, TABLES_ROOM_BYTES)?;
    let record = Record {
        kernel_sectors: (kernel.bytes.len() / SECTOR_BYTES) as u32,
        tables_sectors: (tables.bytes.len() / SECTOR_BYTES) as u32,
        kernel_sum: SUM.checksum(&kernel.bytes),
        tables_sum: SUM.checksum(&tables.bytes),
    };
    let lines = [&kernel, &tables].map(|file| format!("{}  {}\n", sha256(&file.bytes), file.name)).concat();
    let record = CardFile { name: RECORD_FILE.to_string(), bytes: format!("{record}{lines}").into_bytes() };
    assert_eq!(record.bytes.len(), RECORD_BYTES, "records are equally long");
    Ok([kernel, tables, record])
}

fn filled(name: &str, content: &[u8], room_bytes: usize) -> Result<CardFile> {
    if content.len() > room_bytes {
        bail!("{name} has {} bytes, of which a card has room for {room_bytes}", content.len());
    }
    let mut bytes = content.to_vec();
    bytes.resize(room_bytes, 0);
    Ok(CardFile { name: name.to_string(), bytes })
}

/// The file that `renga-update` takes: the record and two lengths in a sector, then kernel and tables.
///
/// # Errors
/// If one has no room on a card.
pub fn update(kernel: &[u8], tables: &[u8]) -> Result<Vec<u8>> {
    let [_, _, record] = files(kernel, tables)?;
    let mut update = record.bytes;
    for part in [kernel, tables] {
        update.extend((part.len() as u32).to_le_bytes());
    }
    update.resize(SECTOR_BYTES, 0);
    update.extend(kernel);
    update.extend(tables);
    Ok(update)
}

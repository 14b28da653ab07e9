//! The master boot record: which partition is where on a medium.
//!
//! Invariant: what is written has the partitions at the places asked for and nothing else. Called by: the file system's
//! mount, `renga-boot-card`, the tools that make images. Not here: the content of partitions.
//!
//! No `mbrman`: it needs `std`, and boards read the same record as the tools.

use crate::block::SECTOR_BYTES;

/// Partitions that a record has room for.
pub const PARTITIONS_MAX: usize = 4;
/// A Linux file system.
pub const TYPE_LINUX: u8 = 0x83;
/// FAT32, found by sector numbers.
pub const TYPE_FAT32: u8 = 0x0c;
/// FAT32, found by sector numbers or by cylinders.
pub const TYPES_FAT32: [u8; 2] = [0x0b, TYPE_FAT32];
const IDENTITY_AT: usize = 440;
const TABLE_AT: usize = 446;
const ENTRY_BYTES: usize = 16;
const SIGNATURE_AT: usize = 510;
const SIGNATURE: [u8; 2] = [0x55, 0xaa];
/// What stands where a table would have cylinders and heads: "beyond them, see the sector numbers".
const NO_CYLINDERS: [u8; 3] = [0xfe, 0xff, 0xff];

/// A record as it is on the medium, in sector 0.
pub type BootRecord = [u8; SECTOR_BYTES];

/// A partition.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecordedPartition {
    /// What it says it holds; 0: nothing, the entry is unused.
    pub kind: u8,
    /// Its first sector.
    pub first_sector: u32,
    /// Its length.
    pub sectors: u32,
}

/// The record of a medium with these partitions; `identity` is the number by which systems distinguish media.
///
/// # Panics
/// If there are more than [`PARTITIONS_MAX`].
pub fn write(partitions: &[RecordedPartition], identity: u32) -> BootRecord {
    assert!(partitions.len() <= PARTITIONS_MAX, "a master boot record has four entries");
    let mut record = [0; SECTOR_BYTES];
    record[IDENTITY_AT..IDENTITY_AT + 4].copy_from_slice(&identity.to_le_bytes());
    for (partition, entry) in partitions.iter().zip(record[TABLE_AT..].chunks_exact_mut(ENTRY_BYTES)) {
        entry[1..4].copy_from_slice(&NO_CYLINDERS);
        entry[4] = partition.kind;
        entry[5..8].copy_from_slice(&NO_CYLINDERS);
        entry[8..12].copy_from_slice(&partition.first_sector.to_le_bytes());
        entry[12..16].copy_from_slice(&partition.sectors.to_le_bytes());
    }
    record[SIGNATURE_AT..].copy_from_slice(&SIGNATURE);
    record
}

/// The entries of a record, by number; none if it is no record.
pub fn read(record: &BootRecord) -> Option<[RecordedPartition; PARTITIONS_MAX]> {
    let word = |at: usize| u32::from_le_bytes([record[at], record[at + 1], record[at + 2], record[at + 3]]);
    let entry =
        |at: usize| RecordedPartition { kind: record[at + 4], first_sector: word(at + 8), sectors: word(at + 12) };
    let entries = || core::array::from_fn(|number| entry(TABLE_AT + number * ENTRY_BYTES));
    (record[SIGNATURE_AT..] == SIGNATURE).then(entries)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn boot_record_round_trip_keeps_partitions() {
        let fat = RecordedPartition { kind: TYPE_FAT32, first_sector: 2048, sectors: 129_024 };
        let linux = RecordedPartition { kind: TYPE_LINUX, first_sector: 131_072, sectors: 1 << 31 };
        let record = write(&[fat, linux], 0x1234_5678);
        assert_eq!(read(&record), Some([fat, linux, RecordedPartition::default(), RecordedPartition::default()]));
        assert_eq!(record[440..444], [0x78, 0x56, 0x34, 0x12]);
        assert_eq!(record[446..454], [0, 0xfe, 0xff, 0xff, 0x0c, 0xfe, 0xff, 0xff]);
        assert_eq!(read(&[0; SECTOR_BYTES]), None);
    }
}

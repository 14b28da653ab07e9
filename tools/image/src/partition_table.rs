//! Partitions of a disk, in bytes.
//!
//! Invariant: what is written has the partitions at the places asked for and nothing else. Not here: the form of the
//! record (`renga_hal::boot_record`), the content of partitions.

use renga_hal::boot_record::{self, BootRecord, RecordedPartition};
pub use renga_hal::boot_record::{TYPE_FAT32, TYPE_LINUX};

/// Bytes of a sector.
pub const SECTOR_BYTES: u64 = renga_hal::block::SECTOR_BYTES as u64;

/// Where a partition lies on its disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartitionExtent {
    /// Its first byte.
    pub start_bytes: u64,
    /// Its length.
    pub len_bytes: u64,
}

impl PartitionExtent {
    /// The byte behind its last one.
    pub fn end_bytes(&self) -> u64 {
        self.start_bytes + self.len_bytes
    }
}

/// A partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PartitionEntry {
    /// What it says it holds.
    pub kind: u8,
    /// Where it is.
    pub extent: PartitionExtent,
}

/// The record of a disk with these partitions; `identity` is the number by which systems distinguish disks.
///
/// # Panics
/// If there are more than a record has room for, or one lies beyond 2 TiB.
pub fn write(partitions: &[PartitionEntry], identity: u32) -> BootRecord {
    let sectors = |bytes: u64| u32::try_from(bytes / SECTOR_BYTES).expect("disks here are far smaller than 2 TiB");
    let recorded = |entry: &PartitionEntry| RecordedPartition {
        kind: entry.kind,
        first_sector: sectors(entry.extent.start_bytes),
        sectors: sectors(entry.extent.len_bytes),
    };
    boot_record::write(&partitions.iter().map(recorded).collect::<Vec<_>>(), identity)
}

/// The partitions of a record; nothing if it is none.
pub fn read(record: &BootRecord) -> Option<Vec<PartitionEntry>> {
    let bytes = |sectors: u32| u64::from(sectors) * SECTOR_BYTES;
    let entry = |found: &RecordedPartition| PartitionEntry {
        kind: found.kind,
        extent: PartitionExtent { start_bytes: bytes(found.first_sector), len_bytes: bytes(found.sectors) },
    };
    Some(boot_record::read(record)?.iter().filter(|found| found.kind != 0).map(entry).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partition_table_round_trip_keeps_partitions() {
        let at = |start_bytes, len_bytes| PartitionExtent { start_bytes, len_bytes };
        let fat = PartitionEntry { kind: TYPE_FAT32, extent: at(1 << 20, 63 << 20) };
        let linux = PartitionEntry { kind: TYPE_LINUX, extent: at(64 << 20, 1 << 40) };
        let sector = write(&[fat, linux], 0x1234_5678);
        assert_eq!(read(&sector), Some(vec![fat, linux]));
        assert_eq!(sector[440..444], [0x78, 0x56, 0x34, 0x12]);
        assert_eq!(read(&[0; 512]), None);
    }
}

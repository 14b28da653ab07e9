//! Master boot records: which partition is where on a disk.
//!
//! Invariant: what is written has the partitions at the places asked for and nothing else. Not here: what they hold.

/// Bytes of a sector.
pub const SECTOR_BYTES: u64 = 512;
/// Partitions that a record has room for.
pub const PARTITIONS_MAX: usize = 4;
/// A Linux file system.
pub const TYPE_LINUX: u8 = 0x83;
/// FAT32, found by sector numbers.
pub const TYPE_FAT32: u8 = 0x0C;
const IDENTITY_AT: usize = 440;
const TABLE_AT: usize = 446;
const ENTRY_BYTES: usize = 16;
const SIGNATURE_AT: usize = 510;
const SIGNATURE: [u8; 2] = [0x55, 0xAA];
/// What stands where a table would have cylinders and heads: "beyond them, see the sector numbers".
const NO_CYLINDERS: [u8; 3] = [0xFE, 0xFF, 0xFF];

/// A record as it is on the disk.
pub type Sector = [u8; SECTOR_BYTES as usize];

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

/// The record of a disk with these partitions; `identity` is the number by which systems tell disks apart.
///
/// # Panics
/// If there are more than [`PARTITIONS_MAX`], or one lies beyond 2 TiB.
pub fn write(partitions: &[PartitionEntry], identity: u32) -> Sector {
    assert!(partitions.len() <= PARTITIONS_MAX, "a master boot record has four entries");
    let mut sector = [0; SECTOR_BYTES as usize];
    sector[IDENTITY_AT..IDENTITY_AT + 4].copy_from_slice(&identity.to_le_bytes());
    for (partition, entry) in partitions.iter().zip(sector[TABLE_AT..].chunks_exact_mut(ENTRY_BYTES)) {
        entry[1..4].copy_from_slice(&NO_CYLINDERS);
        entry[4] = partition.kind;
        entry[5..8].copy_from_slice(&NO_CYLINDERS);
        entry[8..12].copy_from_slice(&sector_number(partition.extent.start_bytes));
        entry[12..16].copy_from_slice(&sector_number(partition.extent.len_bytes));
    }
    sector[SIGNATURE_AT..].copy_from_slice(&SIGNATURE);
    sector
}

/// The partitions of a record; nothing if it is none.
pub fn read(sector: &Sector) -> Option<Vec<PartitionEntry>> {
    if sector[SIGNATURE_AT..] != SIGNATURE {
        return None;
    }
    let entries = sector[TABLE_AT..].chunks_exact(ENTRY_BYTES).take(PARTITIONS_MAX);
    Some(entries.filter(|entry| entry[4] != 0).map(partition).collect())
}

fn partition(entry: &[u8]) -> PartitionEntry {
    let bytes = |at: usize| {
        u64::from(u32::from_le_bytes([entry[at], entry[at + 1], entry[at + 2], entry[at + 3]])) * SECTOR_BYTES
    };
    PartitionEntry { kind: entry[4], extent: PartitionExtent { start_bytes: bytes(8), len_bytes: bytes(12) } }
}

fn sector_number(bytes: u64) -> [u8; 4] {
    u32::try_from(bytes / SECTOR_BYTES).expect("disks here are far smaller than 2 TiB").to_le_bytes()
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

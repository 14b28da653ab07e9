//! The file's bytes, from a card: first partition, FAT32, root folder.
//!
//! As much of FAT32 as one small file with a short name needs: Microsoft's *FAT: General Overview of On-Disk Format*,
//! version 1.03. Nothing that the card says is believed unless it is checked; every search has a bound.

use crate::NODE_FILE;
use core::fmt;
use renga_hal::block::{Block, BlockError, SECTOR_BYTES};

/// The file is in one sector.
pub const NODE_BYTES_MAX: usize = SECTOR_BYTES;
/// Its name as a directory has it: eight bytes and three, without the dot.
const SHORT_NAME: &[u8; 11] = b"NODE    TXT";
const TABLE_AT: usize = 446;
const SIGNATURE: [u8; 2] = [0x55, 0xaa];
const TYPES_FAT32: [u8; 2] = [0x0b, 0x0c];
const ENTRY_BYTES: usize = 32;
/// In a directory entry's attributes: a volume's label, a part of a long name, or a folder.
const NOT_A_FILE: u8 = 0x18;
/// Clusters of the root folder that are searched: what stands there is written first when a card is made.
const CLUSTERS_MAX: usize = 64;
/// From here on a cluster's number means that none follows.
const LAST_CLUSTER: u32 = 0x0fff_fff8;

/// Why there is no such file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoNodeFile {
    /// The card could not be read.
    Unreadable(BlockError),
    /// Its first partition is not FAT32.
    NotFat32,
    /// The root folder has no such file.
    Missing,
    /// The file is longer than it can be, or empty.
    Length,
}

impl fmt::Display for NoNodeFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoNodeFile::Unreadable(error) => write!(f, "the card cannot be read ({error:?})"),
            NoNodeFile::NotFat32 => f.write_str("the card's first partition is not FAT32"),
            NoNodeFile::Missing => write!(f, "there is no {NODE_FILE} on the card"),
            NoNodeFile::Length => write!(f, "{NODE_FILE} is empty, or longer than {NODE_BYTES_MAX} bytes"),
        }
    }
}

/// Reads the file into `out`; what it holds.
///
/// # Errors
/// Why it cannot be had. What it says is for [`crate::Node::parse`].
pub fn read_node_file<'a, D: Block + ?Sized>(
    card: &mut D,
    out: &'a mut [u8; NODE_BYTES_MAX],
) -> Result<&'a [u8], NoNodeFile> {
    let volume = Volume::find(card, out)?;
    let (cluster, len_bytes) = volume.search(card, out)?;
    if !(1..=NODE_BYTES_MAX).contains(&len_bytes) {
        return Err(NoNodeFile::Length);
    }
    read(card, volume.sector(cluster), out)?;
    Ok(out.get(..len_bytes).unwrap_or_default())
}

/// Where things are on the volume, in sectors of the card.
struct Volume {
    table: u64,
    data: u64,
    cluster_sectors: u64,
    root: u32,
}

impl Volume {
    fn find<D: Block + ?Sized>(card: &mut D, sector: &mut [u8; SECTOR_BYTES]) -> Result<Volume, NoNodeFile> {
        read(card, 0, sector)?;
        if sector[510..] != SIGNATURE || !TYPES_FAT32.contains(&sector[TABLE_AT + 4]) {
            return Err(NoNodeFile::NotFat32);
        }
        let start = u64::from(long(sector, TABLE_AT + 8));
        read(card, start, sector)?;
        let (sector_bytes, cluster_sectors) = (short(sector, 11), sector[13]);
        let (reserved, tables, table_sectors) = (short(sector, 14), sector[16], long(sector, 36));
        // A volume with entries for a root of fixed size, or a table counted in 16 bits, is FAT12 or FAT16.
        let fat32 = short(sector, 17) == 0 && short(sector, 22) == 0;
        if sector[510..] != SIGNATURE || !fat32 || usize::from(sector_bytes) != SECTOR_BYTES || cluster_sectors == 0 {
            return Err(NoNodeFile::NotFat32);
        }
        let table = start + u64::from(reserved);
        let data = table + u64::from(tables) * u64::from(table_sectors);
        Ok(Volume { table, data, cluster_sectors: u64::from(cluster_sectors), root: long(sector, 44) & 0x0fff_ffff })
    }

    fn sector(&self, cluster: u32) -> u64 {
        self.data + u64::from(cluster.saturating_sub(2)) * self.cluster_sectors
    }

    /// First cluster and length of the file.
    fn search<D: Block + ?Sized>(
        &self,
        card: &mut D,
        sector: &mut [u8; SECTOR_BYTES],
    ) -> Result<(u32, usize), NoNodeFile> {
        let mut cluster = self.root;
        for _ in 0..CLUSTERS_MAX {
            if !(2..LAST_CLUSTER).contains(&cluster) {
                return Err(NoNodeFile::Missing);
            }
            for place in 0..self.cluster_sectors {
                read(card, self.sector(cluster) + place, sector)?;
                if let Some(found) = entry(sector) {
                    return Ok(found);
                }
            }
            read(card, self.table + u64::from(cluster) * 4 / SECTOR_BYTES as u64, sector)?;
            cluster = long(sector, cluster as usize * 4 % SECTOR_BYTES) & 0x0fff_ffff;
        }
        Err(NoNodeFile::Missing)
    }
}

/// The file's first cluster and length, if its entry is in this part of the root folder.
fn entry(sector: &[u8; SECTOR_BYTES]) -> Option<(u32, usize)> {
    let mut entries = (0..SECTOR_BYTES).step_by(ENTRY_BYTES);
    let at = entries.find(|at| sector[*at..at + 11] == *SHORT_NAME && sector[at + 11] & NOT_A_FILE == 0)?;
    let cluster = u32::from(short(sector, at + 20)) << 16 | u32::from(short(sector, at + 26));
    Some((cluster, long(sector, at + 28) as usize))
}

fn read<D: Block + ?Sized>(card: &mut D, at: u64, sector: &mut [u8; SECTOR_BYTES]) -> Result<(), NoNodeFile> {
    card.read(at, sector).map_err(NoNodeFile::Unreadable)
}

fn short(sector: &[u8; SECTOR_BYTES], at: usize) -> u16 {
    u16::from_le_bytes([sector[at], sector[at + 1]])
}

fn long(sector: &[u8; SECTOR_BYTES], at: usize) -> u32 {
    u32::from_le_bytes([sector[at], sector[at + 1], sector[at + 2], sector[at + 3]])
}

//! Files of a card's FAT32 partitions, found by their short names in the root folder.
//!
//! As much of FAT32 as files with short names that lie in one piece need: Microsoft's *FAT: General Overview of On-Disk
//! Format*, version 1.03. Every search has a bound.

use crate::PARTITIONS;
use core::fmt;
use core::ops::Range;
use renga_hal::block::{Block, BlockError, SECTOR_BYTES};
use renga_hal::boot_record::{self, RecordedPartition, TYPES_FAT32};

/// The end of a volume's first sector.
const SIGNATURE: [u8; 2] = [0x55, 0xaa];
const ENTRY_BYTES: usize = 32;
/// A short name as a folder has it: eight bytes and three, without the dot.
const NAME_BYTES: usize = 11;
/// In a folder's entry's attributes: a volume's label, a part of a long name, or a folder.
const NOT_A_FILE: u8 = 0x18;
/// Clusters of the root folder that are searched: these files are written first when a card is created.
const CLUSTERS_MAX: usize = 64;
/// Of the clusters' numbers, the bits that count.
const CLUSTER_BITS: u32 = 0x0fff_ffff;
/// From here on a cluster's number means that none follows.
const LAST_CLUSTER: u32 = 0x0fff_fff8;

/// Why there is no such file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoFile {
    /// The card could not be read.
    Unreadable(BlockError),
    /// The partition is not FAT32.
    NotFat32,
    /// The root folder has no such file.
    Missing,
    /// It is empty, or lies in several pieces.
    Scattered,
}

impl fmt::Display for NoFile {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoFile::Unreadable(error) => write!(out, "the card cannot be read ({error:?})"),
            NoFile::NotFat32 => out.write_str("the partition is not FAT32"),
            NoFile::Missing => out.write_str("there is no such file"),
            NoFile::Scattered => out.write_str("the file is empty or in pieces"),
        }
    }
}

/// Where a file lies, in one piece.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Its first sector, counted from the card's beginning.
    pub first_sector: u64,
    /// Its length.
    pub len_bytes: u32,
}

impl Extent {
    /// Sectors of it, the last perhaps in part.
    pub fn sectors(&self) -> u64 {
        u64::from(self.len_bytes).div_ceil(SECTOR_BYTES as u64)
    }
}

/// The file `name` of partition `partition`, which counts from 1.
///
/// # Errors
/// If it cannot be had.
pub fn find<D: Block + ?Sized>(card: &mut D, partition: u8, name: &str) -> Result<Extent, NoFile> {
    Volume::open(card, partition)?.find(card, name)
}

/// The sectors of all partitions from which the board can start, which lie behind each other.
///
/// # Errors
/// If one of them is missing, or they do not.
pub fn start_sectors<D: Block + ?Sized>(card: &mut D) -> Result<Range<u64>, NoFile> {
    let mut range: Option<Range<u64>> = None;
    for partition in PARTITIONS {
        let RecordedPartition { first_sector, sectors, .. } = fat32(card, partition)?;
        let (start, sectors) = (u64::from(first_sector), u64::from(sectors));
        if range.as_ref().is_some_and(|before| before.end != start) {
            return Err(NoFile::NotFat32);
        }
        range = Some(range.map_or(start, |before| before.start)..start + sectors);
    }
    range.ok_or(NoFile::NotFat32)
}

/// The FAT32 partition `partition`, which counts from 1.
fn fat32<D: Block + ?Sized>(card: &mut D, partition: u8) -> Result<RecordedPartition, NoFile> {
    let mut sector = [0; SECTOR_BYTES];
    read(card, 0, &mut sector)?;
    let entries = boot_record::read(&sector).ok_or(NoFile::NotFat32)?;
    let entry = usize::from(partition).checked_sub(1).and_then(|number| entries.get(number));
    entry.copied().filter(|entry| TYPES_FAT32.contains(&entry.kind)).ok_or(NoFile::NotFat32)
}

/// Where things are on a volume, in sectors of the card.
#[derive(Clone, Copy, Debug)]
pub struct Volume {
    table: u64,
    data: u64,
    cluster_sectors: u64,
    root: u32,
}

impl Volume {
    /// The volume in partition `partition`, which counts from 1.
    ///
    /// # Errors
    /// If there is none.
    pub fn open<D: Block + ?Sized>(card: &mut D, partition: u8) -> Result<Volume, NoFile> {
        let start = u64::from(fat32(card, partition)?.first_sector);
        let mut sector = [0; SECTOR_BYTES];
        read(card, start, &mut sector)?;
        let (sector_bytes, cluster_sectors) = (short(&sector, 11), sector[13]);
        let (reserved, tables, table_sectors) = (short(&sector, 14), sector[16], long(&sector, 36));
        // A volume with entries for a root of fixed size, or a table counted in 16 bits, is FAT12 or FAT16.
        let fat32 = short(&sector, 17) == 0 && short(&sector, 22) == 0;
        if sector[510..] != SIGNATURE || !fat32 || usize::from(sector_bytes) != SECTOR_BYTES || cluster_sectors == 0 {
            return Err(NoFile::NotFat32);
        }
        let table = start + u64::from(reserved);
        let data = table + u64::from(tables) * u64::from(table_sectors);
        let root = long(&sector, 44) & CLUSTER_BITS;
        Ok(Volume { table, data, cluster_sectors: u64::from(cluster_sectors), root })
    }

    /// The file `name` of the root folder.
    ///
    /// # Errors
    /// If there is none, or it does not lie in one piece.
    pub fn find<D: Block + ?Sized>(&self, card: &mut D, name: &str) -> Result<Extent, NoFile> {
        let (first, len_bytes) = self.search(card, &short_name(name).ok_or(NoFile::Missing)?)?;
        let extent = Extent { first_sector: self.sector(first), len_bytes };
        let clusters = extent.sectors().div_ceil(self.cluster_sectors);
        let mut sector = [0; SECTOR_BYTES];
        let mut loaded = None;
        for cluster in (u64::from(first)..).take(clusters.saturating_sub(1) as usize) {
            let at = self.table + cluster * 4 / SECTOR_BYTES as u64;
            if loaded != Some(at) {
                read(card, at, &mut sector)?;
                loaded = Some(at);
            }
            if u64::from(long(&sector, (cluster * 4) as usize % SECTOR_BYTES) & CLUSTER_BITS) != cluster + 1 {
                return Err(NoFile::Scattered);
            }
        }
        if len_bytes == 0 { Err(NoFile::Scattered) } else { Ok(extent) }
    }

    fn sector(&self, cluster: u32) -> u64 {
        self.data + u64::from(cluster.saturating_sub(2)) * self.cluster_sectors
    }

    /// First cluster and length of the file.
    fn search<D: Block + ?Sized>(&self, card: &mut D, name: &[u8; NAME_BYTES]) -> Result<(u32, u32), NoFile> {
        let mut sector = [0; SECTOR_BYTES];
        let mut cluster = self.root;
        for _ in 0..CLUSTERS_MAX {
            if !(2..LAST_CLUSTER).contains(&cluster) {
                return Err(NoFile::Missing);
            }
            for place in 0..self.cluster_sectors {
                read(card, self.sector(cluster) + place, &mut sector)?;
                if let Some(found) = entry(&sector, name) {
                    return Ok(found);
                }
            }
            read(card, self.table + u64::from(cluster) * 4 / SECTOR_BYTES as u64, &mut sector)?;
            cluster = long(&sector, cluster as usize * 4 % SECTOR_BYTES) & CLUSTER_BITS;
        }
        Err(NoFile::Missing)
    }
}

/// `name` as a folder has it; `None`: it is too long for that.
fn short_name(name: &str) -> Option<[u8; NAME_BYTES]> {
    let (stem, extension) = name.split_once('.').unwrap_or((name, ""));
    if stem.is_empty() || stem.len() > 8 || extension.len() > 3 {
        return None;
    }
    let mut short = [b' '; NAME_BYTES];
    short[..stem.len()].copy_from_slice(stem.as_bytes());
    short[8..8 + extension.len()].copy_from_slice(extension.as_bytes());
    short.make_ascii_uppercase();
    Some(short)
}

/// The file's first cluster and length, if its entry is in this part of the root folder.
fn entry(sector: &[u8; SECTOR_BYTES], name: &[u8; NAME_BYTES]) -> Option<(u32, u32)> {
    let mut entries = (0..SECTOR_BYTES).step_by(ENTRY_BYTES);
    let is_it = |at: &usize| sector[*at..at + NAME_BYTES] == *name && sector[at + NAME_BYTES] & NOT_A_FILE == 0;
    let at = entries.find(is_it)?;
    let cluster = u32::from(short(sector, at + 20)) << 16 | u32::from(short(sector, at + 26));
    Some((cluster, long(sector, at + 28)))
}

fn read<D: Block + ?Sized>(card: &mut D, at: u64, sector: &mut [u8; SECTOR_BYTES]) -> Result<(), NoFile> {
    card.read(at, sector).map_err(NoFile::Unreadable)
}

fn short(sector: &[u8; SECTOR_BYTES], at: usize) -> u16 {
    u16::from_le_bytes([sector[at], sector[at + 1]])
}

fn long(sector: &[u8; SECTOR_BYTES], at: usize) -> u32 {
    u32::from_le_bytes([sector[at], sector[at + 1], sector[at + 2], sector[at + 3]])
}

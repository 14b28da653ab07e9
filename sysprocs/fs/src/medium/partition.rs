//! Finds the file system on a medium, and refuses what is not ext2 as we know it.
//!
//! Invariant: only what passes here is ever mounted, so the processes need not revalidation the geometry.

use crate::format::groups::GROUPS_MAX;
use crate::format::superblock::{
    FEATURE_JOURNAL, FEATURE_RECOVER, MAGIC, SUPERBLOCK_BYTES, SUPERBLOCK_OFFSET, Superblock,
};
use core::fmt;
use renga_abi::PAGE_BYTES;
use renga_hal::block::{Block, SECTOR_BYTES};
use renga_hal::boot_record::{self, TYPE_LINUX};

pub(crate) const SECTORS_PER_BLOCK: u64 = (PAGE_BYTES / SECTOR_BYTES) as u64;
/// Compatible, incompatible and read-only-compatible features that may be on: a journal; file types in directory
/// entries, and a journal to recover; sparse superblocks and files of 2 GiB and more.
const FEATURES: [u32; 3] = [FEATURE_JOURNAL, 2 | FEATURE_RECOVER, 1 | 2];

/// Where the file system is on its medium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Partition {
    /// Its first sector.
    pub first_sector: u64,
    /// Its length, blocks of 4096 bytes.
    pub blocks: u64,
}

/// Why a medium is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotExt2 {
    /// The medium could not be read.
    Unreadable,
    /// There is a partition table, and no Linux partition in it.
    NoLinuxPartition,
    /// No ext2 superblock where one should be.
    NoSuperblock,
    /// ext2 of a revision before 1.
    Revision,
    /// Blocks are not of 4096 bytes.
    BlockSize,
    /// Features beyond has_journal, filetype, sparse_super and large_file.
    Features,
    /// The superblock contradicts itself, or the file system is longer than its partition.
    Geometry,
    /// More block groups than the allocator keeps count of.
    TooLarge,
}

impl NotExt2 {
    /// A sentence for people.
    pub const fn text(self) -> &'static str {
        match self {
            NotExt2::Unreadable => "the medium cannot be read",
            NotExt2::NoLinuxPartition => "the partition table has no Linux partition (type 0x83)",
            NotExt2::NoSuperblock => "there is no ext2 superblock",
            NotExt2::Revision => "the ext2 file system is older than revision 1",
            NotExt2::BlockSize => "the ext2 file system's blocks are not of 4096 bytes (mke2fs -b 4096)",
            NotExt2::Features => {
                "the file system has features beyond ext2's \
                 (make it with mke2fs -t ext2 -b 4096 -O none,has_journal,filetype,sparse_super,large_file)"
            }
            NotExt2::Geometry => "the ext2 superblock contradicts itself or the partition's length",
            NotExt2::TooLarge => "the ext2 file system is too large (16 GiB at most)",
        }
    }
}
impl fmt::Display for NotExt2 {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// Finds the ext2 file system: in the first Linux partition if sector 0 is a master boot record,
/// else on the whole medium.
///
/// # Errors
/// Why there is none that could be mounted.
pub fn recognise<D: Block + ?Sized>(device: &mut D) -> Result<Partition, NotExt2> {
    let mut sector = [0; SECTOR_BYTES];
    device.read(0, &mut sector).map_err(|_| NotExt2::Unreadable)?;
    let (first_sector, sectors) = match boot_record::read(&sector) {
        Some(partitions) => {
            let linux = partitions.iter().find(|partition| partition.kind == TYPE_LINUX);
            let linux = linux.ok_or(NotExt2::NoLinuxPartition)?;
            (u64::from(linux.first_sector), u64::from(linux.sectors))
        }
        None => (0, device.blocks()),
    };
    let at = first_sector + (SUPERBLOCK_OFFSET / SECTOR_BYTES) as u64;
    device.read(at, &mut sector).map_err(|_| NotExt2::Unreadable)?;
    let mut bytes = [0; SUPERBLOCK_BYTES];
    bytes.copy_from_slice(&sector[..SUPERBLOCK_BYTES]);
    let superblock = Superblock::new(bytes);
    let room = sectors.min(device.blocks().saturating_sub(first_sector)) / SECTORS_PER_BLOCK;
    check(&superblock, room)?;
    Ok(Partition { first_sector, blocks: u64::from(superblock.blocks()) })
}

fn check(superblock: &Superblock, room_blocks: u64) -> Result<(), NotExt2> {
    let page_bits = PAGE_BYTES as u32 * 8;
    let refused = superblock.features().into_iter().zip(FEATURES).any(|(has, may)| has & !may != 0);
    let groups = superblock.groups();
    let inode_bytes = superblock.inode_bytes();
    let inodes = superblock.inodes_per_group();
    let recover = superblock.features()[1] & FEATURE_RECOVER != 0;
    let consistent = superblock.first_block() == 0
        && (1..=page_bits).contains(&superblock.blocks_per_group())
        && (1..=page_bits).contains(&inodes)
        && inode_bytes.is_power_of_two()
        && (128..=PAGE_BYTES as u32).contains(&inode_bytes)
        && u64::from(superblock.inodes()) == u64::from(groups) * u64::from(inodes)
        && u64::from(superblock.blocks()) <= room_blocks
        && superblock.blocks() > 0
        && (!recover || superblock.has_journal());
    let fail = [
        (superblock.magic() != MAGIC, NotExt2::NoSuperblock),
        (superblock.revision() != 1, NotExt2::Revision),
        (superblock.block_size_log() != 2, NotExt2::BlockSize),
        (refused, NotExt2::Features),
        (!consistent, NotExt2::Geometry),
        (groups as usize > GROUPS_MAX, NotExt2::TooLarge),
    ];
    fail.into_iter().find(|(failed, _)| *failed).map_or(Ok(()), |(_, why)| Err(why))
}

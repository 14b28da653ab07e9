//! The allocator: bitmaps, counts and superblock of the file system.

use renga_abi::Errno;
use renga_core::{in_words, protocol};

in_words! {
    /// Where an inode is kept.
    pub struct InodePlace {
        /// Block of the inode table.
        block: u32,
        /// Offset in that block, bytes.
        offset: u32,
        /// Bytes kept of each inode.
        bytes: u32,
        /// A good place for its first block.
        goal: u32,
    }
}

/// Bytes of a `struct statfs` as Linux/AArch64 lays it out; what `FillStatus` writes.
pub const STATFS_BYTES: usize = 120;

protocol! {
    /// Which blocks and inodes are free.
    pub Allocator = 16, AllocatorCall {
        /// A free block, as near behind `goal` as may be. `ENOSPC` when all are in use.
        0 TakeBlock { goal: u32 } (()) -> Result<u32, Errno>;
        /// Gives back `count` blocks from `first` on.
        1 FreeBlocks { first: u32, count: u32 } (()) -> Result<(), Errno>;
        /// A free inode, near its parent's if it is not a directory. `ENOSPC` when all are in use.
        2 TakeInode { parent: u32, directory: bool } (()) -> Result<u32, Errno>;
        /// Gives back an inode.
        3 FreeInode { ino: u32, directory: bool } (()) -> Result<(), Errno>;
        /// Where an inode is kept. `EIO` for a number that no inode has.
        4 LocateInode { ino: u32 } (()) -> Result<InodePlace, Errno>;
        /// Fills a `struct statfs` of `STATFS_BYTES`.
        5 FillStatus {} (&'a mut [u8]) -> Result<(), Errno>;
        /// Puts the counts of free blocks and inodes into their buffers.
        6 SaveCounts {} (()) -> Result<(), Errno>;
        /// As `SaveCounts`, and marks the file system clean; changes are refused from then on.
        7 MarkClean {} (()) -> Result<(), Errno>;
    }
}

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
        /// What a fresh inode in this place is to have as its generation.
        generation: u32,
    }
}

/// Bytes of a `struct statfs` as Linux/AArch64 lays it out; what `FillStatus` writes.
pub const STATFS_BYTES: usize = 120;

protocol! {
    /// Which blocks and inodes are free.
    pub Allocator = 16, AllocatorCall {
        /// A free block, as near behind `goal` as may be. `ENOSPC` when all are in use; `EAGAIN` when some
        /// will be free after a commit, which this causes.
        0 TakeBlock { goal: u32 } (()) -> Result<u32, Errno>;
        /// Gives back `count` blocks from `first` on; they are given out again after the next commit,
        /// so that what was in them is there until it is surely nobody's. `books`: some held books.
        1 FreeBlocks { first: u32, count: u32, books: bool } (()) -> Result<(), Errno>;
        /// A free inode, near its parent's if it is not a directory. `ENOSPC` when all are in use.
        2 TakeInode { parent: u32, directory: bool } (()) -> Result<u32, Errno>;
        /// Gives back an inode.
        3 FreeInode { ino: u32, directory: bool } (()) -> Result<(), Errno>;
        /// Where an inode is kept. `EIO` for a number that no inode has.
        4 LocateInode { ino: u32 } (()) -> Result<InodePlace, Errno>;
        /// Fills a `struct statfs` of `STATFS_BYTES`.
        5 FillStatus {} (&'a mut [u8]) -> Result<(), Errno>;
        /// Makes all changes of books permanent, together: every inode that was changed is in its buffer
        /// and stands still. `whole`: they are also to go to their places. `broken`: a change was left
        /// half done, so that the file system has to be checked. From the directory of inodes only.
        6 Commit { whole: bool, broken: bool } (()) -> Result<(), Errno>;
        /// As `Commit`, and marks the file system clean; changes are refused from then on.
        7 MarkClean {} (()) -> Result<(), Errno>;
        /// Something is about to be changed: a commit will be due. `EROFS`: it may not be.
        8 NoteChange { crowded: bool } (()) -> Result<(), Errno>;
        /// The next inode from `from` on that is in use without having a name, as a cut leaves them; to
        /// be asked at boot. `ENOENT`: there is none.
        9 NextOrphan { from: u32 } (()) -> Result<u32, Errno>;
    }
}

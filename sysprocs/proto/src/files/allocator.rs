//! The allocator: bitmaps, counts and superblock of the file system, and the contents of the next transaction.

use renga_abi::Errno;
use renga_core::{in_words, protocol, word_enum};

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
    /// What the next transaction is for.
    pub struct Pended {
        /// Something was changed since the last one.
        changed: bool,
        /// Metadata were freed since the journal was emptied: it is to be emptied again.
        checkpoint: bool,
    }
}
word_enum! {
    /// How far a transaction came.
    pub enum JournalReached {
        /// It is not in the journal.
        Failed,
        /// The journal has it.
        Journaled,
        /// And everything that the journal has is in its place, and the journal empty.
        Emptied,
        /// The journal has it, and it cannot be emptied.
        Full,
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
        /// Frees `count` blocks from `first` on; the allocator reuses them only after the next commit, so that their
        /// contents survive until no file can refer to them. `metadata`: some were metadata.
        1 FreeBlocks { first: u32, count: u32, metadata: bool } (()) -> Result<(), Errno>;
        /// A free inode, near its parent's if it is not a directory. `ENOSPC` when all are in use; `EAGAIN` when
        /// some are being freed.
        2 TakeInode { parent: u32, directory: bool } (()) -> Result<u32, Errno>;
        /// Gives back an inode.
        3 FreeInode { ino: u32, directory: bool } (()) -> Result<(), Errno>;
        /// Where an inode is kept. `EIO` for a number that no inode has.
        4 LocateInode { ino: u32 } (()) -> Result<InodePlace, Errno>;
        /// Fills a `struct statfs` of `STATFS_BYTES`.
        5 FillStatus {} (&'a mut [u8]) -> Result<(), Errno>;
        /// Inode process `slot` is about to change metadata: the next transaction is to have them. `EROFS`: it may
        /// not. Waits while a transaction is being closed. Once until the process is frozen.
        6 JoinTransaction { slot: u16 } (()) -> Result<(), Errno>;
        /// Finds the next inode from `from` on that is in use without a name, as a power cut leaves it; for boot.
        /// `ENOENT`: none.
        7 NextOrphan { from: u32 } (()) -> Result<u32, Errno>;
        /// The committer has recovered the journal, or (`usable` not) the volume cannot be used; the allocator serves
        /// no other call before. `journaled`: changes go through the journal.
        8 Mount { journaled: bool, usable: bool } (()) -> Result<(), Errno>;
        /// Closes the transaction to further joins. Joins of the next one wait for `EndFreeze`.
        9 CloseTransaction {} (()) -> Result<(), Errno>;
        /// An inode process that joined the transaction; `ENOENT` after the last.
        10 NextMember {} (()) -> Result<u16, Errno>;
        /// All members stand still: puts bitmaps, counts and superblock into their buffers. `broken`: a change
        /// was left half done, so that the file system has to be checked.
        11 SaveMetadata { broken: bool } (()) -> Result<(), Errno>;
        /// The transaction's metadata are copied: changes may go on.
        12 EndFreeze {} (()) -> Result<(), Errno>;
        /// The transaction has ended; `whole`: it was to empty the journal. `EROFS`: from now on nothing may be
        /// changed.
        13 EndTransaction { reached: JournalReached, whole: bool } (()) -> Result<(), Errno>;
        /// Marks the file system clean in its buffer; changes are refused from then on.
        14 MarkClean {} (()) -> Result<(), Errno>;
        /// What has changed since the last transaction was closed.
        15 Pending {} (()) -> Result<Pended, Errno>;
        /// `blocks` more are kept for the inode of process `slot`, which is leased; a commit is due in a while.
        /// `ENOSPC`: so many are not free at present.
        16 Reserve { slot: u16, blocks: u32 } (()) -> Result<(), Errno>;
        /// The inode of process `slot` is not leased any more, and `blocks` of what was kept for it not needed.
        17 EndReserve { slot: u16, blocks: u32 } (()) -> Result<(), Errno>;
        /// As `TakeBlock`, of what is kept for the caller.
        18 TakeReserved { goal: u32 } (()) -> Result<u32, Errno>;
    }
}

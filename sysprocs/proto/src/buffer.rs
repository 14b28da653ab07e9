//! Buffers: one cached block each, found through one directory. All on the disk board.
//!
//! A caller gets a block's buffer from the directory, pinned; makes it hold the block if it is
//! fresh; works on it; puts it back. While it holds a pin it calls only that buffer and `Put`: so a
//! wait for a pin ends, and nobody waits in a circle. A caller that remembers which buffer held its
//! block may work on it without a pin: the buffer refuses with `ESTALE` if it holds another by now.
//!
//! Work on directory entries and bitmaps is done where the block is, so that no page is copied.
//!
//! *Books* are blocks in which the file system describes itself: bitmaps, inodes, directories, pointers.
//! A change of books stays in its buffer until it is in the journal.

use crate::inode::{DirectoryRead, EntryFound};
use renga_abi::Errno;
use renga_core::{in_words, protocol, word_enum};

in_words! {
    /// A pinned buffer.
    pub struct Pinned {
        /// Its number.
        buffer: u16,
        /// It may not hold the block yet: the caller must ask it to (`Become`).
        fresh: bool,
        /// To be handed to `Become`: no buffer is left whose block may go.
        force: bool,
        /// Many buffers hold blocks that may not go yet: a commit would help.
        crowded: bool,
    }
}
word_enum! {
    /// What a buffer holds when it is put back.
    pub enum Holding {
        /// Nothing, or the block soon, or not surely.
        Nothing,
        /// The block.
        Block,
        /// Still its former block, which may not go.
        Former,
    }
}
in_words! {
    /// A block that went into the journal.
    pub struct LoggedBlock {
        /// The block.
        block: u64,
        /// Its first four bytes are those of a journal's own blocks; zeros stand there instead.
        escaped: bool,
    }
}
in_words! {
    /// A block that a buffer holds.
    pub struct HeldBlock {
        /// The block.
        block: u64,
        /// The buffer's number.
        buffer: u16,
    }
}
protocol! {
    /// Which buffer holds which block.
    pub BufferDirectory = 4, BufferDirectoryCall {
        /// The buffer for `block`, assigned and pinned. Waits while all buffers are pinned, and while
        /// another buffer is still to write that block to the disk.
        0 Get { block: u64 } (()) -> Result<Pinned, Errno>;
        /// Unpins. `lost`: the buffer could not write its former block, which is lost.
        1 Put { buffer: u16, holding: Holding, lost: bool } (()) -> Result<(), Errno>;
        /// The lowest block held with `from <= block < below`; `ENOENT` if there is none. Not pinned.
        2 NextHeld { from: u64, below: u64 } (()) -> Result<HeldBlock, Errno>;
        /// How many changed blocks were lost so far because the disk refused them.
        3 LostWrites {} (()) -> Result<u32, Errno>;
        /// As `Get` if no buffer holds the block and one is free; `EAGAIN` otherwise.
        4 GetAhead { block: u64 } (()) -> Result<u16, Errno>;
        /// After a commit: blocks that might not go may.
        5 LetGo {} (()) -> Result<(), Errno>;
    }
}
protocol! {
    /// One cached block. All entries but `Become`, `ReadAhead` and
    /// those that say so: `ESTALE` if it holds another block.
    pub Buffer = 5, BufferCall {
        /// Holds `block` from now on; writes its former block first if that was changed. `overwrite`:
        /// the caller will write the whole block, so that it need not be read. Whether a former
        /// block was lost. `EBUSY`: it still holds the former block, which may not go (unless `force`:
        /// then it goes, or is lost) or could not be written.
        0 Become { block: u64, overwrite: bool, force: bool } (()) -> Result<bool, Errno>;
        /// Bytes from `offset` on, as many as the slice takes.
        1 ReadBytes { block: u64, offset: u32 } (&'a mut [u8]) -> Result<(), Errno>;
        /// Replaces bytes from `offset` on.
        2 WriteBytes { block: u64, offset: u32, books: bool } (&'a [u8]) -> Result<(), Errno>;
        /// Fills the whole block with zeros.
        3 Zero { block: u64, books: bool } (()) -> Result<(), Errno>;
        /// Writes changed content to its place on the disk; with `books` also books that are in the
        /// journal already.
        4 Flush { block: u64, books: bool } (()) -> Result<(), Errno>;
        /// Forgets that it was changed: the block is to be freed.
        5 Discard { block: u64 } (()) -> Result<(), Errno>;
        /// The directory entry named. `ENOENT` without one.
        6 FindEntry { block: u64 } (&'a [u8]) -> Result<EntryFound, Errno>;
        /// Adds a directory entry. `ENOSPC` if it does not fit into this block.
        7 AddEntry { block: u64, ino: u32, kind: u8 } (&'a [u8]) -> Result<(), Errno>;
        /// Removes the directory entry named; its inode's number.
        8 RemoveEntry { block: u64 } (&'a [u8]) -> Result<u32, Errno>;
        /// Makes the directory entry named stand for another inode; the former's number.
        9 RepointEntry { block: u64, ino: u32, kind: u8 } (&'a [u8]) -> Result<u32, Errno>;
        /// Directory entries from `position` (in the directory; its lower bits are the offset in this
        /// block) on, as far as the slice takes them; where to go on.
        10 ListEntries { block: u64, position: u64 } (&'a mut [u8]) -> Result<DirectoryRead, Errno>;
        /// Whether there is an entry other than `.` and `..`.
        11 HasEntries { block: u64 } (()) -> Result<bool, Errno>;
        /// The name of the entry of inode `ino`, other than `.` and `..`; its length.
        12 NameOfEntry { block: u64, ino: u32 } (&'a mut [u8]) -> Result<u32, Errno>;
        /// Of a bitmap: finds the first clear bit from `from` to `below`, or else from 0, and sets
        /// it. `ENOSPC` if none is clear.
        13 TakeBit { block: u64, from: u32, below: u32 } (()) -> Result<u32, Errno>;
        /// Of a bitmap: clears bits; how many of them were set.
        14 ClearBits { block: u64, first: u32, count: u32 } (()) -> Result<u32, Errno>;
        /// As `Become` without `overwrite`, answered before the disk has been read.
        15 ReadAhead { block: u64 } (()) -> Result<bool, Errno>;
        /// Writes a change of books to block `to` of the disk, which is the journal's. `ENOENT`: none
        /// is held here. Whatever block it holds.
        16 Log { to: u64 } (()) -> Result<LoggedBlock, Errno>;
        /// What was logged is committed: it may go to its place. `void`: changes of books will never be
        /// committed, and are not to go there. Whatever block it holds.
        17 Committed { void: bool } (()) -> Result<(), Errno>;
        /// Writes changed books to their place, though they are in no journal. Whatever block it holds.
        18 FlushBooks {} (()) -> Result<(), Errno>;
    }
}

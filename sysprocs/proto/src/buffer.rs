//! Buffers: one cached block each, found through one directory. All on the disk board.
//!
//! A caller gets a block's buffer from the directory, pinned; makes it hold the block if it is
//! fresh; works on it; puts it back. While it holds a pin it calls only that buffer and `Put`: so a
//! wait for a pin ends, and nobody waits in a circle. A caller that remembers which buffer held its
//! block may work on it without a pin: the buffer refuses with `ESTALE` if it holds another by now.
//!
//! Work on directory entries and bitmaps is done where the block is, so that no page is copied.

use crate::inode::{DirectoryRead, EntryFound};
use renga_abi::Errno;
use renga_core::{in_words, protocol};

in_words! {
    /// A pinned buffer.
    pub struct Pinned {
        /// Its number.
        buffer: u16,
        /// It may not hold the block yet: the caller must ask it to (`Become`).
        fresh: bool,
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
        /// Unpins. `loaded`: the buffer holds the block; `lost`: it could not write its former block,
        /// which is lost.
        1 Put { buffer: u16, loaded: bool, lost: bool } (()) -> Result<(), Errno>;
        /// The lowest block held with `from <= block < below`; `ENOENT` if there is none. Not pinned.
        2 NextHeld { from: u64, below: u64 } (()) -> Result<HeldBlock, Errno>;
        /// How many changed blocks were lost so far because the disk refused them.
        3 LostWrites {} (()) -> Result<u32, Errno>;
        /// As `Get` if no buffer holds the block and one is free; `EAGAIN` otherwise.
        4 GetAhead { block: u64 } (()) -> Result<u16, Errno>;
    }
}
protocol! {
    /// One cached block. All entries but `Become` and `ReadAhead`: `ESTALE` if it holds another block.
    pub Buffer = 5, BufferCall {
        /// Holds `block` from now on; writes its former block first if that was changed. `overwrite`:
        /// the caller will write the whole block, so that it need not be read. Whether a former
        /// block was lost.
        0 Become { block: u64, overwrite: bool } (()) -> Result<bool, Errno>;
        /// Bytes from `offset` on, as many as the slice takes.
        1 ReadBytes { block: u64, offset: u32 } (&'a mut [u8]) -> Result<(), Errno>;
        /// Replaces bytes from `offset` on.
        2 WriteBytes { block: u64, offset: u32 } (&'a [u8]) -> Result<(), Errno>;
        /// Fills the whole block with zeros.
        3 Zero { block: u64 } (()) -> Result<(), Errno>;
        /// Writes to the disk if changed.
        4 Flush { block: u64 } (()) -> Result<(), Errno>;
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
    }
}

//! Buffers: one cached block each, behind one directory. All on the disk board.
//!
//! A caller that works on a block calls the directory, naming the block. The directory forwards the call to the
//! buffer that caches the block, or is to cache it, and that buffer replies. A buffer serves its calls in the order
//! in which the directory forwarded them; a call for another block than it caches makes it read that one first.
//!
//! The directory alone knows what is dirty: it sees every call that changes a block, before the buffer does. It
//! gives a buffer another block only when its own is on the medium.
//!
//! Work on directory entries and bitmaps is done where the block is, so that no page is copied.
//!
//! *Metadata* (metadata) are blocks in which the file system describes itself: bitmaps, inodes, directories,
//! pointers. A dirty metadata block stays in its buffer until a transaction of the journal has it.

use crate::inode::{DirectoryRead, EntryFound};
use renga_abi::Errno;
use renga_core::{in_words, word_enum};

in_words! {
    /// A cached block.
    pub struct BufferedBlock {
        /// The block.
        block: u64,
        /// The buffer's number.
        buffer: u16,
    }
}
word_enum! {
    /// What is dirty, as far as it may be written to its place.
    pub enum DirtyClass {
        /// The superblock of mount and unmount, which goes past the journal: at any time.
        Direct,
        /// Metadata that the journal has: at any time.
        Journaled,
        /// Metadata that the journal does not have: only in a file system without one.
        Metadata,
    }
}
word_enum! {
    /// How a transaction ended.
    pub enum TransactionOutcome {
        /// It is not in the journal: its metadata are to be in the next one.
        Failed,
        /// The journal has it.
        Journaled,
        /// The journal has it, and its metadata are in their places too.
        Placed,
        /// The file system takes no changes any more: dirty metadata are never written.
        Abandoned,
    }
}

/// Declares a protocol with entries of its own and with the work that is done on blocks: the directory
/// offers the same work as the buffers, to which it passes it on.
macro_rules! with_work {
    ($(#[$doc:meta])* pub $P:ident = $id:literal, $In:ident { $($own:tt)* }) => {
        renga_core::protocol! {
            $(#[$doc])*
            pub $P = $id, $In {
                /// Bytes from `offset` on, as many as the slice takes.
                0 ReadBytes { block: u64, offset: u32 } (&'a mut [u8]) -> Result<(), Errno>;
                /// Replaces bytes from `offset` on.
                1 WriteBytes { block: u64, offset: u32, metadata: bool } (&'a [u8]) -> Result<(), Errno>;
                /// Replaces the whole block, which is not read first: by the slice from `offset` on and zeros
                /// around it.
                2 Overwrite { block: u64, offset: u32, metadata: bool } (&'a [u8]) -> Result<(), Errno>;
                /// The directory entry named. `ENOENT` without one.
                4 FindEntry { block: u64 } (&'a [u8]) -> Result<EntryFound, Errno>;
                /// Adds a directory entry. `ENOSPC` if it does not fit into this block.
                5 AddEntry { block: u64, ino: u32, kind: u8 } (&'a [u8]) -> Result<(), Errno>;
                /// Removes the directory entry named; its inode's number.
                6 RemoveEntry { block: u64 } (&'a [u8]) -> Result<u32, Errno>;
                /// Makes the directory entry named stand for another inode; the former's number.
                7 RepointEntry { block: u64, ino: u32, kind: u8 } (&'a [u8]) -> Result<u32, Errno>;
                /// Directory entries from `position` (in the directory; its lower bits are the offset in this
                /// block) on, as far as the slice takes them; where to go on.
                8 ListEntries { block: u64, position: u64 } (&'a mut [u8]) -> Result<DirectoryRead, Errno>;
                /// Whether there is an entry other than `.` and `..`.
                9 HasEntries { block: u64 } (()) -> Result<bool, Errno>;
                /// The name of the entry of inode `ino`, other than `.` and `..`; its length.
                10 NameOfEntry { block: u64, ino: u32 } (&'a mut [u8]) -> Result<u32, Errno>;
                /// Of a bitmap: finds the first clear bit from `from` to `below`, or else from 0, and sets
                /// it. `ENOSPC` if none is clear.
                11 TakeBit { block: u64, from: u32, below: u32 } (()) -> Result<u32, Errno>;
                /// Of a bitmap: clears bits; how many of them were set.
                12 ClearBits { block: u64, first: u32, count: u32 } (()) -> Result<u32, Errno>;
                $($own)*
            }
        }
    };
}

/// The directory's protocol.
pub mod directory {
    use super::{BufferedBlock, DirectoryRead, DirtyClass, EntryFound, Errno, TransactionOutcome};
    with_work! {
        /// Which buffer caches which block, and which of them are dirty.
        pub BufferDirectory = 4, BufferDirectoryCall {
            /// A dirty block of `class` that is to be written now, lowest of its run; `ENOENT` when there is
            /// none. Waits while others write some of that class. To be ended by `Written`.
            16 NextWrite { class: DirtyClass } (()) -> Result<BufferedBlock, Errno>;
            /// The block behind `block`, which is being written, if it is of the same class: to be written with
            /// it. `ENOENT` if it is not.
            17 ExtendWrite { block: u64 } (()) -> Result<BufferedBlock, Errno>;
            /// A run of blocks is on the medium, or, not `done`, surely not all of it, and stays dirty.
            18 Written { first: u64, count: u32, done: bool } (()) -> Result<(), Errno>;
            /// As `NextWrite`, of any class that may be written: waits until few buffers are clean. From the
            /// metadata writeback only.
            19 NextEviction {} (()) -> Result<BufferedBlock, Errno>;
            /// How many blocks of `class` are dirty.
            20 CountDirty { class: DirtyClass } (()) -> Result<u32, Errno>;
            /// Takes a dirty metadata block into the transaction under way. `ENOENT` when there is none. From the
            /// committer only, while no process changes metadata.
            21 NextMetadata {} (()) -> Result<BufferedBlock, Errno>;
            /// The transaction under way has ended.
            22 EndTransaction { outcome: TransactionOutcome } (()) -> Result<(), Errno>;
            /// The blocks are about to be freed: they need not be written any more.
            23 Discard { first: u64, count: u32 } (()) -> Result<(), Errno>;
        }
    }
}

/// A buffer's protocol.
pub mod page {
    use super::{DirectoryRead, EntryFound, Errno};
    with_work! {
        /// One cached block.
        pub Buffer = 5, BufferCall {
            /// A copy of the whole block, to be written. `ENOENT`: the medium did not give it, so that
            /// there is nothing of it here.
            16 CopyOut { block: u64 } (&'a mut [u8]) -> Result<(), Errno>;
        }
    }
}

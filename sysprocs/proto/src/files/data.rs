//! Data of files between page cache and medium, on the disk's board: one process writes what is dirty, some read what
//! is missing. On other boards some ask the disk's board for pages before programs read them.

use crate::pages::FileId;
use renga_abi::Errno;
use renga_core::protocol;

/// Most pages that go to or come from the medium in one piece.
pub const RUN_PAGES_MAX: u32 = 32;

protocol! {
    /// Writes dirty pages to their places.
    pub DataWriteback = 20, DataWritebackCall {
        /// All that are dirty now; the first failure. What the medium refuses stays dirty.
        0 WriteData {} (()) -> Result<(), Errno>;
        /// As many as it takes until more may become dirty. What the medium refuses again and again is given up.
        1 MakeRoom {} (()) -> Result<(), Errno>;
    }
}

protocol! {
    /// Brings pages from the medium into the cache.
    pub DataReader = 21, DataReaderCall {
        /// The pages from `page` on of a file of `size` bytes, from `count` blocks side by side from `block` on;
        /// answered when they are there.
        0 ReadIn { file: FileId, page: u32, block: u32, count: u32, size: u64 } (()) -> Result<(), Errno>;
        /// As `ReadIn`; answered at once. What is cached already is not read.
        1 ReadAhead { file: FileId, page: u32, block: u32, count: u32, size: u64 } (()) -> Result<(), Errno>;
    }
}

protocol! {
    /// Brings pages of files from the disk's board into the cache of another one, before programs read them. Of the
    /// servers of a board number `page` modulo their count is called.
    pub Prefetcher = 23, PrefetcherCall {
        /// A program waits for page `page`, which is not cached, of the file of inode process `slot`. Answered when it
        /// is; an error: the caller is to read it itself.
        0 ReadMissed { file: FileId, slot: u16, page: u32 } (()) -> Result<(), Errno>;
    }
}

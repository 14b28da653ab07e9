//! Buffers: one cached block each, found through one directory. Both on the disk board only.

use renga_abi::Errno;
use renga_core::protocol;

protocol! {
    /// Which buffer holds which block.
    pub BufferDirectory = 4, BufferDirectoryCall {
        /// The number of the buffer for `block`, assigned and pinned. `overwrite`: the caller will
        /// write the whole block, so that it need not be read. Waits while all buffers are pinned.
        0 Get { block: u64, overwrite: bool } (()) -> Result<u16, Errno>;
        /// Unpins. `dirty`: the block was changed.
        1 Put { buffer: u16, dirty: bool } (()) -> Result<(), Errno>;
        /// Writes every dirty buffer to the disk; answered when the medium has them.
        2 SyncAll {} (()) -> Result<(), Errno>;
        /// Writes one block to the disk if a buffer holds it dirty.
        3 SyncBlock { block: u64 } (()) -> Result<(), Errno>;
        /// Forgets `block`, which was freed: its content need not reach the disk.
        4 Forget { block: u64 } (()) -> Result<(), Errno>;
    }
}
protocol! {
    /// One cached block.
    pub Buffer = 5, BufferCall {
        /// Becomes the buffer of `block`; flushes first if dirty. From the directory only.
        0 Assign { block: u64, overwrite: bool } (()) -> Result<(), Errno>;
        /// Bytes from `offset` on, as many as the slice takes.
        1 ReadBytes { offset: u32 } (&'a mut [u8]) -> Result<(), Errno>;
        /// Replaces bytes from `offset` on.
        2 WriteBytes { offset: u32 } (&'a [u8]) -> Result<(), Errno>;
        /// Fills the whole block with zeros.
        3 Zero {} (()) -> Result<(), Errno>;
        /// Writes to the disk if dirty.
        4 Flush {} (()) -> Result<(), Errno>;
        /// Forgets changes.
        5 Discard {} (()) -> Result<(), Errno>;
    }
}

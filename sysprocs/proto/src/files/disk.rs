//! The disk: runs of whole file-system blocks of one page each.
//!
//! Blocks side by side go in one call, which the medium serves as one command. The slice says how many
//! there are: its length is a positive multiple of the page (`EINVAL` otherwise). More than one page only
//! from the disk's own board.

use renga_abi::Errno;
use renga_core::protocol;

protocol! {
    /// The disk's partition with the file system, in blocks of 4096 bytes from 0.
    pub Disk = 3, DiskCall {
        /// Reads blocks from `first` on.
        0 ReadBlocks { first: u64 } (&'a mut [u8]) -> Result<(), Errno>;
        /// Writes blocks from `first` on; answered when the medium has all of them. After an error, or a
        /// cut, it may have any of them, and of each any sectors.
        1 WriteBlocks { first: u64 } (&'a [u8]) -> Result<(), Errno>;
    }
}

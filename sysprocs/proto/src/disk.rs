//! The disk: whole file-system blocks of one page each.

use renga_abi::Errno;
use renga_core::protocol;

protocol! {
    /// The disk's partition that holds the file system, in blocks of 4096 bytes from 0.
    pub Disk = 3, DiskCall {
        /// Reads one block.
        0 ReadBlock { block: u64 } (&'a mut [u8]) -> Result<(), Errno>;
        /// Writes one block; answered when the medium has it.
        1 WriteBlock { block: u64 } (&'a [u8]) -> Result<(), Errno>;
    }
}

//! Clean file pages of a board, shared by the programs that map them: what makes a second exec of a
//! program cost no reading, above all on a board without the disk.
//!
//! The same process keeps the board's references to mapped inodes: however many programs of a board
//! map a file, the inode directory knows of one reference, so that a fork does not cross the link.

use renga_abi::Errno;
use renga_core::protocol;

/// In a list of frames: this page is not cached.
pub const NO_FRAME: u32 = u32::MAX;
/// Most pages that one `FindPages` asks for.
pub const PAGES_PER_FIND_MAX: usize = 16;

protocol! {
    /// The cache of mapped file pages.
    pub Text = 14, TextCall {
        /// The frame with page `page` of inode `ino` at `version`, with a reference for the caller;
        /// `ENOENT` if it is not cached.
        0 FindPage { ino: u32, version: u64, page: u32 } (()) -> Result<u32, Errno>;
        /// Offers `frame`, freshly read; the cache takes a reference of its own if it has room.
        1 OfferPage { ino: u32, version: u64, page: u32, frame: u32 } (()) -> Result<(), Errno>;
        /// Gives up to `frames` cached frames back, because memory is short; how many.
        2 Shrink { frames: u32 } (()) -> Result<u32, Errno>;
        /// As `FindPage` for the pages from `page` on, one for each `u32` of the slice, `NO_FRAME`
        /// where a page is not cached; how many were.
        3 FindPages { ino: u32, version: u64, page: u32 } (&'a mut [u8]) -> Result<u32, Errno>;
        /// One program more maps the inode, active in process `slot`, which something else holds active now.
        4 KeepFile { ino: u32, generation: u32, slot: u16 } (()) -> Result<(), Errno>;
        /// One program less maps it.
        5 ReleaseFile { ino: u32, generation: u32 } (()) -> Result<(), Errno> [releases];
        /// The process of an inode that a program here maps, when `slot` no longer is: its board was
        /// started again. An error: the inode is gone.
        6 ReopenFile { ino: u32, generation: u32, slot: u16 } (()) -> Result<u16, Errno>;
    }
}

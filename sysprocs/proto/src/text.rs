//! Clean file pages of a board, shared by the programs that map them: what makes a second exec of a
//! program cost no reading, above all on a board without the disk.

use renga_abi::Errno;
use renga_core::protocol;

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
    }
}

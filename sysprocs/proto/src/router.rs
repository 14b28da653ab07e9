//! What a board's router has counted.

use renga_abi::Errno;
use renga_core::protocol;

protocol! {
    /// The router's counters.
    pub RouterStatus = 17, RouterStatusCall {
        /// Fills the slice with counters, little-endian `u64`s in the order of the router's `LinkStats`; how
        /// many counters.
        0 ReadCounters {} (&'a mut [u8]) -> Result<u32, Errno>;
    }
}

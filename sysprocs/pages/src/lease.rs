//! Write leases of this board: their numbers, and what one lets programs write.
//!
//! Invariant: the board of the inodes numbers leases in the order in which it grants them, modulo 2^64, whichever the
//! file. Called by: the index and its users. Not here: which files are leased (`leased_files.rs`), who grants
//! (`renga_fs`).

use renga_hal::memory::PAGE_BYTES;
use renga_proto::pages::{HOLE_PAGES_MAX, NO_LEASE};

/// Whether a lease is over when `ended` is. The disk board numbers the leases of all files in one sequence per boot;
/// comparisons of boots wrap around.
pub(crate) fn is_over(lease: u64, ended: u64) -> bool {
    ended != NO_LEASE && lease.wrapping_sub(ended).cast_signed() <= 0
}

/// The later of two leases; none is before any.
pub(crate) fn later(one: u64, other: u64) -> u64 {
    if one == NO_LEASE || is_over(one, other) { other } else { one }
}

/// The lease of a file, and the file's size under it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CachedLease {
    /// Its size, bytes.
    pub size: u64,
    /// Pages below this one may be written.
    pub below: u32,
    /// Under which lease.
    pub lease: u64,
}

impl CachedLease {
    /// Whether bytes from `at` on may be written, so that no more pages are left out than may be: where they end.
    pub(crate) fn room(&self, at: u64, bytes: u64) -> Option<u64> {
        let pages = |bytes: u64| bytes.div_ceil(PAGE_BYTES as u64);
        let end = at.checked_add(bytes).filter(|&end| pages(end) <= self.below.into())?;
        (bytes > 0 && at / PAGE_BYTES as u64 <= pages(self.size) + u64::from(HOLE_PAGES_MAX)).then_some(end)
    }
}

//! How large a file is that another board leases, on the medium too when all of it has been flushed.
//!
//! Not here: the lease (`write_lease.rs`), the blocks of the file (`block_map.rs`).

use crate::inode::active_inode::{ActiveInode, SECTORS_PER_BLOCK};
use crate::leases::write_lease::INDIRECT_MAX;
use renga_abi::PAGE_BYTES;
use renga_proto::stat::full_blocks;

/// A file with holes is leased if it has no more pages.
pub(super) const HOLES_PAGES_MAX: u32 = 256;

impl ActiveInode {
    /// The size, with what is dirty elsewhere, as far as that is known.
    pub(crate) fn known_size(&self) -> u64 {
        self.record.size().max(self.leased.filter(|_| !self.is_orphaned()).map_or(0, |lease| lease.size))
    }

    /// Sectors of 512 bytes: those that it has, and those of what has been written behind its end elsewhere.
    pub(crate) fn known_sectors(&self) -> u64 {
        let blocks = |size: u64| full_blocks(size.div_ceil(PAGE_BYTES as u64));
        let more = blocks(self.known_size()).saturating_sub(blocks(self.record.size()));
        u64::from(self.record.sectors()) + more * u64::from(SECTORS_PER_BLOCK)
    }

    /// Blocks to be kept for those of the first `pages` pages of the file that have none.
    pub(super) fn blocks_for_holes(&self, pages: u32) -> u32 {
        let missing = full_blocks(pages.into()).saturating_sub(u64::from(self.record.sectors() / SECTORS_PER_BLOCK));
        match u32::try_from(missing) {
            Ok(0) => 0,
            Ok(missing) => missing.saturating_add(INDIRECT_MAX),
            Err(_) => u32::MAX,
        }
    }
}

//! How large a file is that another board leases, on the medium too when all of it has been flushed.
//!
//! Not here: the lease (`write_lease.rs`), the blocks of the file (`block_map.rs`).

use crate::inode::active_inode::{ActiveInode, SECTORS_PER_BLOCK};
use crate::inode::block_route::{DIRECT, PER_BLOCK};
use crate::leases::write_lease::INDIRECT_MAX;
use renga_abi::PAGE_BYTES;

/// A file with holes is leased if it has no more pages.
pub(super) const HOLES_PAGES_MAX: u32 = 256;

/// Blocks of a file of so many pages without holes.
fn full_blocks(pages: u64) -> u64 {
    let single = pages.saturating_sub(DIRECT);
    if single == 0 {
        return pages;
    }
    let (double, mut indirect) = (single.saturating_sub(PER_BLOCK), 1);
    if double > 0 {
        indirect += 1 + double.min(PER_BLOCK * PER_BLOCK).div_ceil(PER_BLOCK);
    }
    let triple = double.saturating_sub(PER_BLOCK * PER_BLOCK);
    if triple > 0 {
        indirect += 1 + triple.div_ceil(PER_BLOCK) + triple.div_ceil(PER_BLOCK * PER_BLOCK);
    }
    pages + indirect
}

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

#[cfg(test)]
mod tests {
    use super::full_blocks;

    #[test]
    fn lease_size_full_file_counts_indirect_blocks() {
        for (pages, blocks) in [(0, 0), (12, 12), (13, 14), (1036, 1037), (1037, 1040), (2060, 2063), (2061, 2065)] {
            assert_eq!(full_blocks(pages), blocks, "{pages} pages");
        }
    }
}

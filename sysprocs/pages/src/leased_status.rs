//! The `struct stat` of a file that this board has leased: the owner's, and what was written and changed here since the
//! grant.
//!
//! Invariant: what is here was made under the lease, and covers all that the owner has been told of it; so it completes
//! any status that the owner has granted under this lease, however old that is. Not here: the cached status
//! (`renga_fs`).

use crate::index::PageIndex;
use renga_hal::memory::PAGE_BYTES;
use renga_proto::inode::TIME_KEEP;
use renga_proto::pages::FileId;
use renga_proto::stat::{
    ACCESS_AT, CHANGE_AT, MODE_AT, MODIFY_AT, OWNER_AT, SECTORS_AT, SIZE_AT, half, put_half, put_time, put_word,
    time_ns, word,
};
use renga_rt::Errno;

const SECTORS_PER_PAGE: u64 = 8;
/// Pages that an inode refers to itself, and numbers of blocks in a block.
const DIRECT: u64 = 12;
const PER_BLOCK: u64 = 1_024;

/// Blocks of a file of so many pages without holes, with those that have the numbers of others.
pub fn full_blocks(pages: u64) -> u64 {
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

impl PageIndex {
    /// Completes what the owner has granted under `lease`. `ENOLCK`: that is not the lease of this board.
    pub fn complete_status(&self, id: FileId, lease: u64, status: &mut [u8]) -> Result<(), Errno> {
        let leased = self.lease_of(id).filter(|leased| leased.lease == lease).ok_or(Errno::ENOLCK)?;
        let (_, written_ns, changed) = self.facts(id);
        let (before, size) = (word(status, SIZE_AT), leased.size.max(word(status, SIZE_AT)));
        let blocks = |size: u64| full_blocks(size.div_ceil(PAGE_BYTES as u64));
        let sectors = (blocks(size) - blocks(before)) * SECTORS_PER_PAGE;
        put_word(status, SIZE_AT, size);
        put_word(status, SECTORS_AT, word(status, SECTORS_AT) + sectors);
        if let Some((change, at_ns)) = changed {
            put_half(status, MODE_AT, change.mode_after(half(status, MODE_AT) as u16).into());
            let (uid, gid) = change.owner_after((half(status, OWNER_AT), half(status, OWNER_AT + 4)));
            put_half(status, OWNER_AT, uid);
            put_half(status, OWNER_AT + 4, gid);
            for (at, ns) in [(ACCESS_AT, change.access_ns), (MODIFY_AT, change.modify_ns)] {
                if ns != TIME_KEEP {
                    put_time(status, at, ns);
                }
            }
            put_time(status, CHANGE_AT, at_ns.max(time_ns(status, CHANGE_AT)));
        }
        if let Some(written_ns) = written_ns {
            put_time(status, MODIFY_AT, written_ns);
            put_time(status, CHANGE_AT, written_ns.max(time_ns(status, CHANGE_AT)));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::full_blocks;

    #[test]
    fn full_file_counts_indirect_blocks() {
        for (pages, blocks) in [(0, 0), (12, 12), (13, 14), (1036, 1037), (1037, 1040), (2060, 2063), (2061, 2065)] {
            assert_eq!(full_blocks(pages), blocks, "{pages} pages");
        }
    }
}

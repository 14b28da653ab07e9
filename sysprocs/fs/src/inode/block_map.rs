//! Which block of the disk holds which block of a file: direct, and through one, two or three
//! levels of indirect blocks.
//!
//! Invariant: `line` is a true copy of part of an indirect block, which only this inode uses.
//! Not here: giving blocks back (`truncate.rs`).

use crate::format::bytes::{put_u32, u32_at};
use crate::inode::active_inode::ActiveInode;
use renga_abi::PAGE_BYTES;
use renga_rt::Errno;

/// Pointers in an inode that point to blocks of the file itself.
pub(crate) const DIRECT: u64 = 12;
/// Pointers in an indirect block.
pub(crate) const PER_BLOCK: u64 = PAGE_BYTES as u64 / 4;
/// Pointers of an indirect block that are read at a time.
pub(crate) const LINE: usize = 32;

/// Part of an indirect block.
pub(crate) struct PointerLine {
    block: u32,
    first: u32,
    bytes: [u8; LINE * 4],
}
impl PointerLine {
    pub(crate) const NONE: PointerLine = PointerLine { block: 0, first: 0, bytes: [0; LINE * 4] };
}

/// The way to a block of a file: a pointer of the inode, and one in each of `depth` indirect blocks.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Route {
    pub(crate) root: usize,
    pub(crate) depth: usize,
    pub(crate) at: [u32; 3],
}

pub(crate) fn route(index: u64) -> Result<Route, Errno> {
    let [one, two, three] = [PER_BLOCK, PER_BLOCK * PER_BLOCK, PER_BLOCK * PER_BLOCK * PER_BLOCK];
    if index < DIRECT {
        return Ok(Route { root: index as usize, depth: 0, at: [0; 3] });
    }
    let index = index - DIRECT;
    let digit = |index: u64, unit: u64| (index / unit % PER_BLOCK) as u32;
    if index < one {
        return Ok(Route { root: 12, depth: 1, at: [digit(index, 1), 0, 0] });
    }
    let index = index - one;
    if index < two {
        return Ok(Route { root: 13, depth: 2, at: [digit(index, one), digit(index, 1), 0] });
    }
    let index = index - two;
    if index < three {
        return Ok(Route { root: 14, depth: 3, at: [digit(index, two), digit(index, one), digit(index, 1)] });
    }
    Err(Errno::EFBIG)
}

impl ActiveInode {
    /// The block that holds block `index` of the file; 0: a hole.
    pub(crate) async fn map(&mut self, index: u64) -> Result<u32, Errno> {
        let route = route(index)?;
        let mut block = self.record.pointer(route.root);
        for at in &route.at[..route.depth] {
            if block == 0 {
                break;
            }
            block = self.pointer(block, *at).await?;
        }
        Ok(block)
    }

    /// As `map`, with holes filled; whether the block is new, its content undefined.
    pub(crate) async fn map_for_write(&mut self, index: u64) -> Result<(u32, bool), Errno> {
        let route = route(index)?;
        let mut block = self.record.pointer(route.root);
        let mut fresh = block == 0;
        if fresh {
            block = self.take_for(route.depth > 0).await?;
            self.record.set_pointer(route.root, block);
        }
        for level in 0..route.depth {
            let at = route.at[level];
            let mut next = self.pointer(block, at).await?;
            fresh = next == 0;
            if fresh {
                next = self.take_for(level + 1 < route.depth).await?;
                self.set_pointer(block, at, next).await?;
            }
            block = next;
        }
        Ok((block, fresh))
    }

    /// The last block of the file before `below` that is not a hole.
    pub(crate) async fn last_mapped(&mut self, below: u64) -> Result<Option<u64>, Errno> {
        let spans = [PER_BLOCK, PER_BLOCK * PER_BLOCK, PER_BLOCK * PER_BLOCK * PER_BLOCK];
        for depth in (1..=spans.len()).rev() {
            let base = DIRECT + spans[..depth - 1].iter().sum::<u64>();
            let root = self.record.pointer(DIRECT as usize + depth - 1);
            if below > base
                && root != 0
                && let Some(last) = self.last_in(root, &spans[..depth], (below - base).min(spans[depth - 1])).await?
            {
                return Ok(Some(base + last));
            }
        }
        Ok((0..below.min(DIRECT)).rev().find(|at| self.record.pointer(*at as usize) != 0))
    }

    /// Of the blocks that the indirect block `root` leads to, the last before `below`; `spans`: how many blocks each of
    /// its levels has, the lowest first.
    async fn last_in(&mut self, root: u32, spans: &[u64], below: u64) -> Result<Option<u64>, Errno> {
        // Where the search stands in each level: which block of pointers, the file's block that its first one leads to,
        // and the pointer behind the one to be looked at next.
        let mut levels = [(0, 0, 0); 3];
        let unit = |level: usize| if level == 0 { 1 } else { spans[level - 1] };
        let mut level = spans.len() - 1;
        levels[level] = (root, 0, below.div_ceil(unit(level)));
        // Bounded by the indirect blocks: none is looked at twice, and one without pointers is given back.
        loop {
            let (block, base, at) = levels[level];
            if at == 0 {
                level += 1;
                if level == spans.len() {
                    return Ok(None);
                }
                continue;
            }
            levels[level].2 = at - 1;
            let next = self.pointer(block, (at - 1) as u32).await?;
            let found = base + (at - 1) * unit(level);
            if next != 0 && level == 0 {
                return Ok(Some(found));
            }
            if next != 0 {
                level -= 1;
                levels[level] = (next, found, (below - found).min(spans[level]).div_ceil(unit(level)));
            }
        }
    }

    async fn take_for(&mut self, indirect: bool) -> Result<u32, Errno> {
        let block = self.take_block().await?;
        if indirect {
            self.cache.overwrite(block, 0, &[], true).await?;
        }
        Ok(block)
    }

    /// The pointer `at` of the indirect block `block`.
    pub(crate) async fn pointer(&mut self, block: u32, at: u32) -> Result<u32, Errno> {
        let first = at & !(LINE as u32 - 1);
        if self.line.block != block || self.line.first != first {
            self.line.block = 0;
            self.cache.read(block, first * 4, &mut self.line.bytes).await?;
            (self.line.block, self.line.first) = (block, first);
        }
        Ok(u32_at(&self.line.bytes, (at - first) as usize * 4))
    }

    /// Sets a pointer whose line `pointer` has just read.
    pub(crate) async fn set_pointer(&mut self, block: u32, at: u32, value: u32) -> Result<(), Errno> {
        self.cache.write_books(block, at * 4, &value.to_le_bytes()).await?;
        if self.line.block == block && self.line.first == at & !(LINE as u32 - 1) {
            put_u32(&mut self.line.bytes, (at - self.line.first) as usize * 4, value);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Route, route};

    #[test]
    fn routes_change_at_the_right_blocks() {
        let all = [
            (11, 11, 0, [0, 0, 0]),
            (12, 12, 1, [0, 0, 0]),
            (1035, 12, 1, [1023, 0, 0]),
            (1036, 13, 2, [0, 0, 0]),
            (1036 + 1024 * 1024 - 1, 13, 2, [1023, 1023, 0]),
            (1036 + 1024 * 1024, 14, 3, [0, 0, 0]),
            (1036 + 1024 * 1024 + 1025, 14, 3, [0, 1, 1]),
        ];
        for (index, root, depth, at) in all {
            assert_eq!(route(index), Ok(Route { root, depth, at }), "{index}");
        }
    }
}

//! The blocks of a file: direct, and through one, two or three levels of indirect blocks.
//!
//! Invariant: `line` is a true copy of part of an indirect block, which only this inode uses.
//! Not here: giving blocks back (`truncate.rs`).

use crate::format::bytes::{put_u32, u32_at};
use crate::inode::active_inode::{ActiveInode, SECTORS_PER_BLOCK};
use crate::inode::block_route::{DIRECT, LINE, PER_BLOCK, route};
use renga_proto::allocator::{FreeBlocks, TakeBlock, TakeReserved};
use renga_proto::buffer::directory::{Discard, Overwrite, ReadBytes, WriteBytes};
use renga_rt::Errno;

impl ActiveInode {
    /// A block for this inode, near its last one; counted, its data undefined.
    pub(crate) async fn take_block(&mut self) -> Result<u32, Errno> {
        let goal = if self.last_block == 0 { self.place.goal } else { self.last_block + 1 };
        let block = match &mut self.leased {
            Some(lease) if lease.reserved > 0 => {
                let block = self.allocator.call(TakeReserved { goal }, ()).await?;
                lease.reserved -= 1;
                block
            }
            _ => self.allocator.call(TakeBlock { goal }, ()).await?,
        };
        self.last_block = block;
        self.record.set_sectors(self.record.sectors().saturating_add(SECTORS_PER_BLOCK));
        self.note_change();
        Ok(block)
    }

    pub(crate) async fn give_back(&mut self, first: u32, count: u32) -> Result<(), Errno> {
        self.record.set_sectors(self.record.sectors().saturating_sub(count.saturating_mul(SECTORS_PER_BLOCK)));
        self.note_change();
        // Both first, as afterwards they may be reused.
        self.save().await?;
        self.cache.call(Discard { first: first.into(), count }, ()).await?;
        self.allocator.call(FreeBlocks { first, count, metadata: self.frees_metadata }, ()).await
    }

    /// The disk block of block `index` of the file; 0: a hole.
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

    /// As `map`, with holes filled; whether the block is new, its data undefined.
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
        // The state of the search in each level: the block of pointers, the file's block that its first one leads to,
        // and the next pointer.
        let mut levels = [(0, 0, 0); 3];
        let unit = |level: usize| if level == 0 { 1 } else { spans[level - 1] };
        let mut level = spans.len() - 1;
        levels[level] = (root, 0, below.div_ceil(unit(level)));
        // Bounded by the indirect blocks: the search visits none twice, and frees one without pointers.
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
            self.cache.call(Overwrite { block: block.into(), offset: 0, metadata: true }, &[][..]).await?;
        }
        Ok(block)
    }

    pub(crate) async fn pointer(&mut self, block: u32, at: u32) -> Result<u32, Errno> {
        let first = at & !(LINE as u32 - 1);
        if self.line.block != block || self.line.first != first {
            self.line.block = 0;
            self.cache.call(ReadBytes { block: block.into(), offset: first * 4 }, &mut self.line.bytes[..]).await?;
            (self.line.block, self.line.first) = (block, first);
        }
        Ok(u32_at(&self.line.bytes, (at - first) as usize * 4))
    }

    /// Sets a pointer whose line `pointer` has just read.
    pub(crate) async fn set_pointer(&mut self, block: u32, at: u32, value: u32) -> Result<(), Errno> {
        let write = WriteBytes { block: block.into(), offset: at * 4, metadata: true };
        self.cache.call(write, &value.to_le_bytes()[..]).await?;
        if self.line.block == block && self.line.first == at & !(LINE as u32 - 1) {
            put_u32(&mut self.line.bytes, (at - self.line.first) as usize * 4, value);
        }
        Ok(())
    }
}

//! Allocation and release of blocks and inodes in the bitmaps.
//!
//! Invariant: a block that was given back is allocated again only after the next commit, so that a crash cannot bring
//! back a file whose data were overwritten. Files grow contiguously: the search starts behind the caller's last block
//! (its goal).
//! Called by: `allocator.rs`, `reservations.rs`, `transaction.rs`. Calls: the bitmaps' buffers. Not here: entries.

use crate::format::bytes::{put_u32, put_u64};
use crate::format::groups::{BlockGroup, has_superblock};
use crate::format::superblock::MAGIC;
use crate::volume::allocator_state::AllocatorState;
use renga_abi::PAGE_BYTES;
use renga_proto::buffer::directory::{ClearBits, TakeBit};
use renga_proto::inode::NAME_BYTES_MAX;
use renga_proto::pages::ANY_GENERATION;
use renga_rt::Errno;

impl AllocatorState {
    pub(crate) async fn take_block(&mut self, goal: u32) -> Result<u32, Errno> {
        self.may_change()?;
        self.freed.may_take().and(self.closing.may_take()).inspect_err(|_| self.hurry())?;
        let per_group = self.superblock.blocks_per_group();
        let goal = if goal < self.superblock.blocks() { goal } else { 0 };
        let first = (goal / per_group) as usize;
        for step in 0..self.count {
            let number = (first + step) % self.count;
            let from = if step == 0 { goal % per_group } else { 0 };
            match self.take_in_group(number, from).await {
                Err(Errno::ENOSPC) => {}
                taken => return taken,
            }
        }
        if self.freed.is_empty() && self.closing.is_empty() && !self.due.is_freeing() {
            return Err(Errno::ENOSPC);
        }
        self.hurry();
        Err(self.closing.refusal())
    }

    /// A free block of a group, from its block `from` on, that no transaction under way is yet to free.
    async fn take_in_group(&mut self, number: usize, from: u32) -> Result<u32, Errno> {
        let BlockGroup { block_bitmap, free_blocks, .. } = self.groups[number];
        if free_blocks == 0 {
            return Err(Errno::ENOSPC);
        }
        let (start, below) = (number as u32 * self.superblock.blocks_per_group(), self.blocks_of_group(number));
        let (mut from, mut first_waiting) = (from, None);
        // Bounded by the runs that wait: each leads behind it, and the first one again ends the search.
        loop {
            let bit = match self.cache.call(TakeBit { block: block_bitmap.into(), from, below }, ()).await {
                Err(Errno::ENOSPC) => {
                    self.me.log("a group's count of free blocks is wrong", [number as u64, 0]);
                    return Err(Errno::ENOSPC);
                }
                taken => taken?,
            };
            let Some(end) = self.closing.end_of_run(start + bit) else {
                let group = &mut self.groups[number];
                (group.free_blocks, group.changed) = (group.free_blocks - 1, true);
                return Ok(start + bit);
            };
            self.cache.call(ClearBits { block: block_bitmap.into(), first: bit, count: 1 }, ()).await?;
            if first_waiting == Some(bit) {
                return Err(Errno::ENOSPC);
            }
            first_waiting = first_waiting.or(Some(bit));
            from = if end - start < below { end - start } else { 0 };
        }
    }

    pub(super) async fn free_blocks(&mut self, first: u32, count: u32, metadata: bool) -> Result<(), Errno> {
        self.may_change()?;
        let below = first.checked_add(count).filter(|below| first > 0 && *below <= self.superblock.blocks());
        if below.is_none() || self.freed.holds_any(first, count) || self.closing.holds_any(first, count) {
            self.me.log("blocks were freed twice", [first.into(), count.into()]);
            return Err(Errno::EIO);
        }
        self.make_due();
        if let Err((first, count)) = self.freed.add(first, count, metadata) {
            // No room to remember them: they are free at once, and no block is given out before the commit.
            self.freed.set_early();
            self.hurry();
            if !self.clear(first, count).await? {
                return Err(Errno::EIO);
            }
        }
        Ok(())
    }

    /// Makes blocks free; whether none of them was so already.
    pub(crate) async fn clear(&mut self, first: u32, count: u32) -> Result<bool, Errno> {
        let per_group = self.superblock.blocks_per_group();
        let (mut at, below) = (first, first + count);
        let mut all = true;
        while at < below {
            let number = (at / per_group) as usize;
            let here = (below - at).min(per_group - at % per_group);
            let bitmap = self.groups[number].block_bitmap;
            let were_set =
                self.cache.call(ClearBits { block: bitmap.into(), first: at % per_group, count: here }, ()).await?;
            if were_set != here {
                self.me.log("blocks were freed twice", [at.into(), here.into()]);
                all = false;
            }
            let group = &mut self.groups[number];
            // Counts on the medium may be wrong; they only order the search.
            (group.free_blocks, group.changed) = (group.free_blocks.saturating_add(were_set as u16), true);
            at += here;
        }
        Ok(all)
    }

    /// The groups in the order of the search for a new inode: a file's from its parent's on, a directory's from the
    /// one with most free blocks on, so that directories spread.
    fn first_group(&self, parent: u32, directory: bool) -> usize {
        if !directory {
            return (parent.saturating_sub(1) / self.superblock.inodes_per_group()) as usize % self.count;
        }
        let groups = self.groups[..self.count].iter().enumerate().filter(|(_, group)| group.free_inodes > 0);
        groups.max_by_key(|(number, group)| (group.free_blocks, usize::MAX - number)).map_or(0, |(number, _)| number)
    }

    pub(super) async fn take_inode(&mut self, parent: u32, directory: bool) -> Result<u32, Errno> {
        self.may_change()?;
        let per_group = self.superblock.inodes_per_group();
        let first = self.first_group(parent, directory);
        for step in 0..self.count {
            let number = (first + step) % self.count;
            let group = self.groups[number];
            if group.free_inodes == 0 {
                continue;
            }
            match self.cache.call(TakeBit { block: group.inode_bitmap.into(), from: 0, below: per_group }, ()).await {
                Ok(bit) => {
                    let group = &mut self.groups[number];
                    group.free_inodes -= 1;
                    group.directories = group.directories.saturating_add(u16::from(directory));
                    let next = self.generation.wrapping_add(1);
                    self.generation = if next == ANY_GENERATION { 0 } else { next };
                    group.changed = true;
                    return Ok(number as u32 * per_group + bit + 1);
                }
                Err(Errno::ENOSPC) => self.me.log("a group's count of free inodes is wrong", [number as u64, 0]),
                Err(errno) => return Err(errno),
            }
        }
        Err(if self.due.is_freeing() { Errno::EAGAIN } else { Errno::ENOSPC })
    }

    pub(super) async fn free_inode(&mut self, ino: u32, directory: bool) -> Result<(), Errno> {
        self.may_change()?;
        let (number, index) = self.group_of(ino)?;
        let were_set = self
            .cache
            .call(ClearBits { block: self.groups[number].inode_bitmap.into(), first: index, count: 1 }, ())
            .await?;
        if were_set == 0 {
            self.me.log("an inode was freed twice", [ino.into(), 0]);
            return Err(Errno::EIO);
        }
        let group = &mut self.groups[number];
        group.free_inodes = group.free_inodes.saturating_add(1);
        group.directories = group.directories.saturating_sub(u16::from(directory));
        group.changed = true;
        Ok(())
    }

    /// `struct statfs`: Linux's `fs/ext2/super.c` takes the blocks of its own metadata off the total.
    pub(super) fn fill_status(&self, out: &mut [u8]) -> Result<(), Errno> {
        let superblock = &self.superblock;
        let table_blocks = (superblock.inodes_per_group() * superblock.inode_bytes()).div_ceil(PAGE_BYTES as u32);
        let copies = (0..self.count as u32).filter(|number| has_superblock(*number)).count() as u32;
        let metadata = copies * 2 + self.count as u32 * (2 + table_blocks);
        let (free_blocks, free_inodes) = self.free_totals();
        // What the transaction under way frees is counted in the groups already.
        let free_blocks = (free_blocks + self.freed.blocks()).saturating_sub(self.reserved);
        let words = [
            u64::from(MAGIC),
            PAGE_BYTES as u64,
            superblock.blocks().saturating_sub(metadata).into(),
            free_blocks.into(),
            free_blocks.saturating_sub(superblock.reserved_blocks()).into(),
            superblock.inodes().into(),
            free_inodes.into(),
        ];
        let out = out.get_mut(..renga_proto::allocator::STATFS_BYTES).ok_or(Errno::EINVAL)?;
        out.fill(0);
        words.into_iter().enumerate().for_each(|(at, word)| put_u64(out, at * 8, word));
        superblock.fsid().into_iter().enumerate().for_each(|(at, word)| put_u32(out, 56 + at * 4, word));
        put_u64(out, 64, NAME_BYTES_MAX as u64);
        put_u64(out, 72, PAGE_BYTES as u64);
        Ok(())
    }
}

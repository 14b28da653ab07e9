//! The allocator: gives out free blocks and inodes, and keeps the file system's books.
//!
//! Invariant: what it gave out is set in the bitmaps before the reply. The counts live here and go
//! to their buffers when saved; after a cut `e2fsck -p` counts again. The medium says "not clean"
//! from the first moment until `MarkClean`.
//! Files grow contiguously, as each block is looked for behind the one before (the caller's goal).

use crate::bytes::{put_u32, put_u64};
use crate::cache::{Cache, CacheClients};
use crate::groups::{COUNTS_OFFSET, DESCRIPTOR_BYTES, DESCRIPTORS_BLOCK, GROUPS_MAX, Group, has_superblock};
use crate::superblock::{MAGIC, SUPERBLOCK_BYTES, SUPERBLOCK_OFFSET, Superblock};
use renga_abi::PAGE_BYTES;
use renga_proto::allocator::{Allocator, AllocatorCall, InodePlace};
use renga_proto::inode::NAME_BYTES_MAX;
use renga_rt::{Errno, Me, Never, Port};

const NS_PER_S: u64 = 1_000_000_000;

struct State {
    me: Me,
    cache: Cache,
    epoch_ns: u64,
    superblock: Superblock,
    groups: [Group; GROUPS_MAX],
    count: usize,
    /// Why nothing may be changed: not mounted (`EIO`), or marked clean (`EROFS`).
    refuses: Option<Errno>,
}

/// Serves the allocator. `epoch_ns`: time of boot, ns since 1970.
pub async fn allocator(me: Me, mut port: Port<Allocator>, cache: CacheClients, epoch_ns: u64) -> Never {
    let mut state = State {
        me,
        cache: Cache::new(cache),
        epoch_ns,
        superblock: Superblock::new([0; SUPERBLOCK_BYTES]),
        groups: [Group::NONE; GROUPS_MAX],
        count: 0,
        refuses: Some(Errno::EIO),
    };
    if let Err(errno) = state.mount().await {
        state.me.log("the file system cannot be mounted", [errno.0.into(), 0]);
    }
    loop {
        match port.accept().await {
            AllocatorCall::TakeBlock(call) => {
                let reply = state.take_block(call.entry().goal).await;
                call.reply(reply);
            }
            AllocatorCall::FreeBlocks(call) => {
                let reply = state.free_blocks(call.entry().first, call.entry().count).await;
                call.reply(reply);
            }
            AllocatorCall::TakeInode(call) => {
                let reply = state.take_inode(call.entry().parent, call.entry().directory).await;
                call.reply(reply);
            }
            AllocatorCall::FreeInode(call) => {
                let reply = state.free_inode(call.entry().ino, call.entry().directory).await;
                call.reply(reply);
            }
            AllocatorCall::LocateInode(call) => {
                let reply = state.locate(call.entry().ino);
                call.reply(reply);
            }
            AllocatorCall::FillStatus(mut call) => {
                let reply = state.fill_status(call.lent());
                call.reply(reply);
            }
            AllocatorCall::SaveCounts(call) => {
                let reply = state.save_counts().await;
                call.reply(reply);
            }
            AllocatorCall::MarkClean(call) => {
                let reply = state.mark_clean().await;
                call.reply(reply);
            }
        }
    }
}

impl State {
    fn now_s(&self) -> u32 {
        ((self.epoch_ns + self.me.now_ns()) / NS_PER_S) as u32
    }

    async fn mount(&mut self) -> Result<(), Errno> {
        self.cache.read(0, SUPERBLOCK_OFFSET as u32, &mut self.superblock.bytes).await?;
        self.count = self.superblock.groups() as usize;
        if self.superblock.magic() != MAGIC || self.count > GROUPS_MAX {
            return Err(Errno::EINVAL);
        }
        for number in 0..self.count {
            let mut bytes = [0; DESCRIPTOR_BYTES];
            self.cache.read(DESCRIPTORS_BLOCK, (number * DESCRIPTOR_BYTES) as u32, &mut bytes).await?;
            self.groups[number] = Group::from_descriptor(&bytes);
        }
        if !self.superblock.is_clean() {
            self.me.log("the file system was not unmounted: e2fsck should look at it", [0, 0]);
        }
        let now_s = self.now_s();
        self.superblock.set_clean(false);
        self.superblock.count_mount(now_s);
        self.save_superblock().await?;
        self.cache.sync_range(0, 1).await?;
        self.refuses = None;
        Ok(())
    }

    fn may_change(&self) -> Result<(), Errno> {
        self.refuses.map_or(Ok(()), Err)
    }

    fn blocks_of_group(&self, number: usize) -> u32 {
        let per_group = self.superblock.blocks_per_group();
        (self.superblock.blocks() - number as u32 * per_group).min(per_group)
    }

    async fn take_block(&mut self, goal: u32) -> Result<u32, Errno> {
        self.may_change()?;
        let per_group = self.superblock.blocks_per_group();
        let goal = if goal < self.superblock.blocks() { goal } else { 0 };
        let first = (goal / per_group) as usize;
        for step in 0..self.count {
            let number = (first + step) % self.count;
            let group = self.groups[number];
            if group.free_blocks == 0 {
                continue;
            }
            let from = if step == 0 { goal % per_group } else { 0 };
            match self.cache.take_bit(group.block_bitmap, from, self.blocks_of_group(number)).await {
                Ok(bit) => {
                    let group = &mut self.groups[number];
                    (group.free_blocks, group.changed) = (group.free_blocks - 1, true);
                    return Ok(number as u32 * per_group + bit);
                }
                Err(Errno::ENOSPC) => self.me.log("a group's count of free blocks is wrong", [number as u64, 0]),
                Err(errno) => return Err(errno),
            }
        }
        Err(Errno::ENOSPC)
    }

    async fn free_blocks(&mut self, first: u32, count: u32) -> Result<(), Errno> {
        self.may_change()?;
        let below = first.checked_add(count).filter(|below| first > 0 && *below <= self.superblock.blocks());
        let below = below.ok_or(Errno::EIO)?;
        let per_group = self.superblock.blocks_per_group();
        let (mut at, mut told) = (first, Ok(()));
        while at < below {
            let number = (at / per_group) as usize;
            let here = (below - at).min(per_group - at % per_group);
            let bitmap = self.groups[number].block_bitmap;
            let were_set = self.cache.clear_bits(bitmap, at % per_group, here).await?;
            if were_set != here {
                self.me.log("blocks were freed twice", [at.into(), here.into()]);
                told = Err(Errno::EIO);
            }
            let group = &mut self.groups[number];
            // Counts on the medium may be wrong; they are only what is looked at first.
            (group.free_blocks, group.changed) = (group.free_blocks.saturating_add(were_set as u16), true);
            at += here;
        }
        told
    }

    /// The groups in the order in which a new inode looks for room: a file's from its parent's on, a
    /// directory's from the one with most free blocks on, so that directories spread.
    fn first_group(&self, parent: u32, directory: bool) -> usize {
        if !directory {
            return (parent.saturating_sub(1) / self.superblock.inodes_per_group()) as usize % self.count;
        }
        let groups = self.groups[..self.count].iter().enumerate().filter(|(_, group)| group.free_inodes > 0);
        groups.max_by_key(|(number, group)| (group.free_blocks, usize::MAX - number)).map_or(0, |(number, _)| number)
    }

    async fn take_inode(&mut self, parent: u32, directory: bool) -> Result<u32, Errno> {
        self.may_change()?;
        let per_group = self.superblock.inodes_per_group();
        let first = self.first_group(parent, directory);
        for step in 0..self.count {
            let number = (first + step) % self.count;
            let group = self.groups[number];
            if group.free_inodes == 0 {
                continue;
            }
            match self.cache.take_bit(group.inode_bitmap, 0, per_group).await {
                Ok(bit) => {
                    let group = &mut self.groups[number];
                    group.free_inodes -= 1;
                    group.directories = group.directories.saturating_add(u16::from(directory));
                    group.changed = true;
                    return Ok(number as u32 * per_group + bit + 1);
                }
                Err(Errno::ENOSPC) => self.me.log("a group's count of free inodes is wrong", [number as u64, 0]),
                Err(errno) => return Err(errno),
            }
        }
        Err(Errno::ENOSPC)
    }

    async fn free_inode(&mut self, ino: u32, directory: bool) -> Result<(), Errno> {
        self.may_change()?;
        let (number, index) = self.group_of(ino)?;
        let were_set = self.cache.clear_bits(self.groups[number].inode_bitmap, index, 1).await?;
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

    fn group_of(&self, ino: u32) -> Result<(usize, u32), Errno> {
        if ino == 0 || ino > self.superblock.inodes() {
            return Err(Errno::EIO);
        }
        let per_group = self.superblock.inodes_per_group();
        Ok((((ino - 1) / per_group) as usize, (ino - 1) % per_group))
    }

    fn locate(&self, ino: u32) -> Result<InodePlace, Errno> {
        let (number, index) = self.group_of(ino)?;
        let bytes = self.superblock.inode_bytes();
        let per_block = PAGE_BYTES as u32 / bytes;
        Ok(InodePlace {
            block: self.groups[number].inode_table.saturating_add(index / per_block),
            offset: index % per_block * bytes,
            bytes,
            goal: number as u32 * self.superblock.blocks_per_group(),
        })
    }

    fn free_totals(&self) -> (u32, u32) {
        let groups = &self.groups[..self.count];
        groups.iter().fold((0, 0), |(blocks, inodes), group| {
            (blocks + u32::from(group.free_blocks), inodes + u32::from(group.free_inodes))
        })
    }

    /// `struct statfs`: Linux's `fs/ext2/super.c` takes the blocks of its own books off the total.
    fn fill_status(&self, out: &mut [u8]) -> Result<(), Errno> {
        let superblock = &self.superblock;
        let table_blocks = (superblock.inodes_per_group() * superblock.inode_bytes()).div_ceil(PAGE_BYTES as u32);
        let copies = (0..self.count as u32).filter(|number| has_superblock(*number)).count() as u32;
        let books = copies * 2 + self.count as u32 * (2 + table_blocks);
        let (free_blocks, free_inodes) = self.free_totals();
        let words = [
            u64::from(MAGIC),
            PAGE_BYTES as u64,
            superblock.blocks().saturating_sub(books).into(),
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

    async fn save_superblock(&mut self) -> Result<(), Errno> {
        let (blocks, inodes) = self.free_totals();
        let now_s = self.now_s();
        self.superblock.set_free(blocks, inodes);
        self.superblock.set_written(now_s);
        self.cache.write(0, SUPERBLOCK_OFFSET as u32, &self.superblock.bytes).await
    }

    async fn save_counts(&mut self) -> Result<(), Errno> {
        self.may_change()?;
        let mut changed = false;
        for number in 0..self.count {
            if !core::mem::take(&mut self.groups[number].changed) {
                continue;
            }
            changed = true;
            let counts = self.groups[number].counts();
            let offset = (number * DESCRIPTOR_BYTES) as u32 + COUNTS_OFFSET;
            self.cache.write(DESCRIPTORS_BLOCK, offset, &counts).await?;
        }
        if changed { self.save_superblock().await } else { Ok(()) }
    }

    async fn mark_clean(&mut self) -> Result<(), Errno> {
        self.save_counts().await?;
        self.superblock.set_clean(true);
        self.refuses = Some(Errno::EROFS);
        self.save_superblock().await
    }
}

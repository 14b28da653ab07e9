//! The allocator: gives out free blocks and inodes, and keeps the file system's books.
//!
//! Invariants: what it gave out is set in the bitmaps before the reply; what it got back is given out again only
//! after the next commit, so that content on the disk is not overwritten while a cut could still bring its
//! file back. The counts live here and go to their buffers at a commit. It never waits for a commit, and while one
//! is closed it serves what that needs, and whoever only reads.
//! Files grow contiguously, as each block is looked for behind the one before (the caller's goal).
//! Not here: the first look at the disk (`mount.rs`), its part in commits (`transaction.rs`).

use crate::cache::client::{Cache, CacheClients};
use crate::format::bytes::{put_u32, put_u64};
use crate::format::groups::{GROUPS_MAX, Group, has_superblock};
use crate::format::superblock::{MAGIC, SUPERBLOCK_BYTES, Superblock};
use crate::volume::commit_timer::Due;
use crate::volume::freed::Freed;
use crate::volume::transaction::{Members, Phase};
use renga_abi::PAGE_BYTES;
use renga_proto::allocator::{Allocator, AllocatorCall, FreeInode, InodePlace, JoinTransaction, Mount, TakeInode};
use renga_proto::inode::NAME_BYTES_MAX;
use renga_proto::pages::ANY_GENERATION;
use renga_rt::{Errno, Me, Never, Port, Protocol};

const NS_PER_S: u64 = 1_000_000_000;

pub(crate) struct State {
    pub(crate) me: Me,
    pub(crate) cache: Cache,
    pub(crate) epoch_ns: u64,
    pub(crate) superblock: Superblock,
    pub(crate) groups: [Group; GROUPS_MAX],
    pub(crate) count: usize,
    /// Why nothing may be changed: not mounted (`EIO`), or marked clean, or the disk refuses (`EROFS`).
    pub(crate) refuses: Option<Errno>,
    /// The file system was left by a cut.
    pub(crate) was_cut: bool,
    /// Of the next fresh inode.
    pub(crate) generation: u32,
    pub(crate) phase: Phase,
    pub(crate) members: Members,
    /// Blocks that are kept for inodes that other boards hold, and those inodes' processes.
    pub(crate) reserved: u32,
    pub(crate) lent: Members,
    /// Nothing has changed here, only what is lent makes a commit due.
    pub(crate) only_lent: bool,
    /// Given back since the last transaction was closed, and what of it is in the one under way.
    pub(crate) freed: Freed,
    pub(crate) closing: Freed,
    /// When the next commit is due.
    pub(crate) due: &'static Due,
    /// Commits that failed since the last that did not.
    pub(crate) failures: u32,
}

/// Serves the allocator, once the committer has recovered the journal. `epoch_ns`: time of boot, ns since 1970.
pub async fn allocator(
    me: Me,
    mut port: Port<Allocator>,
    cache: CacheClients,
    due: &'static Due,
    epoch_ns: u64,
) -> Never {
    let mut state = State::new(me, cache, due, epoch_ns);
    loop {
        let open = match state.phase {
            Phase::Unmounted => Mount::BIT,
            Phase::Open => Allocator::ENTRIES,
            Phase::Closed => Allocator::ENTRIES & !(JoinTransaction::BIT | TakeInode::BIT | FreeInode::BIT),
        };
        match port.accept_only(open).await {
            AllocatorCall::TakeBlock(call) => {
                let reply = match state.may_take_unreserved() {
                    Ok(()) => state.take_block(call.entry().goal).await,
                    Err(errno) => Err(errno),
                };
                call.reply(reply);
            }
            AllocatorCall::LocateInode(call) => {
                let reply = state.locate(call.entry().ino);
                call.reply(reply);
            }
            AllocatorCall::JoinTransaction(call) => {
                let reply = state.join(call.entry().slot);
                call.reply(reply);
            }
            other => serve(&mut state, other).await,
        }
    }
}

async fn serve(state: &mut State, call: AllocatorCall) {
    match call {
        AllocatorCall::FreeBlocks(call) => {
            let entry = call.entry();
            let reply = state.free_blocks(entry.first, entry.count, entry.books).await;
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
        AllocatorCall::FillStatus(mut call) => {
            let reply = state.fill_status(call.lent());
            call.reply(reply);
        }
        AllocatorCall::NextOrphan(call) => {
            let reply = state.next_orphan(call.entry().from).await;
            call.reply(reply);
        }
        other => serve_lent(state, other).await,
    }
}

async fn serve_lent(state: &mut State, call: AllocatorCall) {
    match call {
        AllocatorCall::Reserve(call) => {
            let reply = state.reserve(call.entry());
            call.reply(reply);
        }
        AllocatorCall::EndReserve(call) => {
            state.end_reserve(call.entry().slot, call.entry().blocks);
            call.reply(Ok(()));
        }
        AllocatorCall::TakeReserved(call) => {
            let reply = state.take_reserved(call.entry().goal).await;
            call.reply(reply);
        }
        other => state.serve_committer(other).await,
    }
}

impl State {
    fn new(me: Me, cache: CacheClients, due: &'static Due, epoch_ns: u64) -> State {
        State {
            me,
            cache: Cache::new(cache),
            epoch_ns,
            superblock: Superblock::new([0; SUPERBLOCK_BYTES]),
            groups: [Group::NONE; GROUPS_MAX],
            count: 0,
            refuses: Some(Errno::EIO),
            was_cut: false,
            generation: 0,
            phase: Phase::Unmounted,
            members: Members::NONE,
            reserved: 0,
            lent: Members::NONE,
            only_lent: false,
            freed: Freed::default(),
            closing: Freed::default(),
            due,
            failures: 0,
        }
    }

    pub(crate) fn now_s(&self) -> u32 {
        ((self.epoch_ns + self.me.now_ns()) / NS_PER_S) as u32
    }

    pub(crate) fn may_change(&self) -> Result<(), Errno> {
        self.refuses.map_or(Ok(()), Err)
    }

    fn blocks_of_group(&self, number: usize) -> u32 {
        let per_group = self.superblock.blocks_per_group();
        (self.superblock.blocks() - number as u32 * per_group).min(per_group)
    }

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
        let Group { block_bitmap, free_blocks, .. } = self.groups[number];
        if free_blocks == 0 {
            return Err(Errno::ENOSPC);
        }
        let (start, below) = (number as u32 * self.superblock.blocks_per_group(), self.blocks_of_group(number));
        let (mut from, mut first_waiting) = (from, None);
        // Bounded by the runs that wait: each leads behind it, and the first one again ends the search.
        loop {
            let bit = match self.cache.take_bit(block_bitmap, from, below).await {
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
            self.cache.clear_bits(block_bitmap, bit, 1).await?;
            if first_waiting == Some(bit) {
                return Err(Errno::ENOSPC);
            }
            first_waiting = first_waiting.or(Some(bit));
            from = if end - start < below { end - start } else { 0 };
        }
    }

    async fn free_blocks(&mut self, first: u32, count: u32, books: bool) -> Result<(), Errno> {
        self.may_change()?;
        let below = first.checked_add(count).filter(|below| first > 0 && *below <= self.superblock.blocks());
        if below.is_none() || self.freed.holds_any(first, count) || self.closing.holds_any(first, count) {
            self.me.log("blocks were freed twice", [first.into(), count.into()]);
            return Err(Errno::EIO);
        }
        self.make_due();
        if let Err((first, count)) = self.freed.add(first, count, books) {
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
            let were_set = self.cache.clear_bits(bitmap, at % per_group, here).await?;
            if were_set != here {
                self.me.log("blocks were freed twice", [at.into(), here.into()]);
                all = false;
            }
            let group = &mut self.groups[number];
            // Counts on the medium may be wrong; they are only what is looked at first.
            (group.free_blocks, group.changed) = (group.free_blocks.saturating_add(were_set as u16), true);
            at += here;
        }
        Ok(all)
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

    pub(crate) fn group_of(&self, ino: u32) -> Result<(usize, u32), Errno> {
        if ino == 0 || ino > self.superblock.inodes() {
            return Err(Errno::EIO);
        }
        let per_group = self.superblock.inodes_per_group();
        Ok((((ino - 1) / per_group) as usize, (ino - 1) % per_group))
    }

    pub(crate) fn locate(&self, ino: u32) -> Result<InodePlace, Errno> {
        let (number, index) = self.group_of(ino)?;
        let bytes = self.superblock.inode_bytes();
        let per_block = PAGE_BYTES as u32 / bytes;
        Ok(InodePlace {
            block: self.groups[number].inode_table.saturating_add(index / per_block),
            offset: index % per_block * bytes,
            bytes,
            goal: number as u32 * self.superblock.blocks_per_group(),
            generation: self.generation,
        })
    }

    pub(crate) fn free_totals(&self) -> (u32, u32) {
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
        // What the transaction under way frees is counted in the groups already.
        let free_blocks = (free_blocks + self.freed.blocks()).saturating_sub(self.reserved);
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
}

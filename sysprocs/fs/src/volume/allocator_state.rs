//! The allocator's state: superblock, group descriptors, the open transaction, and when a commit is due.
//!
//! Invariant: the counts live here and go to their buffers at a commit. Called by: every file of the allocator.
//! Not here: allocation (`block_allocation.rs`), transactions (`transaction.rs`), entries (`allocator.rs`).

use crate::commit_due::CommitDue;
use crate::format::groups::{BlockGroup, GROUPS_MAX};
use crate::format::superblock::{SUPERBLOCK_BYTES, Superblock};
use crate::volume::freed_blocks::Freed;
use crate::volume::members::{ProcessSet, TransactionPhase};
use renga_abi::PAGE_BYTES;
use renga_proto::allocator::InodePlace;
use renga_proto::buffer::directory::BufferDirectory;
use renga_rt::{Client, Errno, Me};

const NS_PER_S: u64 = 1_000_000_000;

renga_rt::with_defaults! {
    pub(crate) struct AllocatorState {
        pub(crate) me: Me = me,
        pub(crate) cache: Client<BufferDirectory> = cache,
        pub(crate) epoch_ns: u64 = epoch_ns,
        pub(crate) superblock: Superblock = Superblock::new([0; SUPERBLOCK_BYTES]),
        pub(crate) groups: [BlockGroup; GROUPS_MAX] = [BlockGroup::NONE; GROUPS_MAX],
        pub(crate) count: usize = 0,
        /// Why nothing may be changed: not mounted (`EIO`), or marked clean, or the disk refuses (`EROFS`).
        pub(crate) refuses: Option<Errno> = Some(Errno::EIO),
        /// The file system was left by a cut.
        pub(crate) was_cut: bool = false,
        pub(crate) generation: u32 = 0,
        pub(crate) phase: TransactionPhase = TransactionPhase::Unmounted,
        pub(crate) members: ProcessSet = ProcessSet::NONE,
        /// Blocks that are reserved for inodes leased to other boards, and those inodes' processes.
        pub(crate) reserved: u32 = 0,
        pub(crate) leased: ProcessSet = ProcessSet::NONE,
        /// Nothing has changed here, only what is leased makes a commit due.
        pub(crate) only_leased: bool = false,
        /// Given back since the last transaction was closed, and what of it is in the one under way.
        pub(crate) freed: Freed = Freed::default(),
        pub(crate) closing: Freed = Freed::default(),
        pub(crate) due: &'static CommitDue = due,
        /// Commits that failed since the last that did not.
        pub(crate) failures: u32 = 0,
    }
    pub(super) fn new(me: Me, cache: Client<BufferDirectory>, due: &'static CommitDue, epoch_ns: u64);
}

impl AllocatorState {
    pub(crate) fn now_s(&self) -> u32 {
        ((self.epoch_ns + self.me.now_ns()) / NS_PER_S) as u32
    }

    pub(crate) fn may_change(&self) -> Result<(), Errno> {
        self.refuses.map_or(Ok(()), Err)
    }

    pub(super) fn blocks_of_group(&self, number: usize) -> u32 {
        let per_group = self.superblock.blocks_per_group();
        (self.superblock.blocks() - number as u32 * per_group).min(per_group)
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

    pub(crate) fn make_due(&mut self) {
        self.only_leased = false;
        self.due.set(self.due.at_ns().or(Some(self.me.now_ns() + self.due.writeback_age_ns())));
    }

    /// A commit is due now; or after a while, if the last one failed.
    pub(crate) fn hurry(&mut self) {
        self.make_due();
        self.due.hurry(self.me.now_ns());
    }
}

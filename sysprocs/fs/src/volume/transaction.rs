//! The allocator's part in transactions: who is in one, and what it itself has to put into the buffers.
//!
//! Invariants: an inode process that changes metadata has joined the transaction, so that it stands still while that
//! is copied. From `CloseTransaction` to `EndFreeze`, which takes no writing, no process joins; inodes go on being
//! located. Not here: copying and writing (`committer.rs`).

use crate::format::groups::{COUNTS_OFFSET, DESCRIPTOR_BYTES, DESCRIPTORS_BLOCK};
use crate::format::superblock::SUPERBLOCK_OFFSET;
use crate::volume::allocator_state::AllocatorState;
use crate::volume::members::TransactionPhase;
use renga_proto::allocator::{EndTransaction, JournalReached, Pended};
use renga_proto::buffer::directory::WriteBytes;
use renga_rt::Errno;
/// Commits of their own accord that may fail one after the other before changes are refused.
const FAILURES_MAX: u32 = 8;

impl AllocatorState {
    pub(crate) fn join(&mut self, slot: u16) -> Result<(), Errno> {
        self.may_change()?;
        self.make_due();
        if self.members.insert(slot) { Ok(()) } else { Err(Errno::ENFILE) }
    }

    pub(super) fn pending(&self) -> Pended {
        let changed = self.due.at_ns().is_some() && !self.only_leased;
        Pended { changed, checkpoint: self.freed.metadata || self.closing.metadata }
    }

    pub(super) fn close(&mut self) -> Result<(), Errno> {
        self.may_change()?;
        self.phase = TransactionPhase::Closed;
        // What is to be flushed has its time, too, which others' commits do not put off.
        let soon_ns = self.due.at_ns().filter(|at_ns| *at_ns > self.me.now_ns());
        self.due.set(None);
        if !self.leased.is_empty() {
            self.due.set(soon_ns);
            self.make_due();
            self.only_leased = true;
        }
        Ok(())
    }

    pub(super) async fn save_metadata(&mut self, broken: bool) -> Result<(), Errno> {
        if broken {
            self.superblock.set_errors();
            self.groups[0].changed = true;
        }
        let mut index = 0;
        while let Some((first, count)) = self.freed.run(index) {
            if !self.clear(first, count).await? {
                self.superblock.set_errors();
            }
            index += 1;
        }
        self.closing.close(&mut self.freed);
        self.save_counts().await
    }

    pub(super) fn end(&mut self, ended: EndTransaction) -> Result<(), Errno> {
        let EndTransaction { reached, whole } = ended;
        self.phase = TransactionPhase::Open;
        match reached {
            JournalReached::Failed => {
                self.failures += u32::from(whole);
                self.closing.failed();
                self.make_due();
            }
            // What the journal has copies of must not be given out again, and it may be from now on.
            JournalReached::Full if self.closing.metadata => self.failures = FAILURES_MAX,
            JournalReached::Full => {
                self.failures += u32::from(whole);
                self.closing.release();
            }
            // It is to be emptied before they are given out: by the next commit, which is due now.
            JournalReached::Journaled if self.closing.metadata => {
                self.only_leased = false;
                self.due.set(Some(self.me.now_ns()));
            }
            JournalReached::Journaled | JournalReached::Emptied => {
                self.failures = 0;
                self.closing.release();
            }
        }
        self.due.set_failed(self.failures > 0);
        if self.failures < FAILURES_MAX {
            return Ok(());
        }
        self.me.log("the disk refuses the file system's changes: it can only be read now", [0, 0]);
        self.refuses = Some(Errno::EROFS);
        self.due.set(None);
        Err(Errno::EROFS)
    }

    async fn save_counts(&mut self) -> Result<(), Errno> {
        let mut changed = false;
        for number in 0..self.count {
            if !core::mem::take(&mut self.groups[number].changed) {
                continue;
            }
            changed = true;
            let counts = self.groups[number].counts();
            let offset = (number * DESCRIPTOR_BYTES) as u32 + COUNTS_OFFSET;
            let write = WriteBytes { block: DESCRIPTORS_BLOCK.into(), offset, metadata: true };
            let saved = self.cache.call(write, &counts[..]).await;
            self.groups[number].changed = saved.is_err();
            saved?;
        }
        if changed {
            self.count_free();
            let write = WriteBytes { block: 0, offset: SUPERBLOCK_OFFSET as u32, metadata: true };
            self.cache.call(write, &self.superblock.bytes[..]).await?;
        }
        Ok(())
    }

    fn count_free(&mut self) {
        let (blocks, inodes) = self.free_totals();
        let now_s = self.now_s();
        self.superblock.set_free(blocks, inodes);
        self.superblock.set_written(now_s);
    }

    /// Puts the superblock into its buffer, to be written past the journal; only while that has no copy of it.
    pub(crate) async fn put_superblock(&mut self) -> Result<(), Errno> {
        self.count_free();
        let write = WriteBytes { block: 0, offset: SUPERBLOCK_OFFSET as u32, metadata: false };
        self.cache.call(write, &self.superblock.bytes[..]).await
    }

    pub(super) async fn mark_clean(&mut self) -> Result<(), Errno> {
        self.may_change()?;
        self.refuses = Some(Errno::EROFS);
        self.due.set(None);
        self.superblock.set_recover(false);
        let clean = !self.superblock.has_errors();
        self.superblock.set_clean(clean);
        self.put_superblock().await
    }
}

//! Files that this board had leased when its session with the board of the inodes ended.
//!
//! Their dirty pages stay. An inode's process of the same incarnation knows the lease under which they were written,
//! and flushes them on request. Until then the file is orphaned: nothing of it is mapped or written here, so every call
//! goes to that process. What that process does not know any more, after a reboot or a change by another board, is
//! lost.
//!
//! Invariant: only dirty pages of an orphaned file are here, and its size is that at the end of the session. Not
//! here: the callers (`renga_fs`: `lease_flusher`, open files), flushing (`lease_calls.rs`).

use crate::cache_state::CacheState;
use crate::frame_list::FrameList;
use crate::index::PageIndex;
use crate::owner_clock::OwnerClock;
use renga_hal::memory::{Frame, UserMemory};
use renga_proto::pages::{FileId, NO_LEASE, OrphanedFile};

impl PageIndex {
    /// The record of the first file from record `from` on, which is no object.
    pub(crate) fn next_file(&self, from: u32) -> Option<u32> {
        (from..self.fresh_file).find(|&at| self.files[at as usize].id.ino != 0)
    }

    /// Ends all cache generations, of pages and of leases, also those of files without a record.
    pub fn end_generations(&mut self) {
        let since = self.next_since();
        (self.unknown_since, self.void_since, self.unknown_ended) = (since, since, NO_LEASE);
        for file in &mut self.files[..self.fresh_file as usize] {
            (file.since, file.ended) = (since, NO_LEASE);
        }
    }

    /// The session is over in which the file in record `at` was leased, if it was; whether something of it stays.
    pub(crate) fn orphan_file(&mut self, at: u32) -> bool {
        let file = &mut self.files[at as usize];
        (file.writable, file.pushed, file.orphaned) = (0, false, file.is_ahead());
        file.orphaned
    }

    /// All of a file that was orphaned has been flushed.
    pub(crate) fn reclaim(&mut self, id: FileId) {
        if let Some(file) = self.find_file(id) {
            self.files[file as usize].orphaned = false;
        }
    }

    /// The file, if it is orphaned, or (number 0) the first that is, from record `from` on.
    pub fn find_orphaned(&self, id: FileId, from: u32) -> Option<OrphanedFile> {
        let at = match id.ino {
            0 => (from..self.fresh_file).find(|&at| self.files[at as usize].orphaned),
            _ => self.find_file(id).filter(|&at| self.files[at as usize].orphaned),
        };
        at.map(|record| (record, &self.files[record as usize])).map(|(record, file)| OrphanedFile {
            file: file.id,
            slot: file.slot,
            lease: file.lease,
            record,
        })
    }

    /// Whether pages of the file are dirty that were written under another lease.
    fn has_other_lease(&self, id: FileId, lease: u64) -> bool {
        self.find_file(id).map(|at| &self.files[at as usize]).is_some_and(|file| file.is_ahead() && file.lease != lease)
    }

    /// Takes clean pages of the file in record `file` out and into `list`, until that is full; whether there may be
    /// more.
    fn take_clean(&mut self, file: u32, list: &mut FrameList) -> bool {
        let mut walk = self.walk(file, 0, u32::MAX);
        while !list.is_full() {
            let Some(at) = self.next_of(&mut walk) else { return false };
            if !self.is_dirty(at) && self.remove(at) {
                list.push(Frame(at));
            }
        }
        true
    }
}

impl<M: UserMemory + ?Sized> CacheState<M> {
    /// The session with the board of the inodes has ended, and with it all leases: dirty data stay, orphaned.
    pub(crate) async fn end_leases(&mut self) {
        self.shared_tables.outdate(None);
        self.end_shared_tables(|_| true).await;
        self.index.end_generations();
        self.owner_clock = OwnerClock::UNKNOWN;
        let mut next = 0;
        // Each iteration passes a record.
        while let Some(file) = self.index.next_file(next) {
            next = file + 1;
            if !self.index.orphan_file(file) {
                self.drop_range(file, 0, u32::MAX).await;
                self.index.forget(file);
                continue;
            }
            self.index.unmap_range(self.machine, file, 0, u32::MAX);
            let mut list = FrameList::new();
            // Each iteration but the last takes out as many pages as the list has room for.
            while self.index.take_clean(file, &mut list) {
                self.free(&mut list).await;
            }
            self.free(&mut list).await;
        }
        if let Some(writer) = self.writer {
            writer.notify();
        }
    }

    /// Pages written under another lease than this are of an earlier incarnation of the inodes' board.
    pub(crate) async fn end_other_lease(&mut self, id: FileId, lease: u64) {
        if self.index.has_other_lease(id, lease) {
            self.discard_file(id).await;
        }
    }
}

//! Pushing: by `fsync` the inode's process gets what was written here, and the write lease stays.
//!
//! Invariants: a pushed page stays dirty until the inode's process has it, and longer if it is written meanwhile. Of a
//! file one push is under way at a time: an older version of a page never follows a newer one. Changes of mode, owner
//! and times stay here while the lease stands, as they complete what was granted under it. Not here: the caller
//! (`renga_fs`), flushes (`lease_calls.rs`).

use crate::cache_state::CacheState;
use crate::index::PageIndex;
use crate::lease::CachedLease;
use crate::records::ChangesAt;
use renga_hal::memory::{Access, PAGE_BYTES, UserMemory};
use renga_proto::attributes::{ATTRIBUTES_BYTES, AttributeChange};
use renga_proto::pages::{
    FileId, FlushedBytes, NO_LEASE, NO_PAGE, NOT_WRITTEN, NextPush, PUSH_REFUSED, PushedPage, PushedPlace,
};
use renga_rt::{Call, Errno};

impl PageIndex {
    /// Begins a push of a leased file (`NO_LEASE`), or goes on with one.
    ///
    /// # Errors
    /// `ENOLCK`: it is not leased so; `EBUSY`: it is being pushed already.
    pub fn enter_push(&mut self, id: FileId, lease: u64) -> Result<CachedLease, Errno> {
        let leased = self.lease_of(id).filter(|leased| lease == NO_LEASE || lease == leased.lease);
        let (leased, file) = leased.zip(self.find_file(id)).ok_or(Errno::ENOLCK)?;
        let record = &mut self.files[file as usize];
        if record.pushed == (lease == NO_LEASE) {
            return Err(Errno::EBUSY);
        }
        record.pushed = true;
        Ok(leased)
    }

    /// The inode's process has what was pushed last, page `page` or none; or (`PUSH_REFUSED`) it has not.
    pub fn accepted_push(&mut self, id: FileId, page: u32) {
        let Some(file) = self.find_file(id).filter(|_| page != PUSH_REFUSED) else { return };
        if let Some(at) = self.find_page(file, page).filter(|&at| self.is_on_way(at)) {
            self.make_clean(at);
        }
        let record = &mut self.files[file as usize];
        if record.changes_at == ChangesAt::Way {
            record.changes_at = ChangesAt::Owner;
        }
    }

    /// The push is over.
    pub fn end_push(&mut self, id: FileId) {
        if let Some(file) = self.find_file(id) {
            self.files[file as usize].pushed = false;
        }
    }

    /// Changes that are not at the inode's process, which are on their way from now on.
    pub fn push_changes(&mut self, id: FileId) -> Option<(AttributeChange, u64)> {
        let file = self.find_file(id)?;
        let record = &mut self.files[file as usize];
        let changed = record.changed.filter(|_| record.has_changes())?;
        record.changes_at = ChangesAt::Way;
        Some(changed)
    }
}

impl<M: UserMemory + ?Sized> CacheState<M> {
    pub(crate) async fn push_next(&mut self, call: &mut Call<NextPush>) -> Result<PushedPage, Errno> {
        let NextPush { file, lease, pushed } = call.entry();
        let leased = self.index.enter_push(file, lease)?;
        if lease != NO_LEASE {
            self.index.accepted_push(file, pushed);
            self.meet_want().await;
        }
        let (size, written_ns, _) = self.index.facts(file);
        let mut next = PushedPage {
            lease: leased.lease,
            place: PushedPlace { page: NO_PAGE, last: true },
            size,
            written_ns: written_ns.unwrap_or(NOT_WRITTEN),
            bytes: FlushedBytes::NONE,
        };
        let Some(out) = call.lent().get_mut(..PAGE_BYTES) else {
            self.index.end_push(file);
            return Ok(next);
        };
        // Once: programs may change it again and again.
        let changed = if lease == NO_LEASE { self.index.push_changes(file) } else { None };
        if let Some((page, frame)) = self.index.first_dirty(file, pushed.wrapping_add(1)) {
            let bytes = self.index.bytes_in_file(frame.0);
            next.place.last = false;
            // Without room for both only the changes go now.
            if changed.is_none() || bytes + ATTRIBUTES_BYTES <= PAGE_BYTES {
                self.index.restrict(self.machine, frame.0, Access::Read);
                out.copy_from_slice(&*self.machine.shared_page(frame));
                self.index.send(frame.0);
                next.bytes.page = bytes as u16;
                let last = self.index.first_dirty(file, page.saturating_add(1)).is_none();
                next.place = PushedPlace { page, last };
            }
        }
        let behind = out.get_mut(next.bytes.page.into()..).and_then(<[u8]>::first_chunk_mut);
        if let Some(((change, at_ns), out)) = changed.zip(behind) {
            next.bytes.changes = change.put(at_ns, out) as u16;
        }
        Ok(next)
    }
}

//! Files under a write lease: in the cache of the board that has the lease, and in that of the disk's board.
//!
//! Invariant, on the leasing board: the size here is the file's. Each page behind the end that the inode's process knew
//! is dirty, flushed, or a hole of zeros, and the inode's process says the same. Pages are written only under the
//! lease. On the disk's board: pages of a leased file are for its inode's process only.
//! Not here: which board may have a lease (`renga_fs`), calls (`lease_calls.rs`).

use crate::append_reservation::AppendReservation;
use crate::index::{PageIndex, Void};
use crate::lease::{CachedLease, is_over, later};
use crate::records::ChangesAt;
use renga_hal::memory::Frame;
use renga_proto::attributes::AttributeChange;
use renga_proto::inode::TIME_KEEP;
use renga_proto::pages::{AT_END, FileId, NO_LEASE};

/// Dirty pages of files of other boards have no block: they are found by what differs between pages side by side and
/// between files.
fn stand_in(id: FileId, page: u32) -> u32 {
    id.ino.wrapping_mul(0x9e37_79b1).wrapping_add(page)
}

impl PageIndex {
    /// Whether the file is leased, or has unflushed changes.
    pub fn is_leased(&self, id: FileId) -> bool {
        self.find_file(id)
            .map(|file| &self.files[file as usize])
            .is_some_and(|file| file.writable > 0 || file.is_ahead())
    }

    /// A cache generation for [`PageIndex::accept_lease`].
    pub fn now(&self) -> u64 {
        self.last_since
    }

    /// Whether that lease, requested in that cache generation, was itself revoked. Revocations before its grant do
    /// not concern it, though they may be later than the request: otherwise boards that want one page would keep each
    /// other from it.
    pub(crate) fn is_void(&self, id: FileId, cache_generation: u64, lease: u64) -> bool {
        let ended = self.find_file(id).map_or(self.unknown_ended, |file| self.files[file as usize].ended);
        cache_generation < self.void_since || is_over(lease, ended)
    }

    /// The file is leased from now on, or further than before; whether there is room for its record.
    ///
    /// # Errors
    /// The lease is over.
    pub fn accept_lease(
        &mut self,
        id: FileId,
        slot: u16,
        cache_generation: u64,
        lease: CachedLease,
    ) -> Result<bool, Void> {
        if self.is_void(id, cache_generation, lease.lease) {
            return Err(Void);
        }
        if self.cache_generation(id).is_none() {
            return Ok(false);
        }
        let Some(file) = self.find_file(id) else { return Ok(false) };
        let record = &mut self.files[file as usize];
        if record.writable == 0 {
            (record.size, record.appends) = (Some(lease.size), AppendReservation::NONE);
        }
        (record.writable, record.slot) = (record.writable.max(lease.below), slot);
        record.arrive(lease.lease);
        Ok(true)
    }

    /// The lease of a file, if this board has one.
    pub fn lease_of(&self, id: FileId) -> Option<CachedLease> {
        let record = &self.files[self.find_file(id)? as usize];
        record.size.filter(|_| record.writable > 0).map(|size| CachedLease {
            size,
            below: record.writable,
            lease: record.lease,
        })
    }

    /// The page in frame `at` of a leased file, which has at least `size` bytes now, was written at `now_ns` of the
    /// owner's calendar.
    pub fn wrote(&mut self, at: Frame, size: u64, now_ns: u64) {
        let slot = self.pages[at.0 as usize];
        let record = &mut self.files[slot.file as usize];
        (record.size, record.written_ns, record.used) = (record.size.map(|old| old.max(size)), Some(now_ns), true);
        if let Some((changed, _)) = &mut record.changed {
            changed.modify_ns = TIME_KEEP; // it is that of the write from now on
        }
        let stand_in = stand_in(record.id, slot.page);
        self.make_dirty(at.0, stand_in);
    }

    /// Where the next append to a leased file goes: behind those that are under way.
    pub fn append_at(&self, id: FileId) -> u64 {
        let record = self.find_file(id).map(|file| &self.files[file as usize]);
        record.map_or(0, |record| record.appends.end().max(record.size.unwrap_or(0)))
    }

    /// Where the appends end that are under way here, if any are.
    pub(crate) fn reserved(&self, id: FileId) -> u64 {
        let record = self.find_file(id).map(|file| &self.files[file as usize]);
        record
            .map(|record| (record.appends.end(), record.size.unwrap_or(0)))
            .filter(|(end, size)| end > size)
            .map_or(0, |(end, _)| end)
    }

    /// Reserves an append of `bytes` to a leased file, or releases what was reserved `from` there on.
    pub fn reserve(&mut self, id: FileId, from: u64, bytes: u64) -> Option<u64> {
        let (lease, at) = (self.lease_of(id)?, self.append_at(id));
        let record = self.find_file(id)?;
        let appends = &mut self.files[record as usize].appends;
        if from != AT_END {
            appends.release(from, from.saturating_add(bytes));
            return Some(from);
        }
        appends.extend(lease.size, lease.room(at, bytes)?);
        Some(at)
    }

    /// Its size, when it was written, and its changes and when they were made.
    pub fn facts(&self, id: FileId) -> (u64, Option<u64>, Option<(AttributeChange, u64)>) {
        let record = self.find_file(id).map(|file| &self.files[file as usize]);
        record.map_or((0, None, None), |record| (record.size.unwrap_or(0), record.written_ns, record.changed))
    }

    /// Its size, and when it was written under the lease that ends.
    pub fn take_facts(&mut self, id: FileId) -> (u64, Option<u64>) {
        let Some(file) = self.find_file(id) else { return (0, None) };
        let record = &mut self.files[file as usize];
        (record.size.unwrap_or(0), record.written_ns.take())
    }

    /// Changes mode, owner or times of a leased file at `now_ns`, likewise; whether it is leased.
    pub fn change(&mut self, id: FileId, change: AttributeChange, now_ns: u64) -> bool {
        let Some(file) = self.lease_of(id).and_then(|_| self.find_file(id)) else { return false };
        let record = &mut self.files[file as usize];
        let before = record.changed.map_or(AttributeChange::NONE, |(changed, _)| changed);
        record.changed = Some((before.then(change), now_ns));
        record.changes_at = ChangesAt::Holder;
        if change.modify_ns != TIME_KEEP {
            record.written_ns = None;
        }
        true
    }

    /// Its changes under the lease that ends, and when they were made.
    pub fn take_attributes(&mut self, id: FileId) -> Option<(AttributeChange, u64)> {
        let file = self.find_file(id)?;
        let record = &mut self.files[file as usize];
        record.changes_at = ChangesAt::Owner;
        record.changed.take()
    }

    /// Ends a revoked lease, perhaps before its arrival ([`NO_LEASE`]: each that is under way). Data read meanwhile
    /// are old, unless the lease ended before the `taking` began.
    pub fn end_lease(&mut self, id: FileId, lease: u64, taking: bool) {
        let now = self.next_since();
        if lease == NO_LEASE {
            self.void_since = now;
        }
        let Some(file) = self.find_file(id) else {
            self.unknown_ended = later(lease, self.unknown_ended);
            return self.unknown_since = now;
        };
        let record = &mut self.files[file as usize];
        (record.writable, record.ended, record.pushed) = (0, later(lease, record.ended), false);
        if !taking {
            record.since = now;
        }
    }

    /// The first dirty page of the file from `from` on, and its frame.
    pub fn first_dirty(&self, id: FileId, from: u32) -> Option<(u32, Frame)> {
        let file = self.find_file(id)?;
        let record = &self.files[file as usize];
        let is_dirty = |at: u32| self.pages[at as usize].dirty.is_some();
        if record.dirty == 0 || from > record.highest {
            return None;
        }
        if record.highest - from < record.pages.count {
            let mut pages = from..=record.highest;
            return pages
                .find_map(|page| self.find_page(file, page).filter(|&at| is_dirty(at)).map(|at| (page, Frame(at))));
        }
        let (mut at, mut first) = (record.pages.first, None);
        // Each of the file's pages.
        while let Some(slot) = self.pages.get(at as usize) {
            if slot.dirty.is_some() && slot.page >= from && first.is_none_or(|(page, _)| slot.page < page) {
                first = Some((slot.page, Frame(at)));
            }
            at = slot.in_file.next;
        }
        first
    }

    /// Whether the file is or was leased under that lease, the last one that is known.
    pub(crate) fn knows_lease(&self, id: FileId, lease: u64) -> bool {
        self.find_file(id).is_some_and(|file| self.files[file as usize].lease == lease)
    }

    /// Whether a grant of that lease, of so many, is still to arrive here.
    pub fn is_expected(&self, id: FileId, lease: u64, grants: u32) -> bool {
        let known = self.find_file(id).map(|file| &self.files[file as usize]).filter(|file| file.lease == lease);
        known.is_none_or(|file| file.arrivals < grants)
    }

    /// That lease has arrived, too late: what takes it back says nothing of one that is still to come.
    pub(crate) fn note_lease(&mut self, id: FileId, lease: u64) {
        if let Some(file) = self.find_file(id).filter(|&file| !self.files[file as usize].is_ahead()) {
            self.files[file as usize].arrive(lease);
        }
    }

    pub(crate) fn has_dirty(&self, id: FileId) -> bool {
        self.find_file(id).is_some_and(|file| self.files[file as usize].dirty > 0)
    }

    /// The inode's process has the page.
    pub fn flushed(&mut self, id: FileId, page: u32) {
        if let Some(at) = self.find_file(id).and_then(|file| self.find_page(file, page))
            && self.pages[at as usize].dirty.is_some()
        {
            self.make_clean(at);
        }
    }

    /// The file of the page that is dirty for longest, and its inode's process.
    pub fn oldest_leased(&self) -> Option<(FileId, u16)> {
        let record = self.files.get(self.pages[self.oldest_dirty()? as usize].file as usize)?;
        Some((record.id, record.slot))
    }

    /// Another board has the write lease, or has it no longer: then it has `size` bytes. Whether there is room to know
    /// of it.
    pub fn set_leased_out(&mut self, id: FileId, leased: bool, size: u64) -> bool {
        if self.cache_generation(id).is_none() {
            return false;
        }
        if let Some(file) = self.changed(id, size) {
            self.files[file as usize].leased_out = leased;
        }
        true
    }

    /// Whether pages of the file are for programs of this board.
    pub fn is_open(&self, id: FileId) -> bool {
        self.record(id).is_some()
    }

    /// The frame with a page, of a file that may be leased out.
    pub fn find_leased_out(&mut self, id: FileId, page: u32) -> Option<Frame> {
        let file = self.find_file(id)?;
        self.page_of(file, page)
    }
}

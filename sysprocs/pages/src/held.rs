//! Files that one board holds, so that it alone writes them: in its own cache, and in that of the disk's board.
//!
//! Invariants, on the board that holds a file: its size is the one known here; every page from the end on that the
//! inode's process knew of is dirty, was taken back, or was left out by a write and is zeros, as that process says of it, too; a page
//! is written only while the file is held. On the disk's board:
//! what is known of a file that is lent is shown to its inode's process only.
//! Not here: whether a board may hold a file (`renga_fs`), calls (`holding.rs`).

use crate::append_room::AppendRoom;
use crate::index::{PageIndex, Void};
use renga_hal::memory::{Frame, PAGE_BYTES};
use renga_proto::attributes::AttributeChange;
use renga_proto::inode::TIME_KEEP;
use renga_proto::pages::{AT_END, FileId, HOLE_PAGES_MAX, NO_LEASE};

/// Dirty pages of files of other boards have no block: they are found by what differs between pages side by side and
/// between files.
fn stand_in(id: FileId, page: u32) -> u32 {
    id.ino.wrapping_mul(0x9e37_79b1).wrapping_add(page)
}

/// Whether a lease is over when `ended` is: those of a life of the inodes' board are numbered as they are given, of
/// whichever file, and its lives are counted around.
pub(crate) fn is_over(lease: u64, ended: u64) -> bool {
    ended != NO_LEASE && lease.wrapping_sub(ended).cast_signed() <= 0
}

/// The later of two leases; none is before any.
pub(crate) fn later(one: u64, other: u64) -> u64 {
    if one == NO_LEASE || is_over(one, other) { other } else { one }
}

/// What is known of a file that is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Holding {
    /// Its size, bytes.
    pub size: u64,
    /// Pages below this one may be written.
    pub below: u32,
    /// Under which lease.
    pub lease: u64,
}

impl Holding {
    /// Whether bytes from `at` on may be written, so that no more pages are left out than may be: where they end.
    pub(crate) fn room(&self, at: u64, bytes: u64) -> Option<u64> {
        let pages = |bytes: u64| bytes.div_ceil(PAGE_BYTES as u64);
        let end = at.checked_add(bytes).filter(|&end| pages(end) <= self.below.into())?;
        (bytes > 0 && at / PAGE_BYTES as u64 <= pages(self.size) + u64::from(HOLE_PAGES_MAX)).then_some(end)
    }
}

impl PageIndex {
    /// Whether the file is held, or what was written while it was has not been taken.
    pub fn is_held(&self, id: FileId) -> bool {
        self.find_file(id)
            .map(|file| &self.files[file as usize])
            .is_some_and(|file| file.writable > 0 || file.is_ahead())
    }

    /// A ticket for [`PageIndex::hold`].
    pub fn now(&self) -> u64 {
        self.last_since
    }

    /// Whether that lease, asked for with that ticket, was itself taken back. What was taken back or called back before it was given
    /// says nothing of it, though it may have been asked for before that: boards that want one page would keep each
    /// other from it.
    pub(crate) fn is_void(&self, id: FileId, ticket: u64, lease: u64) -> bool {
        let ended = self.find_file(id).map_or(self.unknown_ended, |file| self.files[file as usize].ended);
        ticket < self.void_since || is_over(lease, ended)
    }

    /// The file is held from now on, or further than before; whether there is room for its record.
    ///
    /// # Errors
    /// The lease is over.
    pub fn hold(&mut self, id: FileId, slot: u16, ticket: u64, holding: Holding) -> Result<bool, Void> {
        if self.is_void(id, ticket, holding.lease) {
            return Err(Void);
        }
        if self.ticket(id).is_none() {
            return Ok(false);
        }
        let Some(file) = self.find_file(id) else { return Ok(false) };
        let record = &mut self.files[file as usize];
        if record.writable == 0 {
            (record.size, record.appends) = (Some(holding.size), AppendRoom::NONE);
        }
        (record.writable, record.slot) = (record.writable.max(holding.below), slot);
        record.arrive(holding.lease);
        Ok(true)
    }

    /// What is held of a file, if it is.
    pub fn holding(&self, id: FileId) -> Option<Holding> {
        let record = &self.files[self.find_file(id)? as usize];
        record.size.filter(|_| record.writable > 0).map(|size| Holding {
            size,
            below: record.writable,
            lease: record.lease,
        })
    }

    /// The page in frame `at` of a held file, which has at least `size` bytes now, was written at `now_ns`.
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

    /// Where the next append to a held file goes: behind those that are under way.
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

    /// Room for an append of `bytes` to a held file; or what was reserved `from` there on is not used.
    pub fn reserve(&mut self, id: FileId, from: u64, bytes: u64) -> Option<u64> {
        let (holding, at) = (self.holding(id)?, self.append_at(id));
        let record = self.find_file(id)?;
        let appends = &mut self.files[record as usize].appends;
        if from != AT_END {
            appends.give_back(from, from.saturating_add(bytes));
            return Some(from);
        }
        appends.extend(holding.size, holding.room(at, bytes)?);
        Some(at)
    }

    /// When the file was written here, and its size; told once.
    pub fn take_facts(&mut self, id: FileId) -> (u64, Option<u64>) {
        let Some(file) = self.find_file(id) else { return (0, None) };
        let record = &mut self.files[file as usize];
        (record.size.unwrap_or(0), record.written_ns.take())
    }

    /// Mode, owner or times of a held file are changed at `now_ns`; whether it is held.
    pub fn change(&mut self, id: FileId, change: AttributeChange, now_ns: u64) -> bool {
        let Some(file) = self.holding(id).and_then(|_| self.find_file(id)) else { return false };
        let record = &mut self.files[file as usize];
        let before = record.changed.map_or(AttributeChange::NONE, |(changed, _)| changed);
        record.changed = Some((before.then(change), now_ns));
        if change.modify_ns != TIME_KEEP {
            record.written_ns = None;
        }
        true
    }

    /// What was changed so, and when; told once.
    pub fn take_changed(&mut self, id: FileId) -> Option<(AttributeChange, u64)> {
        let file = self.find_file(id)?;
        self.files[file as usize].changed.take()
    }

    /// That lease has been taken back, perhaps before it has arrived ([`NO_LEASE`]: each that is under way): the file is not held any
    /// more. What was read meanwhile is old, unless that is so since the `taking` began.
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
        (record.writable, record.ended) = (0, later(lease, record.ended));
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
        if record.highest - from < record.count {
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

    /// Whether the file is or was held under that lease, the last one that is known.
    pub(crate) fn knows_lease(&self, id: FileId, lease: u64) -> bool {
        self.find_file(id).is_some_and(|file| self.files[file as usize].lease == lease)
    }

    /// Whether that lease, which was granted so many times, is still to arrive for somebody here.
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

    /// Whether something of the file is dirty.
    pub(crate) fn has_dirty(&self, id: FileId) -> bool {
        self.find_file(id).is_some_and(|file| self.files[file as usize].dirty > 0)
    }

    /// The inode's process has the page.
    pub fn taken(&mut self, id: FileId, page: u32) {
        if let Some(at) = self.find_file(id).and_then(|file| self.find_page(file, page))
            && self.pages[at as usize].dirty.is_some()
        {
            self.make_clean(at);
        }
    }

    /// The file of the page that is dirty for longest, and its inode's process.
    pub fn oldest_held(&self) -> Option<(FileId, u16)> {
        let record = self.files.get(self.pages[self.oldest_dirty()? as usize].file as usize)?;
        Some((record.id, record.slot))
    }

    /// Another board holds the file, or does so no longer: then it has `size` bytes. Whether there is room to know of it.
    pub fn lend(&mut self, id: FileId, lent: bool, size: u64) -> bool {
        if self.ticket(id).is_none() {
            return false;
        }
        if let Some(file) = self.changed(id, size) {
            self.files[file as usize].lent = lent;
        }
        true
    }

    /// Whether pages of the file are for programs of this board.
    pub fn is_open(&self, id: FileId) -> bool {
        self.record(id).is_some()
    }

    /// The frame with a page, of a file that may be lent.
    pub fn find_lent(&mut self, id: FileId, page: u32) -> Option<Frame> {
        let file = self.find_file(id)?;
        self.page_of(file, page)
    }
}

//! The state of the page cache, and the steps that its calls share: frames, eviction, revocation.
//!
//! Invariant: a page in the index has one reference to its frame, taken before it enters and released after it leaves.
//! Called by: the modules of calls. Calls: the memory process. Not here: the loop (`page_cache.rs`).

use crate::frame_list::FrameList;
use crate::index::PageIndex;
use crate::owner_clock::OwnerClock;
use crate::shared_tables::{SharedTable, SharedTables};
use crate::time_windows::TimeWindows;
use renga_hal::memory::{Frame, PAGE_BYTES, UserMemory};
use renga_proto::memory::{AllocateFrame, FreeFrames, MakePrivate, Memory, ShareFrames};
use renga_proto::pages::{FileId, NO_LEASE};
use renga_rt::{Client, Errno, Me, Notifier};

pub(crate) const PAGE: u64 = PAGE_BYTES as u64;

/// `data_writeback` is woken when one of so many frames is dirty.
pub(crate) const WAKE_SHARE: u32 = 10;
/// A caller that makes so many dirty waits.
const CROWDED_SHARE: u32 = 5;
/// Pages given up at a time when there is no frame.
const SHRINK_FRAMES: u32 = 64;
/// Mapped pages that are scanned before the cache gives up.
const MAPPED_PER_RECHECK: usize = 256;

pub(crate) struct CacheState<M: UserMemory + ?Sized + 'static> {
    pub(crate) memory: Client<Memory>,
    pub(crate) machine: &'static M,
    pub(crate) index: PageIndex,
    pub(crate) shared_tables: SharedTables,
    pub(crate) file_board: u8,
    /// Writes dirty pages, or has them taken back.
    pub(crate) writer: Option<Notifier>,
    /// Frames that are wanted and still dirty.
    pub(crate) missing: u32,
    /// Pages scanned since some were freed.
    pub(crate) fruitless: u32,
    pub(crate) windows: TimeWindows,
    pub(crate) owner_clock: OwnerClock,
    pub(crate) me: Me,
}

impl<M: UserMemory + ?Sized> CacheState<M> {
    pub(crate) fn is_home(&self) -> bool {
        self.file_board == self.me.id().board.0
    }

    /// The time of the owner's calendar.
    pub(crate) fn owner_now_ns(&self) -> u64 {
        self.owner_clock.at(self.me.now_ns())
    }

    /// A reference more to each of `list`, which is empty then.
    pub(crate) async fn share(&mut self, list: &mut FrameList) -> Result<(), Errno> {
        let shared = if list.is_empty() { Ok(()) } else { self.memory.call(ShareFrames {}, list.as_bytes()).await };
        list.clear();
        shared
    }

    pub(crate) async fn cache_generation(&mut self, id: FileId) -> Result<u64, Errno> {
        if let Some(cache_generation) = self.index.cache_generation(id) {
            return Ok(cache_generation);
        }
        let oldest = self.index.oldest_file().ok_or(Errno::ENOMEM)?;
        self.drop_range(oldest, 0, u32::MAX).await;
        self.index.forget(oldest);
        self.index.cache_generation(id).ok_or(Errno::ENOMEM)
    }

    pub(crate) async fn drop_range(&mut self, file: u32, from: u32, to: u32) {
        self.index.unmap_range(self.machine, file, from, to);
        let mut list = FrameList::new();
        // Each iteration but the last takes out as many pages as the list has room for.
        while self.index.take_range(file, from, to, &mut list) {
            self.free(&mut list).await;
        }
        self.free(&mut list).await;
    }

    /// So many frames are to be had from pages that are dirty.
    pub(crate) fn want(&mut self, frames: u32) {
        self.missing = frames.min(self.index.dirty_count());
        if self.missing > 0
            && let Some(writer) = self.writer
        {
            writer.notify();
        }
    }

    /// Pages have become clean: gives them back if frames are missing.
    pub(crate) async fn meet_want(&mut self) {
        if self.missing > 0 {
            self.missing -= self.shrink(self.missing).await;
        }
    }

    /// Gives up to `frames` pages up that no program shows, those not used for longest first; how many.
    pub(crate) async fn shrink(&mut self, frames: u32) -> u32 {
        self.shrink_within(frames, &mut { u32::MAX }).await
    }

    /// The same, scanning `scans` pages at most, from which it subtracts the scanned ones.
    pub(crate) async fn shrink_within(&mut self, frames: u32, scans: &mut u32) -> u32 {
        let (mut list, mut count) = (FrameList::new(), 0);
        self.end_shared_tables(|_| true).await;
        while count < frames
            && let Some(frame) = self.take_oldest(scans)
        {
            list.push(frame);
            count += 1;
            if list.is_full() {
                self.free(&mut list).await;
            }
        }
        self.free(&mut list).await;
        count
    }

    /// Scans mapped pages only when there are no others.
    fn take_oldest(&mut self, scans: &mut u32) -> Option<Frame> {
        let machine = self.machine;
        let in_use = |frame| machine.mappings(frame) > 0;
        self.index.take_oldest(scans, in_use).or_else(|| {
            if *scans > 0 {
                self.index.recheck_mapped(machine, MAPPED_PER_RECHECK);
            }
            self.index.take_oldest(scans, in_use)
        })
    }

    pub(crate) async fn free(&mut self, list: &mut FrameList) {
        if !list.is_empty() {
            // A refusal is a bug here, which the memory process has logged.
            let _ = self.memory.call(FreeFrames {}, list.as_bytes()).await;
            list.clear();
        }
    }

    /// Whether so much is dirty that the caller is to wait; wakes the writer before that.
    pub(crate) fn is_crowded(&self) -> bool {
        let (dirty, frames) = (self.index.dirty_count(), self.index.frames());
        if dirty > frames / WAKE_SHARE
            && let Some(writer) = self.writer
        {
            writer.notify();
        }
        dirty > frames / CROWDED_SHARE
    }

    /// The frame that has a page and that no program maps but those that share it. `ENOENT`: the page is not here.
    pub(crate) async fn unshared(&mut self, file: FileId, page: u32) -> Result<Frame, Errno> {
        for _ in 0..2 {
            let frame = self.index.find(file, page).ok_or(Errno::ENOENT)?;
            if self.machine.mappings(frame) == 0 || self.index.is_mapped(frame.0) {
                return Ok(frame);
            }
            match self.memory.call(MakePrivate { frame: frame.0 }, ()).await.map(Frame) {
                Ok(private) => {
                    if private != frame {
                        self.index.replace(frame, private);
                    }
                    return Ok(private);
                }
                // It may itself be one of those that are given up.
                Err(Errno::ENOMEM) if self.shrink(SHRINK_FRAMES).await > 0 => {}
                Err(errno) => return Err(errno),
            }
        }
        Err(Errno::ENOMEM)
    }

    /// A page of zeros.
    pub(crate) async fn add(&mut self, file: FileId, page: u32, size: u64) -> Result<Frame, Errno> {
        let cache_generation = self.cache_generation(file).await?;
        let frame = self.allocate().await?;
        if self.index.put(file, page, frame, cache_generation, size) == Ok(true) {
            return Ok(frame);
        }
        self.free_one(frame).await;
        Err(Errno::ENOMEM)
    }

    pub(crate) async fn allocate(&mut self) -> Result<Frame, Errno> {
        let mut frame = self.memory.call(AllocateFrame {}, ()).await;
        if frame == Err(Errno::ENOMEM) && self.shrink(SHRINK_FRAMES).await > 0 {
            frame = self.memory.call(AllocateFrame {}, ()).await;
        }
        frame.map(Frame)
    }

    pub(crate) async fn free_one(&mut self, frame: Frame) {
        let mut list = FrameList::new();
        list.push(frame);
        self.free(&mut list).await;
    }

    /// Before the file grows to `size` bytes: what programs wrote behind its end by a mapping is not its content.
    pub(crate) fn clear_end(&mut self, id: FileId, size: u64) {
        let Some(old) = self.index.size(id).filter(|&old| old < size && !old.is_multiple_of(PAGE)) else { return };
        if let Some(frame) = self.index.find(id, (old / PAGE) as u32).filter(|frame| self.index.is_mapped(frame.0)) {
            self.machine.page(frame)[(old % PAGE) as usize..].fill(0);
        }
    }

    pub(crate) async fn forget_file(&mut self, id: FileId) {
        self.index.end_lease(id, NO_LEASE, false);
        self.drop_file(id).await;
    }

    /// Of a file without a lease that stands or is under way, or of one that is no more.
    pub(crate) async fn drop_file(&mut self, id: FileId) {
        self.shared_tables.outdate(Some(id));
        if let Some(file) = self.index.revoke(id, u32::MAX) {
            self.drop_range(file, 0, u32::MAX).await;
            self.index.forget(file);
        }
    }

    /// What was written here of the file is lost.
    pub(crate) async fn discard_file(&mut self, id: FileId) {
        if let Some(file) = self.index.find_file(id) {
            let pages = self.index.lose_dirty(file);
            self.me.log("what was written here is lost: inode, pages", [id.ino.into(), pages.into()]);
        }
        self.forget_file(id).await;
    }

    /// Takes apart the shared page tables that no program maps and that are `wanted`.
    pub(crate) async fn end_shared_tables(&mut self, wanted: impl Fn(&SharedTable) -> bool) {
        let (machine, mut list) = (self.machine, FrameList::new());
        while let Some(frame) = self.shared_tables.take_unused(machine, &wanted) {
            // Bounded by the pages of a table.
            loop {
                let count = machine.end_shared_table(frame, list.room());
                list.added(count);
                if count == 0 && !list.is_full() {
                    break;
                }
                self.free(&mut list).await;
            }
            list.push(frame);
            self.free(&mut list).await;
        }
    }
}

//! The server of a board's cached file pages.
//!
//! Invariant: the cache replies to every call at once, except that a program may run before a call revokes a page
//! that it just got (`time_windows.rs`). Calls: the memory process only, so no caller waits here for another.
//!
//! On the disk board programs write data here. The cache wakes the writeback process when a tenth of the frames is
//! dirty; it makes a caller that dirties more than a fifth wait for it.
//!
//! The cache grows while there is memory. The reclaimer frees frames in bounded steps before memory runs out; a
//! process that finds no frame frees some at once (`Shrink`).
//!
//! Not here: the index (`index.rs`), leases (the inode processes), leased files (`lease_calls.rs`), ends of sessions
//! (`orphaned.rs`).

use crate::cache_state::{CacheState, PAGE, WAKE_SHARE};
use crate::frame_list::FrameList;
use crate::index::PageIndex;
use crate::owner_clock::OwnerClock;
use crate::records::CacheMemory;
use crate::shared_tables::{SharedTable, SharedTables};
use crate::time_windows::TimeWindows;
use renga_hal::memory::{Access, Frame, PAGE_BYTES, UserMemory};
use renga_proto::memory::{MakePrivate, Memory, ShareFrame};
use renga_proto::pages::{
    AcceptLease, BeginFill, BeginRun, BoardDied, CompleteStatus, CountDirty, Cut, Dirty, DirtyFile, DirtyRun,
    DiscardOrphaned, FileId, FindOrphaned, FindPage, FindPages, FindSharedTable, FlushLease, FlushedPage, KeepPage,
    KeepSharedTable, LeasedWrite, MapPages, NO_FRAME, NO_PAGE, NextPush, OldestLeased, OrphanedFile,
    PAGES_PER_FIND_MAX, Pages, PagesCall, PagesServer, ProtectPage, PushedPage, PutPages, ReadCached, ReadLeasedOut,
    ReserveLeased, RevokePages, RunBegun, RunWritten, SetLeasedOut, SetOrdered, SharedTableFound, Shrink, Shrunk,
    TakeRun, WriteLeased, WritePage,
};
use renga_rt::{Call, Client, Errno, Me, Never, Notifier, Port};

/// In this cache generation no page is kept: all records are of files that are ahead of the medium. A reader past the
/// cache needs none.
const VOID_GENERATION: u64 = u64::MAX;

/// Serves the cache; the inodes are on `file_board`, and there is `writer`, the `data_writeback`.
pub async fn page_cache<M: UserMemory + ?Sized + 'static>(
    me: Me,
    mut port: Port<Pages>,
    memory: Client<Memory>,
    machine: &'static M,
    room: &'static mut CacheMemory,
    file_board: u8,
    writer: Option<Notifier>,
) -> Never {
    let (index, shared_tables) = (PageIndex::new(room), SharedTables::new());
    let (windows, owner_clock) = (TimeWindows::new(), OwnerClock::UNKNOWN);
    let (missing, fruitless) = (0, 0);
    let mut state = CacheState {
        memory,
        machine,
        index,
        shared_tables,
        file_board,
        writer,
        missing,
        fruitless,
        windows,
        owner_clock,
        me,
    };
    loop {
        match port.accept_or_notified(state.windows.entries()).await {
            // Revokes nothing: it never waits.
            Some(PagesCall::ReadCached(mut call)) => {
                let ReadCached { file, offset } = call.entry();
                let read = state.read(file, offset, call.lent());
                call.reply(read);
            }
            Some(call) => state.serve_in_time(call).await,
            None => state.check_waiting().await,
        }
    }
}

impl<M: UserMemory + ?Sized> PagesServer for CacheState<M> {
    async fn read_cached(&mut self, call: &mut Call<ReadCached>) -> Result<u32, Errno> {
        let ReadCached { file, offset } = call.entry();
        self.read(file, offset, call.lent())
    }
    async fn find_page(&mut self, call: &mut Call<FindPage>) -> Result<u32, Errno> {
        self.find(call.entry().file, call.entry().page).await
    }
    async fn find_pages(&mut self, call: &mut Call<FindPages>) -> Result<u32, Errno> {
        self.find_all(call).await
    }
    async fn map_pages(&mut self, call: &mut Call<MapPages>) -> Result<(), Errno> {
        self.map_pages(call.entry()).await?;
        let MapPages { file, page, .. } = call.entry();
        self.windows.open(&self.me, call.made_by(), (file, page), true);
        Ok(())
    }
    async fn begin_fill(&mut self, call: &mut Call<BeginFill>) -> Result<u64, Errno> {
        let BeginFill { file, mapped } = call.entry();
        if mapped != NO_PAGE {
            self.windows.open(&self.me, call.made_by(), (file, mapped), false);
        }
        if file == FileId::NONE {
            return Ok(self.index.now());
        }
        match self.cache_generation(file).await {
            Err(Errno::ENOMEM) if mapped == NO_PAGE && !file.is_object() => Ok(VOID_GENERATION),
            cache_generation => cache_generation,
        }
    }
    async fn keep_page(&mut self, call: &mut Call<KeepPage>) -> Result<(), Errno> {
        self.keep(call.entry()).await
    }
    async fn revoke_pages(&mut self, call: &mut Call<RevokePages>) -> Result<u32, Errno> {
        self.revoke_pages(call.entry()).await
    }
    async fn shrink(&mut self, call: &mut Call<Shrink>) -> Result<Shrunk, Errno> {
        Ok(self.shrink_by(call.entry()).await)
    }
    async fn board_died(&mut self, call: &mut Call<BoardDied>) -> Result<(), Errno> {
        if call.entry().board == self.file_board {
            self.end_leases().await;
        }
        Ok(())
    }
    async fn write_page(&mut self, call: &mut Call<WritePage>) -> Result<bool, Errno> {
        self.write(call).await
    }
    async fn put_pages(&mut self, call: &mut Call<PutPages>) -> Result<(), Errno> {
        self.put_all(call).await
    }
    async fn begin_run(&mut self, call: &mut Call<BeginRun>) -> Result<RunBegun, Errno> {
        let BeginRun { file, page, count } = call.entry();
        let cache_generation = self.cache_generation(file).await?;
        Ok(RunBegun { cache_generation, absent: self.index.absent(file, page, count) })
    }
    async fn cut(&mut self, call: &mut Call<Cut>) -> Result<(), Errno> {
        self.cut_to(call.entry()).await;
        Ok(())
    }
    async fn take_run(&mut self, call: &mut Call<TakeRun>) -> Result<DirtyRun, Errno> {
        self.copy_run(call)
    }
    async fn run_written(&mut self, call: &mut Call<RunWritten>) -> Result<(), Errno> {
        self.end_run(call.entry()).await;
        Ok(())
    }
    async fn count_dirty(&mut self, _: &mut Call<CountDirty>) -> Result<Dirty, Errno> {
        let (pages, share) = (self.index.dirty_count(), self.index.frames() / WAKE_SHARE / 2);
        let lost = self.index.lost();
        Ok(Dirty { pages, spare: share.min(pages.saturating_sub(self.missing)), lost })
    }
    async fn set_ordered(&mut self, call: &mut Call<SetOrdered>) -> Result<(), Errno> {
        self.index.set_ordered(call.entry().ordered);
        Ok(())
    }
    async fn complete_status(&mut self, call: &mut Call<CompleteStatus>) -> Result<(), Errno> {
        let CompleteStatus { file, lease } = call.entry();
        self.index.complete_status(file, lease, call.lent())
    }
    async fn protect_page(&mut self, call: &mut Call<ProtectPage>) -> Result<(), Errno> {
        let ProtectPage { file, page } = call.entry();
        if let Some(frame) = self.index.find(file, page) {
            self.index.restrict(self.machine, frame.0, Access::Read);
            self.index.set_sole(frame.0, false);
        }
        Ok(())
    }
    async fn find_shared_table(&mut self, call: &mut Call<FindSharedTable>) -> Result<SharedTableFound, Errno> {
        let content = self.index.content(call.entry().file).ok_or(Errno::ENOENT)?;
        let frame = self.shared_tables.find(self.machine, call.entry(), content);
        Ok(SharedTableFound { frame: frame.map_or(NO_FRAME, |frame| frame.0), cache_generation: content.0 })
    }
    async fn keep_shared_table(&mut self, call: &mut Call<KeepSharedTable>) -> Result<(), Errno> {
        let KeepSharedTable { file, cache_generation, .. } = call.entry();
        self.end_shared_tables(SharedTable::is_outdated).await;
        if self.shared_tables.is_full() {
            self.end_shared_tables(|_| true).await;
        }
        let content = self.index.content(file).filter(|content| content.0 == cache_generation);
        self.shared_tables.add(call.entry(), content.ok_or(Errno::ESTALE)?.1)
    }
    async fn accept_lease(&mut self, call: &mut Call<AcceptLease>) -> Result<u64, Errno> {
        self.accept_lease(call.entry()).await
    }
    async fn write_leased(&mut self, call: &mut Call<WriteLeased>) -> Result<LeasedWrite, Errno> {
        self.write_leased(call).await
    }
    async fn flush_lease(&mut self, call: &mut Call<FlushLease>) -> Result<FlushedPage, Errno> {
        let given = self.flush_page(call).await?;
        // What is not in the slice need not cross.
        call.set_taken_used(given.bytes.all());
        Ok(given)
    }
    async fn set_leased_out(&mut self, call: &mut Call<SetLeasedOut>) -> Result<(), Errno> {
        self.note_leased_out(call.entry()).await
    }
    async fn read_leased_out(&mut self, call: &mut Call<ReadLeasedOut>) -> Result<(), Errno> {
        let ReadLeasedOut { file, page } = call.entry();
        let frame = self.index.find_leased_out(file, page).ok_or(Errno::ENOENT)?;
        let out = call.lent().get_mut(..PAGE_BYTES).ok_or(Errno::EINVAL)?;
        out.copy_from_slice(&*self.machine.shared_page(frame));
        Ok(())
    }
    async fn oldest_leased(&mut self, _: &mut Call<OldestLeased>) -> Result<DirtyFile, Errno> {
        let (file, slot) = self.index.oldest_leased().ok_or(Errno::ENOENT)?;
        Ok(DirtyFile { file, slot })
    }
    async fn find_orphaned(&mut self, call: &mut Call<FindOrphaned>) -> Result<OrphanedFile, Errno> {
        self.index.find_orphaned(call.entry().file, call.entry().from).ok_or(Errno::ENOENT)
    }
    async fn discard_orphaned(&mut self, call: &mut Call<DiscardOrphaned>) -> Result<(), Errno> {
        let DiscardOrphaned { file, lease } = call.entry();
        if self.index.find_orphaned(file, 0).is_some_and(|orphaned| orphaned.lease == lease) {
            self.discard_file(file).await;
        }
        Ok(())
    }
    async fn next_push(&mut self, call: &mut Call<NextPush>) -> Result<PushedPage, Errno> {
        self.push_next(call).await
    }
    async fn reserve_leased(&mut self, call: &mut Call<ReserveLeased>) -> Result<u64, Errno> {
        let ReserveLeased { file, from, bytes } = call.entry();
        self.index.reserve(file, from, bytes).ok_or(Errno::ENOLCK)
    }
}

impl<M: UserMemory + ?Sized> CacheState<M> {
    #[inline(always)]
    fn read(&mut self, id: FileId, offset: u64, out: &mut [u8]) -> Result<u32, Errno> {
        let (file, size) = self.index.sized_file(id).ok_or(Errno::ENOENT)?;
        let count = size.saturating_sub(offset).min(out.len() as u64) as usize;
        let mut filled = 0;
        while filled < count {
            let at = offset + filled as u64;
            let within = (at % PAGE) as usize;
            let part = (count - filled).min(PAGE_BYTES - within);
            let frame = self.index.page_of(file, (at / PAGE) as u32).ok_or(Errno::ENOENT)?;
            let page = self.machine.shared_page(frame);
            out[filled..filled + part].copy_from_slice(&page[within..within + part]);
            filled += part;
        }
        Ok(count as u32)
    }

    async fn find(&mut self, file: FileId, page: u32) -> Result<u32, Errno> {
        let file = self.index.record(file).ok_or(Errno::ENOENT)?;
        let Frame(frame) = self.index.page_of(file, page).ok_or(Errno::ENOENT)?;
        self.memory.call(ShareFrame { frame }, ()).await?;
        if !self.index.is_mapped(frame) {
            return Ok(frame);
        }
        // Programs write that frame: another owner of it may share it, or rely on its content.
        let copy = self.memory.call(MakePrivate { frame }, ()).await;
        if copy.is_err() {
            self.free_one(Frame(frame)).await;
        }
        copy
    }

    async fn find_all(&mut self, call: &mut Call<FindPages>) -> Result<u32, Errno> {
        let FindPages { file, page, mut but } = call.entry();
        let (mut list, mut count, mut shared) = (FrameList::new(), 0, Ok(()));
        let file = self.index.record(file);
        for (place, page) in call.lent().as_chunks_mut::<4>().0.iter_mut().take(PAGES_PER_FIND_MAX).zip(page..) {
            *place = NO_FRAME.to_le_bytes();
            let wanted = but & 1 == 0;
            but >>= 1;
            if shared.is_err() || !wanted {
                continue;
            }
            if list.is_full() {
                shared = self.share(&mut list).await;
            }
            let frame = file.and_then(|file| self.index.page_of(file, page));
            if let Some(frame) = frame.filter(|frame| !self.index.is_mapped(frame.0)) {
                *place = frame.0.to_le_bytes();
                list.push(frame);
                count += 1;
            }
        }
        shared.and(self.share(&mut list).await).map(|()| count)
    }

    async fn keep(&mut self, offer: KeepPage) -> Result<(), Errno> {
        let KeepPage { file, page, frame, cache_generation, size } = offer;
        self.memory.call(ShareFrame { frame }, ()).await?;
        let put = self.index.put(file, page, Frame(frame), cache_generation, size);
        if put != Ok(true) {
            self.free_one(Frame(frame)).await;
        }
        put.map(|_| ()).map_err(|_| Errno::ESTALE)
    }

    async fn revoke_pages(&mut self, revoke: RevokePages) -> Result<u32, Errno> {
        let RevokePages { file: id, from, to } = revoke;
        if self.index.is_leased(id) {
            return Err(Errno::EBUSY);
        }
        let Some(file) = self.index.revoke(id, to) else { return Ok(0) };
        self.drop_range(file, from, to).await;
        let left = self.index.count_of(file);
        if left == 0 {
            self.index.forget(file);
        }
        self.shared_tables.outdate(Some(id));
        self.end_shared_tables(SharedTable::is_outdated).await;
        Ok(left)
    }

    /// Clean pages first, dirty ones when they are written.
    async fn shrink_by(&mut self, limits: Shrink) -> Shrunk {
        let Shrink { frames, scans, wanted } = limits;
        let mut left = scans;
        let freed = self.shrink_within(frames, &mut left).await;
        self.fruitless = if freed == 0 { self.fruitless.saturating_add(scans - left) } else { 0 };
        // Each that was used is passed over once before it is known that none can go.
        let more = left == 0 && freed < frames && self.fruitless <= 2 * self.index.count();
        if wanted > 0 {
            self.want(if freed < frames && !more { wanted.saturating_sub(freed) } else { 0 });
        }
        Shrunk { freed, more, arrived: self.index.arrived() }
    }
}

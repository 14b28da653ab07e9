//! What the cache of the disk's board does for inodes' processes and for the content writer.
//!
//! Invariant: a page that programs are shown, none of which shares it, is not changed under them: the cache takes a copy
//! and changes that. Before a page is copied to be written, whoever shares it is kept from writing it unnoticed.
//! Not here: which pages are dirty (`dirty.rs`), writing them (`renga_fs`).

use crate::dirty::RUN_MAX;
use crate::frame_list::FrameList;
use crate::page_cache::{PAGE, State};
use renga_hal::memory::{Access, Frame, PAGE_BYTES, UserMemory};
use renga_proto::memory::{AllocateFrame, MakePrivate};
use renga_proto::pages::{
    BeginRun, Cut, Dirty, DirtyRun, FileId, PagesCall, PutPages, RunBegun, RunWritten, TakeRun, WritePage,
};
use renga_rt::{Call, Errno};

/// The content writer is woken when one of so many frames is dirty.
const WAKE_SHARE: u32 = 10;
/// Who makes so many dirty waits.
const CROWDED_SHARE: u32 = 5;
/// Pages given up at a time when there is no frame.
const SHRINK_FRAMES: u32 = 64;

impl<M: UserMemory + ?Sized> State<M> {
    pub(crate) async fn serve_writes(&mut self, call: PagesCall) {
        match call {
            PagesCall::WritePage(mut call) => {
                let written = self.write(&mut call).await;
                call.reply(written);
            }
            PagesCall::PutPages(mut call) => {
                let put = self.put_all(&mut call).await;
                call.reply(put);
            }
            PagesCall::BeginRun(call) => {
                let BeginRun { file, page, count } = call.entry();
                let ticket = self.ticket(file).await;
                call.reply(ticket.map(|ticket| RunBegun { ticket, absent: self.index.absent(file, page, count) }));
            }
            PagesCall::Cut(call) => {
                self.cut(call.entry()).await;
                call.reply(Ok(()));
            }
            PagesCall::TakeRun(mut call) => {
                let run = self.take_run(&mut call);
                call.reply(run);
            }
            PagesCall::RunWritten(call) => {
                self.end_run(call.entry()).await;
                call.reply(Ok(()));
            }
            PagesCall::CountDirty(call) => {
                let (pages, share) = (self.index.dirty_count(), self.index.frames() / WAKE_SHARE / 2);
                call.reply(Ok(Dirty { pages, spare: share.min(pages.saturating_sub(self.missing)) }));
            }
            PagesCall::SetOrdered(call) => {
                self.index.set_ordered(call.entry().ordered);
                call.reply(Ok(()));
            }
            PagesCall::ProtectPage(call) => {
                let (file, page) = (call.entry().file, call.entry().page);
                if let Some(frame) = self.index.find(file, page) {
                    self.index.restrict(self.machine, frame.0, Access::Read);
                    self.index.set_sole(frame.0, false);
                }
                call.reply(Ok(()));
            }
            PagesCall::LostWrites(call) => call.reply(Ok(self.index.lost())),
            other => self.serve_held(other).await,
        }
    }

    async fn write(&mut self, call: &mut Call<WritePage>) -> Result<bool, Errno> {
        let WritePage { file, page, place, size, fresh } = call.entry();
        let (from, bytes) = (place.offset as usize, call.lent().len());
        let end = from.checked_add(bytes).filter(|end| *end <= PAGE_BYTES).ok_or(Errno::EINVAL)?;
        self.clear_end(file, size);
        let frame = match self.unshared(file, page).await {
            Err(Errno::ENOENT) if fresh || bytes == PAGE_BYTES => self.add(file, page, size).await?,
            found => found?,
        };
        self.machine.page(frame)[from..end].copy_from_slice(call.lent());
        self.index.written(file, size);
        self.index.make_dirty(frame.0, place.block);
        if bytes == 0 {
            self.index.set_sole(frame.0, true);
        }
        Ok(self.is_crowded())
    }

    /// Whether so much is dirty that whoever made it so is to wait; wakes the writer before that.
    pub(crate) fn is_crowded(&self) -> bool {
        let (dirty, frames) = (self.index.dirty_count(), self.index.frames());
        if dirty > frames / WAKE_SHARE
            && let Some(writer) = self.writer
        {
            writer.notify();
        }
        dirty > frames / CROWDED_SHARE
    }

    /// Before the file grows to `size` bytes: what programs wrote behind its end by a mapping is not its content.
    pub(crate) fn clear_end(&mut self, id: FileId, size: u64) {
        let Some(old) = self.index.size(id).filter(|&old| old < size && !old.is_multiple_of(PAGE)) else { return };
        if let Some(frame) = self.index.find(id, (old / PAGE) as u32).filter(|frame| self.index.is_shown(frame.0)) {
            self.machine.page(frame)[(old % PAGE) as usize..].fill(0);
        }
    }

    /// The frame that has a page and that no program is shown but those that share it. `ENOENT`: the page is not here.
    pub(crate) async fn unshared(&mut self, file: FileId, page: u32) -> Result<Frame, Errno> {
        for _ in 0..2 {
            let frame = self.index.find(file, page).ok_or(Errno::ENOENT)?;
            if self.machine.mappings(frame) == 0 || self.index.is_shown(frame.0) {
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
        let ticket = self.ticket(file).await?;
        let frame = self.allocate().await?;
        if self.index.put(file, page, frame, ticket, size) == Ok(true) {
            return Ok(frame);
        }
        self.free_one(frame).await;
        Err(Errno::ENOMEM)
    }

    async fn allocate(&mut self) -> Result<Frame, Errno> {
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

    async fn put_all(&mut self, call: &mut Call<PutPages>) -> Result<(), Errno> {
        let PutPages { file, page, ticket, size } = call.entry();
        for (at, page) in (0..call.lent().len() / PAGE_BYTES).zip(page..) {
            let frame = self.allocate().await?;
            self.machine.page(frame).copy_from_slice(&call.lent()[at * PAGE_BYTES..(at + 1) * PAGE_BYTES]);
            let put = self.index.put(file, page, frame, ticket, size);
            if put != Ok(true) {
                self.free_one(frame).await;
            }
            put.map_err(|_| Errno::ESTALE)?;
        }
        Ok(())
    }

    async fn cut(&mut self, cut: Cut) {
        let Cut { file, from, size } = cut;
        self.clear_end(file, size);
        let Some(record) = self.index.changed(file, size) else { return };
        self.drop_range(record, from, u32::MAX).await;
        if self.index.count_of(record) == 0 {
            self.index.forget(record);
        }
    }

    fn take_run(&mut self, call: &mut Call<TakeRun>) -> Result<DirtyRun, Errno> {
        let room = call.lent().as_chunks_mut::<PAGE_BYTES>().0;
        let (block, run) = self.index.take_run(room.len()).ok_or(Errno::ENOENT)?;
        let (mut frames, count) = ([0; RUN_MAX], run.len());
        frames[..count].copy_from_slice(run);
        for (place, &frame) in room.iter_mut().zip(&frames[..count]) {
            self.index.restrict(self.machine, frame, Access::Read);
            place.copy_from_slice(&*self.machine.shared_page(Frame(frame)));
            place[self.index.bytes_in_file(frame)..].fill(0);
        }
        Ok(DirtyRun { block, count: count as u32 })
    }

    async fn end_run(&mut self, ended: RunWritten) {
        let mut list = FrameList::new();
        self.index.end_run(ended.done, ended.evicting, |frame| list.push(frame));
        self.free(&mut list).await;
        self.meet_want().await;
    }
}

//! Writes of the disk's board: calls of inodes' processes and of the writeback process.
//!
//! Invariant: a page that programs have mapped privately is not changed under them: the cache changes a copy. Before a
//! page is copied to be written, its sharers are write-protected. Not here: which pages are dirty (`dirty.rs`), writing
//! (`renga_fs`).

use crate::cache_state::CacheState;
use crate::frame_list::FrameList;
use crate::records::RUN_MAX;
use renga_hal::memory::{Access, Frame, PAGE_BYTES, UserMemory};
use renga_proto::pages::{Cut, DirtyRun, PutPages, RunWritten, TakeRun, WritePage};
use renga_rt::{Call, Errno};

impl<M: UserMemory + ?Sized> CacheState<M> {
    pub(crate) async fn write(&mut self, call: &mut Call<WritePage>) -> Result<bool, Errno> {
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

    pub(crate) async fn put_all(&mut self, call: &mut Call<PutPages>) -> Result<(), Errno> {
        let PutPages { file, page, cache_generation, size } = call.entry();
        for (at, page) in (0..call.lent().len() / PAGE_BYTES).zip(page..) {
            let frame = self.allocate().await?;
            self.machine.page(frame).copy_from_slice(&call.lent()[at * PAGE_BYTES..(at + 1) * PAGE_BYTES]);
            let put = self.index.put(file, page, frame, cache_generation, size);
            if put != Ok(true) {
                self.free_one(frame).await;
            }
            put.map_err(|_| Errno::ESTALE)?;
        }
        Ok(())
    }

    pub(crate) async fn cut_to(&mut self, cut: Cut) {
        let Cut { file, from, size } = cut;
        self.clear_end(file, size);
        let Some(record) = self.index.changed(file, size) else { return };
        self.drop_range(record, from, u32::MAX).await;
        if self.index.count_of(record) == 0 {
            self.index.forget(record);
        }
    }

    pub(crate) fn copy_run(&mut self, call: &mut Call<TakeRun>) -> Result<DirtyRun, Errno> {
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

    pub(crate) async fn end_run(&mut self, ended: RunWritten) {
        let mut list = FrameList::new();
        self.index.end_run(ended.done, ended.evicting, |frame| list.push(frame));
        self.free(&mut list).await;
        self.meet_want().await;
    }
}

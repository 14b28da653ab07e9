//! Mapping cached pages for programs that share them.
//!
//! Invariant: the cache itself puts a page into the space, so nothing comes between the record (`reverse_mappings.rs`)
//! and the mapping; the space's owner waits meanwhile. A page mapped for writing is dirty. Not here: faults
//! (`renga_memory`).

use crate::cache_state::{CacheState, PAGE};
use crate::frame_list::{FRAMES_PER_CALL, FrameList};
use renga_hal::memory::{Access, Frame, UserMemory};
use renga_proto::memory::MakePrivate;
use renga_proto::pages::{FileId, MapFor, MapPages};
use renga_rt::Errno;

impl<M: UserMemory + ?Sized> CacheState<M> {
    pub(crate) async fn map_pages(&mut self, wanted: MapPages) -> Result<(), Errno> {
        let MapPages { file, page, count, space, at, map_for } = wanted;
        let (record, size) = self.index.sized_file(file).ok_or(Errno::ENOENT)?;
        let in_file = size.div_ceil(PAGE).saturating_sub(page.into()).min(count.into()) as usize;
        if in_file == 0 {
            return Err(Errno::EFBIG);
        }
        let frame = self.own(file, record, page).await?;
        if matches!(map_for, MapFor::Write | MapFor::All) && !file.is_object() {
            self.begin_store(file, page, frame)?;
        }
        let access = match map_for {
            MapFor::Read => Access::Read,
            MapFor::Execute => Access::ReadExecute,
            MapFor::Write => Access::ReadWrite,
            MapFor::All => Access::ReadWriteExecute,
        };
        let (space, va) = (Frame(space), u64::from(at) * PAGE);
        match self.machine.lookup(space, va) {
            Some((mapped, _)) if mapped == frame => {
                self.add_mapping(file.is_object(), frame, space, at);
                self.machine.protect(space, va, access);
                return Ok(());
            }
            Some(_) => return Err(Errno::EEXIST),
            None => {}
        }
        let mut list = FrameList::new();
        list.push(frame);
        for (page, at) in (page..).zip(at..).take(in_file.min(FRAMES_PER_CALL)).skip(1) {
            let mapped = self.machine.lookup(space, u64::from(at) * PAGE).is_some();
            match self.own(file, record, page).await {
                Ok(frame) if !mapped => list.push(frame),
                _ => break,
            }
        }
        let count = list.len();
        self.share(&mut list).await?;
        // What is not mapped after all is given back.
        let mut mapped = Ok(());
        for (page, at) in (page..).zip(at..).take(count) {
            let Some(frame) = self.index.page_of(record, page) else { break };
            if mapped.is_ok() && self.machine.map(space, u64::from(at) * PAGE, frame, access).is_ok() {
                self.add_mapping(file.is_object(), frame, space, at);
            } else {
                mapped = mapped.and(Err(()));
                list.push(frame);
            }
        }
        let lacks_table = list.len() == count;
        self.free(&mut list).await;
        if lacks_table { Err(Errno::ENXIO) } else { Ok(()) }
    }

    /// The page's frame, owned by the cache and the programs that share it alone: any other owner keeps a frame of
    /// its own, which it may share or rely on.
    async fn own(&mut self, file: FileId, record: u32, page: u32) -> Result<Frame, Errno> {
        let frame = self.index.page_of(record, page).ok_or(Errno::ENOENT)?;
        if file.is_object() || self.index.is_mapped(frame.0) {
            return Ok(frame);
        }
        let private = Frame(self.memory.call(MakePrivate { frame: frame.0 }, ()).await?);
        if private != frame {
            self.index.replace(frame, private);
        }
        Ok(private)
    }

    /// Objects are neither written to the medium nor revoked.
    fn add_mapping(&mut self, is_object: bool, frame: Frame, space: Frame, at: u32) {
        if !is_object {
            self.index.add_mapping(self.machine, frame.0, space.0, at);
        }
    }
}

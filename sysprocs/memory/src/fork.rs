//! Fork: a second space with the same content, copied page by page only when one side writes.
//!
//! Only pages that may differ from their origin get a mapping in the child: clean file pages come back
//! from the cache when the child touches them, which most children that exec never do.

use crate::fault::shared;
use crate::frame_list::FrameList;
use crate::layout::PAGE;
use crate::pager::Pager;
use crate::space::Space;
use renga_abi::Errno;
use renga_hal::memory::UserMemory;
use renga_proto::memory::{FreeFrames, ShareFrames};

impl Space {
    /// A copy of the space; both see private copies from now on. `ENOMEM`: nothing is left behind.
    pub async fn fork<M: UserMemory + ?Sized>(&mut self, pager: &mut Pager<'_, M>) -> Result<Space, Errno> {
        let mut child = Space::create(pager).await?;
        match self.copy_to(pager, &mut child).await {
            Ok(()) => Ok(child),
            Err(errno) => {
                child.destroy(pager).await;
                Err(errno)
            }
        }
    }

    async fn copy_to<M: UserMemory + ?Sized>(
        &mut self,
        pager: &mut Pager<'_, M>,
        child: &mut Space,
    ) -> Result<(), Errno> {
        // File by file: what the child has is what it gives back if this fails.
        for (index, file) in self.files.as_slice().iter().enumerate() {
            if let Some(file) = file {
                pager.keep_file(*file).await?;
            }
            child.files.put(index, *file)?;
        }
        child.areas = self.areas.clone();
        (child.break_start, child.break_end) = (self.break_start, self.break_end);
        let mut list = FrameList::new();
        for index in 0..self.areas.as_slice().len() {
            let area = self.areas.as_slice()[index];
            if !area.is_private() {
                continue;
            }
            let (mut at, end) = (area.start_address(), area.end_address());
            // Each turn passes a full list of pages.
            while at < end {
                list.clear();
                let next = self.collect_pages(pager.machine, at, end, &mut list);
                self.share_pages(pager, child, (at, next), &list).await?;
                at = next;
            }
        }
        Ok(())
    }

    /// Lists frames of pages from `at` on, at most a list full; where to go on.
    fn collect_pages<M: UserMemory + ?Sized>(&self, machine: &M, at: u64, end: u64, list: &mut FrameList) -> u64 {
        let mut at = at;
        while let Some((va, frame, _)) = self.next_page(machine, at, end) {
            if list.is_full() {
                return va;
            }
            list.push(frame);
            at = va + PAGE;
        }
        end
    }

    /// Shows the listed frames, which are those of the pages in `range`, in the child as well.
    async fn share_pages<M: UserMemory + ?Sized>(
        &self,
        pager: &mut Pager<'_, M>,
        child: &mut Space,
        (start, end): (u64, u64),
        list: &FrameList,
    ) -> Result<(), Errno> {
        if list.is_empty() {
            return Ok(());
        }
        pager.memory.call(ShareFrames {}, list.as_bytes()).await?;
        let (mut at, mut mapped) = (start, 0);
        while let Some((va, frame, access)) = self.next_page(pager.machine, at, end) {
            if access.writable() {
                pager.machine.protect(self.root, va, shared(access));
            }
            if let Err(errno) = pager.map(child.root, va, frame, shared(access)).await {
                // The rest of the list has references that no page of the child holds.
                let _ = pager.memory.call(FreeFrames {}, list.bytes_from(mapped)).await;
                return Err(errno);
            }
            mapped += 1;
            at = va + PAGE;
        }
        Ok(())
    }
}

//! Fork: a second space with the same content, copied page by page only when one side writes.
//!
//! Every page that the space shows is shown in the copy at once, those of files too: most children go on in the same
//! code, and a run of pages costs less than a fault. But not those of shared areas, which the page cache must know of:
//! the child faults on them, and finds the same. Not here: the frames' references (`memory.rs`), how the copy
//! gets to the child (`encode.rs`).

use crate::frame_list::FrameList;
use crate::pager::Pager;
use crate::space::Space;
use renga_abi::Errno;
use renga_hal::memory::{Frame, UserMemory};
use renga_proto::memory::ShareFrames;

/// A copy of a space with the same areas and files, of which it has its own use. Given to a child by
/// [`Space::encode_copy`], or given back by [`Space::discard_copy`].
pub struct SpaceCopy(pub(crate) Frame);

impl SpaceCopy {
    /// The frame with the root of its tables.
    pub fn root(&self) -> Frame {
        self.0
    }
}

impl Space {
    /// A copy of the space; both see private copies from now on. `ENOMEM`: nothing is left behind.
    pub async fn fork<M: UserMemory + ?Sized>(&mut self, pager: &mut Pager<'_, M>) -> Result<SpaceCopy, Errno> {
        self.keep_files(pager).await?;
        let copy = match Space::create_root(pager).await {
            Ok(root) => SpaceCopy(root),
            Err(errno) => {
                self.release_files(pager, usize::MAX).await;
                return Err(errno);
            }
        };
        match self.share_with(pager, &copy).await {
            Ok(()) => Ok(copy),
            Err(errno) => {
                self.discard_copy(pager, copy).await;
                Err(errno)
            }
        }
    }

    /// Gives a copy of this space back.
    pub async fn discard_copy<M: UserMemory + ?Sized>(&self, pager: &mut Pager<'_, M>, copy: SpaceCopy) {
        self.take_apart(pager, copy.0).await;
    }

    /// A further use of each file that areas show; of all of them or none.
    async fn keep_files<M: UserMemory + ?Sized>(&self, pager: &mut Pager<'_, M>) -> Result<(), Errno> {
        for (index, &file) in self.files.as_slice().iter().enumerate() {
            if let Some(file) = file
                && let Err(errno) = pager.keep_file(file).await
            {
                self.release_files(pager, index).await;
                return Err(errno);
            }
        }
        Ok(())
    }

    /// Shows all pages in the copy as well.
    async fn share_with<M: UserMemory + ?Sized>(
        &self,
        pager: &mut Pager<'_, M>,
        copy: &SpaceCopy,
    ) -> Result<(), Errno> {
        let mut list = FrameList::new();
        for area in self.areas.as_slice().iter().filter(|area| !area.is_shared()) {
            let (mut at, end) = (area.start_address(), area.end_address());
            // Each turn passes a list of pages, or gives a table for the next ones.
            while at < end {
                list.clear();
                let run = pager.machine.share_run(self.root, copy.0, (at, end), list.room());
                list.added(run.pages);
                if !list.is_empty() {
                    self.count_shared(pager, copy, (at, run.next), &list).await?;
                }
                at = run.next;
                if at < end && !list.is_full() {
                    let table = pager.allocate().await?;
                    pager.machine.add_table(copy.0, at, table);
                }
            }
        }
        Ok(())
    }

    /// A reference for each page of `range` that the copy shows; without them, it shows none.
    async fn count_shared<M: UserMemory + ?Sized>(
        &self,
        pager: &mut Pager<'_, M>,
        copy: &SpaceCopy,
        range: (u64, u64),
        list: &FrameList,
    ) -> Result<(), Errno> {
        let counted = pager.memory.call(ShareFrames {}, list.as_bytes()).await;
        if counted.is_err() {
            let mut unshown = FrameList::new();
            pager.machine.unmap_run(copy.0, range, unshown.room());
        }
        counted
    }

    /// Gives all frames and tables of the space `root`, which has this one's areas, and a use of its files back.
    pub(crate) async fn take_apart<M: UserMemory + ?Sized>(&self, pager: &mut Pager<'_, M>, root: Frame) {
        let mut list = FrameList::new();
        pager.machine.leave_templates(root);
        // Area by area: the tables are large, and mostly empty. Pages are in areas, but for one.
        for area in self.areas.as_slice() {
            Space::take_pages(pager, root, (area.start_address(), area.end_address()), &mut list).await;
        }
        Space::take_trampoline(pager, root, &mut list).await;
        // Bounded by the tables of the space.
        while let Some(table) = pager.machine.take_table(root) {
            if list.is_full() {
                pager.free_all(&mut list).await;
            }
            list.push(table);
        }
        pager.free_all(&mut list).await;
        self.release_files(pager, usize::MAX).await;
    }

    /// Gives a use of each file below `end` back.
    async fn release_files<M: UserMemory + ?Sized>(&self, pager: &mut Pager<'_, M>, end: usize) {
        for &file in self.files.as_slice().iter().take(end).flatten() {
            pager.release_file(file).await;
        }
    }
}

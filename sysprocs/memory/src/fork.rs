//! Fork: a second space with the same content, copied page by page only when one side writes.
//!
//! Every page that the space maps is mapped in the copy at once, those of files too: most children go on in the same
//! code, and a run of pages costs less than a fault. But not those of shared areas, which the page cache must know of:
//! the child faults on them, and finds the same. Not here: the frames' references (`memory.rs`), how the copy
//! gets to the child (`encode.rs`).

use crate::frame_list::FrameList;
use crate::pager::Pager;
use crate::space::Space;
use renga_abi::Errno;
use renga_hal::memory::{Frame, USER_END, UserMemory};
use renga_proto::memory::ShareFrames;

/// A copy of a space with the same areas and files, of which it has its own use; or the space itself, borrowed, with a copy
/// of its areas. Given to a child by [`Space::encode_copy`], or given back by [`Space::discard_copy`].
pub struct SpaceCopy {
    pub(crate) root: Frame,
    /// Where its areas are deposited.
    pub(crate) table: usize,
    pub(crate) lent: bool,
}

impl SpaceCopy {
    /// The frame with the root of its tables.
    pub fn root(&self) -> Frame {
        self.root
    }
}

/// Pages that the copy shows without a reference yet.
struct Uncounted {
    list: FrameList,
    /// They are at this address or behind.
    from: u64,
}

impl Uncounted {
    /// A reference for each of them, all of which are before `end`.
    async fn count<M: UserMemory>(&mut self, pager: &mut Pager<'_, M>, end: u64) -> Result<(), Errno> {
        if !self.list.is_empty() {
            pager.memory.call(ShareFrames {}, self.list.as_bytes()).await?;
            self.list.clear();
        }
        self.from = end;
        Ok(())
    }
}

impl Space {
    /// A copy of the space; both see private copies from now on. `ENOMEM`: nothing is left behind.
    pub async fn fork<M: UserMemory>(&mut self, pager: &mut Pager<'_, M>) -> Result<SpaceCopy, Errno> {
        let table = pager.tables.deposit_copy(&self.table)?;
        let copied = self.copy_pages(pager).await;
        if copied.is_err() {
            drop(pager.tables.adopt(table));
        }
        copied.map(|root| SpaceCopy { root, table, lent: false })
    }

    /// The space itself, for a child that runs in it while the program waits.
    pub fn lend<M: UserMemory>(&self, pager: &mut Pager<'_, M>) -> Result<SpaceCopy, Errno> {
        Ok(SpaceCopy { root: self.root, table: pager.tables.deposit_copy(&self.table)?, lent: true })
    }

    /// The root of tables that show what this space shows, with uses of their own.
    async fn copy_pages<M: UserMemory>(&self, pager: &mut Pager<'_, M>) -> Result<Frame, Errno> {
        self.keep_files(pager).await?;
        let root = match Space::create_root(pager).await {
            Ok(root) => root,
            Err(errno) => {
                self.release_files(pager, usize::MAX).await;
                return Err(errno);
            }
        };
        let shared = self.share_with(pager, root).await;
        if shared.is_err() {
            self.take_apart(pager, root, FrameList::new()).await;
        }
        shared.map(|()| root)
    }

    /// Gives a copy of this space back.
    pub async fn discard_copy<M: UserMemory>(&self, pager: &mut Pager<'_, M>, copy: SpaceCopy) {
        if !copy.lent {
            self.take_apart(pager, copy.root, FrameList::new()).await;
        }
        drop(pager.tables.adopt(copy.table));
    }

    /// A further use of each file that areas show; of all of them or none.
    async fn keep_files<M: UserMemory>(&self, pager: &mut Pager<'_, M>) -> Result<(), Errno> {
        for (index, &file) in self.table.files.as_slice().iter().enumerate() {
            if let Some(file) = file
                && let Err(errno) = pager.keep_file(file).await
            {
                self.release_files(pager, index).await;
                return Err(errno);
            }
        }
        Ok(())
    }

    /// Shows all pages in the copy as well, each with a reference of its own.
    async fn share_with<M: UserMemory>(&self, pager: &mut Pager<'_, M>, copy: Frame) -> Result<(), Errno> {
        let mut uncounted = Uncounted { list: FrameList::new(), from: 0 };
        let mut shared = self.show_all(pager, copy, &mut uncounted).await;
        if shared.is_ok() {
            shared = uncounted.count(pager, USER_END).await;
        }
        if shared.is_err() {
            pager.machine.unmap_run(copy, (uncounted.from, USER_END), FrameList::new().room());
        }
        shared
    }

    /// Shows all pages in the copy; those of the last list have no references of the copy's yet.
    async fn show_all<M: UserMemory>(
        &self,
        pager: &mut Pager<'_, M>,
        copy: Frame,
        uncounted: &mut Uncounted,
    ) -> Result<(), Errno> {
        for area in self.table.areas.as_slice().iter().filter(|area| !area.is_shared()) {
            let (mut at, end) = (area.start_address(), area.end_address());
            // Each pass passes a list of pages, or gives a table for the next ones.
            while at < end {
                let run = pager.machine.share_run(self.root, copy, (at, end), uncounted.list.room());
                uncounted.list.added(run.pages);
                at = run.next;
                if uncounted.list.is_full() {
                    uncounted.count(pager, at).await?;
                } else if at < end {
                    let table = pager.allocate().await?;
                    pager.machine.add_table(copy, at, table);
                }
            }
        }
        Ok(())
    }

    /// Gives all frames and tables of the space `root`, which has this one's areas, a use of its files and the frames of `list` back.
    pub(crate) async fn take_apart<M: UserMemory>(&self, pager: &mut Pager<'_, M>, root: Frame, mut list: FrameList) {
        pager.machine.leave_shared_tables(root);
        // Area by area: the tables are large, and mostly empty. Pages are in areas, but for one.
        for area in self.table.areas.as_slice() {
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
    async fn release_files<M: UserMemory>(&self, pager: &mut Pager<'_, M>, end: usize) {
        for &file in self.table.files.as_slice().iter().take(end).flatten() {
            pager.release_file(file).await;
        }
    }
}

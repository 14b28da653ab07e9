//! Fork: a second space with the same content, copied page by page only when one side writes.
//!
//! Every page that the space maps is mapped in the copy at once, those of files too: most children go on in the same
//! code, and a run of pages costs less than a fault. But not those of shared areas, which the page cache must know of:
//! the child faults on them, and finds the same. Not here: the frames' references (`memory.rs`), how the copy
//! gets to the child (`encode.rs`).

use crate::frame_list::FrameList;
use crate::layout::{PAGE, TRAMPOLINE};
use crate::pager::Pager;
use crate::space::Space;
use renga_abi::Errno;
use renga_hal::memory::{Frame, USER_END, UserMemory};
use renga_proto::memory::ShareFrames;

/// A copy of a space with the same areas and files, of which it has its own use; or the space itself, borrowed, with a
/// copy of its areas. Given to a child by [`Space::encode_copy`], or given back by [`Pager::discard_copy`].
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

impl<M: UserMemory> Pager<'_, M> {
    /// A copy of the space; both see private copies from now on. `ENOMEM`: nothing is left behind.
    pub async fn fork(&mut self, space: &mut Space) -> Result<SpaceCopy, Errno> {
        let table = self.tables.deposit_copy(&space.table)?;
        let copied = self.copy_pages(space).await;
        if copied.is_err() {
            drop(self.tables.take_over(table));
        }
        copied.map(|root| SpaceCopy { root, table, lent: false })
    }

    /// The space itself, for a child that runs in it while the program waits.
    pub fn lend(&mut self, space: &Space) -> Result<SpaceCopy, Errno> {
        Ok(SpaceCopy { root: space.root, table: self.tables.deposit_copy(&space.table)?, lent: true })
    }

    /// The root of tables that show what this space shows, with uses of their own.
    async fn copy_pages(&mut self, space: &Space) -> Result<Frame, Errno> {
        self.keep_files(space).await?;
        let root = match self.create_root().await {
            Ok(root) => root,
            Err(errno) => {
                self.release_files(space, usize::MAX).await;
                return Err(errno);
            }
        };
        let shared = self.share_with(space, root).await;
        if shared.is_err() {
            self.take_apart(space, root, FrameList::new()).await;
        }
        shared.map(|()| root)
    }

    /// Gives a copy of this space back.
    pub async fn discard_copy(&mut self, space: &Space, copy: SpaceCopy) {
        if !copy.lent {
            self.take_apart(space, copy.root, FrameList::new()).await;
        }
        drop(self.tables.take_over(copy.table));
    }

    /// A further use of each file that areas show; of all of them or none.
    async fn keep_files(&mut self, space: &Space) -> Result<(), Errno> {
        for (index, &file) in space.table.files.as_slice().iter().enumerate() {
            if let Some(file) = file
                && let Err(errno) = self.keep_file(file).await
            {
                self.release_files(space, index).await;
                return Err(errno);
            }
        }
        Ok(())
    }

    /// Shows all pages in the copy as well, each with a reference of its own.
    async fn share_with(&mut self, space: &Space, copy: Frame) -> Result<(), Errno> {
        let mut uncounted = Uncounted { list: FrameList::new(), from: 0 };
        let mut shared = self.show_all(space, copy, &mut uncounted).await;
        if shared.is_ok() {
            shared = uncounted.count(self, USER_END).await;
        }
        if shared.is_err() {
            self.machine.unmap_run(copy, (uncounted.from, USER_END), FrameList::new().room());
        }
        shared
    }

    /// Shows all pages in the copy; those of the last list have no references of the copy's yet.
    async fn show_all(&mut self, space: &Space, copy: Frame, uncounted: &mut Uncounted) -> Result<(), Errno> {
        for area in space.table.areas.as_slice().iter().filter(|area| !area.is_shared()) {
            let (mut at, end) = (area.start_address(), area.end_address());
            // Each pass passes a list of pages, or gives a table for the next ones.
            while at < end {
                let run = self.machine.share_run(space.root, copy, (at, end), uncounted.list.room());
                uncounted.list.added(run.pages);
                at = run.next;
                if uncounted.list.is_full() {
                    uncounted.count(self, at).await?;
                } else if at < end {
                    let table = self.allocate().await?;
                    self.machine.add_table(copy, at, table);
                }
            }
        }
        Ok(())
    }

    /// Gives all frames and tables of the space `root`, which has this one's areas, a use of its files and the frames
    /// of `list` back.
    pub(crate) async fn take_apart(&mut self, space: &Space, root: Frame, mut list: FrameList) {
        self.machine.leave_shared_tables(root);
        // Area by area: the tables are large, and mostly empty. Pages are in areas, but for that of the trampoline.
        for area in space.table.areas.as_slice() {
            self.take_pages(root, (area.start_address(), area.end_address()), &mut list).await;
        }
        self.take_pages(root, (TRAMPOLINE, TRAMPOLINE + PAGE), &mut list).await;
        // Bounded by the tables of the space.
        while let Some(table) = self.machine.take_table(root) {
            if list.is_full() {
                self.free_all(&mut list).await;
            }
            list.push(table);
        }
        self.free_all(&mut list).await;
        self.release_files(space, usize::MAX).await;
    }

    /// Gives a use of each file below `end` back.
    async fn release_files(&mut self, space: &Space, end: usize) {
        for &file in space.table.files.as_slice().iter().take(end).flatten() {
            self.release_file(file).await;
        }
    }
}

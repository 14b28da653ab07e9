//! Listing an open directory. On another board than the inodes' its blocks are pages in that board's cache, as data
//! are.
//!
//! Invariant: what is listed was the directory's when the call began: the inode's process revokes the pages before an
//! entry changes. Called by: `server.rs`. Calls: the page cache, the inode's process. Not here: granting the pages
//! (`inode/directory.rs`).

use crate::file::inode_session::on_inode;
use crate::file::open_file::{DIRECTORY, OpenFile, TYPE_MASK};
use crate::file::page_read::PAGE;
use crate::format::directory_block;
use renga_hal::memory::{Frame, UserMemory};
use renga_pages::fill;
use renga_proto::inode::{DirectoryRead, ReadDirectory};
use renga_proto::pages::{FindPage, ReadCached};
use renga_rt::Errno;

impl<M: UserMemory + ?Sized> OpenFile<M> {
    pub(super) fn is_directory(&self) -> bool {
        self.mode & TYPE_MASK == DIRECTORY
    }

    /// Entries from the offset on as `struct linux_dirent64`s. `EINVAL`: not even one fits.
    pub(super) async fn next_entries(&mut self, out: &mut [u8]) -> Result<DirectoryRead, Errno> {
        let listed = self.list(out).await;
        self.report_read(listed.map(|read| read.bytes)).await;
        listed
    }

    async fn list(&mut self, out: &mut [u8]) -> Result<DirectoryRead, Errno> {
        self.check()?;
        if !self.is_directory() {
            return Err(Errno::ENOTDIR);
        }
        if self.is_elsewhere() {
            return self.list_pages(out).await;
        }
        let read = on_inode!(self, ReadDirectory { cursor: self.offset }, &mut *out)?;
        self.offset = read.next;
        Ok(read)
    }

    async fn list_pages(&mut self, out: &mut [u8]) -> Result<DirectoryRead, Errno> {
        // Each iteration passes a block without entries, of which a directory has a bounded number.
        while let Some(frame) = self.directory_page().await? {
            let listed = directory_block::list(&self.machine.shared_page(frame), self.offset, out);
            fill::free(&mut self.clients.memory, frame).await;
            let listed = listed?;
            if listed.bytes == 0 && listed.next / PAGE == self.offset / PAGE {
                return Err(Errno::EINVAL);
            }
            self.offset = listed.next;
            if listed.bytes > 0 {
                return Ok(listed);
            }
        }
        Ok(DirectoryRead { bytes: 0, next: self.offset })
    }

    /// The page at the offset, with a reference for the caller, or `None` at the end.
    async fn directory_page(&mut self) -> Result<Option<Frame>, Errno> {
        // A program may have sought behind any end.
        let Ok(page) = u32::try_from(self.offset / PAGE) else { return Ok(None) };
        let find = FindPage { file: self.id(), page };
        match self.clients.pages.call(find, ()).await {
            Err(Errno::ENOENT) => {}
            found => return found.map(|frame| Some(Frame(frame))),
        }
        // The size may be known without that page.
        let behind = ReadCached { file: self.id(), offset: self.offset };
        if self.clients.pages.call(behind, &mut [0][..]).await == Ok(0) {
            return Ok(None);
        }
        let (frame, filled) = self.bring(page).await?;
        if self.offset < filled.size {
            return Ok(Some(frame));
        }
        fill::free(&mut self.clients.memory, frame).await;
        Ok(None)
    }
}

//! Reading a file page by page through the cache of file pages.
//!
//! Invariant: it keeps at most one frame, which [`FileReader::close`] frees. Not here: the size of the file; behind
//! its end are zeros.

use crate::layout::PAGE;
use crate::mapped_files::MappedFile;
use crate::pager::Pager;
use renga_abi::Errno;
use renga_hal::memory::{Frame, UserMemory};

/// A file, and the page of it that was read last.
pub struct FileReader<'r, 'a, M: UserMemory + 'static> {
    pager: &'r mut Pager<'a, M>,
    pub file: MappedFile,
    last: Option<(u32, Frame)>,
}

impl<'r, 'a, M: UserMemory> FileReader<'r, 'a, M> {
    /// A reader of `file`, whose inode the caller keeps active.
    pub fn new(pager: &'r mut Pager<'a, M>, file: MappedFile) -> Self {
        FileReader { pager, file, last: None }
    }

    /// Fills `bytes` from `offset` on. `ENOEXEC` for offsets that no file has.
    pub async fn read(&mut self, offset: u64, bytes: &mut [u8]) -> Result<(), Errno> {
        let mut done = 0;
        while done < bytes.len() {
            let at = offset.checked_add(done as u64).ok_or(Errno::ENOEXEC)?;
            let frame = self.page(u32::try_from(at / PAGE).map_err(|_| Errno::ENOEXEC)?).await?;
            let page = self.pager.machine.shared_page(frame);
            let from = &page[(at % PAGE) as usize..];
            let length = from.len().min(bytes.len() - done);
            bytes[done..done + length].copy_from_slice(&from[..length]);
            done += length;
        }
        Ok(())
    }

    async fn page(&mut self, page: u32) -> Result<Frame, Errno> {
        if let Some((_, frame)) = self.last.filter(|last| last.0 == page) {
            return Ok(frame);
        }
        self.close().await;
        let frame = self.pager.file_page(self.file, page).await?;
        self.last = Some((page, frame));
        Ok(frame)
    }

    pub async fn close(&mut self) {
        if let Some((_, frame)) = self.last.take() {
            self.pager.free(frame).await;
        }
    }
}

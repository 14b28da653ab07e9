//! Writing an open file: under a lease in the page cache of this board, otherwise by its inode's process.
//!
//! Not here: leased files (`write_lease.rs`), offsets (`open_file.rs`).

use crate::file::inode_session::on_inode;
use crate::file::open_file::{APPEND, OpenFile};
use crate::format::inode_record::FILE_BYTES_MAX;
use renga_hal::memory::UserMemory;
use renga_proto::inode::{Append, ReportError, ReserveAppend, WriteAt};
use renga_proto::pages::AT_END;
use renga_rt::Errno;

/// What of `data` a file may have at `offset`: all that fits, as Linux has it.
fn fitting(offset: u64, data: &[u8]) -> Result<&[u8], Errno> {
    match FILE_BYTES_MAX.saturating_sub(offset) {
        0 if !data.is_empty() => Err(Errno::EFBIG),
        room => Ok(&data[..data.len().min(usize::try_from(room).unwrap_or(usize::MAX))]),
    }
}

impl<M: UserMemory + ?Sized> OpenFile<M> {
    pub(super) async fn write(&mut self, data: &[u8]) -> Result<u32, Errno> {
        if data.is_empty() {
            return self.may_write().map(|()| 0);
        }
        if self.flags & APPEND == 0 {
            let count = self.write_from(self.offset, data).await?;
            self.offset += u64::from(count);
            return Ok(count);
        }
        let (end, count) = self.append(data).await?;
        self.offset = end;
        Ok(count)
    }

    pub(super) async fn write_to(&mut self, offset: u64, data: &[u8]) -> Result<u32, Errno> {
        match offset {
            AT_END if data.is_empty() => self.may_write().map(|()| 0),
            AT_END => self.append(data).await.map(|(_, count)| count),
            offset => self.write_from(offset, data).await,
        }
    }

    /// The new end, and how many bytes were written.
    async fn append(&mut self, data: &[u8]) -> Result<(u64, u32), Errno> {
        self.may_write()?;
        let (end, done) = self.write_leased(AT_END, data).await?;
        match self.append_rest(&data[done..]).await {
            Ok(Some((end, count))) => Ok((end, (done + count) as u32)),
            Err(errno) if done == 0 => Err(errno),
            Ok(None) | Err(_) => Ok((end, done as u32)),
        }
    }

    pub(super) async fn write_from(&mut self, offset: u64, data: &[u8]) -> Result<u32, Errno> {
        self.may_write()?;
        let data = fitting(offset, data)?;
        let (at, done) = self.write_leased(offset, data).await?;
        match self.write_rest(at, &data[done..]).await {
            Ok(()) => Ok(data.len() as u32),
            // The rest is refused when it is written by itself.
            Err(_) if done > 0 => Ok(done as u32),
            Err(errno) => Err(errno),
        }
    }

    async fn write_rest(&mut self, offset: u64, rest: &[u8]) -> Result<(), Errno> {
        if rest.is_empty() {
            return Ok(());
        }
        self.revoke_own(offset).await?;
        let written = on_inode!(self, WriteAt { offset }, rest);
        self.note(written).await
    }

    /// The new end, and how many bytes were appended, unless there is nothing to append.
    async fn append_rest(&mut self, rest: &[u8]) -> Result<Option<(u64, usize)>, Errno> {
        if rest.is_empty() {
            return Ok(None);
        }
        self.revoke_own(0).await?;
        let appended = on_inode!(self, Append {}, rest);
        match self.note(appended).await {
            Ok(end) => Ok(Some((end, rest.len()))),
            Err(Errno::EFBIG) => self.append_fitting(rest).await.map(Some),
            Err(errno) => Err(errno),
        }
    }

    /// Appends what there is room for in a file that is nearly as large as it may be.
    async fn append_fitting(&mut self, rest: &[u8]) -> Result<(u64, usize), Errno> {
        let bytes = rest.len() as u64;
        let start = on_inode!(self, ReserveAppend { from: AT_END, bytes }, ())?;
        let part = fitting(start, rest)?;
        let written = on_inode!(self, WriteAt { offset: start }, part);
        self.note(written).await.map(|()| (start + part.len() as u64, part.len()))
    }

    /// Takes note of a write. One that failed at once has been reported, so what the inode keeps of it
    /// is forgotten.
    async fn note<T>(&mut self, written: Result<T, Errno>) -> Result<T, Errno> {
        match written {
            Ok(value) => {
                self.written = true;
                Ok(value)
            }
            Err(errno) => {
                if let Some(mut inode) = self.inode()? {
                    // With a session it is forgotten, too.
                    let _ = inode.call(ReportError {}, ()).await;
                }
                Err(errno)
            }
        }
    }
}

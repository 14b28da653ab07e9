//! Open files whose data are made when it is read: those of `/proc`.
//!
//! Invariant: what one read has ended stays ended until the offset is set, though the data may have become longer:
//! who reads to the end gets what was there once. What is written goes to the maker at once, whatever the offset. Not
//! here:
//! the data (`sysprocs/procfs`).

use crate::file::open_file::{DIRECTORY, OpenFile, PROC_FILES, TYPE_MASK};
use renga_hal::memory::UserMemory;
use renga_proto::file::{BegunTransfer, FileCall, Seek, Whence};
use renga_proto::inode::{DirectoryRead, STAT_BYTES};
use renga_proto::proc_files::{
    DISK, ListSynthetic, ProcFiles, ReadSynthetic, SECTOR_BYTES, SyntheticStatus, WriteSynthetic, sectors_of,
};
use renga_rt::{Client, Errno, reply};

/// What a dead board's programs were is gone with it. A file never says that a board is down: that would be its own.
fn gone(errno: Errno) -> Errno {
    if errno == Errno::EHOSTDOWN { Errno::ESRCH } else { errno }
}

fn unlocked(bytes: u32) -> BegunTransfer {
    BegunTransfer { bytes, locked: false, start: 0 }
}

impl<M: UserMemory + ?Sized> OpenFile<M> {
    /// The server of the data, on the board that the opener named.
    fn proc_files(&mut self) -> Result<Client<ProcFiles, PROC_FILES>, Errno> {
        self.check()?;
        let board = self.slot.and_then(|board| u8::try_from(board).ok()).ok_or(Errno::EIO)?;
        self.clients.proc_files.at(board, 0).ok_or(Errno::EIO)
    }

    /// Serves what depends on where the data are; gives back a call that is served as of any file.
    pub(super) async fn serve_synthetic(&mut self, call: FileCall) -> Option<FileCall> {
        match call {
            FileCall::Read(mut call) => reply!(call, self.read_on(call.lent()).await, bytes),
            FileCall::ReadFrom(mut call) => reply!(call, self.make(call.entry().offset, call.lent()).await, bytes),
            FileCall::Seek(call) => reply!(call, self.seek_synthetic(call.entry()).await),
            FileCall::FileStatus(mut call) => reply!(call, self.synthetic_status(call.lent()).await),
            FileCall::NextEntries(mut call) => reply!(call, self.list_synthetic(call.lent()).await, |read| read.bytes),
            FileCall::Write(mut call) => reply!(call, self.write_synthetic(0, call.lent()).await),
            FileCall::WriteTo(mut call) => reply!(call, self.write_synthetic(call.entry().offset, call.lent()).await),
            // One call has all of the data.
            FileCall::BeginRead(mut call) => reply!(call, self.read_on(call.lent()).await.map(unlocked)),
            FileCall::BeginWrite(mut call) => reply!(call, self.write_synthetic(0, call.lent()).await.map(unlocked)),
            FileCall::SyncFile(call) => call.reply(Err(Errno::EINVAL)),
            FileCall::SetSize(call) => call.reply(Err(Errno::EINVAL)),
            FileCall::BeginAppend(call) => call.reply(Err(Errno::EINVAL)),
            FileCall::EndAppend(call) => call.reply(Err(Errno::EINVAL)),
            FileCall::DescribeFile(call) => call.reply(Err(Errno::ENODEV)),
            FileCall::SetFileMode(call) => call.reply(Err(Errno::EPERM)),
            FileCall::SetFileTimes(call) => call.reply(Err(Errno::EPERM)),
            FileCall::SetFileOwner(call) => call.reply(Err(Errno::EPERM)),
            other => return Some(other),
        }
        None
    }

    async fn read_on(&mut self, out: &mut [u8]) -> Result<u32, Errno> {
        if self.synthetic_ended {
            return self.check().map(|()| 0);
        }
        let count = self.make(self.offset, out).await?;
        self.offset += u64::from(count);
        self.synthetic_ended = (count as usize) < out.len();
        Ok(count)
    }

    async fn make(&mut self, offset: u64, out: &mut [u8]) -> Result<u32, Errno> {
        if self.mode & TYPE_MASK == DIRECTORY {
            return Err(Errno::EISDIR);
        }
        self.may_read()?;
        let read = ReadSynthetic { number: self.ino, offset };
        self.proc_files()?.call(read, out).await.map_err(gone)
    }

    async fn write_synthetic(&mut self, offset: u64, bytes: &[u8]) -> Result<u32, Errno> {
        self.may_write()?;
        let write = WriteSynthetic { number: self.ino, offset };
        self.proc_files()?.call(write, bytes).await.map_err(gone)?;
        Ok(bytes.len() as u32)
    }

    async fn list_synthetic(&mut self, out: &mut [u8]) -> Result<DirectoryRead, Errno> {
        if self.mode & TYPE_MASK != DIRECTORY {
            return Err(Errno::ENOTDIR);
        }
        let list = ListSynthetic { number: self.ino, cursor: self.offset };
        let read = self.proc_files()?.call(list, out).await.map_err(gone)?;
        self.offset = read.next;
        Ok(read)
    }

    async fn synthetic_status(&mut self, out: &mut [u8]) -> Result<(), Errno> {
        let status = SyntheticStatus { number: self.ino };
        self.proc_files()?.call(status, out).await.map_err(gone)
    }

    async fn seek_synthetic(&mut self, seek: Seek) -> Result<u64, Errno> {
        self.check()?;
        let base = match seek.whence {
            Whence::Start => 0,
            Whence::Current => self.offset,
            Whence::End if self.ino == DISK => {
                let mut status = [0; STAT_BYTES];
                self.synthetic_status(&mut status).await?;
                sectors_of(&status).checked_mul(SECTOR_BYTES).ok_or(Errno::EINVAL)?
            }
            Whence::End | Whence::Data | Whence::Hole => return Err(Errno::EINVAL), // the end is unknown before the data are generated
        };
        let offset = base.checked_add_signed(seek.offset).filter(|offset| *offset <= i64::MAX as u64);
        self.offset = offset.ok_or(Errno::EINVAL)?;
        self.synthetic_ended = false;
        Ok(self.offset)
    }
}

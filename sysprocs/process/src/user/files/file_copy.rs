//! Bytes that go from a file to another without passing through the program.
//!
//! Invariant: the file's own offset counts only bytes that were also written. Not here: the program's own memory
//! (`transfer.rs`).

use crate::user::files::transfer::{Buffers, PageFailure, TRANSFER_BYTES_MAX};
use crate::user::files::transfer_calls::{TransferForm, offset};
use crate::user::slot::{User, leaving};
use crate::user::state::fields::word_at;
use crate::user::state::open_flags::{O_NONBLOCK, S_IFMT, S_IFREG};
use crate::user::state::{FileDescriptor, Object, SyscallResult, TransferMode};
use renga_hal::memory::{PAGE_BYTES, UserMemory};
use renga_proto::file::{FileStatus, Seek, Whence};
use renga_proto::inode::STAT_BYTES;
use renga_rt::Errno;

/// Flags of `splice`, of which one counts: pages are always copied.
const SPLICE_FLAGS: u32 = 15;
const SPLICE_F_NONBLOCK: u32 = 2;
/// Where a `struct stat` says how long the file is.
const SIZE_AT: usize = 48;

impl<M: UserMemory> User<M> {
    pub(crate) async fn send_file(&mut self) -> SyscallResult {
        let to = *self.program.files.get(self.argument(0))?;
        let from = *self.program.files.get(self.argument(1))?;
        let (place, count) = (self.argument(2), self.argument(3).min(TRANSFER_BYTES_MAX));
        to.for_writing()?;
        from.for_reading()?;
        if from.object.file().is_none() {
            return Err(Errno::EINVAL.into());
        }
        let start = self.offset_at(place).await?;
        let done = self.copy_through((&from, start), (&to, None), count).await?;
        let done = self.sync_written(&to, done).await?;
        if let Some(start) = start {
            self.put(place, &(start + done).to_le_bytes()).await?;
        }
        Ok(done)
    }

    /// `splice`: bytes from or to a pipe.
    pub(crate) async fn splice(&mut self) -> SyscallResult {
        let (from_place, to_place, flags) = (self.argument(1), self.argument(3), self.int(5));
        let count = self.argument(4).min(TRANSFER_BYTES_MAX);
        if flags & !SPLICE_FLAGS != 0 {
            return Err(Errno::EINVAL.into());
        }
        if count == 0 {
            return Ok(0);
        }
        let mut from = *self.program.files.get(self.argument(0))?;
        let mut to = *self.program.files.get(self.argument(2))?;
        from.for_reading()?;
        to.for_writing()?;
        let [from_pipe, to_pipe] = [from.object.pipe(), to.object.pipe()];
        let [from_is_pipe, to_is_pipe] = [from_pipe.is_some(), to_pipe.is_some()];
        if from_is_pipe && from_place != 0 || to_is_pipe && to_place != 0 {
            return Err(Errno::ESPIPE.into());
        }
        let same = from_is_pipe && from_pipe == to_pipe;
        if !(from_is_pipe || to_is_pipe) || same || self.appends(&to).await? {
            return Err(Errno::EINVAL.into());
        }
        if flags & SPLICE_F_NONBLOCK != 0 {
            from.flags |= if from_is_pipe { O_NONBLOCK } else { 0 };
            to.flags |= if to_is_pipe { O_NONBLOCK } else { 0 };
        }
        let (start, target) = (self.offset_at(from_place).await?, self.offset_at(to_place).await?);
        let done = self.copy_through((&from, start), (&to, target), count).await?;
        let done = self.sync_written(&to, done).await?;
        self.put_moved_offsets([(from_place, start), (to_place, target)], done).await?;
        Ok(done)
    }

    /// Writes the offsets to where the program gave them, behind the `done` bytes; none where it gave none.
    async fn put_moved_offsets(&mut self, offsets: [(u64, Option<u64>); 2], done: u64) -> Result<(), Errno> {
        for (place, offset) in offsets {
            if let Some(offset) = offset {
                self.put(place, &(offset + done).to_le_bytes()).await?;
            }
        }
        Ok(())
    }

    /// `vmsplice`: copies between buffers of the program and a pipe.
    pub(crate) async fn splice_memory(&mut self) -> SyscallResult {
        let pipe = *self.program.files.get(self.argument(0))?;
        if self.int(3) & !SPLICE_FLAGS != 0 {
            return Err(Errno::EINVAL.into());
        }
        if pipe.object.pipe().is_none() {
            return Err(Errno::EBADF.into());
        }
        if pipe.writes() { self.write(TransferForm::Vector).await } else { self.read(TransferForm::Vector).await }
    }

    /// Passes bytes of a file on, each at an offset or where it stands; how many.
    async fn copy_through(
        &mut self,
        (from, start): (&FileDescriptor, Option<u64>),
        (to, target): (&FileDescriptor, Option<u64>),
        count: u64,
    ) -> SyscallResult {
        let length = self.allowed_bytes(to, target, count).await?;
        let buffers = Buffers::One { address: 0, length };
        self.transfer(buffers, to.mode_at(target), length, async |user: &mut Self, (_, length), done, mode| {
            user.pass_page((from, start.map(|start| start.saturating_add(done))), to.object, (length, done > 0), mode)
                .await
        })
        .await
    }

    /// Copies a page of a file, from an offset or its own; returns the bytes written and read. What could not be
    /// written was not read, as far as the file's own offset shows.
    async fn pass_page(
        &mut self,
        (from, start): (&FileDescriptor, Option<u64>),
        to: Object,
        (length, is_further): (usize, bool),
        mode: TransferMode,
    ) -> Result<(usize, usize), PageFailure> {
        let length = length.min(PAGE_BYTES);
        // Bytes that were passed on already do not wait for more to come.
        let mut source = from.mode_at(start);
        source.nonblocking |= is_further && from.object.pipe().is_some();
        self.check_open(from.object).map_err(|errno| PageFailure::Read(from.object, errno))?;
        let read = match leaving!(self, self.services.read(from.object, &mut self.scratch[..length], source)) {
            Ok(0) => return Ok((0, 1)), // the file ends
            Ok(bytes) => bytes.min(length),
            Err(errno) => return Err(PageFailure::Read(from.object, errno)),
        };
        self.check_open(to).map_err(|errno| PageFailure::Write(to, errno))?;
        let written = leaving!(self, self.services.write(to, &self.scratch[..read], mode)).map(|bytes| bytes.min(read));
        let unread = read - written.unwrap_or(0);
        if let (1.., None, Some(at)) = (unread, start, from.object.file())
            && let Ok(mut file) = self.services.file(at)
        {
            // A regular file can always be moved back over what was just read.
            let _ = leaving!(self, file.call(Seek { offset: -(unread as i64), whence: Whence::Current }, ()));
        }
        written.map(|written| (written, read)).map_err(|errno| PageFailure::Write(to, errno))
    }

    /// The offset at `place`, if one is named.
    async fn offset_at(&mut self, place: u64) -> Result<Option<u64>, Errno> {
        if place == 0 {
            return Ok(None);
        }
        offset(self.get_word(place).await?)
    }

    pub(crate) async fn copy_file_range(&mut self) -> SyscallResult {
        let (from_place, to_place, flags) = (self.argument(1), self.argument(3), self.int(5));
        let count = self.argument(4).min(TRANSFER_BYTES_MAX);
        let from = *self.program.files.get(self.argument(0))?;
        let to = *self.program.files.get(self.argument(2))?;
        if !from.reads() || !to.writes() || self.appends(&to).await? {
            return Err(Errno::EBADF.into());
        }
        let regular = |mode: u16| mode & S_IFMT == S_IFREG;
        if flags != 0 || !regular(from.mode) || !regular(to.mode) {
            return Err(Errno::EINVAL.into());
        }
        let (start, target) = (self.offset_at(from_place).await?, self.offset_at(to_place).await?);
        if from.ino == to.ino && self.overlap((&from, start), (&to, target), count).await? {
            return Err(Errno::EINVAL.into());
        }
        let done = self.copy_through((&from, start), (&to, target), count).await?;
        let done = self.sync_written(&to, done).await?;
        self.put_moved_offsets([(from_place, start), (to_place, target)], done).await?;
        Ok(done)
    }

    /// Whether `count` bytes of a file, as far as it has them, would go to where some of them are.
    async fn overlap(
        &mut self,
        (from, start): (&FileDescriptor, Option<u64>),
        (to, target): (&FileDescriptor, Option<u64>),
        count: u64,
    ) -> Result<bool, Errno> {
        let (start, target) = (self.offset_of_file(from, start).await?, self.offset_of_file(to, target).await?);
        let mut status = [0; STAT_BYTES];
        let at = from.object.file_or(Errno::EINVAL)?;
        self.services.file(at)?.call(FileStatus {}, &mut status).await?;
        let count = count.min(word_at(&status, SIZE_AT).saturating_sub(start));
        Ok(target < start.saturating_add(count) && start < target.saturating_add(count))
    }

    /// The offset that is given, or where the file stands.
    async fn offset_of_file(&mut self, file: &FileDescriptor, given: Option<u64>) -> Result<u64, Errno> {
        match given {
            Some(offset) => Ok(offset),
            None => {
                let here = Seek { offset: 0, whence: Whence::Current };
                let mut file = self.services.file(file.object.file_or(Errno::EINVAL)?)?;
                leaving!(self, file.call(here, ()))
            }
        }
    }
}

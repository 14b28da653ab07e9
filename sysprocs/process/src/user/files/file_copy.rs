//! Bytes that go from a file to another without passing through the program.
//!
//! Invariant: the file's own offset counts only bytes that were also written. Not here: the program's own memory
//! (`transfer.rs`).

use crate::user::files::path::{S_IFMT, S_IFREG};
use crate::user::files::transfer::TRANSFER_BYTES_MAX;
use crate::user::files::transfer_calls::offset;
use crate::user::slot::User;
use crate::user::state::descriptors::FileDescriptor;
use crate::user::state::syscall_result::{SyscallEscape, SyscallResult};
use renga_hal::memory::{PAGE_BYTES, UserMemory};
use renga_proto::file::{Seek, Whence};
use renga_rt::Errno;

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

    /// Passes bytes of a file on, each at an offset or where it stands; how many.
    async fn copy_through(
        &mut self,
        (from, start): (&FileDescriptor, Option<u64>),
        (to, target): (&FileDescriptor, Option<u64>),
        count: u64,
    ) -> SyscallResult {
        let count = self.allowed_bytes(to, target, count).await?;
        let mut done = 0;
        // Each pass passes a page, or the file ends.
        while done < count {
            if self.is_over_after_page().await {
                if done == 0 {
                    return Err(SyscallEscape::Restart);
                }
                break;
            }
            let length = (count - done).min(PAGE_BYTES as u64) as usize;
            let mode = from.mode_at(start.map(|start| start.saturating_add(done)));
            let bytes = match self.services.read(from.object, &mut self.scratch[..length], mode).await {
                Ok(0) => break,
                Ok(bytes) => bytes,
                Err(_) if done > 0 => break,
                Err(errno) => return Err(errno.into()),
            };
            let mode = to.mode_at(target.map(|target| target.saturating_add(done)));
            match self.write_scratch(to.object, bytes, mode).await {
                Ok(written) => {
                    done += written;
                    if written < bytes as u64 {
                        self.unread(from, start, bytes as u64 - written).await;
                        break;
                    }
                }
                Err(escape) => {
                    self.unread(from, start, bytes as u64).await;
                    if done == 0 {
                        return Err(escape);
                    }
                    break;
                }
            }
        }
        Ok(done)
    }

    /// Moves a file's own offset back over bytes that were read but could not be sent.
    async fn unread(&mut self, from: &FileDescriptor, start: Option<u64>, bytes: u64) {
        if let (None, Some(at)) = (start, from.object.file())
            && let Ok(mut file) = self.services.file(at)
        {
            // A regular file can always be moved back over what was just read.
            let _ = file.call(Seek { offset: -(bytes as i64), whence: Whence::Current }, ()).await;
        }
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
        let done = self.copy_through((&from, start), (&to, target), count).await?;
        let done = self.sync_written(&to, done).await?;
        for (place, offset) in [(from_place, start), (to_place, target)] {
            if let Some(offset) = offset {
                self.put(place, &(offset + done).to_le_bytes()).await?;
            }
        }
        Ok(done)
    }
}

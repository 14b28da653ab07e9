//! The system calls that read and write: `read`, `pread`, `readv`, `preadv`, `preadv2`, and the same that write.
//!
//! Invariant: each is the same transfer with other buffers, offset and flags. Calls: `transfer.rs`; event files and signal
//! files, which move whole records. Not here: copies from file to file (`file_copy.rs`).

use crate::user::files::transfer::{Buffers, Direction, TRANSFER_BYTES_MAX};
use crate::user::slot::User;
use crate::user::state::open_flags::{O_DSYNC, O_SYNC};
use crate::user::state::syscall_result::SyscallResult;
use renga_hal::memory::{PAGE_BYTES, UserMemory};
use renga_rt::{Errno, apart};

/// Most buffers of a vector, as on Linux.
const VECTOR_MAX: u64 = 1024;
/// As an offset of `preadv2` and `pwritev2`: where the file stands.
const HERE: u64 = u64::MAX;
/// Busy waiting, which no server here does.
const RWF_HIPRI: u32 = 1;
const RWF_DSYNC: u32 = 2;
const RWF_SYNC: u32 = 4;
const RWF_APPEND: u32 = 16;

/// The offset that an argument names; negative: `EINVAL`.
pub(crate) fn offset(argument: u64) -> Result<Option<u64>, Errno> {
    if (argument as i64) < 0 { Err(Errno::EINVAL) } else { Ok(Some(argument)) }
}

impl<M: UserMemory> User<M> {
    pub(crate) async fn read(&mut self) -> SyscallResult {
        self.read_buffers(self.one_buffer(), None).await
    }
    pub(crate) async fn read_from(&mut self) -> SyscallResult {
        self.read_buffers(self.one_buffer(), offset(self.argument(3))?).await
    }
    pub(crate) async fn read_vector(&mut self) -> SyscallResult {
        self.read_buffers(self.vector(), None).await
    }
    pub(crate) async fn read_vector_from(&mut self) -> SyscallResult {
        self.read_buffers(self.vector(), offset(self.argument(3))?).await
    }
    /// `preadv2`: as `preadv`, or where the file stands.
    pub(crate) async fn read_vector_with_flags(&mut self) -> SyscallResult {
        let offset = self.offset_or_here()?;
        self.program.files.get(self.argument(0))?.for_reading()?;
        self.open_flags_of_call(0)?;
        self.read_buffers(self.vector(), offset).await
    }

    pub(crate) async fn write(&mut self) -> SyscallResult {
        self.write_buffers(self.one_buffer(), None, 0, false).await
    }
    pub(crate) async fn write_to(&mut self) -> SyscallResult {
        self.write_buffers(self.one_buffer(), offset(self.argument(3))?, 0, false).await
    }
    pub(crate) async fn write_vector(&mut self) -> SyscallResult {
        self.write_buffers(self.vector(), None, 0, false).await
    }
    pub(crate) async fn write_vector_to(&mut self) -> SyscallResult {
        self.write_buffers(self.vector(), offset(self.argument(3))?, 0, false).await
    }
    /// `pwritev2`: as `pwritev`, or where the file stands, or at its end.
    pub(crate) async fn write_vector_with_flags(&mut self) -> SyscallResult {
        let offset = self.offset_or_here()?;
        self.program.files.get(self.argument(0))?.for_writing()?;
        let open_flags = self.open_flags_of_call(RWF_APPEND)?;
        self.write_buffers(self.vector(), offset, open_flags, self.int(5) & RWF_APPEND != 0).await
    }

    fn one_buffer(&self) -> Buffers {
        Buffers::One { address: self.argument(1), length: self.argument(2) }
    }

    fn vector(&self) -> Buffers {
        Buffers::Vector { address: self.argument(1), count: self.argument(2) }
    }

    fn offset_or_here(&self) -> Result<Option<u64>, Errno> {
        if self.argument(3) == HERE { Ok(None) } else { offset(self.argument(3)) }
    }

    /// The call's flags for its own transfer, as open flags; `others` are allowed too. `EOPNOTSUPP`: an unknown flag.
    fn open_flags_of_call(&self, others: u32) -> Result<u32, Errno> {
        let flags = self.int(5);
        if flags & !(RWF_HIPRI | RWF_DSYNC | RWF_SYNC | others) != 0 {
            return Err(Errno::EOPNOTSUPP);
        }
        let table = [(RWF_DSYNC, O_DSYNC), (RWF_SYNC, O_SYNC)];
        Ok(table.iter().filter(|(flag, _)| flags & flag != 0).fold(0, |all, (_, open)| all | open))
    }

    #[inline(always)]
    async fn read_buffers(&mut self, buffers: Buffers, offset: Option<u64>) -> SyscallResult {
        let from = *self.program.files.get(self.argument(0))?;
        from.for_reading()?;
        let mut mode = from.mode_at(offset);
        mode.nonblocking |= self.await_reading(&from).await?;
        match buffers {
            Buffers::One { address, length } if from.object.has_records() => {
                return apart!(self.read_records(&from, address, length, mode));
            }
            Buffers::Vector { count, .. } if count > VECTOR_MAX => return Err(Errno::EINVAL.into()),
            _ => {}
        }
        let room = if from.is_synthetic() { PAGE_BYTES as u64 } else { TRANSFER_BYTES_MAX };
        self.transfer(Direction::Read, &from, buffers, mode, room).await
    }

    #[inline(always)]
    async fn write_buffers(
        &mut self,
        buffers: Buffers,
        offset: Option<u64>,
        open_flags: u32,
        at_end: bool,
    ) -> SyscallResult {
        let mut to = *self.program.files.get(self.argument(0))?;
        to.for_writing()?;
        to.flags |= open_flags;
        let mode = to.mode_at(offset);
        match buffers {
            Buffers::One { address, length } if to.object.has_records() => {
                return apart!(self.write_events(&to, address, length, mode));
            }
            Buffers::Vector { count, .. } if count > VECTOR_MAX => return Err(Errno::EINVAL.into()),
            _ => {}
        }
        let written = self.write_out(&to, buffers, mode, at_end).await?;
        self.sync_written(&to, written).await
    }
}

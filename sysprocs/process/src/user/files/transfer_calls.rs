//! The system calls that read and write: `read`, `pread`, `readv`, `preadv`, `preadv2`, the same that write, and
//! `getrandom`.
//!
//! Invariant: each is the same transfer with other buffers, offset and flags. Calls: `transfer.rs`; event files and
//! signal files, which move whole records. Not here: copies from file to file (`file_copy.rs`).

use crate::user::files::transfer::{Buffers, TRANSFER_BYTES_MAX};
use crate::user::slot::User;
use crate::user::state::open_flags::{O_DSYNC, O_RDONLY, O_SYNC};
use crate::user::state::{FileDescriptor, Object, SyscallResult};
use renga_hal::memory::{PAGE_BYTES, UserMemory};
use renga_rt::{Errno, apart};

/// More buffers than a vector has at most, as on Linux.
const VECTOR_ABOVE: u64 = 1025;
/// As an offset of `preadv2` and `pwritev2`: where the file stands.
const HERE: u64 = u64::MAX;
/// Busy waiting, which no server here does.
const RWF_HIPRI: u32 = 1;
const RWF_DSYNC: u32 = 2;
const RWF_SYNC: u32 = 4;
const RWF_APPEND: u32 = 16;

/// Flags of `getrandom`: numbers are always there.
const GRND_NONBLOCK: u32 = 1;
const GRND_RANDOM: u32 = 2;
const GRND_INSECURE: u32 = 4;
/// Bytes of a `struct iovec`, and where its length is.
const IOVEC_BYTES: u64 = 16;
const LENGTH_AT: u64 = 8;

/// The offset that an argument names; negative: `EINVAL`.
pub(crate) fn offset(argument: u64) -> Result<Option<u64>, Errno> {
    if (argument as i64) < 0 { Err(Errno::EINVAL) } else { Ok(Some(argument)) }
}

/// What the arguments of a call are, behind the descriptor.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum TransferForm {
    /// A buffer and its length.
    Plain,
    /// Also an offset.
    PlainAt,
    /// An array of `struct iovec` and how many there are.
    Vector,
    /// Also an offset.
    VectorAt,
    /// Also an offset or [`HERE`], and flags.
    VectorWithFlags,
}

impl<M: UserMemory> User<M> {
    pub(crate) async fn read(&mut self, form: TransferForm) -> SyscallResult {
        let offset = self.offset_of(form)?;
        let from = *self.program.files.get(self.argument(0))?;
        from.for_reading()?;
        self.open_flags_of(form, 0)?;
        let mut mode = from.mode_at(offset);
        mode.nonblocking |= self.await_reading(&from).await?;
        match self.buffers(form).await? {
            buffers if from.object.has_socket_records() && offset.is_none() => apart!(self.read_record(buffers)),
            Buffers::One { address, length } if from.object.has_records() => {
                apart!(self.read_records(&from, address, length, mode))
            }
            buffers => {
                let room = if from.is_synthetic() { PAGE_BYTES as u64 } else { TRANSFER_BYTES_MAX };
                self.read_in(&from, buffers, mode, room).await
            }
        }
    }

    pub(crate) async fn write(&mut self, form: TransferForm) -> SyscallResult {
        let offset = self.offset_of(form)?;
        let mut to = *self.program.files.get(self.argument(0))?;
        to.for_writing()?;
        to.flags |= self.open_flags_of(form, RWF_APPEND)?;
        let at_end = form == TransferForm::VectorWithFlags && self.int(5) & RWF_APPEND != 0;
        let mode = to.mode_at(offset);
        match self.buffers(form).await? {
            buffers if to.object.has_socket_records() && offset.is_none() => apart!(self.write_record(buffers)),
            Buffers::One { address, length } if to.object.has_records() => {
                apart!(self.write_events(&to, address, length, mode))
            }
            buffers => {
                let written = self.write_out(&to, buffers, mode, at_end).await?;
                self.sync_written(&to, written).await
            }
        }
    }

    /// As a read of the device of random numbers.
    pub(crate) async fn get_random(&mut self) -> SyscallResult {
        let (address, length, flags) = (self.argument(0), self.argument(1), self.int(2));
        let sources = GRND_RANDOM | GRND_INSECURE;
        if flags & !(GRND_NONBLOCK | sources) != 0 || flags & sources == sources {
            return Err(Errno::EINVAL.into());
        }
        let device = FileDescriptor::opened(Object::Random, 0, 0, O_RDONLY);
        let buffer = Buffers::One { address, length };
        self.read_in(&device, buffer, device.mode_at(None), length).await
    }

    async fn buffers(&mut self, form: TransferForm) -> Result<Buffers, Errno> {
        match (form, self.argument(1), self.argument(2)) {
            (TransferForm::Plain | TransferForm::PlainAt, address, length) => Ok(Buffers::One { address, length }),
            (_, _, VECTOR_ABOVE..) => Err(Errno::EINVAL),
            (_, address, count) => {
                for index in 0..count {
                    let at = address.wrapping_add(index * IOVEC_BYTES + LENGTH_AT);
                    if self.get_word(at).await? > i64::MAX as u64 {
                        return Err(Errno::EINVAL);
                    }
                }
                Ok(Buffers::Vector { address, count })
            }
        }
    }

    fn offset_of(&self, form: TransferForm) -> Result<Option<u64>, Errno> {
        match form {
            TransferForm::Plain | TransferForm::Vector => Ok(None),
            TransferForm::VectorWithFlags if self.argument(3) == HERE => Ok(None),
            _ => offset(self.argument(3)),
        }
    }

    /// The call's flags for its own transfer, as open flags; `others` are allowed too. `EOPNOTSUPP`: an unknown flag.
    fn open_flags_of(&self, form: TransferForm, others: u32) -> Result<u32, Errno> {
        let flags = if form == TransferForm::VectorWithFlags { self.int(5) } else { 0 };
        if flags & !(RWF_HIPRI | RWF_DSYNC | RWF_SYNC | others) != 0 {
            return Err(Errno::EOPNOTSUPP);
        }
        let table = [(RWF_DSYNC, O_DSYNC), (RWF_SYNC, O_SYNC)];
        Ok(table.iter().filter(|(flag, _)| flags & flag != 0).fold(0, |all, (_, open)| all | open))
    }
}

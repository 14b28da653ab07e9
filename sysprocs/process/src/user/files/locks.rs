//! Locks on files: fcntl(2)'s, which are the process's, those of open files (F_OFD_SETLK), and flock(2)'s.
//!
//! Invariant: a process lets go what it has of a file when it closes any descriptor of that, or ends; an open file when
//! its last descriptor anywhere is closed (`fs/src/file`). Not here: who has what (`fs/src/locks`, on the disk's
//! board).

use crate::user::servers::rights::LOCKS;
use crate::user::slot::{User, leaving};
use crate::user::state::fields::{STAT_SIZE_AT, half_at, put_ints, put_words, word_at};
use crate::user::state::open_flags::is_path_only;
use crate::user::state::{FileDescriptor, Handle, SyscallResult, restartable};
use renga_hal::memory::UserMemory;
use renga_proto::file::{FileStatus, NoteLocks, Seek, Whence};
use renga_proto::inode::STAT_BYTES;
use renga_proto::locks::{AwaitLock, Conflict, FindLock, LockRequest, Locking, Locks, Owner, ReleaseLocks, SetLock};
use renga_rt::{Client, Errno};

/// `l_type`.
const F_RDLCK: u16 = 0;
const F_WRLCK: u16 = 1;
const F_UNLCK: u16 = 2;
/// Operations of flock.
const LOCK_SH: u32 = 1;
const LOCK_EX: u32 = 2;
const LOCK_NB: u32 = 4;
const LOCK_UN: u32 = 8;
/// Bytes of a `struct flock`, and where its fields are.
const FLOCK_BYTES: usize = 32;
const WHENCE: usize = 2;
const START: usize = 8;
const LENGTH: usize = 16;
const PID: usize = 24;
/// The last byte that a file can have.
const END: u64 = i64::MAX as u64;

/// Which call of fcntl.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LockCall {
    /// For the open file, not the process.
    pub of_file: bool,
    /// What it does.
    pub way: LockWay,
}

/// What it does.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LockWay {
    /// Finds a conflicting lock.
    Find,
    /// Locks, or fails.
    Set,
    /// Locks, when it can.
    Wait,
}

/// The first and the last byte of `length` bytes (negative: before; 0: up to the end) at `start`.
fn bounds(start: u64, length: i64) -> Result<(u64, u64), Errno> {
    match length {
        0 => Ok((start, END)),
        1.. => Ok((start, start.checked_add(length as u64 - 1).filter(|&last| last <= END).ok_or(Errno::EOVERFLOW)?)),
        _ => Ok((start.checked_add_signed(length).ok_or(Errno::EINVAL)?, start - 1)),
    }
}

impl<M: UserMemory> User<M> {
    fn locks(&mut self) -> Result<Client<Locks, LOCKS>, Errno> {
        let board = self.services.file_board;
        self.services.clients.locks.at(board, 0).ok_or(Errno::ENOLCK)
    }

    /// The range that a `struct flock` means.
    async fn lock_range(
        &mut self,
        descriptor: &FileDescriptor,
        bytes: &[u8; FLOCK_BYTES],
    ) -> Result<(u64, u64), Errno> {
        let mut file = self.services.file(descriptor.object.file().ok_or(Errno::ENOLCK)?)?;
        let base = match half_at(bytes, WHENCE) {
            0 => 0,
            1 => leaving!(self, file.call(Seek { offset: 0, whence: Whence::Current }, ()))?,
            2 => {
                file.call(FileStatus {}, &mut self.scratch[..STAT_BYTES]).await?;
                word_at(&self.scratch, STAT_SIZE_AT)
            }
            _ => return Err(Errno::EINVAL),
        };
        let start =
            base.checked_add_signed(word_at(bytes, START) as i64).filter(|&start| start <= END).ok_or(Errno::EINVAL)?;
        bounds(start, word_at(bytes, LENGTH) as i64)
    }

    /// fcntl's locks, by the `struct flock` at `place`.
    pub(crate) async fn lock_bytes(
        &mut self,
        descriptor: &FileDescriptor,
        place: u64,
        call: LockCall,
    ) -> SyscallResult<()> {
        let mut bytes = [0; FLOCK_BYTES];
        self.get(place, &mut bytes).await?;
        let Handle { board, number, generation } = descriptor.object.file().ok_or(Errno::ENOLCK)?;
        let allowed = call.way == LockWay::Find;
        let locking = match half_at(&bytes, 0) {
            F_RDLCK if allowed || descriptor.reads() => Locking::Shared,
            F_WRLCK if allowed || descriptor.writes() => Locking::Exclusive,
            F_UNLCK if call.way != LockWay::Find => Locking::Unlock,
            F_RDLCK | F_WRLCK => return Err(Errno::EBADF.into()),
            _ => return Err(Errno::EINVAL.into()),
        };
        if call.of_file && bytes[PID..PID + 4] != [0; 4] {
            return Err(Errno::EINVAL.into());
        }
        let (first, last) = self.lock_range(descriptor, &bytes).await?;
        let pid = self.program.pid;
        let owner = if call.of_file { Owner::open_file(board, number, generation) } else { Owner::process(pid) };
        let wanted = LockRequest { owner, ino: descriptor.ino, first, last, locking };
        if call.way == LockWay::Find {
            return Ok(self.find_lock(place, bytes, wanted).await?);
        }
        self.program.locks |= !call.of_file;
        self.lock(descriptor, wanted, call.way).await
    }

    async fn find_lock(&mut self, place: u64, mut bytes: [u8; FLOCK_BYTES], wanted: LockRequest) -> Result<(), Errno> {
        let Conflict { found, pid, first, last, exclusive } = self.locks()?.call(FindLock { wanted }, ()).await?;
        let kind = match (found, exclusive) {
            (false, _) => F_UNLCK,
            (true, false) => F_RDLCK,
            (true, true) => F_WRLCK,
        };
        bytes[..2].copy_from_slice(&kind.to_le_bytes());
        if found {
            let length = if last == END { 0 } else { last.wrapping_sub(first).wrapping_add(1) };
            bytes[WHENCE..WHENCE + 2].fill(0);
            put_words(&mut bytes, [(START, first), (LENGTH, length)]);
            // A lock of an open file has no process.
            put_ints(&mut bytes, [(PID, if pid == 0 { u32::MAX } else { pid })]);
        }
        self.put(place, &bytes).await
    }

    async fn lock(&mut self, descriptor: &FileDescriptor, wanted: LockRequest, way: LockWay) -> SyscallResult<()> {
        if let (None, Some(at)) = (wanted.owner.pid(), descriptor.object.file()) {
            let generation = at.generation;
            self.services.file(at)?.call(NoteLocks { generation }, ()).await?;
        }
        let mut locks = self.locks()?;
        let locked = match way {
            LockWay::Wait => leaving!(self, locks.call(AwaitLock { wanted }, ())),
            _ => locks.call(SetLock { wanted }, ()).await,
        };
        restartable(locked)
    }

    pub(crate) async fn lock_file(&mut self) -> SyscallResult<()> {
        let descriptor = *self.program.files.get(self.argument(0))?;
        if is_path_only(descriptor.flags) {
            return Err(Errno::EBADF.into());
        }
        let operation = self.int(1);
        let locking = match operation & !LOCK_NB {
            LOCK_SH => Locking::Shared,
            LOCK_EX => Locking::Exclusive,
            LOCK_UN => Locking::Unlock,
            _ => return Err(Errno::EINVAL.into()),
        };
        let Handle { board, number, generation } = descriptor.object.file().ok_or(Errno::ENOLCK)?;
        let owner = Owner::open_file(board, number, generation).whole();
        let wanted = LockRequest { owner, ino: descriptor.ino, first: 0, last: END, locking };
        self.lock(&descriptor, wanted, if operation & LOCK_NB != 0 { LockWay::Set } else { LockWay::Wait }).await
    }

    /// A descriptor is closed: what the process has locked of its file is free.
    pub(crate) async fn release_locks_of(&mut self, closed: &FileDescriptor) {
        if self.program.locks && closed.object.file().is_some() {
            self.release_locks(closed.ino).await;
        }
    }

    /// Releases the process's locks of inode `ino`, or (0) of any.
    pub(crate) async fn release_locks(&mut self, ino: u32) {
        let owner = Owner::process(self.program.pid);
        if let Ok(mut locks) = self.locks() {
            let _ = locks.call(ReleaseLocks { owner, ino }, ()).await; // a dead board has no locks
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{END, bounds};
    use renga_rt::Errno;

    #[test]
    fn lock_range_bounds_follow_posix() {
        assert_eq!(bounds(10, 5), Ok((10, 14)));
        assert_eq!(bounds(10, 0), Ok((10, END)));
        assert_eq!(bounds(10, -10), Ok((0, 9)));
        assert_eq!(bounds(10, -11), Err(Errno::EINVAL));
        assert_eq!(bounds(END, 1), Ok((END, END)));
        assert_eq!(bounds(END, 2), Err(Errno::EOVERFLOW));
    }
}

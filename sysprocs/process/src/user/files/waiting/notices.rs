//! Notices of changed files (inotify).
//!
//! Invariant: a queue and its watches are event files of the files' owner, where changes are made; so a program of any
//! board waits for them as for any event file. A notice of a change that came without its name gets that before it is
//! read. Not here: queues and watches (`renga_clock`), who reports changes (`renga_fs`).

use crate::user::files::path::{AT_FDCWD, AT_SYMLINK_NOFOLLOW};
use crate::user::slot::User;
use crate::user::state::credentials::{FileAccess, MAY_READ};
use crate::user::state::fields::half_at;
use crate::user::state::open_flags::{O_CLOEXEC, O_NONBLOCK, O_RDONLY, S_IFDIR, S_IFMT, is_path_only};
use crate::user::state::{EventSort, FileDescriptor, Handle, SyscallResult, TransferMode};
use renga_hal::memory::{PAGE_BYTES, UserMemory};
use renga_pages::{FlushSpares, flush_and_commit};
use renga_proto::events::{
    CountNotices, MakeNotices, NameChild, NextUnnamed, TakeNotices, UnnamedChild, UnwatchInode, WatchInode,
    WatchedInode,
};
use renga_proto::inode::{DISK_DEVICE, NAME_BYTES_MAX, STAT_BYTES};
use renga_proto::mounts::SYNTHETIC;
use renga_proto::notices::{CHANGES, WISH_ADD, WISH_NEW, WISH_ONCE};
use renga_proto::path::NameIn;
use renga_proto::pipe::NO_PROGRAM;
use renga_proto::stat::{INO_AT, word};
use renga_rt::{Errno, Retry, apart};

const IN_ONLYDIR: u32 = 0x0100_0000;
const IN_DONT_FOLLOW: u32 = 0x0200_0000;
/// What Linux takes for a wish, with what only its notices have.
const KNOWN: u32 = CHANGES | 0xe000 | IN_ONLYDIR | IN_DONT_FOLLOW | 0x0400_0000 | 0x4000_0000 | WISHES;
const WISHES: u32 = WISH_ADD | WISH_NEW | WISH_ONCE;
/// Where a `struct stat` has the mode.
const MODE_AT: usize = 16;
/// Times that a path may lead to another inode while that is watched.
const TRIES_MAX: u32 = 4;

/// The inode of the disk that has this `struct stat`: all others, as of sockets and `/proc`, have no process that
/// reports changes, and numbers that may be equal to one of the disk in part.
fn ino_on_disk(status: &[u8; STAT_BYTES]) -> Option<u32> {
    let ino = u32::try_from(word(status, INO_AT)).ok().filter(|ino| (1..SYNTHETIC).contains(ino));
    ino.filter(|_| word(status, 0) == DISK_DEVICE)
}

impl<M: UserMemory> User<M> {
    pub(crate) async fn make_notices(&mut self) -> Result<u64, Errno> {
        let flags = self.int(0);
        if flags & !(O_CLOEXEC | O_NONBLOCK) != 0 {
            return Err(Errno::EINVAL);
        }
        if self.program.files.free() == 0 {
            return Err(Errno::EMFILE);
        }
        let (owner, for_root) = (self.services.file_board, self.program.credentials.is_root());
        let made = self.services.events(owner)?.call_retrying(MakeNotices { for_root }, ()).await;
        // As on Linux, where the number of queues has a limit of its own.
        let made = made.map_err(|errno| if errno == Errno::ENFILE { Errno::EMFILE } else { errno })?;
        self.add_event_file(owner, made, EventSort::Notices, O_RDONLY | flags).await
    }

    pub(crate) async fn watch_inode(&mut self) -> Result<u32, Errno> {
        let (number, path, mask) = (self.argument(0), self.argument(1), self.int(2));
        if mask & KNOWN == 0 {
            return Err(Errno::EINVAL);
        }
        let FileDescriptor { object, flags, .. } = *self.program.files.get(number)?;
        match () {
            () if is_path_only(flags) => return Err(Errno::EBADF),
            () if mask & WISH_ADD != 0 && mask & WISH_NEW != 0 => return Err(Errno::EINVAL),
            () => {}
        }
        let at = object.events(EventSort::Notices)?;
        let watched = apart!(self.watch_path(at, path, mask));
        watched.map_err(|errno| self.note_loss(object, errno, false))
    }

    /// Watches what the path leads to when that is done; the number of the watch.
    async fn watch_path(&mut self, at: Handle, path: u64, mask: u32) -> Result<u32, Errno> {
        let Handle { board, number, generation } = at;
        for _ in 0..TRIES_MAX {
            let ino = self.inode_to_watch(path, mask).await?;
            let wanted = WatchInode { number, generation, ino, wish: mask & (CHANGES | WISHES) };
            let WatchedInode { watch, is_new } = self.services.events(board)?.call(wanted, ()).await?;
            let is_there = self.inode_to_watch(path, mask).await == Ok(ino);
            let flushed = if is_there { self.flush_watched().await } else { Ok(()) };
            if is_there && flushed.is_ok() {
                return Ok(watch);
            }
            // An older watch stays, as if the path had led elsewhere only later.
            if is_new {
                let ended = UnwatchInode { number, generation, watch, quiet: true };
                let _ = self.services.events(board)?.call(ended, ()).await; // the queue may have ended meanwhile
            }
            flushed?;
        }
        Err(Errno::ENOENT)
    }

    /// Ends the leases of what is watched: of its inode, and of those that were found in it. From now on no board gets
    /// one to write, so every write is seen where the file is. An unreachable board has its lease until it is back.
    async fn flush_watched(&mut self) -> Result<(), Errno> {
        let mut directory = self.services.inode_directory()?;
        flush_and_commit(&mut directory, &mut self.services.clients.inodes, FlushSpares::Unwatched).await
    }

    /// The inode that the path leads to, if the program may watch it.
    async fn inode_to_watch(&mut self, path: u64, mask: u32) -> Result<u32, Errno> {
        let flags = if mask & IN_DONT_FOLLOW != 0 { AT_SYMLINK_NOFOLLOW } else { 0 };
        let status = apart!(self.status_at_path(AT_FDCWD as u64, path, flags))?;
        if mask & IN_ONLYDIR != 0 && half_at(&status, MODE_AT) & S_IFMT != S_IFDIR {
            return Err(Errno::ENOTDIR);
        }
        let may_read = self.program.credentials.permits(FileAccess::of_status(&status), MAY_READ);
        if may_read { ino_on_disk(&status).ok_or(Errno::EOPNOTSUPP) } else { Err(Errno::EACCES) }
    }

    pub(crate) async fn unwatch_inode(&mut self) -> Result<(), Errno> {
        let FileDescriptor { object, flags, .. } = *self.program.files.get(self.argument(0))?;
        if is_path_only(flags) {
            return Err(Errno::EBADF);
        }
        let Handle { board, number, generation } = object.events(EventSort::Notices)?;
        let ended = UnwatchInode { number, generation, watch: self.int(1), quiet: false };
        let ended = self.services.events(board)?.call(ended, ()).await;
        ended.map_err(|errno| self.note_loss(object, errno, false))
    }

    /// Reads as many notices as there are and have room in `bytes` bytes at `place`.
    pub(crate) async fn read_notices(
        &mut self,
        file: &FileDescriptor,
        place: u64,
        bytes: u64,
        mode: TransferMode,
    ) -> SyscallResult {
        let at = file.object.events(EventSort::Notices)?;
        let Handle { board, number, generation } = at;
        let slot = if mode.nonblocking { NO_PROGRAM } else { self.facts.slot };
        let room = bytes.min(PAGE_BYTES as u64) as usize;
        // Each pass reads, names a notice, or waits.
        loop {
            let take = TakeNotices { number, generation, slot };
            match self.services.events(board)?.call(take, &mut self.scratch[..room]).await {
                Ok(taken) => {
                    self.put_scratch(place, (taken as usize).min(room)).await?;
                    return Ok(taken.into());
                }
                Err(Errno::EAGAIN) => {
                    if apart!(self.name_notices(at))? {
                        continue;
                    }
                    if mode.nonblocking {
                        return Err(Errno::EAGAIN.into());
                    }
                    self.await_events(board, file).await?;
                }
                Err(errno) => return Err(self.note_loss(file.object, errno, false).into()),
            }
        }
    }

    /// Finds the names of all notices that need one; whether any did.
    pub(super) async fn name_notices(&mut self, at: Handle) -> Result<bool, Errno> {
        let (Handle { board, number, generation }, mut any) = (at, false);
        // Each pass names or drops a notice, of which a queue has a bounded number.
        loop {
            let unnamed = self.services.events(board)?.call(NextUnnamed { number, generation }, ()).await;
            let UnnamedChild { directory, child } = match unnamed {
                Err(Errno::ENOENT) => return Ok(any),
                unnamed => unnamed?,
            };
            let mut name = [0; NAME_BYTES_MAX];
            let found = self.services.path_lookup()?.call(NameIn { directory, child }, &mut name[..]).await;
            let bytes = found.map_or(0, |bytes| (bytes as usize).min(NAME_BYTES_MAX));
            let named = NameChild { number, generation, directory, child };
            self.services.events(board)?.call(named, &name[..bytes]).await?;
            any = true;
        }
    }

    /// How many bytes of notices there are to read.
    pub(crate) async fn count_notices(&mut self, at: Handle) -> Result<u32, Errno> {
        self.name_notices(at).await?;
        let Handle { board, number, generation } = at;
        self.services.events(board)?.call(CountNotices { number, generation }, ()).await
    }
}

#[cfg(test)]
mod tests {
    use super::ino_on_disk;
    use crate::user::files::extended_status::device_status;
    use crate::user::state::{FileDescriptor, Handle, Object};
    use renga_proto::inode::{DISK_DEVICE, STAT_BYTES};
    use renga_proto::mounts::SYNTHETIC;
    use renga_proto::socket::{SocketFamily, SocketSide, SocketSort};
    use renga_proto::stat::{INO_AT, put_word};

    fn status(device: u64, ino: u64) -> [u8; STAT_BYTES] {
        let mut bytes = [0; STAT_BYTES];
        put_word(&mut bytes, 0, device);
        put_word(&mut bytes, INO_AT, ino);
        bytes
    }

    /// The numbers of sockets end as those of inodes.
    #[test]
    fn watched_inode_is_of_disk_alone() {
        let at = Handle { board: 0, number: 12, generation: 1 };
        let (side, sort, family) = (SocketSide::First, SocketSort::Stream, SocketFamily::Unix);
        let socket = FileDescriptor::opened(Object::Socket { at, side, sort, family }, 0, 0o140_777, 0);
        assert_eq!(ino_on_disk(&device_status(&socket)), None);
        assert_eq!(ino_on_disk(&status(DISK_DEVICE, 12)), Some(12));
        for (device, ino) in [(0, 12), (DISK_DEVICE, 0), (DISK_DEVICE, 1 << 32 | 12), (DISK_DEVICE, SYNTHETIC.into())] {
            assert_eq!(ino_on_disk(&status(device, ino)), None);
        }
    }
}

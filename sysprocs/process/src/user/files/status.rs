//! The status of files, access to them, their size; and syncing.
//!
//! Not here: changes of mode, owner and times (`changes.rs`).

use crate::user::files::extended_status::device_status;
use crate::user::files::path::{
    AT_EACCESS, AT_EMPTY_PATH, AT_FDCWD, AT_NO_AUTOMOUNT, AT_SYMLINK_NOFOLLOW, SYNC_TYPES, known_flags,
};
use crate::user::files::permissions::{PathWish, permitted};
use crate::user::files::synthetic::{PathPiece, PathTarget, bytes_of, found_at};
use crate::user::servers::rights::FILES;
use crate::user::slot::{User, leaving};
use crate::user::state::fields::{half_at, put_words};
use crate::user::state::open_flags::{O_WRONLY, S_IFDIR, S_IFLNK, S_IFMT, S_IFREG};
use crate::user::state::{FileDescriptor, SyscallResult};
use renga_hal::memory::{PAGE_BYTES, UserMemory};
use renga_pages::{FlushSpares, flush_and_commit};
use renga_proto::file::{File, FileStatus, NextEntries, SetSize, SyncFile};
use renga_proto::inode::{CommitAll, CommitExtent, InodeOwner, NAME_BYTES_MAX, STAT_BYTES, Truncate};
use renga_proto::mounts::crosses;
use renga_proto::path::{Access, FileSystemStatus, NO_FOLLOW, OPEN_WRITE, Open, PathStart, StatusOf};
use renga_proto::proc_files::{SyntheticStatus, pair_file, slave_device};
use renga_rt::{Client, Errno, apart};

/// `f_type` of what is under /proc.
const PROC_MAGIC: u64 = 0x9fa0;
const STATFS_BYTES: usize = 120;
/// Where a `struct stat` has the mode.
const MODE_AT: usize = 16;
/// Where it has what device the file is.
const DEVICE_AT: usize = 32;
/// What `access(2)` can ask for.
const ACCESS_MODES: u64 = 7;
/// `access(2)`'s bit for "may be executed", and the mode bits of which one is needed for it.
const MAY_EXECUTE: u32 = 1;
const EXECUTE_BITS: u16 = 0o111;

/// Whether what has `found` as its mode allows `mode` to root.
fn may_access(found: u16, mode: u32) -> bool {
    mode & MAY_EXECUTE == 0 || found & S_IFMT == S_IFDIR || found & EXECUTE_BITS != 0
}

/// The flags of a path lookup for the flags of a call.
pub(crate) fn follow(flags: u64) -> u32 {
    if flags & AT_SYMLINK_NOFOLLOW != 0 { NO_FOLLOW } else { 0 }
}

impl<M: UserMemory> User<M> {
    /// The file process behind a descriptor that may be read or written; `refusal` where there is none.
    pub(super) fn file_of(&mut self, number: u64, refusal: Errno) -> Result<Client<File, FILES>, Errno> {
        let descriptor = self.program.files.get(number)?;
        if !descriptor.reads() && !descriptor.writes() {
            return Err(Errno::EBADF);
        }
        self.file_behind(number, refusal)
    }

    /// The same for a path that led to the descriptor, which may be for paths only.
    pub(super) fn file_behind(&mut self, number: u64, refusal: Errno) -> Result<Client<File, FILES>, Errno> {
        self.services.file(self.program.files.get(number)?.object.file_or(refusal)?)
    }

    pub(crate) async fn status(&mut self) -> Result<(), Errno> {
        let bytes = self.status_of(self.argument(0)).await?;
        self.put(self.argument(1), &bytes).await
    }

    /// The `struct stat` of what a descriptor stands for.
    pub(crate) async fn status_of(&mut self, number: u64) -> Result<[u8; STAT_BYTES], Errno> {
        let descriptor = *self.program.files.get(number)?;
        match descriptor.object.file_or(Errno::ENOTTY) {
            Ok(at) => {
                let mut bytes = [0; STAT_BYTES];
                self.services.file(at)?.call(FileStatus {}, &mut bytes[..]).await?;
                Ok(bytes)
            }
            Err(Errno::EIO) => Err(Errno::EIO),
            Err(_) if pair_file(descriptor.ino).is_some() => apart!(self.status_of_slave(&descriptor)),
            Err(_) => Ok(device_status(&descriptor)),
        }
    }

    /// The `struct stat` of a slave's node; without a master it has none any more.
    async fn status_of_slave(&mut self, descriptor: &FileDescriptor) -> Result<[u8; STAT_BYTES], Errno> {
        let (mut bytes, number) = ([0; STAT_BYTES], descriptor.ino);
        let mut proc_files = self.services.proc_files(number)?;
        if proc_files.call(SyntheticStatus { number }, &mut bytes[..]).await.is_err() {
            bytes = device_status(descriptor);
            put_words(&mut bytes, [(DEVICE_AT, slave_device(number))]);
        }
        Ok(bytes)
    }

    pub(crate) async fn status_at(&mut self) -> Result<(), Errno> {
        let (place, flags) = (self.argument(2), self.argument(3));
        known_flags(self.int(3), AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH | SYNC_TYPES)?;
        let length = self.get_path_or_empty(self.argument(1), 0).await?;
        if length > 0 {
            let at = self.start_for(self.argument(0), 0)?;
            let (at, length) = permitted!(self, at, length, follow(flags), PathWish::Look);
            let (mut bytes, status) = ([0; STAT_BYTES], StatusOf { at, flags: follow(flags) });
            let found = self.services.status_of(status, &self.paths[..length], &mut bytes).await;
            if found != Err(Errno::ECROSSED) {
                found?;
                // Not by `put`, which is a future of its own: this is the hot path.
                let (space, mut pager) = self.memory();
                return pager.copy_out(space, place, &bytes).await;
            }
        }
        let bytes = apart!(self.status_of_path(self.argument(0), length, flags))?;
        self.put(place, &bytes).await
    }

    /// The `struct stat` of what is at the path at address `path`.
    pub(crate) async fn status_at_path(
        &mut self,
        directory: u64,
        path: u64,
        flags: u64,
    ) -> Result<[u8; STAT_BYTES], Errno> {
        let length = self.get_path_or_empty(path, 0).await?;
        self.status_of_path(directory, length, flags).await
    }

    /// The `struct stat` of what the path in `self.paths` leads to, or of a descriptor if that is empty and may be.
    async fn status_of_path(
        &mut self,
        directory: u64,
        mut length: usize,
        flags: u64,
    ) -> Result<[u8; STAT_BYTES], Errno> {
        if length == 0 && flags & AT_EMPTY_PATH == 0 {
            return Err(Errno::ENOENT);
        }
        if length == 0 && directory as i32 != AT_FDCWD {
            return self.status_of(directory).await;
        }
        if length == 0 {
            (self.paths[0], length) = (b'.', 1);
        }
        let (at, flags) = (self.start_for(directory, 0)?, follow(flags));
        let (at, length) = permitted!(self, at, length, flags, PathWish::Look);
        let mut bytes = [0; STAT_BYTES];
        let found = found_at!(self, (at, PathPiece::Paths(0..length), flags), |at, path| {
            self.services.status_of(StatusOf { at, flags }, path, &mut bytes).await
        });
        match found? {
            PathTarget::Disk(()) => {}
            PathTarget::Synthetic { number, .. } => {
                self.services.proc_files(number)?.call(SyntheticStatus { number }, &mut bytes[..]).await?
            }
            PathTarget::Own { descriptor } => return self.status_of(descriptor).await,
        }
        Ok(bytes)
    }

    /// `faccessat2`; without flags `faccessat`.
    pub(crate) async fn check_access(&mut self, has_flags: bool) -> Result<(), Errno> {
        let (mode, flags) = (self.int(2), if has_flags { self.argument(3) } else { 0 });
        known_flags(mode, ACCESS_MODES)?;
        known_flags(flags as u32, AT_EACCESS | AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)?;
        let (empty, real) = (self.get_path_or_empty(self.argument(1), 0).await? == 0, flags & AT_EACCESS == 0);
        if empty && flags & AT_EMPTY_PATH != 0 {
            let found = apart!(self.access_of(self.argument(0)))?;
            return self.program.credentials.as_used(real).allow(found, mode);
        }
        if flags & AT_SYMLINK_NOFOLLOW != 0 {
            let status = self.status_at_path(self.argument(0), self.argument(1), flags).await?;
            if half_at(&status, MODE_AT) & S_IFMT == S_IFLNK {
                return Ok(()); // a link allows everything
            }
        }
        let (at, length) = self.get_path_from(self.argument(0), self.argument(1)).await?;
        if self.program.credentials.users.real == 0 && (real || self.program.credentials.rules_files()) {
            return self.access(at, length, (mode, follow(flags))).await.map(|_| ());
        }
        apart!(self.check_permitted_access((at, length), (mode, follow(flags)), real))
    }

    /// The same for the program's real user, or the effective one, who need not be root.
    async fn check_permitted_access(
        &mut self,
        (at, length): (PathStart, usize),
        (mode, flags): (u32, u32),
        real: bool,
    ) -> Result<(), Errno> {
        let who = self.program.credentials.as_used(real);
        let found = self.walk_permitted((at, PathPiece::Paths(0..length)), &who, flags).await?;
        match found.end {
            Some((_, file)) => who.allow(file, mode),
            None if found.crossed => {
                let length = self.put_back(&found, 0);
                self.access(found.at, length, (mode, flags)).await.map(|_| ())
            }
            None => Err(Errno::ENOENT),
        }
    }

    /// Whether there is something at the path in `self.paths`, and `mode` is allowed; the synthetic file, if it is one.
    async fn access(
        &mut self,
        at: PathStart,
        length: usize,
        (mode, flags): (u32, u32),
    ) -> Result<PathTarget<()>, Errno> {
        let found = found_at!(self, (at, PathPiece::Paths(0..length), flags), |at, path| {
            match crosses(at, path) {
                true => Err(Errno::ECROSSED),
                false => match self.services.mode_of(at, path, flags).await {
                    Ok(Some(found)) if may_access(found, mode) => Ok(()),
                    Ok(Some(_)) => Err(Errno::EACCES),
                    Ok(None) => self.services.path_lookup()?.call(Access { at, mode }, path).await,
                    Err(errno) => Err(errno),
                },
            }
        })?;
        match found {
            // As Linux: a file without write permission refuses root too, as nothing implements the write.
            PathTarget::Synthetic { mode: file, .. } if mode & MAY_EXECUTE != 0 && file & EXECUTE_BITS == 0 => {
                Err(Errno::EACCES)
            }
            found => Ok(found),
        }
    }

    pub(crate) async fn truncate_path(&mut self) -> Result<(), Errno> {
        let bytes = u64::try_from(self.argument(1) as i64).map_err(|_| Errno::EINVAL)?;
        self.allow_length(bytes).await?;
        let mut length = self.get_path(self.argument(0)).await?;
        let mut open = Open { at: self.program.start(), flags: OPEN_WRITE, mode: 0, owner: InodeOwner::default() };
        let facts = match self.program.credentials.rules_files() {
            true => self.services.open_path(open, &self.paths[..length]).await?,
            false => apart!(self.open_permitted(&mut open, &mut length, O_WRONLY))?,
        };
        if facts.mode & S_IFMT == S_IFREG && facts.mode & EXECUTE_BITS != 0 {
            // Opened like a file, since it may be a program's.
            let object = self.open_file(&facts, O_WRONLY).await?;
            let cut = match object.file() {
                Some(at) => self.services.file(at)?.call(SetSize { bytes }, ()).await,
                None => Err(Errno::EIO),
            };
            return cut.and(self.services.release(Some(object)).await);
        }
        let board = self.services.file_board;
        let cut = match self.services.clients.inodes.at(board, facts.slot.into()) {
            Some(mut inode) => inode.call(Truncate { bytes }, ()).await,
            None => Err(Errno::EIO),
        };
        self.release_inode(&facts).await;
        cut
    }

    pub(crate) async fn truncate_file(&mut self) -> Result<(), Errno> {
        let bytes = u64::try_from(self.argument(1) as i64).map_err(|_| Errno::EINVAL)?;
        self.allow_length(bytes).await?;
        self.file_of(self.argument(0), Errno::EINVAL)?.call(SetSize { bytes }, ()).await
    }

    pub(crate) async fn sync_file(&mut self) -> Result<(), Errno> {
        self.file_of(self.argument(0), Errno::EINVAL)?.call(SyncFile {}, ()).await
    }

    pub(crate) async fn sync_all(&mut self) -> Result<(), Errno> {
        let mut directory = self.services.inode_directory()?;
        flush_and_commit(&mut directory, &mut self.services.clients.inodes, FlushSpares::Nothing).await?;
        directory.call(CommitAll { extent: CommitExtent::Freed }, ()).await
    }

    pub(crate) async fn read_directory(&mut self) -> SyscallResult {
        let (place, room) = (self.argument(1), self.argument(2) as usize);
        if !self.program.files.get(self.argument(0))?.is_directory() {
            return Err(Errno::ENOTDIR.into());
        }
        let mut file = self.file_of(self.argument(0), Errno::ENOTDIR)?;
        let room = room.min(self.scratch.len());
        let read = leaving!(self, file.call(NextEntries {}, &mut self.scratch[..room]))?;
        let bytes = (read.bytes as usize).min(room);
        self.put_scratch(place, bytes).await?;
        Ok(bytes as u64)
    }

    /// `statfs`; without a path `fstatfs`.
    pub(crate) async fn file_system_status(&mut self, has_path: bool) -> Result<(), Errno> {
        let is_synthetic = if has_path {
            let length = self.get_path(self.argument(0)).await?;
            let (at, length) = permitted!(self, self.program.start(), length, 0, PathWish::Look);
            matches!(self.access(at, length, (0, 0)).await?, PathTarget::Synthetic { .. })
        } else {
            self.program.files.get(self.argument(0))?.is_synthetic()
        };
        let mut bytes = [0; STATFS_BYTES];
        if is_synthetic {
            // What has no blocks.
            let (page, name) = (PAGE_BYTES as u64, NAME_BYTES_MAX as u64);
            put_words(&mut bytes, [(0, PROC_MAGIC), (8, page), (64, name), (72, page)]);
        } else {
            self.services.path_lookup()?.call(FileSystemStatus {}, &mut bytes[..]).await?;
        }
        self.put(self.argument(1), &bytes).await
    }
}

//! Opening files and devices, and making pipes.
//!
//! Invariant: a reference to an inode that a path lookup gave ends in a file process or is released. Device
//! nodes are recognised by the reply of the path lookup and never reach a file process.

use crate::user::files::path::{AT_SYMLINK_NOFOLLOW, PERMISSIONS};
use crate::user::files::synthetic::{PathPiece, PathTarget, bytes_of, found_at};
use crate::user::slot::User;
use crate::user::state::fields::{half_at, int_at};
use crate::user::state::open_flags::{
    EXECUTABLE, FROM_INIT, LASTING, O_ACCMODE, O_CLOEXEC, O_CREAT, O_DIRECT, O_DIRECTORY, O_EXCL, O_NOFOLLOW,
    O_NONBLOCK, O_PATH, O_RDONLY, O_TMPFILE, O_TRUNC, O_WRONLY, S_IFBLK, S_IFCHR, S_IFDIR, S_IFIFO, S_IFLNK, S_IFMT,
    S_IFREG, STRIPS,
};
use crate::user::state::{FileDescriptor, Handle, Object, SyscallResult};
use renga_hal::memory::UserMemory;
use renga_proto::file::{OpenInode, SetSize};
use renga_proto::inode::InodeFacts;
use renga_proto::inode_release::give_back;
use renga_proto::mounts::SYNTHETIC;
use renga_proto::path::{NO_FOLLOW, OPEN_CREATE, OPEN_DIRECTORY, OPEN_EXCLUSIVE, OPEN_TRUNCATE, OPEN_WRITE, Open};
use renga_proto::pipe::{OpenPipe, PipeEnd};
use renga_proto::procs::INIT;
use renga_proto::slots::{FreeFile, FreePipe, TakeFile, TakePipe};
use renga_rt::{Errno, apart};

/// A program of which it runs as its owner, or group.
const SET_IDS: u16 = 0o6000;

pub(crate) fn lookup_flags(flags: u32) -> u32 {
    let table = [
        (O_CREAT, OPEN_CREATE),
        (O_EXCL, OPEN_EXCLUSIVE),
        (O_TRUNC, OPEN_TRUNCATE),
        (O_DIRECTORY, OPEN_DIRECTORY),
        (O_NOFOLLOW, NO_FOLLOW),
    ];
    let write = if flags & O_ACCMODE == O_RDONLY { 0 } else { OPEN_WRITE };
    table.iter().filter(|(linux, _)| flags & linux != 0).fold(write, |all, (_, ours)| all | ours)
}

impl<M: UserMemory> User<M> {
    /// `openat2`, whose flags and mode a structure has; without that `openat`.
    pub(crate) async fn open(&mut self, has_how: bool) -> SyscallResult {
        let (mut flags, mode) = match has_how {
            true => apart!(self.open_how())?,
            false => (self.argument(2) as u32, self.argument(3)),
        };
        if flags & O_PATH != 0 {
            flags &= O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
        }
        if flags & O_TMPFILE == O_TMPFILE && flags & O_ACCMODE == O_RDONLY {
            return Err(Errno::EINVAL.into());
        }
        let mut length = self.get_path(self.argument(1)).await?;
        let at = self.start_for(self.argument(0), 0)?;
        if self.program.files.free() == 0 {
            return Err(Errno::EMFILE.into());
        }
        let mode = (mode & PERMISSIONS) as u16 & !self.program.umask;
        let mut open = Open { at, flags: lookup_flags(flags), mode, owner: self.program.credentials.owner() };
        let walk = open.flags;
        let mut opened = match self.program.credentials.rules_files() {
            true => self.services.open_path(open, &self.paths[..length]).await,
            false => apart!(self.open_permitted(&mut open, &mut length, flags)),
        };
        if matches!(opened, Err(Errno::ECROSSED)) {
            opened = match apart!(self.open_across(open, length)) {
                Ok(PathTarget::Synthetic { number, mode }) => {
                    return Ok(apart!(self.open_synthetic(number, mode, flags, walk))?);
                }
                Ok(PathTarget::Own { descriptor }) => return apart!(self.open_own(descriptor, flags, walk)),
                Ok(PathTarget::Disk(facts)) => Ok(facts),
                Err(errno) => Err(errno),
            };
        }
        let facts = match opened {
            Ok(facts) => facts,
            Err(Errno::ELOOP) if flags & O_PATH != 0 && flags & O_NOFOLLOW != 0 => {
                return Ok(self.name_link(flags).await?);
            }
            Err(Errno::EISDIR) if flags & O_TMPFILE == O_TMPFILE => return Err(Errno::EOPNOTSUPP.into()),
            Err(errno) => return Err(errno.into()),
        };
        let object = match facts.mode & S_IFMT {
            kind if kind == S_IFDIR || kind == S_IFREG && walk & OPEN_DIRECTORY == 0 => {
                let object = self.open_file(&facts, flags).await?;
                if flags & O_TRUNC != 0 {
                    apart!(self.cut_text(object, facts.mode, flags))?;
                }
                object
            }
            kind => {
                self.release_inode(&facts).await;
                match kind {
                    _ if walk & OPEN_DIRECTORY != 0 => return Err(Errno::ENOTDIR.into()),
                    S_IFCHR => apart!(self.open_device(facts.birth.device, flags))?,
                    S_IFBLK => return Ok(apart!(self.open_disk(&facts, flags))?),
                    S_IFIFO => return apart!(self.open_fifo(&facts, flags)),
                    _ => return Err(Errno::ENXIO.into()),
                }
            }
        };
        let mut descriptor = FileDescriptor::opened(object, facts.ino, facts.mode, flags);
        if facts.mode & SET_IDS != 0 && descriptor.writes() && !self.program.credentials.rules_files() {
            descriptor.flags |= STRIPS;
        }
        if object == Object::Console && self.program.pid == INIT {
            descriptor.flags |= FROM_INIT;
        }
        Ok(self.add_descriptor(descriptor).await?)
    }

    /// Of a program's file, which path lookups leave as it is, nothing is left if it is opened for writing.
    async fn cut_text(&mut self, object: Object, mode: u16, flags: u32) -> Result<(), Errno> {
        let cuts = flags & O_ACCMODE != O_RDONLY;
        let (S_IFREG, true, Some(at)) = (mode & S_IFMT, cuts && mode & EXECUTABLE != 0, object.file()) else {
            return Ok(());
        };
        let cut = self.services.file(at)?.call(SetSize { bytes: 0 }, ()).await;
        if cut.is_err() {
            let _ = self.services.release(Some(object)).await; // nothing was written yet
        }
        cut
    }

    /// What the path in `self.paths` leads to, which leaves the disk.
    async fn open_across(&mut self, open: Open, length: usize) -> Result<PathTarget<InodeFacts>, Errno> {
        found_at!(self, (open.at, PathPiece::Paths(0..length), open.flags), |at, path| {
            self.services.open_path(Open { at, ..open }, path).await
        })
    }

    /// A descriptor that names a symbolic link itself. No file process knows links, and none has to: all that can be
    /// done with it is to ask what it is.
    async fn name_link(&mut self, flags: u32) -> Result<u64, Errno> {
        let status = self.status_at_path(self.argument(0), self.argument(1), AT_SYMLINK_NOFOLLOW).await?;
        let (ino, mode, object) = (int_at(&status, 8), half_at(&status, 16), Object::Named { generation: 0 });
        if mode & S_IFMT != S_IFLNK || flags & O_DIRECTORY != 0 {
            return Err(Errno::ELOOP);
        }
        self.add_descriptor(FileDescriptor::opened(object, ino, mode, flags)).await
    }

    /// Puts a fresh object at the first free descriptor.
    pub(crate) async fn add_descriptor(&mut self, descriptor: FileDescriptor) -> Result<u64, Errno> {
        match self.program.files.add(descriptor) {
            Ok(number) => Ok(number),
            Err(errno) => {
                let _ = self.services.release(Some(descriptor.object)).await; // nothing was written yet
                Err(errno)
            }
        }
    }

    /// Makes a file process of this board an open file on the inode, whose reference it takes over.
    pub(crate) async fn open_file(&mut self, facts: &InodeFacts, flags: u32) -> Result<Object, Errno> {
        let board = self.services.board;
        let number = match self.services.clients.file_table.call(TakeFile {}, ()).await {
            Ok(number) => number,
            Err(errno) => {
                self.release_inode(facts).await;
                return Err(errno);
            }
        };
        let InodeFacts { slot, ino, mode, birth, origin } = *facts;
        let flags = flags & LASTING;
        let open = OpenInode { slot, ino, mode, flags, generation: birth.generation, origin };
        let opened = match self.services.clients.own_files.at(number.into()) {
            Some(mut file) => file.call(open, ()).await,
            None => Err(Errno::EIO),
        };
        match opened {
            Ok(generation) => Ok(Object::File(Handle { board, number, generation })),
            Err(errno) => {
                self.release_inode(facts).await;
                self.services.clients.file_table.call(FreeFile { file: number }, ()).await?;
                Err(errno)
            }
        }
    }

    /// Gives a path lookup's reference to an inode back.
    pub(crate) async fn release_inode(&mut self, facts: &InodeFacts) {
        let InodeFacts { slot, ino, origin, .. } = *facts;
        // Synthetic files have no reference counts.
        if ino >= SYNTHETIC {
            return;
        }
        let services = &mut self.services;
        let sessions = services.facts.sessions;
        if let Ok(mut directory) = services.inode_directory() {
            // The next sync reports a failure to write the inode back.
            let _ = give_back(&mut services.clients.names, &mut directory, sessions, (ino, slot, origin)).await;
        }
    }

    pub(crate) async fn make_pipe(&mut self) -> Result<(), Errno> {
        let (place, flags) = (self.argument(0), self.argument(1) as u32);
        if flags & !(O_CLOEXEC | O_NONBLOCK | O_DIRECT) != 0 {
            return Err(Errno::EINVAL);
        }
        if self.program.files.free() < 2 {
            return Err(Errno::EMFILE);
        }
        let board = self.services.board;
        let number = self.services.clients.pipe_table.call(TakePipe {}, ()).await?;
        let opened = match self.services.clients.own_pipes.at(number.into()) {
            Some(mut pipe) => pipe.call(OpenPipe {}, ()).await,
            None => Err(Errno::EIO),
        };
        let generation = match opened {
            Ok(generation) => generation,
            Err(errno) => {
                self.services.clients.pipe_table.call(FreePipe { pipe: number }, ()).await?;
                return Err(errno);
            }
        };
        let mut numbers = [0; 2];
        for (place, end, access) in [(0, PipeEnd::Reader, O_RDONLY), (1, PipeEnd::Writer, O_WRONLY)] {
            let object = Object::Pipe { at: Handle { board, number, generation }, end, partners: 0 };
            let descriptor = FileDescriptor::opened(object, 0, S_IFIFO, access | flags & O_CLOEXEC);
            numbers[place] = self.add_descriptor(descriptor).await?;
            if flags & O_NONBLOCK != 0 {
                self.set_status_flags(numbers[place], O_NONBLOCK).await?;
            }
        }
        if let Err(errno) = self.put_words(place, [numbers[0] | numbers[1] << 32]).await {
            for number in numbers {
                self.close_descriptor(number).await?;
            }
            return Err(errno);
        }
        Ok(())
    }
}

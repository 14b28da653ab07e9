//! Names: making, removing and moving them, links, the working directory.

use crate::user::files::path::{AT_REMOVEDIR, AT_SYMLINK_FOLLOW, PERMISSIONS, TwoPathsWish, known_flags};
use crate::user::files::permissions::{PathWish, permitted};
use crate::user::files::synthetic::{PathPiece, PathTarget, bytes_of, found_at};
use crate::user::slot::{User, memory};
use crate::user::state::SyscallResult;
use crate::user::state::credentials::MAY_EXECUTE;
use crate::user::state::open_flags::{S_IFBLK, S_IFCHR, S_IFDIR, S_IFLNK, S_IFMT, S_IFREG};
use renga_hal::memory::UserMemory;
use renga_proto::inode::InodeOwner;
use renga_proto::mounts::{SYNTHETIC, crosses};
use renga_proto::pages::FileId;
use renga_proto::path::{
    Link, MakeDirectory, MakeNode, NO_FOLLOW, OPEN_DIRECTORY, Open, PATH_BYTES_MAX, PathStart, RENAME_EXCHANGE,
    RENAME_NOREPLACE, ReadLinkOf, Rename, SymbolicLink,
};
use renga_proto::proc_files::{DESCRIPTORS, ReadSyntheticLink, SyntheticPath, file_of, pid_of};
use renga_rt::{Errno, apart};

impl<M: UserMemory> User<M> {
    pub(crate) fn umask(&mut self) -> SyscallResult {
        let mask = (self.argument(0) & 0o777) as u16;
        self.facts.info.umask.set(mask);
        Ok(u64::from(core::mem::replace(&mut self.program.umask, mask)))
    }

    pub(crate) async fn make_directory(&mut self) -> Result<(), Errno> {
        let (at, length) = self.get_path_from(self.argument(0), self.argument(1)).await?;
        let (at, length) = permitted!(self, at, length, NO_FOLLOW, PathWish::Make);
        let mode = (self.argument(2) & PERMISSIONS) as u16 & !self.program.umask;
        if self.services.mode_here(at, &self.paths[..length], NO_FOLLOW).await.is_some_and(|known| known.is_ok()) {
            return Err(Errno::EEXIST);
        }
        let owner = self.program.credentials.owner();
        self.services.make_directory(MakeDirectory { at, mode, owner }, &self.paths[..length]).await
    }

    pub(crate) async fn make_node(&mut self) -> Result<(), Errno> {
        let (at, length) = self.get_path_from(self.argument(0), self.argument(1)).await?;
        let mode = self.argument(2) as u16;
        let kind = if mode & S_IFMT == 0 { S_IFREG } else { mode & S_IFMT };
        let mode = kind | mode & PERMISSIONS as u16 & !self.program.umask;
        let device = matches!(kind, S_IFCHR | S_IFBLK);
        let wish = if device { PathWish::MakeDevice } else { PathWish::Make };
        let (at, length) = permitted!(self, at, length, NO_FOLLOW, wish);
        let owner = self.program.credentials.owner();
        let node = MakeNode { at, mode, device: self.argument(3) as u32 & 0xffff, owner };
        self.services.path_lookup()?.call(node, &self.paths[..length]).await
    }

    pub(crate) async fn unlink(&mut self) -> Result<(), Errno> {
        let (at, length) = self.get_path_from(self.argument(0), self.argument(1)).await?;
        known_flags(self.int(2), AT_REMOVEDIR)?;
        let (at, length) = permitted!(self, at, length, NO_FOLLOW, PathWish::Remove);
        let directory = self.argument(2) & AT_REMOVEDIR != 0;
        if self.services.mode_here(at, &self.paths[..length], NO_FOLLOW).await == Some(Err(Errno::ENOENT)) {
            return Err(Errno::ENOENT);
        }
        self.services.remove(at, directory, &self.paths[..length]).await
    }

    pub(crate) async fn make_symbolic_link(&mut self) -> Result<(), Errno> {
        let (mut length, first) = self.get_two_paths(self.argument(0), self.argument(2)).await?;
        let mut at = self.start_for(self.argument(1), first + 1)?;
        if !self.program.credentials.rules_files() {
            let found = apart!(self.permit(at, first + 1..length, NO_FOLLOW, PathWish::Make))?;
            (at, length) = (found.at, first + 1 + self.put_back(&found, first + 1));
        }
        let owner = self.program.credentials.owner();
        self.services.path_lookup()?.call(SymbolicLink { at, owner }, &self.paths[..length]).await
    }

    pub(crate) async fn make_link(&mut self) -> Result<(), Errno> {
        known_flags(self.int(4), AT_SYMLINK_FOLLOW)?;
        let flags = if self.argument(4) & AT_SYMLINK_FOLLOW != 0 { 0 } else { NO_FOLLOW };
        let (from_at, to_at, length) = self.get_two_permitted(TwoPathsWish::Link(flags)).await?;
        self.services.path_lookup()?.call(Link { from_at, to_at, flags }, &self.paths[..length]).await
    }

    pub(crate) async fn rename(&mut self) -> Result<(), Errno> {
        self.rename_as(0).await
    }

    async fn rename_as(&mut self, flags: u32) -> Result<(), Errno> {
        let wish = if flags & RENAME_EXCHANGE != 0 { TwoPathsWish::Exchange } else { TwoPathsWish::Move };
        let (from_at, to_at, length) = self.get_two_permitted(wish).await?;
        self.services.path_lookup()?.call(Rename { from_at, to_at, flags }, &self.paths[..length]).await
    }

    pub(crate) async fn rename_with(&mut self) -> Result<(), Errno> {
        match self.int(4) {
            flags @ (0 | RENAME_NOREPLACE | RENAME_EXCHANGE) => self.rename_as(flags).await,
            _ => Err(Errno::EINVAL),
        }
    }

    pub(crate) async fn read_link(&mut self) -> SyscallResult {
        let (place, room) = (self.argument(2), self.argument(3) as usize);
        let (at, length) = self.get_path_from(self.argument(0), self.argument(1)).await?;
        if room == 0 {
            return Err(Errno::EINVAL.into());
        }
        let (at, length) = permitted!(self, at, length, NO_FOLLOW, PathWish::Look);
        let mut target = [0; PATH_BYTES_MAX];
        let found = found_at!(self, (at, PathPiece::Paths(0..length), NO_FOLLOW), |at, path| {
            match crosses(at, path) {
                true => Err(Errno::ECROSSED),
                false => match self.services.mode_of(at, path, NO_FOLLOW).await {
                    Ok(Some(found)) if found & S_IFMT != S_IFLNK => Err(Errno::EINVAL),
                    Ok(_) => self.services.path_lookup()?.call(ReadLinkOf { at }, (path, &mut target[..])).await,
                    Err(errno) => Err(errno),
                },
            }
        });
        let bytes = match found? {
            PathTarget::Disk(bytes) => bytes as usize,
            PathTarget::Own { .. } => return Err(Errno::EINVAL.into()),
            PathTarget::Synthetic { number, .. }
                if pid_of(number) == self.program.pid && file_of(number) >= DESCRIPTORS =>
            {
                self.own_link(u64::from(file_of(number) - DESCRIPTORS), &mut target).await?
            }
            PathTarget::Synthetic { number, .. } => {
                let user = self.program.credentials.users.files;
                let link = ReadSyntheticLink { number, reader: self.program.pid, user };
                self.services.proc_files(number)?.call(link, &mut target[..]).await? as usize
            }
        };
        self.scratch[..PATH_BYTES_MAX].copy_from_slice(&target);
        let bytes = bytes.min(room).min(self.scratch.len());
        self.put_scratch(place, bytes).await?;
        Ok(bytes as u64)
    }

    pub(crate) async fn get_directory(&mut self) -> SyscallResult {
        let (place, room) = (self.argument(0), self.argument(1) as usize);
        let at = self.program.start();
        let path = &mut self.scratch[..PATH_BYTES_MAX];
        let bytes = match at.directory.ino {
            0..SYNTHETIC => apart!(self.services.absolute_path(at, path))?,
            number => {
                let mut maker = self.services.proc_files(number)?;
                maker.call(SyntheticPath { number }, path).await?
            }
        } as usize;
        let bytes = bytes.min(PATH_BYTES_MAX);
        self.scratch[bytes] = 0;
        if bytes + 1 > room {
            return Err(Errno::ERANGE.into());
        }
        self.put_scratch(place, bytes + 1).await?;
        Ok(bytes as u64 + 1)
    }

    pub(crate) async fn change_directory(&mut self) -> Result<(), Errno> {
        self.program.directory = self.find_directory().await?;
        self.publish_info();
        Ok(())
    }

    pub(crate) async fn change_root(&mut self) -> Result<(), Errno> {
        let found = self.find_directory().await?;
        if !self.program.credentials.is_root() {
            return Err(Errno::EPERM);
        }
        match found {
            FileId { ino: SYNTHETIC.., .. } => return Err(Errno::EPERM), // what is made begins at its own top
            root => self.program.root = root,
        }
        self.publish_info();
        Ok(())
    }

    /// The directory at the path that is the present call's argument.
    async fn find_directory(&mut self) -> Result<FileId, Errno> {
        let length = self.get_path(self.argument(0)).await?;
        let (at, length) = permitted!(self, self.program.start(), length, 0, PathWish::Enter);
        self.directory_at(at, length).await
    }

    /// The directory at the path in `self.paths`, which is not empty.
    async fn directory_at(&mut self, at: PathStart, length: usize) -> Result<FileId, Errno> {
        let found = found_at!(self, (at, PathPiece::Paths(0..length), OPEN_DIRECTORY), |at, path| {
            self.services
                .open_path(Open { at, flags: OPEN_DIRECTORY, mode: 0, owner: InodeOwner::default() }, path)
                .await
        });
        match found? {
            PathTarget::Synthetic { number, mode } if mode & S_IFMT == S_IFDIR => Ok(number.into()),
            PathTarget::Synthetic { .. } | PathTarget::Own { .. } => Err(Errno::ENOTDIR),
            PathTarget::Disk(facts) => {
                self.release_inode(&facts).await;
                let directory = FileId { ino: facts.ino, generation: facts.birth.generation };
                if facts.mode & S_IFMT == S_IFDIR { Ok(directory) } else { Err(Errno::ENOTDIR) }
            }
        }
    }

    pub(crate) async fn change_directory_to(&mut self) -> Result<(), Errno> {
        let descriptor = *self.program.files.get(self.argument(0))?;
        if !descriptor.is_directory() {
            return Err(Errno::ENOTDIR);
        }
        if !self.program.credentials.rules_files() {
            let access = apart!(self.access_of(self.argument(0)))?;
            self.program.credentials.allow(access, MAY_EXECUTE)?;
        }
        self.program.directory = match descriptor.ino {
            made @ SYNTHETIC.. => made.into(),
            ino => {
                // An open directory keeps its number: a lookup of `.` finds it.
                self.paths[0] = b'.';
                self.directory_at(self.program.start_at(ino.into()), 1).await?
            }
        };
        self.publish_info();
        Ok(())
    }

    /// Copies the first `bytes` of the scratch page to the program's memory.
    pub(crate) async fn put_scratch(&mut self, address: u64, bytes: usize) -> Result<(), Errno> {
        let (space, mut pager) = memory!(self);
        pager.copy_out(space, address, &self.scratch[..bytes]).await
    }
}

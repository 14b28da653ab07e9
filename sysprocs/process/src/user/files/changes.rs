//! Changes of files' attributes: mode, owner and times, by whichever name.
//!
//! Invariant: another user than root changes the inode whose owner was checked. Not here: the rules
//! (`state/credentials.rs`), size and status (`status.rs`).

use crate::user::facts::time::NS_PER_S;
use crate::user::files::path::{AT_EMPTY_PATH, AT_SYMLINK_NOFOLLOW, PERMISSIONS, known_flags};
use crate::user::files::permissions::{PathWish, TRIES_MAX};
use crate::user::files::permitted_path::PermittedPath;
use crate::user::files::status::follow;
use crate::user::files::synthetic::{PathPiece, PathTarget, bytes_of, found_at};
use crate::user::servers::rights::FILES;
use crate::user::slot::User;
use crate::user::state::FileDescriptor;
use crate::user::state::credentials::{Credentials, FileAccess};
use renga_hal::memory::UserMemory;
use renga_proto::attributes::AttributeChange;
use renga_proto::file::{File, SetFileMode, SetFileOwner, SetFileTimes};
use renga_proto::inode::{TIME_KEEP, TIME_NOW};
use renga_proto::mounts::crosses;
use renga_proto::path::{ChangeMode, ChangeOwner, ChangeTimes};
use renga_proto::proc_files::pair_file;
use renga_proto::stat::ns_of;
use renga_rt::{Client, Errno, apart};

/// `tv_nsec` values of `utimensat` with a meaning.
const UTIME_NOW: u64 = 0x3fff_ffff;
const UTIME_OMIT: u64 = 0x3fff_fffe;

/// What is changed of a file, by whichever name.
#[derive(Clone, Copy)]
pub(super) enum FileChange {
    Mode { mode: u16 },
    Owner { uid: u32, gid: u32 },
    Times { access_ns: u64, modify_ns: u64 },
}

impl FileChange {
    /// The same change as the board with the file's lease makes it, if it can.
    fn attributes(self) -> Option<AttributeChange> {
        match self {
            FileChange::Mode { mode } => Some(AttributeChange::mode(mode)),
            FileChange::Owner { uid, gid } => Some(AttributeChange::owner(uid, gid)),
            FileChange::Times { access_ns, modify_ns } => AttributeChange::times(access_ns, modify_ns),
        }
    }
}

impl FileChange {
    /// What `who` may make of it to a file of `access`.
    pub(super) fn permitted(self, who: &Credentials, access: FileAccess) -> Result<FileChange, Errno> {
        match self {
            FileChange::Mode { mode } => Ok(FileChange::Mode { mode: who.mode_for(access, mode)? }),
            FileChange::Owner { uid, gid } => who.allow_owner(access, uid, gid).map(|()| self),
            FileChange::Times { access_ns: TIME_KEEP, modify_ns: TIME_KEEP } => Ok(self),
            FileChange::Times { access_ns, modify_ns } => {
                who.allow_times(access, (access_ns, modify_ns) == (TIME_NOW, TIME_NOW)).map(|()| self)
            }
        }
    }
}

async fn change_file(mut file: Client<File, FILES>, change: FileChange) -> Result<(), Errno> {
    match change {
        FileChange::Mode { mode } => file.call(SetFileMode { mode }, ()).await?,
        FileChange::Owner { uid, gid } => file.call(SetFileOwner { uid, gid }, ()).await?,
        FileChange::Times { access_ns, modify_ns } => file.call(SetFileTimes { access_ns, modify_ns }, ()).await?,
    }
    Ok(())
}

impl<M: UserMemory> User<M> {
    /// Changes what is at the path at an address, found by a lookup with flags, from the directory that argument 0
    /// names; without a path what that itself stands for.
    async fn change(&mut self, path: Option<(u64, u32)>, mut change: FileChange) -> Result<(), Errno> {
        let Some((path, flags)) = path else {
            if let Some(node) = self.pair_node_of(self.argument(0)) {
                return apart!(self.change_pair(node, change));
            }
            let file = self.file_of(self.argument(0), Errno::EINVAL)?;
            if !self.program.credentials.rules_files() {
                change = apart!(self.permitted_change(self.argument(0), change))?;
            }
            return change_file(file, change).await;
        };
        let (mut at, mut length) = self.get_path_from(self.argument(0), path).await?;
        let mut tries = 0;
        // Again while others rename what it has checked.
        loop {
            let mut expected = 0;
            if !self.program.credentials.rules_files() {
                let found = apart!(self.permit(at, 0..length, flags, PathWish::Look))?;
                (at, length) = (found.at, self.put_back(&found, 0));
                (expected, change) = self.change_of(&found, change)?;
            }
            let found = found_at!(self, (at, PathPiece::Paths(0..length), flags), |at, path| {
                let leased = (flags, expected);
                let here =
                    !crosses(at, path) && self.services.change_here(at, path, leased, change.attributes()).await?;
                match (crosses(at, path), change) {
                    (true, _) => Err(Errno::ECROSSED),
                    (false, _) if here => Ok(()),
                    (false, FileChange::Mode { mode }) => {
                        self.services.path_lookup()?.call(ChangeMode { at, mode, expected }, path).await
                    }
                    (false, FileChange::Owner { uid, gid }) => {
                        self.services.path_lookup()?.call(ChangeOwner { at, uid, gid, flags, expected }, path).await
                    }
                    (false, FileChange::Times { access_ns, modify_ns }) => {
                        let times = ChangeTimes { at, access_ns, modify_ns, flags, expected };
                        self.services.path_lookup()?.call(times, path).await
                    }
                }
            });
            match found {
                Err(Errno::EAGAIN) if expected != 0 && tries < TRIES_MAX => tries += 1,
                Err(errno) => return Err(errno),
                Ok(PathTarget::Disk(())) => return Ok(()),
                Ok(PathTarget::Synthetic { number, .. }) => return apart!(self.change_pair(number, change)),
                // How the C library changes what must not be a link.
                Ok(PathTarget::Own { descriptor }) => {
                    if let Some(node) = self.pair_node_of(descriptor) {
                        return apart!(self.change_pair(node, change));
                    }
                    let file = self.file_behind(descriptor, Errno::EPERM)?;
                    if !self.program.credentials.rules_files() {
                        change = apart!(self.permitted_change(descriptor, change))?;
                    }
                    return change_file(file, change).await;
                }
            }
        }
    }

    /// The node of what a descriptor stands for, if that is the slave of a pair.
    fn pair_node_of(&self, descriptor: u64) -> Option<u32> {
        let FileDescriptor { object, ino, .. } = self.program.files.get(descriptor).ok()?;
        object.terminal().map(|_| *ino).filter(|&node| pair_file(node).is_some())
    }

    /// What another user's program may make of `change` to what a descriptor stands for.
    async fn permitted_change(&mut self, descriptor: u64, change: FileChange) -> Result<FileChange, Errno> {
        let access = self.access_of(descriptor).await?;
        change.permitted(&self.program.credentials, access)
    }

    /// The same to what a walk has found; and which inode that is.
    fn change_of(&self, found: &PermittedPath, change: FileChange) -> Result<(u32, FileChange), Errno> {
        match found.end {
            Some((ino, file)) => Ok((ino, change.permitted(&self.program.credentials, file)?)),
            None if found.crossed => Ok((0, change)),
            None => Err(Errno::ENOENT),
        }
    }

    /// `fchmodat`; without a path `fchmod`.
    pub(crate) async fn change_mode(&mut self, has_path: bool) -> Result<(), Errno> {
        let mode = (self.argument(1 + usize::from(has_path)) & PERMISSIONS) as u16;
        self.change(has_path.then_some((self.argument(1), 0)), FileChange::Mode { mode }).await
    }

    /// `fchownat`; without a path `fchown`.
    pub(crate) async fn change_owner(&mut self, has_path: bool) -> Result<(), Errno> {
        let [uid, gid] = [1, 2].map(|index| self.int(index + usize::from(has_path)));
        let flags = if has_path { self.argument(4) } else { 0 };
        known_flags(flags as u32, AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)?;
        let has_path = has_path && !self.is_for_descriptor(flags).await?;
        let path = has_path.then_some((self.argument(1), follow(flags)));
        self.change(path, FileChange::Owner { uid, gid }).await
    }

    /// Whether a call with `flags` is about its descriptor, as its path is empty.
    async fn is_for_descriptor(&mut self, flags: u64) -> Result<bool, Errno> {
        Ok(flags & AT_EMPTY_PATH != 0 && self.get_path_or_empty(self.argument(1), 0).await? == 0)
    }

    /// One `struct timespec` of `utimensat`, in the file system's terms.
    async fn file_time(&mut self, address: u64) -> Result<u64, Errno> {
        let seconds = self.get_word(address).await?;
        match self.get_word(address.wrapping_add(8)).await? {
            UTIME_NOW => Ok(TIME_NOW),
            UTIME_OMIT => Ok(TIME_KEEP),
            ns if ns < NS_PER_S => Ok(ns_of(seconds as i64, ns as u32)),
            _ => Err(Errno::EINVAL),
        }
    }

    pub(crate) async fn change_times(&mut self) -> Result<(), Errno> {
        let (path, times, flags) = (self.argument(1), self.argument(2), self.argument(3));
        known_flags(self.int(3), AT_SYMLINK_NOFOLLOW | AT_EMPTY_PATH)?;
        let (mut access_ns, mut modify_ns) = (TIME_NOW, TIME_NOW);
        if times != 0 {
            access_ns = self.file_time(times).await?;
            modify_ns = self.file_time(times.wrapping_add(16)).await?;
        }
        let has_path = path != 0 && !self.is_for_descriptor(flags).await?;
        let path = has_path.then_some((path, follow(flags)));
        self.change(path, FileChange::Times { access_ns, modify_ns }).await
    }
}

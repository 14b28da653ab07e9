//! What programs of other users than root may do to what their paths lead to.
//!
//! Invariant: an operation is refused with the error that Linux has, before anything is changed. Between a check of a
//! last name and the operation on it others may change what that name stands for, but for opening, which checks what
//! it has opened. Not here: the rules (`state/credentials.rs`), the way there (`permitted_path.rs`).

use crate::user::files::path::{PERMISSIONS, TwoPathsWish};
use crate::user::files::permitted_path::PermittedPath;
use crate::user::files::synthetic::PathPiece;
use crate::user::slot::User;
use crate::user::state::Handle;
use crate::user::state::credentials::{FileAccess, MAY_EXECUTE, MAY_WRITE, wanted_by};
use crate::user::state::open_flags::{
    EXECUTABLE, O_ACCMODE, O_NOATIME, O_PATH, O_RDONLY, O_TRUNC, S_IFLNK, S_IFMT, S_IFREG,
};
use core::ops::Range;
use renga_hal::memory::UserMemory;
use renga_proto::attributes::for_next_owner;
use renga_proto::file::{FileStatus, SetFileMode};
use renga_proto::inode::{InodeFacts, NAME_BYTES_MAX, STAT_BYTES, Truncate};
use renga_proto::path::{
    ChangeMode, NO_FOLLOW, OPEN_CREATE, OPEN_DIRECTORY, OPEN_EXCLUSIVE, OPEN_TRUNCATE, Open, PathStart,
};
use renga_rt::Errno;

/// Times that a name is opened which others rename meanwhile.
pub(crate) const TRIES_MAX: u32 = 16;
/// What is left of a path: a last name, and a slash.
type LastName = heapless::Vec<u8, { NAME_BYTES_MAX + 1 }>;

/// What is to be done at the end of a path.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PathWish {
    /// Nothing that needs a permission.
    Look,
    /// To work in the directory.
    Enter,
    /// To give the name to something, if it stands for nothing.
    Make,
    /// To make a device.
    MakeDevice,
    /// To take the name away.
    Remove,
}

/// The path in the first `$length` bytes of `self.paths`, of which what is left to walk comes to stand there: where
/// that starts, and its length. As it is if the program is root's, which pays for nothing more than the question.
macro_rules! permitted {
    ($user:expr, $at:expr, $length:expr, $flags:expr, $wish:expr) => {
        if $user.program.credentials.rules_files() {
            ($at, $length)
        } else {
            renga_rt::apart!($user.permitted_from($at, $length, $flags, $wish))?
        }
    };
}
pub(crate) use permitted;

impl<M: UserMemory> User<M> {
    fn check(&self, found: &PermittedPath, wish: PathWish) -> Result<(), Errno> {
        let who = &self.program.credentials;
        match (wish, found.end) {
            (PathWish::Look, _) => Ok(()),
            _ if found.crossed => Ok(()), // which refuses by itself
            (PathWish::Make, None) => who.allow(found.directory, MAY_WRITE | MAY_EXECUTE),
            (PathWish::MakeDevice, None) => who.allow(found.directory, MAY_WRITE | MAY_EXECUTE).and(Err(Errno::EPERM)),
            (PathWish::Make | PathWish::MakeDevice, Some(_)) => Err(Errno::EEXIST),
            (_, None) => Err(Errno::ENOENT),
            (PathWish::Remove, Some((_, file))) => who.allow_removal(found.directory, file),
            (PathWish::Enter, Some((_, file))) if !file.is_directory() => Err(Errno::ENOTDIR),
            (PathWish::Enter, Some((_, file))) => who.allow(file, MAY_EXECUTE),
        }
    }

    /// What `permitted` does for other users than root.
    pub(crate) async fn permitted_from(
        &mut self,
        at: PathStart,
        length: usize,
        flags: u32,
        wish: PathWish,
    ) -> Result<(PathStart, usize), Errno> {
        let found = self.permit(at, 0..length, flags, wish).await?;
        Ok((found.at, self.put_back(&found, 0)))
    }

    /// Walks along the path in a part of `self.paths`, and checks the wish.
    pub(crate) async fn permit(
        &mut self,
        at: PathStart,
        range: Range<usize>,
        flags: u32,
        wish: PathWish,
    ) -> Result<PermittedPath, Errno> {
        let who = self.program.credentials.clone();
        let is_name = !matches!(last_name(&self.paths[range.clone()]), b"." | b"..");
        let found = self.walk_permitted((at, PathPiece::Paths(range)), &who, flags).await?;
        if wish != PathWish::Remove || is_name {
            self.check(&found, wish)?; // what is no name is refused for that
        }
        Ok(found)
    }

    /// Puts what is left of a path into `self.paths`; its length.
    pub(crate) fn put_back(&mut self, found: &PermittedPath, place: usize) -> usize {
        let PathPiece::Scratch(range) = found.piece.clone() else { return 0 };
        let left = &self.scratch[range];
        self.paths[place..place + left.len()].copy_from_slice(left);
        left.len()
    }

    /// The paths of `rename` and `link` in `self.paths`, the second from `second` on: as `permitted`, where both start
    /// and their length.
    pub(crate) async fn permitted_pair(
        &mut self,
        (from_at, to_at): (PathStart, PathStart),
        (both, second): (usize, usize),
        wish: TwoPathsWish,
    ) -> Result<(PathStart, PathStart, usize), Errno> {
        let to = self.permit(to_at, second..both, NO_FOLLOW, PathWish::Look).await?;
        let PathPiece::Scratch(range) = to.piece.clone() else { return Err(Errno::EIO) };
        let left = &self.scratch[range];
        // Of the slashes behind it one is enough.
        let slash = left.iter().position(|&byte| byte == b'/').map_or(left.len(), |slash| slash + 1);
        let name = LastName::from_slice(&left[..slash]).map_err(|_| Errno::ENAMETOOLONG)?;
        let flags = if let TwoPathsWish::Link(flags) = wish { flags } else { NO_FOLLOW };
        let from = self.permit(from_at, 0..second - 1, flags, PathWish::Look).await?;
        if from.crossed || to.crossed {
            return Err(Errno::EXDEV);
        }
        match wish {
            TwoPathsWish::Link(_) => self.check_link(&from, &to)?,
            TwoPathsWish::Move => self.check_move(&from, &to)?,
            TwoPathsWish::Exchange => {
                self.check_move(&to, &from)?;
                self.check_move(&from, &to)?
            }
        }
        let first = self.put_back(&from, 0);
        self.paths[first] = 0;
        let place = self.paths.get_mut(first + 1..first + 1 + name.len()).ok_or(Errno::ENAMETOOLONG)?;
        place.copy_from_slice(&name);
        Ok((from.at, to.at, first + 1 + name.len()))
    }

    fn check_link(&self, from: &PermittedPath, to: &PermittedPath) -> Result<(), Errno> {
        match (from.end, to.end) {
            (None, _) => Err(Errno::ENOENT),
            (_, Some(_)) => Err(Errno::EEXIST),
            (Some((_, file)), None) => {
                self.program.credentials.allow_link(file)?;
                self.check(to, PathWish::Make)
            }
        }
    }

    fn check_move(&self, from: &PermittedPath, to: &PermittedPath) -> Result<(), Errno> {
        let (_, moved) = from.end.ok_or(Errno::ENOENT)?;
        self.check(from, PathWish::Remove)?;
        self.check(to, if to.end.is_some() { PathWish::Remove } else { PathWish::Make })?;
        // Its `..` becomes another.
        if moved.is_directory() && from.at.directory.ino != to.at.directory.ino {
            self.program.credentials.allow(moved, MAY_WRITE)?;
        }
        Ok(())
    }

    /// Opens what the path in `self.paths` leads to; `open` and its `length` become those of what is left of it.
    pub(crate) async fn open_permitted(
        &mut self,
        open: &mut Open,
        length: &mut usize,
        flags: u32,
    ) -> Result<InodeFacts, Errno> {
        let wanted = open.flags;
        for _ in 0..TRIES_MAX {
            let follows =
                wanted & NO_FOLLOW == 0 && wanted & (OPEN_CREATE | OPEN_EXCLUSIVE) != OPEN_CREATE | OPEN_EXCLUSIVE;
            let found = self.permit(open.at, 0..*length, if follows { 0 } else { NO_FOLLOW }, PathWish::Look).await?;
            (open.at, *length) = (found.at, self.put_back(&found, 0));
            if found.crossed {
                open.flags = wanted;
                return Err(Errno::ECROSSED);
            }
            open.flags = self.flags_for(&found, wanted)?;
            let created = open.flags & OPEN_CREATE != 0;
            if created {
                open.mode = self.program.credentials.mode_of_new(found.directory, open.mode);
            }
            let facts = match self.services.open_path(*open, &self.paths[..*length]).await {
                Err(Errno::EEXIST) if created && wanted & OPEN_EXCLUSIVE == 0 => continue,
                Err(Errno::ENOENT) if wanted & OPEN_CREATE != 0 && !created => continue,
                opened => opened?,
            };
            if created || flags & O_PATH != 0 {
                return Ok(facts);
            }
            match self.check_opened(open.at, *length, &facts, flags).await {
                Ok(()) => return Ok(facts),
                Err(errno) => {
                    self.release_inode(&facts).await;
                    if errno != Errno::EAGAIN {
                        return Err(errno);
                    }
                }
            }
        }
        Err(Errno::EACCES)
    }

    /// The flags with which the end of the walk is opened: it is cut when it has been checked, and made only if it is
    /// not there.
    fn flags_for(&self, found: &PermittedPath, wanted: u32) -> Result<u32, Errno> {
        let flags = wanted & !OPEN_TRUNCATE | NO_FOLLOW;
        match found.end {
            _ if wanted & OPEN_CREATE == 0 || wanted & OPEN_DIRECTORY != 0 => Ok(flags),
            Some(_) if wanted & OPEN_EXCLUSIVE != 0 => Err(Errno::EEXIST),
            Some((_, file)) if file.is_directory() => Err(Errno::EISDIR),
            Some((_, file)) if file.mode & S_IFMT == S_IFLNK => Err(Errno::ELOOP),
            Some(_) => Ok(flags & !OPEN_CREATE),
            None => {
                self.check(found, PathWish::Make)?;
                Ok(flags | OPEN_EXCLUSIVE)
            }
        }
    }

    /// Whether the program may open the inode like this; and cuts it. `EAGAIN`: the name stands for another.
    async fn check_opened(
        &mut self,
        at: PathStart,
        length: usize,
        facts: &InodeFacts,
        flags: u32,
    ) -> Result<(), Errno> {
        let access = self.access_at(at, &PathPiece::Paths(0..length), (facts.ino, NO_FOLLOW)).await;
        let access = access.map_err(|errno| if errno == Errno::ENOENT { Errno::EAGAIN } else { errno })?;
        self.program.credentials.allow(access, wanted_by(flags))?;
        if flags & O_NOATIME != 0 && !self.program.credentials.is_owner(access) {
            return Err(Errno::EPERM);
        }
        if flags & O_TRUNC == 0 || access.mode & S_IFMT != S_IFREG {
            return Ok(());
        }
        // A program's file is cut once it is open, since no program runs it then.
        if access.mode & EXECUTABLE == 0 || flags & O_ACCMODE == O_RDONLY {
            let board = self.services.file_board;
            let mut inode = self.services.clients.inodes.at(board, facts.slot.into()).ok_or(Errno::EIO)?;
            inode.call(Truncate { bytes: 0 }, ()).await?;
        }
        let (old, mode) = (access.mode, for_next_owner(access.mode) & PERMISSIONS as u16);
        if old & PERMISSIONS as u16 == mode {
            return Ok(());
        }
        let change = ChangeMode { at, mode, expected: facts.ino };
        self.services.path_lookup()?.call(change, &self.paths[..length]).await
    }

    /// Takes the right away from a file's program to run as its owner or group, as a write by others does.
    pub(crate) async fn strip(&mut self, at: Handle) -> Result<(), Errno> {
        let mut status = [0; STAT_BYTES];
        self.services.file(at)?.call(FileStatus {}, &mut status[..]).await?;
        let (old, new) = (FileAccess::of_status(&status).mode, for_next_owner(FileAccess::of_status(&status).mode));
        if old == new || self.program.credentials.rules_files() {
            return Ok(());
        }
        self.services.file(at)?.call(SetFileMode { mode: new & PERMISSIONS as u16 }, ()).await
    }

    /// Who may use what a descriptor stands for.
    pub(crate) async fn access_of(&mut self, descriptor: u64) -> Result<FileAccess, Errno> {
        let status = self.status_of(descriptor).await?;
        Ok(FileAccess::of_status(&status))
    }
}

/// What follows the last slash that a name follows.
fn last_name(path: &[u8]) -> &[u8] {
    let end = path.iter().rposition(|&byte| byte != b'/').map_or(0, |last| last + 1);
    let start = path[..end].iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1);
    &path[start..end]
}

#[cfg(test)]
mod tests {
    use super::last_name;

    #[test]
    fn last_name_is_without_slashes() {
        for (path, name) in [(&b"/a/b//"[..], &b"b"[..]), (b"..", b".."), (b"a/.", b"."), (b"//", b""), (b"/x", b"x")] {
            assert_eq!(last_name(path), name);
        }
    }
}

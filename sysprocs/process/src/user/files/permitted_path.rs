//! Walks along paths as far as the permission bits of directories allow, for programs of other users than root.
//!
//! Invariant: a walk checks each directory when it passes it, and ends at the directory of the last name, from which
//! the operation starts: what others rename meanwhile leads it nowhere that was not checked. Root's programs do not
//! come here. Not here: the rules (`state/credentials.rs`), what is asked of the end (`permissions.rs`).

use crate::user::files::synthetic::{CROSSINGS_MAX, PathPiece, PathTarget, bytes_of};
use crate::user::slot::User;
use crate::user::state::credentials::{Credentials, FileAccess, MAY_EXECUTE};
use crate::user::state::open_flags::{S_IFLNK, S_IFMT};
use renga_hal::memory::UserMemory;
use renga_proto::inode::{NAME_BYTES_MAX, STAT_BYTES};
use renga_proto::mounts::{SYNTHETIC, begins_at};
use renga_proto::pages::FileId;
use renga_proto::path::{NO_FOLLOW, PATH_BYTES_MAX, PathStart, ReadLinkOf, StatusOf};
use renga_proto::stat::{INO_AT, half};
use renga_rt::{Errno, apart};

/// Symbolic links along one path, as on Linux.
const LINKS_MAX: u32 = 40;

/// Where a permitted walk ended.
pub(crate) struct PermittedPath {
    /// The directory of the last name,
    pub(crate) at: PathStart,
    pub(crate) directory: FileAccess,
    /// and that name, in the scratch page; or the path out of the disk.
    pub(crate) piece: PathPiece,
    pub(crate) crossed: bool,
    /// The inode that it stands for, and who may use it.
    pub(crate) end: Option<(u32, FileAccess)>,
}

/// A walk under way. What is left of the path stands at the end of the scratch page.
struct PermittedWalk {
    root: FileId,
    directory: FileId,
    access: FileAccess,
    start: usize,
    links: u32,
    crossings: u32,
}

/// What comes next on the way.
struct NextName {
    bytes: usize,
    /// A slash follows it,
    slash: bool,
    /// and nothing but slashes.
    last: bool,
}

fn next_name(rest: &[u8]) -> NextName {
    let bytes = rest.iter().position(|&byte| byte == b'/').unwrap_or(rest.len());
    NextName { bytes, slash: bytes < rest.len(), last: rest[bytes..].iter().all(|&byte| byte == b'/') }
}

impl<M: UserMemory> User<M> {
    /// Who may use inode `ino`, to which the path leads and the caller refers. `EAGAIN`: it leads to another by now.
    pub(crate) async fn access_at(
        &mut self,
        at: PathStart,
        piece: &PathPiece,
        (ino, flags): (u32, u32),
    ) -> Result<FileAccess, Errno> {
        let mut status = [0; STAT_BYTES];
        self.services.status_of(StatusOf { at, flags }, bytes_of!(self, *piece), &mut status).await?;
        let (found, access) = (half(&status, INO_AT), FileAccess::of_status(&status));
        if found == ino { Ok(access) } else { Err(Errno::EAGAIN) }
    }

    /// Walks along `piece` from `at` as `who` may; `flags` may contain `NO_FOLLOW`.
    pub(crate) async fn walk_permitted(
        &mut self,
        (at, piece): (PathStart, PathPiece),
        who: &Credentials,
        flags: u32,
    ) -> Result<PermittedPath, Errno> {
        let PathStart { directory, root } = at;
        let mut walk =
            PermittedWalk { root, directory, access: FileAccess::default(), start: 0, links: 0, crossings: 0 };
        self.take_path(&mut walk, piece).await?;
        // Bounded: each pass takes a name, and links and crossings are counted.
        loop {
            if let Some(found) = self.step(&mut walk, who, flags).await? {
                return Ok(found);
            }
        }
    }

    /// The walk goes on along `piece`, in its directory.
    async fn take_path(&mut self, walk: &mut PermittedWalk, piece: PathPiece) -> Result<(), Errno> {
        let room = self.scratch.len();
        match piece {
            PathPiece::Paths(range) => {
                walk.start = room.checked_sub(range.len()).ok_or(Errno::ENAMETOOLONG)?;
                self.scratch[walk.start..].copy_from_slice(&self.paths[range]);
            }
            PathPiece::Scratch(range) => {
                walk.start = room - range.len();
                self.scratch.copy_within(range, walk.start);
            }
        }
        match self.scratch.get(walk.start) {
            None => return Err(Errno::ENOENT),
            Some(b'/') => walk.directory = walk.root,
            Some(_) if walk.directory.ino >= SYNTHETIC => return Ok(()),
            Some(_) => {}
        }
        self.enter(walk).await
    }

    /// Learns who may use the directory in which the walk is.
    async fn enter(&mut self, walk: &mut PermittedWalk) -> Result<(), Errno> {
        let at = PathStart { directory: walk.directory, root: walk.root };
        let mut status = [0; STAT_BYTES];
        self.services.status_of(StatusOf { at, flags: 0 }, b".", &mut status).await?;
        walk.access = FileAccess::of_status(&status);
        Ok(())
    }

    /// Passes a name; where the walk has ended, if it has.
    async fn step(
        &mut self,
        walk: &mut PermittedWalk,
        who: &Credentials,
        flags: u32,
    ) -> Result<Option<PermittedPath>, Errno> {
        if walk.directory.ino >= SYNTHETIC {
            return apart!(self.cross_permitted(walk, flags));
        }
        let slashes = self.scratch[walk.start..].iter().take_while(|&&byte| byte == b'/').count();
        walk.start += slashes;
        if walk.start == self.scratch.len() {
            walk.start -= 1;
            self.scratch[walk.start] = b'.';
        }
        let NextName { bytes, slash, last } = next_name(&self.scratch[walk.start..]);
        let end = walk.start + bytes;
        who.allow(walk.access, MAY_EXECUTE)?;
        if bytes > NAME_BYTES_MAX {
            return Err(Errno::ENAMETOOLONG);
        }
        let name = &self.scratch[walk.start..end];
        if begins_at(walk.directory.ino, name) {
            // The path from the root on, which leads nowhere else.
            walk.start =
                walk.start.checked_sub(1).filter(|_| walk.root.ino == walk.directory.ino).ok_or(Errno::EACCES)?;
            self.scratch[walk.start] = b'/';
            return apart!(self.cross_permitted(walk, flags));
        }
        let at = PathStart { directory: walk.directory, root: walk.root };
        let mut status = [0; STAT_BYTES];
        let found = self.services.status_of(StatusOf { at, flags: NO_FOLLOW }, name, &mut status).await;
        let (ino, access) = match found {
            Ok(()) => (half(&status, INO_AT), FileAccess::of_status(&status)),
            Err(Errno::ENOENT) if last => return Ok(Some(walk.ended(None))),
            Err(errno) => return Err(errno),
        };
        if access.mode & S_IFMT == S_IFLNK && (slash || flags & NO_FOLLOW == 0) {
            if last {
                who.allow_last_link(walk.access, access)?;
            }
            return self.follow_permitted(walk, end).await.map(|()| None);
        }
        if last {
            return Ok(Some(walk.ended(Some((ino, access)))));
        }
        if !access.is_directory() {
            return Err(Errno::ENOTDIR);
        }
        (walk.start, walk.directory, walk.access) = (end, ino.into(), access);
        Ok(None)
    }

    /// Puts the target of the link whose name ends at `end` before the rest.
    async fn follow_permitted(&mut self, walk: &mut PermittedWalk, end: usize) -> Result<(), Errno> {
        walk.links += 1;
        if walk.links > LINKS_MAX {
            return Err(Errno::ELOOP);
        }
        let at = PathStart { directory: walk.directory, root: walk.root };
        let (room, rest) = self.scratch.split_at_mut(walk.start);
        let name = &rest[..end - walk.start];
        let mut target = [0; PATH_BYTES_MAX];
        let bytes = self.services.path_lookup()?.call(ReadLinkOf { at }, (name, &mut target[..])).await? as usize;
        let target = target.get(..bytes).filter(|target| !target.is_empty()).ok_or(Errno::ENOENT)?;
        debug_assert!(room.len() <= end);
        walk.start = end.checked_sub(bytes).ok_or(Errno::ENAMETOOLONG)?;
        self.scratch[walk.start..end].copy_from_slice(target);
        if target[0] == b'/' {
            walk.directory = walk.root;
            self.enter(walk).await?;
        }
        Ok(())
    }

    /// Where the path leads that leaves the disk; the walk goes on if it comes back.
    async fn cross_permitted(&mut self, walk: &mut PermittedWalk, flags: u32) -> Result<Option<PermittedPath>, Errno> {
        walk.crossings += 1;
        if walk.crossings > CROSSINGS_MAX {
            return Err(Errno::ELOOP);
        }
        let at = PathStart { directory: walk.directory, root: walk.root };
        let piece = PathPiece::Scratch(walk.start..self.scratch.len());
        match self.cross(at, piece, flags).await? {
            PathTarget::Disk((at, piece)) => {
                walk.directory = at.directory;
                self.take_path(walk, piece).await?;
                Ok(None)
            }
            PathTarget::Synthetic { .. } | PathTarget::Own { .. } => {
                Ok(Some(PermittedPath { crossed: true, ..walk.ended(None) }))
            }
        }
    }
}

impl PermittedWalk {
    fn ended(&self, end: Option<(u32, FileAccess)>) -> PermittedPath {
        let at = PathStart { directory: self.directory, root: self.root };
        let piece = PathPiece::Scratch(self.start..renga_rt::PAGE_BYTES);
        PermittedPath { at, directory: self.access, piece, crossed: false, end }
    }
}

#[cfg(test)]
mod tests {
    use super::{NextName, next_name};

    #[test]
    fn next_name_knows_whether_it_is_last() {
        for (rest, wanted) in [
            (&b"a"[..], (1, false, true)),
            (b"ab//", (2, true, true)),
            (b"a/b", (1, true, false)),
            (b"..//b/", (2, true, false)),
        ] {
            let NextName { bytes, slash, last } = next_name(rest);
            assert_eq!((bytes, slash, last), wanted, "{}", rest.escape_ascii());
        }
    }
}

//! Paths and directory descriptors of system calls.

use crate::user::slot::{User, memory};
use renga_hal::memory::{PAGE_BYTES, UserMemory};
use renga_proto::path::{PATH_BYTES_MAX, PathStart};
use renga_rt::{Errno, apart};

pub const AT_FDCWD: i32 = -100;
pub const AT_SYMLINK_NOFOLLOW: u64 = 0x100;
pub const AT_REMOVEDIR: u64 = 0x200;
pub const AT_SYMLINK_FOLLOW: u64 = 0x400;
/// Of `faccessat2`: the effective ids count.
pub const AT_EACCESS: u64 = 0x200;
pub const AT_NO_AUTOMOUNT: u64 = 0x800;
/// Flags for fresh or cached attributes of a remote server.
pub const SYNC_TYPES: u64 = 0x6000;
/// An empty path means the descriptor itself.
pub const AT_EMPTY_PATH: u64 = 0x1000;

/// The permission bits of a mode.
pub const PERMISSIONS: u64 = 0o7777;

/// `EINVAL` if `flags` has others than those of `known`.
pub(crate) fn known_flags(flags: u32, known: u64) -> Result<(), Errno> {
    if u64::from(flags) & !known == 0 { Ok(()) } else { Err(Errno::EINVAL) }
}

/// What is to be done with two paths.
#[derive(Clone, Copy)]
pub(crate) enum TwoPathsWish {
    Move,
    Exchange,
    /// Found with these flags.
    Link(u32),
}

impl<M: UserMemory> User<M> {
    /// Copies the path at `address` to `self.paths` from `at` on; its length. `ENOENT` if it is empty.
    pub(crate) async fn get_path_at(&mut self, address: u64, at: usize) -> Result<usize, Errno> {
        match self.get_path_or_empty(address, at).await? {
            0 => Err(Errno::ENOENT),
            length => Ok(length),
        }
    }

    /// As `get_path_at`, allowing for an empty one.
    pub(crate) async fn get_path_or_empty(&mut self, address: u64, at: usize) -> Result<usize, Errno> {
        let (space, mut pager) = memory!(self);
        let end = (at + PATH_BYTES_MAX).min(self.paths.len());
        pager.copy_in_string(space, address, &mut self.paths[at..end]).await
    }

    /// Copies the path at `address`.
    pub(crate) async fn get_path(&mut self, address: u64) -> Result<usize, Errno> {
        self.get_path_at(address, 0).await
    }

    /// Copies the path at `address`; where it starts, relative to `descriptor`, and its length.
    pub(crate) async fn get_path_from(&mut self, descriptor: u64, address: u64) -> Result<(PathStart, usize), Errno> {
        let length = self.get_path(address).await?;
        Ok((self.start_for(descriptor, 0)?, length))
    }

    /// The paths at arguments 1 and 3, relative to arguments 0 and 2: where each starts, and the length of both. As far
    /// as the program may use them: for a rename, or a link to what is found by a lookup with those flags.
    pub(crate) async fn get_two_permitted(
        &mut self,
        wish: TwoPathsWish,
    ) -> Result<(PathStart, PathStart, usize), Errno> {
        let (both, first) = self.get_two_paths(self.argument(1), self.argument(3)).await?;
        let starts = (self.start_for(self.argument(0), 0)?, self.start_for(self.argument(2), first + 1)?);
        match self.program.credentials.rules_files() {
            true => Ok((starts.0, starts.1, both)),
            false => apart!(self.permitted_pair(starts, (both, first + 1), wish)),
        }
    }

    /// Copies two paths, with a zero byte between them; the lengths of both and of the first.
    pub(crate) async fn get_two_paths(&mut self, first: u64, second: u64) -> Result<(usize, usize), Errno> {
        let first = self.get_path(first).await?;
        let second = self.get_path_at(second, first + 1).await?;
        self.paths[first] = 0;
        let both = first + 1 + second;
        if both > PAGE_BYTES && self.services.board != self.services.file_board {
            return Err(Errno::ENAMETOOLONG); // what crosses the link in one message is a page at most
        }
        Ok((both, first))
    }

    /// Where the path that begins at `self.paths[at]` starts, relative to `descriptor`.
    pub(crate) fn start_for(&self, descriptor: u64, at: usize) -> Result<PathStart, Errno> {
        if descriptor as i32 == AT_FDCWD || self.paths[at] == b'/' {
            return Ok(self.program.start());
        }
        let descriptor = self.program.files.get(descriptor)?;
        if descriptor.is_directory() { Ok(self.program.start_at(descriptor.ino.into())) } else { Err(Errno::ENOTDIR) }
    }
}

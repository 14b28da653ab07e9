//! Walking along a path by what is cached.
//!
//! Invariant: the answer is the disk's board's: each name on the way is cached, so that it stands for what it stood for
//! when that was granted; a name that is not cached, of a directory all of whose names are, stands for nothing.
//! Symbolic links are followed as far as their targets are cached.
//! Not here: names alone (`lookup/path_walk.rs`).

use crate::format::inode_record::{DIRECTORY, KIND_SYMBOLIC_LINK, TYPE_MASK, kind_of};
use crate::format::superblock::ROOT_INO;
use crate::lease_cache::cache_state::NameCacheState;
use crate::lease_cache::inode_cache::CachedStatus;
use crate::lookup::name_cache::Dentry;
use crate::lookup::path_walk::{Until, WalkEnd, may_open, walk};
use renga_proto::inode::{InodeFacts, STAT_BYTES};
use renga_proto::names::{LEASED, StatusGrant};
use renga_proto::pages::{FileId, NO_LEASE};
use renga_proto::path::OPEN_EXECUTE;
use renga_rt::Errno;

/// Most symbolic links along one path; a longer chain goes to a lookup worker, which decides.
const LINKS_MAX: u32 = 40;

impl NameCacheState {
    pub(super) fn open(&mut self, at: FileId, path: &[u8], flags: u32) -> Result<InodeFacts, Errno> {
        let end = self.end(at, path, flags)?;
        let &CachedStatus { facts, lease, .. } = self.inodes.status(end).ok_or(Errno::EAGAIN)?;
        // Its permission bits may be others by now.
        if lease != NO_LEASE && flags & OPEN_EXECUTE != 0 {
            return Err(Errno::EAGAIN);
        }
        may_open(kind_of(facts.mode), flags)?;
        let (slot, origin) = self.inodes.use_again(end).ok_or(Errno::EAGAIN)?;
        Ok(InodeFacts { slot, origin, ..facts })
    }

    /// 0, or `LEASED`.
    pub(super) fn status(&mut self, at: FileId, path: &[u8], flags: u32, out: &mut [u8]) -> Result<u64, Errno> {
        let end = self.end(at, path, flags)?;
        let StatusGrant { lease, .. } = self.status_of(FileId::whichever(end), out)?;
        Ok(if lease == NO_LEASE { 0 } else { LEASED })
    }

    /// The file at the end of `path`, if a reference to it is here.
    pub(super) fn file(&mut self, at: FileId, path: &[u8], flags: u32) -> Result<FileId, Errno> {
        let end = self.end(at, path, flags)?;
        self.inodes.file(end).ok_or(Errno::EAGAIN)
    }

    pub(super) fn status_of(&mut self, file: FileId, out: &mut [u8]) -> Result<StatusGrant, Errno> {
        let same = |cached: &&CachedStatus| file.is_of(cached.facts.birth.generation);
        let cached = self.inodes.status(file.ino).filter(same).ok_or(Errno::EAGAIN)?;
        out.get_mut(..STAT_BYTES).ok_or(Errno::EINVAL)?.copy_from_slice(&cached.status);
        Ok(StatusGrant { generation: cached.facts.birth.generation, lease: cached.lease })
    }

    /// The inode to which `path` leads. `EAGAIN`: not all that it takes is cached.
    fn end(&mut self, at: FileId, path: &[u8], flags: u32) -> Result<u32, Errno> {
        let until = Until::End { flags };
        let WalkEnd { ino, rest, .. } = walk(&mut self.names, at, path, until)?;
        let end = if rest.is_empty() { ino } else { self.follow(ino, rest, until)? };
        // Any number may be said, also one of what is no directory.
        let begins = end == at.ino && end != ROOT_INO;
        let walkable =
            !begins || self.inodes.status(end).is_some_and(|cached| cached.facts.mode & TYPE_MASK == DIRECTORY);
        if walkable { Ok(end) } else { Err(Errno::EAGAIN) }
    }

    /// The absolute path of `directory`, whose status shows that it is still that one; its length.
    pub(super) fn path(&mut self, directory: FileId, out: &mut [u8]) -> Result<u32, Errno> {
        let same = |cached: &CachedStatus| directory.is_of(cached.facts.birth.generation);
        if directory.ino != ROOT_INO && !self.inodes.status(directory.ino).is_some_and(same) {
            return Err(Errno::EAGAIN);
        }
        let (mut at, mut start) = (directory.ino, out.len());
        // Bounded by the room: each iteration writes a name.
        while at != ROOT_INO {
            let (above, name) = self.names.entry_of(at).ok_or(Errno::EAGAIN)?;
            start = start.checked_sub(name.len() + 1).ok_or(Errno::ENAMETOOLONG)?;
            out[start] = b'/';
            out[start + 1..][..name.len()].copy_from_slice(name);
            at = above;
        }
        if start == out.len() {
            start = start.checked_sub(1).ok_or(Errno::ENAMETOOLONG)?;
            out[start] = b'/';
        }
        let bytes = out.len() - start;
        out.copy_within(start.., 0);
        Ok(bytes as u32)
    }

    /// Goes on from directory `at` along `rest`, which begins with a link if that is cached at all.
    fn follow(&mut self, mut at: u32, rest: &[u8], until: Until) -> Result<u32, Errno> {
        self.rest.set(rest)?;
        for _ in 0..LINKS_MAX {
            let link = self.rest.take()?.ok_or(Errno::EAGAIN)?;
            let ino = match self.names.find(at, &link.name) {
                Some(Dentry::Positive { ino, kind: KIND_SYMBOLIC_LINK }) => ino,
                None if link.is_name() && self.holds_all(at) => return Err(Errno::ENOENT),
                _ => break,
            };
            let Some(target) = self.inodes.target(ino) else { break };
            self.rest.room().get_mut(..target.len()).ok_or(Errno::EAGAIN)?.copy_from_slice(target);
            let put = self.rest.put_before(target.len(), link.slash);
            put.map_err(|_| Errno::EAGAIN)?;
            let WalkEnd { ino, rest, .. } =
                walk(&mut self.names, at.into(), self.rest.left(), until).map_err(|errno| {
                    // Of the path as links expanded it, which no program named.
                    if errno == Errno::ENAMETOOLONG { Errno::EAGAIN } else { errno }
                })?;
            if rest.is_empty() {
                return Ok(ino);
            }
            let left = rest.len();
            self.rest.keep_last(left);
            at = ino;
        }
        Err(Errno::EAGAIN)
    }
}

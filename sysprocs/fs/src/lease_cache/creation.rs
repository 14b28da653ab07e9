//! What programs of this board have made or removed by a lookup worker: what that changes is given up before, and
//! cached again with the answer.
//!
//! Invariant: from the beginning of a make to its end nothing is cached of the name that is made and of the status of
//! its directory, nor of an inode whose name is removed, so that the disk's board need not revoke them from here. So
//! nothing that was granted meanwhile, or before, is kept but the answer, and that only if no name was revoked and
//! nothing else was being made at any time meanwhile: the later answer may be the older one. An inode that was revoked
//! meanwhile costs its status only: otherwise a board that does not know the directory would never learn it.
//! Not here: the making (`names/remote_lookup.rs`).

use crate::format::inode_record::KIND_DIRECTORY;
use crate::lease_cache::cache_state::NameCacheState;
use crate::lookup::name_cache::Dentry;
use crate::lookup::path_walk::{Until, WalkEnd, walk};
use renga_proto::inode::NO_SLOT;
use renga_proto::names::{CreationBegun, RemovalBegun};
use renga_proto::pages::FileId;
use renga_proto::steps;
use renga_proto::steps::WalkStep;
use renga_rt::Errno;

impl NameCacheState {
    pub(super) fn begin_make(&mut self, at: FileId, path: &[u8]) -> Result<CreationBegun, Errno> {
        let (directory, name) = self.last_name(at, path);
        if self.names.stands_for_something(directory, name) {
            return Err(Errno::EEXIST);
        }
        Ok(self.begin(directory, name))
    }

    /// The same before the name at `path` is removed: gives up its inode, too.
    pub(super) fn begin_removal(&mut self, at: FileId, path: &[u8]) -> RemovalBegun {
        if !self.caches {
            return removal(CreationBegun::NONE);
        }
        let (directory, name) = self.last_name(at, path);
        let found = if matches!(name, b"." | b"..") { None } else { self.names.find(directory, name) };
        let creation = self.begin(directory, name);
        let Some(Dentry::Positive { ino, kind }) = found.filter(|_| creation.directory != 0) else {
            return removal(creation);
        };
        if kind == KIND_DIRECTORY {
            self.names.forget_directory(ino);
        }
        self.inodes.forget(ino);
        let (slot, session) = self.inodes.revoke(ino).unwrap_or((NO_SLOT, 0));
        RemovalBegun { ino, slot, session, ..removal(creation) }
    }

    /// Where the last name of `path` is, and the name; empty if that is not known, or more than a name.
    fn last_name<'a>(&mut self, at: FileId, path: &'a [u8]) -> (u32, &'a [u8]) {
        match walk(&mut self.names, at, path, Until::LastName) {
            Ok(WalkEnd { ino, rest, .. }) if !without_slashes(rest).contains(&b'/') => (ino, without_slashes(rest)),
            _ => (0, &path[..0]), // a lookup worker says what is wrong
        }
    }

    fn begin(&mut self, directory: u32, name: &[u8]) -> CreationBegun {
        let (known, alone) = (!name.is_empty(), self.makes == 0);
        if !alone {
            self.lose_name(self.made_in);
            self.lose_name(directory);
        }
        self.cache_generation += 1;
        self.revoked.clear();
        self.makes += 1;
        self.made_in = if alone && known { directory } else { 0 };
        if !known {
            return CreationBegun { cache_generation: self.cache_generation, directory: 0 };
        }
        self.names.forget(directory, name);
        self.inodes.forget(directory);
        CreationBegun { cache_generation: self.cache_generation, directory }
    }

    pub(super) fn end_make(&mut self, cache_generation: u64, answer: &[u8]) -> Result<(), Errno> {
        self.makes = self.makes.checked_sub(1).ok_or(Errno::EINVAL)?;
        // Results of calls still under way may be from before this one.
        self.cache_generation += u64::from(self.makes > 0);
        let good = cache_generation.wrapping_add(self.revoked.len() as u64) == self.cache_generation;
        if good {
            self.keep(answer);
        }
        self.revoked.clear();
        if !good || !self.holds_what_was_changed(answer) {
            self.lose_name(self.made_in);
        }
        self.made_in = 0;
        if good { Ok(()) } else { Err(Errno::ESTALE) }
    }

    /// Whether the changed name is cached, if it stands for something.
    fn holds_what_was_changed(&mut self, answer: &[u8]) -> bool {
        let changed = steps::each(answer).find_map(|step| match step {
            WalkStep::Name { directory, name, ino, .. } if directory == self.made_in => Some((directory, name, ino)),
            _ => None,
        });
        changed.is_some_and(|(directory, name, ino)| ino == 0 || self.names.stands_for_something(directory, name))
    }
}

/// Of a name of which nothing is cached.
fn removal(begun: CreationBegun) -> RemovalBegun {
    let CreationBegun { cache_generation, directory } = begun;
    RemovalBegun { cache_generation, directory, ino: 0, slot: NO_SLOT, session: 0 }
}

fn without_slashes(name: &[u8]) -> &[u8] {
    let slashes = name.iter().rev().take_while(|byte| **byte == b'/').count();
    &name[..name.len() - slashes]
}

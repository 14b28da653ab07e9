//! The state of a diskless board's name cache: names and inodes.
//!
//! Invariant: each entry was granted by a lookup worker and has not been revoked since. A revocation starts another
//! generation, so that answers under way are dropped. Called by: `name_cache.rs`. Not here: walking (`cached_walk.rs`).

use crate::format::inode_record::KIND_SYMBOLIC_LINK;
use crate::lease_cache::inode_cache::{CachedStatus, InodeCache};
use crate::lease_cache::revalidation::Revalidation;
use crate::lookup::name_cache::{Dentry, NameCache, NameSlot};
use crate::lookup::pathname::Rest;
use heapless::Vec;
use renga_proto::names::{ALL_DIRECTORIES, NO_CACHE_GENERATION, OTHERS};
use renga_proto::pages::NO_LEASE;
use renga_proto::steps;
use renga_proto::steps::WalkStep;
use renga_rt::Errno;

/// A make revokes the status of its directory and what it makes or removes, and a reference.
const REVOKED_MAX: usize = 4;

pub(super) struct NameCacheState {
    pub(super) names: NameCache,
    pub(super) inodes: InodeCache,
    pub(super) revalidation: Revalidation,
    /// A path of which a link has been followed.
    pub(super) rest: Rest,
    pub(super) caches: bool,
    /// The generation that is good now; another one after each revoke.
    pub(super) cache_generation: u64,
    /// How much is being made for programs here.
    pub(super) makes: u32,
    /// The directory in which that is, if it is one thing and that is known; or 0.
    pub(super) made_in: u32,
    /// Inodes that were revoked since the last make began, with a new generation each: what was made is true but for
    /// their status. No more than have room.
    pub(super) revoked: Vec<u32, REVOKED_MAX>,
}

impl NameCacheState {
    pub(super) fn new(
        names: &'static mut [NameSlot],
        inodes: InodeCache,
        revalidation: Revalidation,
        caches: bool,
    ) -> NameCacheState {
        NameCacheState {
            names: NameCache::new(names),
            inodes,
            revalidation,
            rest: Rest::new(),
            caches,
            cache_generation: 1,
            makes: 0,
            made_in: 0,
            revoked: Vec::new(),
        }
    }

    /// For a lookup whose answer is to be cached.
    pub(super) fn fill_generation(&self) -> u64 {
        if self.caches && self.makes == 0 { self.cache_generation } else { NO_CACHE_GENERATION }
    }

    /// `ESTALE`: results of lookups in that generation may not be cached.
    pub(super) fn may_fill(&self, cache_generation: u64) -> Result<(), Errno> {
        if self.caches && cache_generation == self.cache_generation { Ok(()) } else { Err(Errno::ESTALE) }
    }

    pub(super) fn keep(&mut self, answer: &[u8]) {
        let mut end_lease = NO_LEASE;
        for step in steps::each(answer) {
            match step {
                WalkStep::Name { directory, name, ino, kind } => {
                    if kind == KIND_SYMBOLIC_LINK {
                        self.inodes.forget_target(ino);
                    }
                    let known = if ino == 0 { Dentry::Negative } else { Dentry::Positive { ino, kind } };
                    let former = self.names.learn(directory, name, known);
                    self.lose_name(former);
                }
                WalkStep::Target { ino, target } => self.inodes.put_target(ino, target),
                WalkStep::Lease { lease } => end_lease = lease.id,
                WalkStep::Folder { facts, status } => {
                    self.keep_status(CachedStatus { facts, status, lease: NO_LEASE });
                }
                WalkStep::Inode { facts, cacheable: true, status } => {
                    self.keep_status(CachedStatus { facts, status, lease: end_lease });
                }
                WalkStep::Inode { .. } | WalkStep::Gone { .. } | WalkStep::Refused { .. } => {}
            }
        }
    }

    fn keep_status(&mut self, cached: CachedStatus) {
        if !self.revoked.contains(&cached.facts.ino) {
            self.inodes.put(cached);
        }
    }

    fn note_revoked(&mut self, ino: u32) {
        self.cache_generation += 1;
        if self.makes > 0 {
            let _ = self.revoked.push(ino); // without room nothing of the make is kept
        }
    }

    pub(super) fn revoke_inode(&mut self, ino: u32) {
        self.note_revoked(ino);
        self.inodes.forget(ino);
    }

    /// Whether the reference is the caller's from now on.
    pub(super) fn revoke_reference(&mut self, ino: u32) -> bool {
        self.note_revoked(ino);
        self.inodes.revoke(ino).is_some()
    }

    pub(super) fn set_access(&mut self, ino: u32, access_ns: u64) {
        self.cache_generation += 1;
        self.inodes.set_access(ino, access_ns);
    }

    /// With the owner's board all leases end.
    pub(super) fn drop_board(&mut self, board: u8) {
        if let Some(session) = self.revalidation.next_session(board) {
            self.cache_generation += 1;
            self.names.forget_all();
            self.inodes.begin(session);
        }
    }

    pub(super) fn revoke_name(&mut self, directory: u32, name: &[u8]) {
        self.cache_generation += 1;
        self.lose_name(directory);
        match (directory, name) {
            (ALL_DIRECTORIES, _) => self.names.forget_all(),
            (directory, []) => {
                self.names.forget_directory(directory);
            }
            (directory, name) => self.names.forget(directory, name),
        }
    }

    /// Whether names of `directory` that are not cached stand for nothing.
    pub(super) fn holds_all(&mut self, directory: u32) -> bool {
        directory != self.made_in && self.names.find(directory, OTHERS).is_some()
    }

    /// Not all names of `directory` are cached any more.
    pub(super) fn lose_name(&mut self, directory: u32) {
        self.names.forget(directory, OTHERS);
    }
}

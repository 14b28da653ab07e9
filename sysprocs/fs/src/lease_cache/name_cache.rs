//! The process that has what a board without the disk caches of names and inodes.
//!
//! Invariants: each entry was granted by a path lookup worker and not revoked since. The cache replies at once: it
//! calls no server, so nothing delays a revocation. Any revocation ends the generations that are out. Not here: who
//! may cache what (`lookup/name_holders.rs`, `leases`), the disk's board's own cache (`lookup/name_cache.rs`).

use crate::lease_cache::cache_state::NameCacheState;
use crate::lease_cache::inode_cache::{CachedInode, InodeCache, ReferenceKey};
use crate::lease_cache::revalidation::Revalidation;
use crate::lookup::name_cache::NameSlot;
use renga_proto::names::{
    AddCachedReference, CacheReference, CreationBegun, FileHere, Names, NamesCall, NotifyAccess, OpenHere, PathHere,
    ReferenceCached, ReleaseCachedReference, StatusHere, StatusOfInode,
};
use renga_proto::pages::FileId;
use renga_proto::sessions::Sessions;
use renga_rt::{Errno, Me, Never, Port, Protocol, reply};

/// Serves the names of a board; the inodes are on `file_board`. `without_leases`: the boards that caches nothing, a bit
/// each.
#[allow(clippy::too_many_arguments, reason = "what a process is given at boot")]
pub async fn name_cache(
    mut me: Me,
    mut port: Port<Names>,
    names: &'static mut [NameSlot],
    inodes: &'static mut [CachedInode],
    references_max: usize,
    file_board: u8,
    without_leases: u8,
    sessions: &'static Sessions,
) -> Never {
    let revalidation = Revalidation::new(sessions, file_board);
    let inodes = InodeCache::new(inodes, references_max, sessions.now(file_board));
    let caches = without_leases >> me.id().board.0 & 1 == 0;
    let mut state = NameCacheState::new(names, inodes, revalidation, caches);
    loop {
        match port.accept_or_notified(Names::ENTRIES).await {
            None => state.revalidation.poll(&mut me),
            Some(call) => state.serve(&mut me, call),
        }
    }
}

impl NameCacheState {
    fn serve(&mut self, me: &mut Me, call: NamesCall) {
        match call {
            NamesCall::StatusHere(mut call) => {
                let StatusHere { at, flags } = call.entry();
                let (path, out) = call.lent();
                let known = self.revalidation.check(me).and_then(|()| self.status(at, path, flags, out));
                call.reply(if known == Err(Errno::EAGAIN) { Ok(self.fill_generation()) } else { known });
            }
            NamesCall::StatusOfInode(mut call) => {
                let (StatusOfInode { file }, out) = (call.entry(), call.lent());
                reply!(call, if self.revalidation.check(me) => self.status_of(file, out));
            }
            NamesCall::OpenHere(mut call) => {
                let OpenHere { at, flags } = call.entry();
                reply!(call, if self.revalidation.check(me) => self.open(at, call.lent(), flags));
            }
            NamesCall::FileHere(mut call) => {
                let FileHere { at, flags } = call.entry();
                reply!(call, if self.revalidation.check(me) => self.file(at, call.lent(), flags));
            }
            NamesCall::PathHere(mut call) => {
                let PathHere { directory } = call.entry();
                let path = self.revalidation.check(me).and_then(|()| self.path(directory, call.lent()));
                reply!(call, path, bytes);
            }
            NamesCall::CacheGeneration(call) => call.reply(Ok(self.fill_generation())),
            NamesCall::CacheSteps(mut call) => {
                let good = self.may_fill(call.entry().cache_generation);
                reply!(call, good.map(|()| self.keep_steps(me, call.lent())));
            }
            NamesCall::CacheReference(mut call) => {
                let kept = self.keep_reference(call.entry(), call.lent()).unwrap_or(ReferenceCached::NOT);
                reply!(call, Ok(kept), |kept| kept.surplus_bytes);
            }
            NamesCall::AddCachedReference(call) => {
                let AddCachedReference { ino, generation, slot } = call.entry();
                let used = self.inodes.use_as(ReferenceKey { ino, generation, slot });
                reply!(call, used.map(|used| used.session).ok_or(Errno::ENOENT));
            }
            NamesCall::ReleaseCachedReference(call) => {
                let ReleaseCachedReference { ino, session } = call.entry();
                call.reply(self.inodes.release(ino, session));
            }
            NamesCall::BeginCreation(mut call) => reply!(call, self.begin_creation(me, call.entry().at, call.lent())),
            NamesCall::BeginRemoval(mut call) => reply!(call, Ok(self.begin_removal(call.entry().at, call.lent()))),
            NamesCall::EndCreation(mut call) => {
                let generation = call.entry().cache_generation;
                reply!(call, self.end_creation(me, generation, call.lent()));
            }
            NamesCall::RevokeName(mut call) => {
                self.revoke_name(call.entry().directory, call.lent());
                call.reply(Ok(()));
            }
            NamesCall::RevokeInode(call) => {
                self.revoke_inode(call.entry().ino);
                call.reply(Ok(()));
            }
            NamesCall::RevokeReference(call) => reply!(call, Ok(self.revoke_reference(call.entry().ino))),
            NamesCall::NotifyAccess(call) => {
                let NotifyAccess { ino, access_ns } = call.entry();
                self.set_access(ino, access_ns);
                call.reply(Ok(()));
            }
            NamesCall::BoardDied(call) => {
                self.drop_board(call.entry().board);
                call.reply(Ok(()));
            }
        }
    }

    fn keep_reference(&mut self, offered: CacheReference, surplus: &mut [u8]) -> Result<ReferenceCached, Errno> {
        let CacheReference { cache_generation, slot, ino, generation, session } = offered;
        self.may_fill(cache_generation)?;
        Ok(self.inodes.keep(ReferenceKey { ino, generation, slot }, session, surplus))
    }

    fn begin_creation(&mut self, me: &mut Me, at: FileId, path: &[u8]) -> Result<CreationBegun, Errno> {
        let begun = if self.caches { self.begin_make(at, path) } else { Ok(CreationBegun::NONE) };
        // That a name is there is said only by who has heard of the owner lately.
        if begun == Err(Errno::EEXIST) && self.revalidation.check(me).is_err() {
            Ok(CreationBegun::NONE)
        } else {
            begun
        }
    }

    fn end_creation(&mut self, me: &mut Me, cache_generation: u64, answer: &[u8]) -> Result<(), Errno> {
        self.end_make(cache_generation, answer)?;
        if !answer.is_empty() {
            self.revalidation.renew(me);
        }
        Ok(())
    }

    fn keep_steps(&mut self, me: &mut Me, steps: &[u8]) {
        self.revalidation.renew(me);
        self.keep(steps);
    }
}

//! The process that has what a board without the disk holds of names and inodes.
//!
//! Invariants: what is here has been told by a path lookup worker and was not revoked since. Every answer is given at once: it calls
//! nobody, so a revoke is held up by nobody. Any revoke makes the tickets that are out void.
//! Not here: who may hold what (`inode/name_holders.rs`, `inode/lending`), the disk's board's own knowledge
//! (`inode/inode_directory.rs`).

use crate::lease_cache::cache_state::NameCacheState;
use crate::lease_cache::cached_inodes::CachedInode;
use crate::lease_cache::cached_references::{CachedReference, CachedReferences, ReferenceKey};
use crate::lease_cache::link_targets::CachedTarget;
use crate::lease_cache::revalidation::Revalidation;
use crate::lookup::name_cache::NameSlot;
use renga_proto::names::{
    AddCachedReference, CacheReference, CacheSteps, CreationBegun, FileHere, Names, NamesCall, NotifyAccess, OpenHere,
    ReferenceCached, ReleaseCachedReference, RevokeInode, StatusHere, StatusOfInode,
};
use renga_proto::sessions::Sessions;
use renga_rt::{Errno, Me, Never, Port, Protocol};

/// Serves the names of a board; the inodes are on `disk_board`. `without_leases`: the boards that hold nothing, a bit each.
#[allow(clippy::too_many_arguments, reason = "what a process is given at boot")]
pub async fn name_cache(
    mut me: Me,
    mut port: Port<Names>,
    names: &'static mut [NameSlot],
    inodes: &'static mut [CachedInode],
    targets: &'static mut [CachedTarget],
    references: &'static mut [CachedReference],
    disk_board: u8,
    without_leases: u8,
    sessions: &'static Sessions,
) -> Never {
    let keeps = without_leases >> me.id().board.0 & 1 == 0;
    let revalidation = Revalidation::new(sessions, disk_board);
    let references = CachedReferences::new(references, sessions.now(disk_board));
    let mut state = NameCacheState::new(names, inodes, targets, references, revalidation);
    loop {
        let Some(call) = port.accept_or_notified(Names::ENTRIES).await else {
            state.revalidation.poll(&mut me);
            continue;
        };
        match call {
            NamesCall::StatusHere(mut call) => {
                let StatusHere { at, flags } = call.entry();
                let (path, out) = call.lent();
                let known = state.revalidation.check(&mut me).and_then(|()| state.status(at, path, flags, out));
                call.reply(if known == Err(Errno::EAGAIN) {
                    Ok(state.cache_generation(keeps))
                } else {
                    known.map(|()| 0)
                });
            }
            NamesCall::CacheSteps(mut call) => {
                let CacheSteps { cache_generation } = call.entry();
                let good = keeps && cache_generation == state.cache_generation;
                if good {
                    state.revalidation.renew(&mut me);
                    state.keep(call.lent());
                }
                call.reply(if good { Ok(()) } else { Err(Errno::ESTALE) });
            }
            NamesCall::BeginCreation(mut call) => {
                let at = call.entry().at;
                let begun = if keeps { state.begin_make(at, call.lent()) } else { Ok(CreationBegun::NONE) };
                let there = begun == Err(Errno::EEXIST);
                let doubted = there && state.revalidation.check(&mut me).is_err();
                call.reply(if doubted { Ok(CreationBegun::NONE) } else { begun });
            }
            NamesCall::EndCreation(mut call) => {
                let cache_generation = call.entry().cache_generation;
                let kept = state.end_make(cache_generation, call.lent());
                if kept.is_ok() && !call.lent().is_empty() {
                    state.revalidation.renew(&mut me);
                }
                call.reply(kept);
            }
            NamesCall::RevokeName(mut call) => {
                let directory = call.entry().directory;
                state.revoke_name(directory, call.lent());
                call.reply(Ok(()));
            }
            NamesCall::RevokeInode(call) => {
                let RevokeInode { ino } = call.entry();
                state.cache_generation += 1;
                state.inodes.forget(ino);
                call.reply(Ok(()));
            }
            NamesCall::BoardDied(call) => {
                if call.entry().board == disk_board {
                    state.cache_generation += 1;
                    state.names.forget_all();
                    state.inodes.forget_all();
                    // The next one begins when this has been told.
                    state.references.begin(sessions.now(disk_board));
                }
                call.reply(Ok(()));
            }
            other => state.serve_references(&mut me, other, keeps),
        }
    }
}

impl NameCacheState {
    fn serve_references(&mut self, me: &mut Me, call: NamesCall, keeps: bool) {
        match call {
            NamesCall::OpenHere(mut call) => {
                let OpenHere { at, flags } = call.entry();
                let opened = self.revalidation.check(me).and_then(|()| self.open(at, call.lent(), flags));
                call.reply(opened);
            }
            NamesCall::FileHere(mut call) => {
                let FileHere { at, flags } = call.entry();
                let end = self.revalidation.check(me).and_then(|()| self.end(at, call.lent(), flags));
                call.reply(end.and_then(|ino| self.references.file(ino).ok_or(Errno::EAGAIN)));
            }
            NamesCall::StatusOfInode(mut call) => {
                let StatusOfInode { ino, generation } = call.entry();
                let known = self.revalidation.check(me);
                let known = known.and_then(|()| self.status_of(ino, Some(generation), call.lent()));
                call.reply(known);
            }
            NamesCall::NotifyAccess(call) => {
                let NotifyAccess { ino, access_ns } = call.entry();
                self.cache_generation += 1;
                self.inodes.set_access(ino, access_ns);
                call.reply(Ok(()));
            }
            NamesCall::CacheGeneration(call) => call.reply(Ok(self.cache_generation(keeps))),
            NamesCall::CacheReference(call) => {
                let CacheReference { cache_generation, slot, ino, generation } = call.entry();
                let good = keeps && cache_generation == self.cache_generation;
                call.reply(Ok(if good {
                    self.references.keep(ReferenceKey { ino, generation, slot })
                } else {
                    ReferenceCached::NOT
                }));
            }
            NamesCall::AddCachedReference(call) => {
                let AddCachedReference { ino, generation, slot } = call.entry();
                let used = self.references.use_as(ReferenceKey { ino, generation, slot });
                call.reply(used.map(|origin| origin.session).ok_or(Errno::ENOENT));
            }
            NamesCall::ReleaseCachedReference(call) => {
                let ReleaseCachedReference { ino, session } = call.entry();
                call.reply(self.references.release(ino, session));
            }
            NamesCall::RevokeReference(call) => {
                self.cache_generation += 1;
                let given_up = self.references.revoke(call.entry().ino);
                call.reply(Ok(given_up));
            }
            _ => unreachable!("served before"),
        }
    }
}

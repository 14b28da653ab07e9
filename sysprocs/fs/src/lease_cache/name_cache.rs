//! The process that has what a board without the disk holds of names and inodes.
//!
//! Invariants: what is here has been told by a path lookup worker and was not recalled since. Every answer is given at once: it calls
//! nobody, so a recall is held up by nobody. Any recall makes the tickets that are out void.
//! Not here: who may hold what (`inode/name_holders.rs`, `inode/lending`), the disk's board's own knowledge
//! (`inode/inode_directory.rs`).

use crate::lease_cache::cache_state::State;
use crate::lease_cache::cached_inodes::{HeldInode, HeldInodes};
use crate::lease_cache::cached_references::{HeldReference, HeldReferences, Of};
use crate::lease_cache::link_targets::{HeldTarget, Targets};
use crate::lease_cache::revalidation::Doubt;
use crate::lookup::name_cache::{NameCache, NameSlot};
use crate::lookup::pathname::Rest;
use renga_proto::names::{
    EndUse, FileHere, KeepReference, KeepSteps, Kept, MakeBegun, Names, NamesCall, NotifyAccess, OpenHere, RevokeInode,
    StatusHere, StatusOfInode, UseReference,
};
use renga_proto::sessions::Sessions;
use renga_rt::{Errno, Me, Never, Port, Protocol};

/// Serves the names of a board; the inodes are on `disk_board`. `without_leases`: the boards that hold nothing, a bit each.
#[allow(clippy::too_many_arguments, reason = "what a process is given at boot")]
pub async fn name_cache(
    mut me: Me,
    mut port: Port<Names>,
    names: &'static mut [NameSlot],
    inodes: &'static mut [HeldInode],
    targets: &'static mut [HeldTarget],
    references: &'static mut [HeldReference],
    disk_board: u8,
    without_leases: u8,
    sessions: &'static Sessions,
) -> Never {
    let keeps = without_leases >> me.id().board.0 & 1 == 0;
    let (names, inodes, targets) = (NameCache::new(names), HeldInodes::new(inodes), Targets::new(targets));
    let references = HeldReferences::new(references, sessions.now(disk_board));
    let doubt = Doubt::new(sessions, disk_board);
    let (ticket, makes, made_in) = (1, 0, 0);
    let mut state = State { names, inodes, targets, references, doubt, rest: Rest::new(), ticket, makes, made_in };
    loop {
        let Some(call) = port.accept_or_notified(Names::ENTRIES).await else {
            state.doubt.look(&mut me);
            continue;
        };
        match call {
            NamesCall::StatusHere(mut call) => {
                let StatusHere { at, flags } = call.entry();
                let (path, out) = call.lent();
                let known = state.doubt.settle(&mut me).and_then(|()| state.status(at, path, flags, out));
                call.reply(if known == Err(Errno::EAGAIN) { Ok(state.ticket(keeps)) } else { known.map(|()| 0) });
            }
            NamesCall::KeepSteps(mut call) => {
                let KeepSteps { ticket } = call.entry();
                let good = keeps && ticket == state.ticket;
                if good {
                    state.doubt.begin(&mut me);
                    state.keep(call.lent());
                }
                call.reply(if good { Ok(()) } else { Err(Errno::ESTALE) });
            }
            NamesCall::BeginMake(mut call) => {
                let at = call.entry().at;
                let begun = if keeps { state.begin_make(at, call.lent()) } else { Ok(MakeBegun::NONE) };
                let there = begun == Err(Errno::EEXIST);
                let doubted = there && state.doubt.settle(&mut me).is_err();
                call.reply(if doubted { Ok(MakeBegun::NONE) } else { begun });
            }
            NamesCall::EndMake(mut call) => {
                let ticket = call.entry().ticket;
                let kept = state.end_make(ticket, call.lent());
                if kept.is_ok() && !call.lent().is_empty() {
                    state.doubt.begin(&mut me);
                }
                call.reply(kept);
            }
            NamesCall::RevokeName(mut call) => {
                let directory = call.entry().directory;
                state.recall_name(directory, call.lent());
                call.reply(Ok(()));
            }
            NamesCall::RevokeInode(call) => {
                let RevokeInode { ino } = call.entry();
                state.ticket += 1;
                state.inodes.forget(ino);
                call.reply(Ok(()));
            }
            NamesCall::BoardDied(call) => {
                if call.entry().board == disk_board {
                    state.ticket += 1;
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

impl State {
    fn serve_references(&mut self, me: &mut Me, call: NamesCall, keeps: bool) {
        match call {
            NamesCall::OpenHere(mut call) => {
                let OpenHere { at, flags } = call.entry();
                let opened = self.doubt.settle(me).and_then(|()| self.open(at, call.lent(), flags));
                call.reply(opened);
            }
            NamesCall::FileHere(mut call) => {
                let FileHere { at, flags } = call.entry();
                let end = self.doubt.settle(me).and_then(|()| self.end(at, call.lent(), flags));
                call.reply(end.and_then(|ino| self.references.file(ino).ok_or(Errno::EAGAIN)));
            }
            NamesCall::StatusOfInode(mut call) => {
                let StatusOfInode { ino, generation } = call.entry();
                let known = self.doubt.settle(me);
                let known = known.and_then(|()| self.status_of(ino, Some(generation), call.lent()));
                call.reply(known);
            }
            NamesCall::NotifyAccess(call) => {
                let NotifyAccess { ino, access_ns } = call.entry();
                self.ticket += 1;
                self.inodes.set_access(ino, access_ns);
                call.reply(Ok(()));
            }
            NamesCall::TicketHere(call) => call.reply(Ok(self.ticket(keeps))),
            NamesCall::KeepReference(call) => {
                let KeepReference { ticket, slot, ino, generation } = call.entry();
                let good = keeps && ticket == self.ticket;
                call.reply(Ok(if good { self.references.keep(Of { ino, generation, slot }) } else { Kept::NOT }));
            }
            NamesCall::UseReference(call) => {
                let UseReference { ino, generation, slot } = call.entry();
                let used = self.references.use_as(Of { ino, generation, slot });
                call.reply(used.map(|stamp| stamp.session).ok_or(Errno::ENOENT));
            }
            NamesCall::EndUse(call) => {
                let EndUse { ino, session } = call.entry();
                call.reply(self.references.release(ino, session));
            }
            NamesCall::RevokeReference(call) => {
                self.ticket += 1;
                let given_up = self.references.recall(call.entry().ino);
                call.reply(Ok(given_up));
            }
            _ => unreachable!("served before"),
        }
    }
}

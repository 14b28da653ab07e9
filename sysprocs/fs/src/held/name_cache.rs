//! The process that has what a board without the disk holds of names and inodes.
//!
//! Invariants: what is here has been told by a path lookup worker and was not recalled since. Every answer is given at once: it calls
//! nobody, so a recall is held up by nobody. Any recall makes the tickets that are out void.
//! Not here: who may hold what (`inode/name_holders.rs`, `inode/lending`), the disk's board's own knowledge
//! (`inode/inode_directory.rs`).

use crate::format::inode_record::{KIND_SYMBOLIC_LINK, kind_of};
use crate::held::doubt::Doubt;
use crate::held::inodes::{HeldInode, HeldInodes};
use crate::held::references::{HeldReference, HeldReferences, Of};
use crate::held::targets::{HeldTarget, Targets};
use crate::inode::known_path::may_open;
use crate::inode::name_cache::{Known, NameCache, NameSlot};
use crate::names::pathname::Rest;
use renga_proto::inode::{InodeFacts, STAT_BYTES};
use renga_proto::names::{
    ALL_DIRECTORIES, EndUse, FileHere, KeepReference, KeepSteps, Kept, MakeBegun, NO_TICKET, Names, NamesCall,
    NotifyAccess, OTHERS, OpenHere, RevokeInode, StatusHere, StatusOfInode, UseReference,
};
use renga_proto::pages::FileId;
use renga_proto::sessions::Sessions;
use renga_proto::steps::{self, Step};
use renga_rt::{Errno, Me, Never, Port, Protocol};

pub(super) struct State {
    pub(super) names: NameCache,
    pub(super) inodes: HeldInodes,
    pub(super) targets: Targets,
    references: HeldReferences,
    doubt: Doubt,
    /// A path of which a link has been followed.
    pub(super) rest: Rest,
    /// The ticket that is good now; another one after each recall.
    pub(super) ticket: u64,
    /// How much is being made for programs here.
    pub(super) makes: u32,
    /// The directory in which that is, if it is one thing and that is known; or 0.
    pub(super) made_in: u32,
}

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

    fn ticket(&self, keeps: bool) -> u64 {
        if keeps && self.makes == 0 { self.ticket } else { NO_TICKET }
    }

    fn open(&mut self, at: FileId, path: &[u8], flags: u32) -> Result<InodeFacts, Errno> {
        let end = self.end(at, path, flags)?;
        let facts = self.inodes.find(end).ok_or(Errno::EAGAIN)?.facts;
        may_open(kind_of(facts.mode), flags)?;
        let (slot, stamp) = self.references.use_again(end).ok_or(Errno::EAGAIN)?;
        Ok(InodeFacts { slot, stamp, ..facts })
    }

    fn status(&mut self, at: FileId, path: &[u8], flags: u32, out: &mut [u8]) -> Result<(), Errno> {
        let end = self.end(at, path, flags)?;
        self.status_of(end, None, out)
    }

    /// Of any `generation`, if none is said.
    fn status_of(&mut self, ino: u32, generation: Option<u32>, out: &mut [u8]) -> Result<(), Errno> {
        let same = |facts: InodeFacts| generation.is_none_or(|generation| facts.birth.generation == generation);
        let held = self.inodes.find(ino).filter(|held| same(held.facts)).ok_or(Errno::EAGAIN)?;
        out.get_mut(..STAT_BYTES).ok_or(Errno::EINVAL)?.copy_from_slice(&held.status);
        Ok(())
    }

    pub(super) fn keep(&mut self, mut told: &[u8]) {
        // Each turn passes a step.
        while let Some((step, rest)) = steps::first(told) {
            match step {
                Step::Name { directory, name, ino, kind } => {
                    if kind == KIND_SYMBOLIC_LINK {
                        self.targets.forget(ino);
                    }
                    let known = if ino == 0 { Known::Nothing } else { Known::Entry { ino, kind } };
                    let former = self.names.learn(directory, name, known);
                    self.lose_name(former);
                }
                Step::Target { ino, target } => self.targets.put(ino, target),
                Step::Inode { facts, held: true, status } | Step::Folder { facts, status } => {
                    self.inodes.put(facts, status);
                }
                Step::Inode { .. } | Step::Lease { .. } | Step::Refused { .. } => {}
            }
            told = rest;
        }
    }

    fn recall_name(&mut self, directory: u32, name: &[u8]) {
        self.ticket += 1;
        self.lose_name(directory);
        match (directory, name) {
            (ALL_DIRECTORIES, _) => self.names.forget_all(),
            (directory, []) => {
                self.names.forget_directory(directory);
            }
            (directory, name) => self.names.forget(directory, name),
        }
    }

    /// Whether names of `directory` that are not held stand for nothing.
    pub(super) fn holds_all(&mut self, directory: u32) -> bool {
        directory != self.made_in && self.names.find(directory, OTHERS).is_some()
    }

    /// Not all names of `directory` are held any more.
    pub(super) fn lose_name(&mut self, directory: u32) {
        self.names.forget(directory, OTHERS);
    }
}

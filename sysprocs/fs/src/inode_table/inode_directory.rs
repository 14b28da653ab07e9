//! The directory of inodes: which process serves which active inode; the lock of names, and the targets of known
//! names; the queue for a commit.
//!
//! Invariant: it never waits for the medium. It gives long work to two workers, which call for it: the committer, and
//! the inode reclaimer, which evicts inodes. Its own calls to inode processes return at once, but for `Reactivate`,
//! which comes after a reboot of this board. Not here: the state of the inodes (`active_table.rs`), of the lock
//! (`names_lock.rs`), of names (`name_cache.rs`) and the callers (`known_names.rs`), of commits (`commit_queue.rs`).

use crate::commit_due::CommitDue;
use crate::inode_table::active_table::{Activation, ActiveTable};
use crate::inode_table::directory_state::InodeDirectoryState;
use crate::inode_table::inode_slot::InodeSlot;
use crate::leases::referrers::Referrers;
use crate::lookup::name_cache::{NameCache, NameSlot};
use renga_abi::InWords;
use renga_proto::inode::{
    Activate, ActivateDirectory, BoardDied, CachedOf, CommitAll, CommitExtent, Create, CreatedInode, GiveUp, GrantName,
    HandOver, Inode, InodeDirectory, InodeDirectoryCall, InodeFacts, Keep, Load, LockNames, NO_SLOT, NextReclaim,
    Reactivate, Release, ReleaseMany, Retire, TakeHolders, Unlinked,
};
use renga_proto::surplus::{self, SURPLUS_MAX};
use renga_rt::{Call, Entry, Errno, Family, ForwardFamily, Me, Never, Port, Protocol, WatchFilters, reply};

/// The entries that may wait for the inode reclaimer.
const WAITING: u32 = Activate::BIT | ActivateDirectory::BIT | Create::BIT | Reactivate::BIT;

/// Serves as many inode processes, on its own board, as there are `slots`, and keeps as many names as there are in
/// `names`. Whether inodes are being freed `due` is notified.
#[allow(clippy::too_many_arguments, reason = "boot hands each of them out by its type")]
pub async fn inode_directory(
    me: Me,
    mut port: Port<InodeDirectory>,
    inodes: Family<Inode>,
    passed_on: ForwardFamily<Inode>,
    slots: &'static mut [InodeSlot],
    names: &'static mut [NameSlot],
    referrers: &'static Referrers,
    due: &'static CommitDue,
    watched: &'static WatchFilters,
) -> Never {
    let (board, table, names) = (me.id().board.0, ActiveTable::new(slots, referrers), NameCache::new(names));
    let mut state = InodeDirectoryState::new(me, inodes, passed_on, board, table, names, watched);
    loop {
        let mut closed = if state.lock.is_awaited() { LockNames::BIT } else { 0 };
        closed |= if state.commits.is_full() { CommitAll::BIT } else { 0 };
        closed |= if state.waiting.is_full() { WAITING } else { 0 };
        match port.accept_only(InodeDirectory::ENTRIES & !closed).await {
            // The most frequent calls are not moved once more.
            InodeDirectoryCall::KnownStatus(call) => state.known_status(call).await,
            InodeDirectoryCall::KnownOpen(call) => state.known_open(call).await,
            InodeDirectoryCall::CommitAll(call) => state.commit(call),
            InodeDirectoryCall::NextCommit(call) => state.commits.next(call),
            InodeDirectoryCall::Release(call) => {
                reply!(call, state.release(call.entry(), call.board()));
                state.give_work();
            }
            call => {
                if let Some(waiting) = state.serve(call).await {
                    // The port is closed while it is full.
                    let _ = state.waiting.push_back(waiting);
                }
                if core::mem::take(&mut state.reclaimed) {
                    state.retry_waiting().await;
                }
                state.give_work();
            }
        }
        state.commits.begin(state.table.freed);
        due.set_freeing(state.table.freed != state.table.to_free);
    }
}

impl InodeDirectoryState {
    /// Serves a call, or gives it back while it must wait for the inode reclaimer.
    async fn serve(&mut self, call: InodeDirectoryCall) -> Option<InodeDirectoryCall> {
        match call {
            InodeDirectoryCall::KnownStatus(call) => self.known_status(call).await,
            InodeDirectoryCall::KnownOpen(call) => self.known_open(call).await,
            InodeDirectoryCall::Activate(call) => {
                let slot = self.activate(call.entry().ino, call.board()).await;
                return reply_slot(call, slot, InodeDirectoryCall::Activate);
            }
            InodeDirectoryCall::Release(call) => reply!(call, self.release(call.entry(), call.board())),
            InodeDirectoryCall::LockNames(call) => self.lock.lock(call),
            InodeDirectoryCall::UnlockNames(call) => {
                self.lock.unlock(call.board());
                call.reply(Ok(()));
            }
            InodeDirectoryCall::CommitAll(call) => self.commit(call),
            InodeDirectoryCall::NextCommit(call) => self.commits.next(call),
            InodeDirectoryCall::BoardDied(call) => self.drop_board(call),
            InodeDirectoryCall::Create(call) => {
                let created = self.create(call.entry(), call.board()).await;
                return reply_slot(call, created, InodeDirectoryCall::Create);
            }
            InodeDirectoryCall::Reactivate(call) => {
                let (Reactivate { ino, generation }, board) = (call.entry(), call.board());
                let same =
                    |facts: InodeFacts| (facts.birth.generation == generation).then_some(()).ok_or(Errno::ENOENT);
                let slot = self.activate_alive(ino, board, same).await;
                return reply_slot(call, slot, InodeDirectoryCall::Reactivate);
            }
            InodeDirectoryCall::ActivateDirectory(call) => {
                let slot = self.activate_directory(call.entry().directory, call.board()).await;
                return reply_slot(call, slot, InodeDirectoryCall::ActivateDirectory);
            }
            InodeDirectoryCall::Keep(call) => {
                let Keep { slot, ino } = call.entry();
                reply!(call, self.table.keep(slot, ino, call.board()));
            }
            InodeDirectoryCall::Unlinked(call) => reply!(call, self.set_unlinked(call.entry())),
            InodeDirectoryCall::SessionWith(call) => reply!(call, Ok(self.table.session(call.entry().board))),
            InodeDirectoryCall::GiveUp(call) => reply!(call, self.give_up(call.entry())),
            InodeDirectoryCall::NextLeased(call) => reply!(call, self.table.next_leased(call.entry())),
            InodeDirectoryCall::Spare(call) => {
                self.table.spare(call.entry().boards);
                call.reply(Ok(()));
            }
            InodeDirectoryCall::HandOver(call) => {
                let HandOver { slot, board } = call.entry();
                reply!(call, self.table.hand_over(slot, call.board(), board).map(|()| self.table.session(board)));
            }
            InodeDirectoryCall::NextReclaim(call) => self.next_reclaim(call),
            InodeDirectoryCall::ReleaseMany(call) => self.release_many(call),
            InodeDirectoryCall::Retire(call) => self.retire(call),
            InodeDirectoryCall::KnownPath(call) => self.known_path(call).await,
            InodeDirectoryCall::KnownName(call) => self.known_name(call).await,
            InodeDirectoryCall::LearnName(mut call) => {
                self.learn(call.entry(), call.lent());
                call.reply(Ok(()));
            }
            InodeDirectoryCall::GrantName(mut call) => {
                let GrantName { directory, board } = call.entry();
                reply!(call, Ok(self.names.grant(directory, call.lent(), board)));
            }
            InodeDirectoryCall::TakeHolders(mut call) => {
                let TakeHolders { directory, aware } = call.entry();
                reply!(call, Ok(self.names.take_holders(directory, call.lent(), aware)));
            }
        }
        None
    }

    fn release(&mut self, Release { slot, ino }: Release, board: u8) -> Result<(), Errno> {
        self.table.release(slot, ino, board)?;
        self.table.note_account(slot, self.me.account());
        Ok(())
    }

    /// Releases all; reports the first failure.
    fn release_many(&mut self, mut call: Call<ReleaseMany>) {
        let (mut ended, board) = (Ok(()), call.board());
        for (ino, slot) in surplus::references(call.lent()).take(SURPLUS_MAX) {
            ended = ended.and(self.release(Release { slot, ino }, board));
        }
        call.reply(ended);
    }

    fn set_unlinked(&mut self, Unlinked { slot, aware }: Unlinked) -> Result<CachedOf, Errno> {
        let (ino, references, sole) = self.table.set_unlinked(slot, aware)?;
        Ok(CachedOf { names: self.names.forget_directory(ino), references, sole })
    }

    fn give_up(&mut self, GiveUp { slot, ino, board, session }: GiveUp) -> Result<(), Errno> {
        // With a session all its references have ended.
        if self.table.session(board) == session { self.table.release(slot, ino, board) } else { Ok(()) }
    }

    fn next_reclaim(&mut self, call: Call<NextReclaim>) {
        let done = call.entry().done;
        if done != NO_SLOT {
            self.table.reclaimed(done);
        }
        if call.entry().wait {
            self.inode_reclaimer = Some(call);
        } else {
            call.reply(self.table.next_reclaim().ok_or(Errno::ENOENT));
        }
        self.reclaimed = true;
    }

    fn retire(&mut self, call: Call<Retire>) {
        self.table.retire();
        match call.entry().wait {
            true => self.retires = Some(call),
            false => call.reply(Ok(())),
        }
        self.reclaimed = true;
    }

    fn commit(&mut self, call: Call<CommitAll>) {
        // Only this board can be stopped, by its own init.
        if call.entry().extent == CommitExtent::Unmount && call.board() != self.board {
            return call.reply(Err(Errno::EPERM));
        }
        self.commits.ask(call, self.table.to_free, self.me.account());
    }

    fn drop_board(&mut self, call: Call<BoardDied>) {
        let BoardDied { board } = call.entry();
        self.lock.drop_board(board);
        self.table.drop_board(board);
        self.names.drop_holder(board);
        call.reply(Ok(()));
    }

    async fn retry_waiting(&mut self) {
        // A caller that waits does so in the order of asking. Bounded by how many wait.
        for _ in 0..self.waiting.len() {
            let Some(waiting) = self.waiting.pop_front() else { break };
            waiting.take_up(&mut self.me);
            if let Some(waiting) = self.serve(waiting).await {
                // There was room for it.
                let _ = self.waiting.push_front(waiting);
                break;
            }
        }
        if self.table.is_settled()
            && let Some(call) = self.retires.take()
        {
            call.reply(Ok(()));
        }
    }

    async fn create(&mut self, create: Create, board: u8) -> Result<Option<CreatedInode>, Errno> {
        let Create { ino, mode, device, owner, .. } = create;
        match self.table.activate(ino, board)? {
            Activation::Fresh(slot) => {
                // Of a directory that had its number.
                let holders = self.names.forget_directory(ino);
                self.names.spill(holders);
                self.watched.set_parent(slot, 0);
                self.inode(slot)?.call(Load { ino, mode, device, owner }, ()).await?;
                let takes_group = self.table.gives_group(create.parent);
                Ok(Some(CreatedInode { slot, takes_group }))
            }
            Activation::Later => Ok(None),
            // It is given out, so it is not active.
            Activation::Active(_) => Err(Errno::EIO),
        }
    }
}

/// Replies with the slot of an inode, or gives the call back while there is none.
fn reply_slot<T: InWords, E: Entry<Reply = Result<T, Errno>>>(
    call: Call<E>,
    slot: Result<Option<T>, Errno>,
    wait: fn(Call<E>) -> InodeDirectoryCall,
) -> Option<InodeDirectoryCall> {
    match slot {
        Ok(None) => return Some(wait(call)),
        Ok(Some(slot)) => call.reply(Ok(slot)),
        Err(errno) => call.reply(Err(errno)),
    }
    None
}

//! The directory of inodes: which process holds which active inode; the lock of names, and what names are known to stand
//! for; who waits for a commit.
//!
//! Invariant: it never waits for the medium. What takes long it gives to two workers, who call to ask for work: the
//! committer, and the inode reclaimer, which gives inodes up. Of the inode processes it asks only what they answer before they do
//! it, but for `Reactivate`, which comes after a start of this board.
//! Not here: what is known of the inodes (`active_table.rs`), of the lock (`names_lock.rs`), of names (`name_cache.rs`) and
//! who asks for them (`known_names.rs`), of commits (`commit_queue.rs`).

use crate::commit_due::CommitDue;
use crate::inode_table::active_table::{Activation, ActiveTable};
use crate::inode_table::commit_queue::CommitQueue;
use crate::inode_table::directory_state::{InodeDirectoryState, WaitingCall};
use crate::inode_table::inode_slot::InodeSlot;
use crate::inode_table::names_lock::NamesLock;
use crate::leases::referrers::Referrers;
use crate::lookup::name_cache::{NameCache, NameSlot};
use heapless::Deque;
use renga_proto::inode::{
    Activate, ActivateDirectory, CachedOf, CommitAll, CommitExtent, Create, GiveUp, HandOver, Inode, InodeDirectory,
    InodeDirectoryCall, InodeFacts, Keep, Load, LockNames, NO_SLOT, NextLeased, Reactivate, Release,
};
use renga_rt::{Errno, Family, ForwardFamily, Me, Never, Port, Protocol};

/// The entries that may wait for the inode reclaimer.
const WAITING: u32 = Activate::BIT | ActivateDirectory::BIT | Create::BIT | Reactivate::BIT;

/// Serves as many inode processes, on its own board, as there are `slots`, and keeps as many names as there are in
/// `names`. Whether inodes are being freed `due` is told.
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
) -> Never {
    let (board, table, names) = (me.id().board.0, ActiveTable::new(slots, referrers), NameCache::new(names));
    let mut state = InodeDirectoryState {
        me,
        inodes,
        passed_on,
        board,
        table,
        names,
        waiting: Deque::new(),
        inode_reclaimer: None,
        retires: None,
    };
    let mut lock = NamesLock::default();
    let mut commits = CommitQueue::default();
    loop {
        let mut closed = if lock.is_awaited() { LockNames::BIT } else { 0 };
        closed |= if commits.is_full() { CommitAll::BIT } else { 0 };
        closed |= if state.waiting.is_full() { WAITING } else { 0 };
        match port.accept_only(InodeDirectory::ENTRIES & !closed).await {
            InodeDirectoryCall::KnownStatus(call) => state.known_status(call).await,
            InodeDirectoryCall::KnownOpen(call) => state.known_open(call).await,
            InodeDirectoryCall::Activate(call) => state.begin(WaitingCall::Activate(call)).await,
            InodeDirectoryCall::Release(call) => {
                let Release { slot, ino } = call.entry();
                let released = state.table.release(slot, ino, call.board());
                if released.is_ok() {
                    state.table.note_account(slot, state.me.account());
                }
                call.reply(released);
                state.give_work();
            }
            InodeDirectoryCall::LockNames(call) => lock.lock(call),
            InodeDirectoryCall::UnlockNames(call) => {
                lock.unlock(call.board());
                call.reply(Ok(()));
            }
            // Only this board can be stopped, by its own init.
            InodeDirectoryCall::CommitAll(call)
                if call.entry().extent == CommitExtent::Unmount && call.board() != state.board =>
            {
                call.reply(Err(Errno::EPERM));
            }
            InodeDirectoryCall::CommitAll(call) => commits.ask(call, state.table.to_free, state.me.account()),
            InodeDirectoryCall::NextCommit(call) => commits.next(call),
            InodeDirectoryCall::BoardDied(call) => {
                let board = call.entry().board;
                lock.drop_board(board);
                state.table.drop_board(board);
                state.names.drop_holder(board);
                call.reply(Ok(()));
                state.give_work();
            }
            other => state.serve(other).await,
        }
        commits.begin(state.table.freed);
        due.set_freeing(state.table.freed != state.table.to_free);
    }
}

impl InodeDirectoryState {
    async fn serve(&mut self, call: InodeDirectoryCall) {
        match call {
            InodeDirectoryCall::Create(call) => self.begin(WaitingCall::Create(call)).await,
            InodeDirectoryCall::Reactivate(call) => self.begin(WaitingCall::Reactivate(call)).await,
            InodeDirectoryCall::ActivateDirectory(call) => self.begin(WaitingCall::Directory(call)).await,
            InodeDirectoryCall::Keep(call) => {
                let Keep { slot, ino } = call.entry();
                let kept = self.table.keep(slot, ino, call.board());
                call.reply(kept);
            }
            InodeDirectoryCall::Unlinked(call) => {
                let unlinked = self.table.set_unlinked(call.entry().slot);
                call.reply(
                    unlinked.map(|(ino, references)| CachedOf { names: self.names.forget_directory(ino), references }),
                );
            }
            InodeDirectoryCall::SessionWith(call) => {
                let session = self.table.session(call.entry().board);
                call.reply(Ok(session));
            }
            InodeDirectoryCall::GiveUp(call) => {
                let GiveUp { slot, ino, board, session } = call.entry();
                // With a session all its references have ended.
                let still = self.table.session(board) == session;
                call.reply(if still { self.table.release(slot, ino, board) } else { Ok(()) });
            }
            InodeDirectoryCall::NextLeased(call) => {
                let NextLeased { from, spares } = call.entry();
                call.reply(self.table.next_leased(from, spares).ok_or(Errno::ENOENT));
            }
            InodeDirectoryCall::Spare(call) => {
                self.table.spare(call.entry().boards);
                call.reply(Ok(()));
            }
            InodeDirectoryCall::HandOver(call) => {
                let HandOver { slot, board } = call.entry();
                let handed = self.table.hand_over(slot, call.board(), board);
                call.reply(handed);
            }
            InodeDirectoryCall::NextReclaim(call) => {
                let done = call.entry().done;
                if done != NO_SLOT {
                    self.table.reclaimed(done);
                }
                self.inode_reclaimer = Some(call);
                self.retry_waiting().await;
            }
            InodeDirectoryCall::Retire(call) => {
                self.table.retire();
                match call.entry().wait {
                    true => self.retires = Some(call),
                    false => call.reply(Ok(())),
                }
                self.retry_waiting().await;
            }
            other => self.serve_names(other).await,
        }
    }

    /// After the inode reclaimer has done something.
    async fn retry_waiting(&mut self) {
        // Whoever waits does so in the order of asking. Bounded by how many wait.
        for _ in 0..self.waiting.len() {
            let Some(waiting) = self.waiting.pop_front() else { break };
            match &waiting {
                WaitingCall::Activate(call) => self.me.take_up(call),
                WaitingCall::Create(call) => self.me.take_up(call),
                WaitingCall::Reactivate(call) => self.me.take_up(call),
                WaitingCall::Directory(call) => self.me.take_up(call),
            }
            if let Some(waiting) = self.try_begin(waiting).await {
                // There was room for it.
                let _ = self.waiting.push_front(waiting);
                break;
            }
        }
        self.give_work();
        if self.table.is_settled()
            && let Some(call) = self.retires.take()
        {
            call.reply(Ok(()));
        }
    }

    async fn begin(&mut self, call: WaitingCall) {
        if let Some(waiting) = self.try_begin(call).await {
            // The port is closed while it is full.
            let _ = self.waiting.push_back(waiting);
        }
        self.give_work();
    }

    /// Answers, or gives the call back while it must wait.
    async fn try_begin(&mut self, call: WaitingCall) -> Option<WaitingCall> {
        match call {
            WaitingCall::Activate(call) => match self.activate(call.entry().ino, call.board()).await {
                Ok(Some(slot)) => call.reply(Ok(slot)),
                Ok(None) => return Some(WaitingCall::Activate(call)),
                Err(errno) => call.reply(Err(errno)),
            },
            WaitingCall::Create(call) => {
                let Create { ino, mode, device } = call.entry();
                match self.table.activate(ino, call.board()) {
                    Ok(Activation::Fresh(slot)) => {
                        // Of a directory that had its number.
                        let holders = self.names.forget_directory(ino);
                        self.names.spill(holders);
                        let begun = match self.inode(slot) {
                            Ok(mut inode) => inode.call(Load { ino, mode, device }, ()).await,
                            Err(errno) => Err(errno),
                        };
                        call.reply(begun.map(|()| slot));
                    }
                    Ok(Activation::Later) => return Some(WaitingCall::Create(call)),
                    // It is given out, so nobody has it.
                    Ok(Activation::Active(_)) => call.reply(Err(Errno::EIO)),
                    Err(errno) => call.reply(Err(errno)),
                }
            }
            WaitingCall::Reactivate(call) => {
                let Reactivate { ino, generation } = call.entry();
                let same = |facts: InodeFacts| match facts.birth.generation == generation {
                    true => Ok(()),
                    false => Err(Errno::ENOENT),
                };
                match self.activate_alive(ino, call.board(), same).await {
                    Ok(Some(slot)) => call.reply(Ok(slot)),
                    Ok(None) => return Some(WaitingCall::Reactivate(call)),
                    Err(errno) => call.reply(Err(errno)),
                }
            }
            WaitingCall::Directory(call) => {
                let (directory, board) = (call.entry().directory, call.board());
                match self.activate_directory(directory, board).await {
                    Ok(Some(slot)) => call.reply(Ok(slot)),
                    Ok(None) => return Some(WaitingCall::Directory(call)),
                    Err(errno) => call.reply(Err(errno)),
                }
            }
        }
        None
    }
}

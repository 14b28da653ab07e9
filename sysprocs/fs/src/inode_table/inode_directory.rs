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
    Activate, ActivateDirectory, CachedOf, CommitAll, CommitExtent, Create, GiveUp, GrantName, HandOver, Inode,
    InodeDirectory, InodeDirectoryCall, InodeFacts, Keep, Load, LockNames, NO_SLOT, NextLeased, NextReclaim,
    Reactivate, Release, Retire, TakeHolders,
};
use renga_rt::{Call, Errno, Family, ForwardFamily, Me, Never, Port, Protocol, reply};

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
        lock: NamesLock::default(),
        commits: CommitQueue::default(),
    };
    loop {
        let mut closed = if state.lock.is_awaited() { LockNames::BIT } else { 0 };
        closed |= if state.commits.is_full() { CommitAll::BIT } else { 0 };
        closed |= if state.waiting.is_full() { WAITING } else { 0 };
        match port.accept_only(InodeDirectory::ENTRIES & !closed).await {
            // The most frequent calls are not moved once more.
            InodeDirectoryCall::KnownStatus(call) => state.known_status(call).await,
            InodeDirectoryCall::KnownOpen(call) => state.known_open(call).await,
            call => state.serve(call).await,
        }
        state.commits.begin(state.table.freed);
        due.set_freeing(state.table.freed != state.table.to_free);
    }
}

impl InodeDirectoryState {
    async fn serve(&mut self, call: InodeDirectoryCall) {
        match call {
            InodeDirectoryCall::KnownStatus(call) => self.known_status(call).await,
            InodeDirectoryCall::KnownOpen(call) => self.known_open(call).await,
            InodeDirectoryCall::Activate(call) => self.begin(WaitingCall::Activate(call)).await,
            InodeDirectoryCall::Release(call) => self.release(call),
            InodeDirectoryCall::LockNames(call) => self.lock.lock(call),
            InodeDirectoryCall::UnlockNames(call) => {
                self.lock.unlock(call.board());
                call.reply(Ok(()));
            }
            InodeDirectoryCall::CommitAll(call) => self.commit(call),
            InodeDirectoryCall::NextCommit(call) => self.commits.next(call),
            InodeDirectoryCall::BoardDied(call) => {
                self.drop_board(call.entry().board);
                call.reply(Ok(()));
                self.give_work();
            }
            InodeDirectoryCall::Create(call) => self.begin(WaitingCall::Create(call)).await,
            InodeDirectoryCall::Reactivate(call) => self.begin(WaitingCall::Reactivate(call)).await,
            InodeDirectoryCall::ActivateDirectory(call) => self.begin(WaitingCall::Directory(call)).await,
            InodeDirectoryCall::Keep(call) => {
                let Keep { slot, ino } = call.entry();
                reply!(call, self.table.keep(slot, ino, call.board()));
            }
            InodeDirectoryCall::Unlinked(call) => reply!(call, self.set_unlinked(call.entry().slot)),
            InodeDirectoryCall::SessionWith(call) => reply!(call, Ok(self.table.session(call.entry().board))),
            InodeDirectoryCall::GiveUp(call) => reply!(call, self.give_up(call.entry())),
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
                reply!(call, self.table.hand_over(slot, call.board(), board));
            }
            InodeDirectoryCall::NextReclaim(call) => self.next_reclaim(call).await,
            InodeDirectoryCall::Retire(call) => self.retire(call).await,
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
    }

    fn release(&mut self, call: Call<Release>) {
        let Release { slot, ino } = call.entry();
        let released = self.table.release(slot, ino, call.board());
        if released.is_ok() {
            self.table.note_account(slot, self.me.account());
        }
        call.reply(released);
        self.give_work();
    }

    fn set_unlinked(&mut self, slot: u16) -> Result<CachedOf, Errno> {
        let (ino, references) = self.table.set_unlinked(slot)?;
        Ok(CachedOf { names: self.names.forget_directory(ino), references })
    }

    fn give_up(&mut self, GiveUp { slot, ino, board, session }: GiveUp) -> Result<(), Errno> {
        // With a session all its references have ended.
        if self.table.session(board) == session { self.table.release(slot, ino, board) } else { Ok(()) }
    }

    async fn next_reclaim(&mut self, call: Call<NextReclaim>) {
        let done = call.entry().done;
        if done != NO_SLOT {
            self.table.reclaimed(done);
        }
        self.inode_reclaimer = Some(call);
        self.retry_waiting().await;
    }

    async fn retire(&mut self, call: Call<Retire>) {
        self.table.retire();
        match call.entry().wait {
            true => self.retires = Some(call),
            false => call.reply(Ok(())),
        }
        self.retry_waiting().await;
    }

    fn commit(&mut self, call: Call<CommitAll>) {
        // Only this board can be stopped, by its own init.
        if call.entry().extent == CommitExtent::Unmount && call.board() != self.board {
            return call.reply(Err(Errno::EPERM));
        }
        self.commits.ask(call, self.table.to_free, self.me.account());
    }

    fn drop_board(&mut self, board: u8) {
        self.lock.drop_board(board);
        self.table.drop_board(board);
        self.names.drop_holder(board);
    }

    /// After the inode reclaimer has done something.
    async fn retry_waiting(&mut self) {
        // A caller that waits does so in the order of asking. Bounded by how many wait.
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

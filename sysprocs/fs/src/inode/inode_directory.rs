//! The directory of inodes: which process holds which active inode, and how many refer to it.
//!
//! Invariants: an inode is active in at most one process. One without references stays active until
//! its process is needed for another (least recently used first), unless it has no links: then it is
//! given up, and freed, at once. It also keeps the lock of names (`InodeDirectory::LockNames`), as
//! it must not activate an inode that is being freed.
//!
//! References are counted by the board that holds them. When a board dies its references are dropped,
//! and what it had locked is given back.
//!
//! It decides what a commit holds: when nobody is changing names, and every inode stands still, the
//! buffers hold whole changes only.

use crate::format::inode_record::{DIRECTORY, TYPE_MASK};
use renga_proto::allocator::{Allocator, Commit, FreeInode, NextOrphan, TakeInode};
use renga_proto::inode::{
    CommitAll, Create, Facts, Freeze, Initialise, Inode, InodeDirectory, InodeDirectoryCall, Keep, Links, Load,
    LockNames, Release, Thaw, Unload,
};
use renga_rt::{Call, Client, Errno, Family, Held, Never, Port, Protocol};

/// No inode.
const NO_INODE: u32 = 0;

/// What the directory knows of one inode process. Boot provides one per process.
#[derive(Clone, Copy)]
pub struct InodeSlot {
    ino: u32,
    references: Held,
    last_use: u64,
    /// It has no links: it is to be freed when nobody refers to it.
    unlinked: bool,
}
impl InodeSlot {
    /// A process without an inode.
    pub const EMPTY: InodeSlot = InodeSlot { ino: NO_INODE, references: Held::NONE, last_use: 0, unlinked: false };
}

/// The lock of names.
#[derive(Default)]
struct NamesLock {
    /// The boards of those who look up, and of who changes.
    shared: Held,
    exclusive: Option<u8>,
    /// Who is to have it next; until then nobody else asks.
    waiting: Option<Call<LockNames>>,
}

struct State {
    inodes: Family<Inode>,
    allocator: Client<Allocator>,
    board: u8,
    slots: &'static mut [InodeSlot],
    uses: u64,
    retired: bool,
}

/// Serves as many inode processes, on the board of the allocator, as there are `slots`.
pub async fn inode_directory(
    mut port: Port<InodeDirectory>,
    inodes: Family<Inode>,
    allocator: Client<Allocator>,
    slots: &'static mut [InodeSlot],
) -> Never {
    let board = allocator.server().board.0;
    let mut state = State { inodes, allocator, board, slots, uses: 0, retired: false };
    let mut lock = NamesLock::default();
    let mut commit: Option<Call<CommitAll>> = None;
    state.free_orphans().await;
    loop {
        if lock.exclusive.is_none()
            && let Some(call) = commit.take()
        {
            let done = state.commit(call.entry().whole).await;
            call.reply(done);
        }
        let closed = if lock.waiting.is_some() { LockNames::BIT } else { 0 };
        let closed = closed | if commit.is_some() { CommitAll::BIT } else { 0 };
        match port.accept_only(InodeDirectory::ENTRIES & !closed).await {
            InodeDirectoryCall::Activate(call) => {
                let slot = state.activate(call.entry().ino, call.board()).await;
                call.reply(slot);
            }
            InodeDirectoryCall::Release(call) => {
                let Release { slot, ino } = call.entry();
                let slot = usize::from(slot);
                let held = state.check(slot, ino).and_then(|()| state.release(slot, call.board()));
                // The caller need not wait until blocks are free.
                call.reply(held);
                if held.is_ok() {
                    state.free_if_unlinked(slot).await;
                }
            }
            InodeDirectoryCall::Create(call) => {
                let slot = state.create(call.entry(), call.board()).await;
                call.reply(slot);
            }
            InodeDirectoryCall::Keep(call) => {
                let Keep { slot, ino } = call.entry();
                let slot = usize::from(slot);
                let kept = state.check(slot, ino).and_then(|()| state.keep(slot, call.board()));
                call.reply(kept);
            }
            InodeDirectoryCall::CommitAll(call) => commit = Some(call),
            InodeDirectoryCall::LockNames(call) => lock.lock(call),
            InodeDirectoryCall::UnlockNames(call) => {
                lock.unlock(call.board());
                call.reply(Ok(()));
            }
            InodeDirectoryCall::BoardDied(call) => {
                let board = call.entry().board;
                lock.drop_board(board);
                state.drop_board(board).await;
                call.reply(Ok(()));
            }
            other => state.serve(other).await,
        }
    }
}

impl NamesLock {
    fn lock(&mut self, call: Call<LockNames>) {
        let exclusive = call.entry().exclusive;
        if self.exclusive.is_some() || (exclusive && !self.shared.is_empty()) {
            self.waiting = Some(call);
            return;
        }
        let board = call.board();
        if exclusive {
            self.exclusive = Some(board);
            call.reply(Ok(()));
        } else {
            let counted = self.shared.add(board);
            call.reply(if counted { Ok(()) } else { Err(Errno::EAGAIN) });
        }
    }

    fn unlock(&mut self, board: u8) {
        if self.exclusive.take().is_none() {
            self.shared.remove(board);
        }
        self.let_next_in();
    }

    /// Nobody of a dead board gives anything back.
    fn drop_board(&mut self, board: u8) {
        self.exclusive = self.exclusive.filter(|holder| *holder != board);
        self.shared.drop_board(board);
        self.let_next_in();
    }

    fn let_next_in(&mut self) {
        if let Some(call) = self.waiting.take() {
            self.lock(call);
        }
    }
}

impl State {
    async fn serve(&mut self, call: InodeDirectoryCall) {
        match call {
            InodeDirectoryCall::Retire(call) => {
                let retired = self.retire().await;
                call.reply(retired);
            }
            InodeDirectoryCall::Unlinked(call) => {
                let (slot, board) = (usize::from(call.entry().slot), call.board());
                let kept = self.keep(slot, board);
                call.reply(kept.and_then(|()| {
                    self.slots[slot].unlinked = true;
                    self.release(slot, board)
                }));
            }
            InodeDirectoryCall::HandOver(call) => {
                let (slot, board) = (usize::from(call.entry().slot), call.entry().board);
                let released = self.release(slot, call.board());
                call.reply(released.and_then(|()| self.refer(slot, board).map(|_| ())));
            }
            InodeDirectoryCall::Reactivate(call) => {
                let entry = call.entry();
                let slot = self.reactivate(entry.ino, entry.generation, call.board()).await;
                call.reply(slot);
            }
            _ => unreachable!("served before"),
        }
    }

    fn inode(&mut self, slot: usize) -> Result<Client<Inode>, Errno> {
        self.inodes.at(self.board, slot).ok_or(Errno::EIO)
    }

    fn refer(&mut self, slot: usize, board: u8) -> Result<u16, Errno> {
        self.uses += 1;
        let entry = &mut self.slots[slot];
        entry.last_use = self.uses;
        if entry.references.add(board) { Ok(slot as u16) } else { Err(Errno::ENFILE) }
    }

    async fn activate(&mut self, ino: u32, board: u8) -> Result<u16, Errno> {
        if self.retired {
            return Err(Errno::EROFS);
        }
        if ino == NO_INODE {
            return Err(Errno::EIO);
        }
        if let Some(slot) = self.slots.iter().position(|slot| slot.ino == ino) {
            return self.refer(slot, board);
        }
        let slot = self.vacate().await?;
        self.inode(slot)?.call(Load { ino }, ()).await?;
        self.slots[slot].ino = ino;
        self.refer(slot, board)
    }

    /// The inode if it is still the one with that generation, and has a name or is open.
    async fn reactivate(&mut self, ino: u32, generation: u32, board: u8) -> Result<u16, Errno> {
        let slot = self.activate(ino, board).await?;
        let facts = self.inode(slot.into())?.call(Facts {}, ()).await;
        let links = self.inode(slot.into())?.call(Links {}, ()).await;
        let named = links.is_ok_and(|links| links > 0) || self.slots[usize::from(slot)].unlinked;
        let alive = named && facts.is_ok_and(|facts| facts.mode != 0);
        if alive && facts.is_ok_and(|facts| facts.birth.generation == generation) {
            return Ok(slot);
        }
        self.release(slot.into(), board)?;
        // Another inode of that number may be changed, and not written yet.
        if !alive {
            self.forget(slot.into()).await?;
        }
        Err(Errno::ENOENT)
    }

    /// Gives up what is no inode: that it has no links must not free it.
    async fn forget(&mut self, slot: usize) -> Result<(), Errno> {
        if self.slots[slot].references.is_empty() && !self.slots[slot].unlinked {
            self.slots[slot].ino = NO_INODE;
            self.inode(slot)?.call(Load { ino: NO_INODE }, ()).await?;
        }
        Ok(())
    }

    /// A process without an inode: that of the least recently used one without references, which is
    /// written back.
    async fn vacate(&mut self) -> Result<usize, Errno> {
        let free = self.slots.iter().enumerate().filter(|(_, slot)| slot.references.is_empty());
        let (slot, entry) = free.min_by_key(|(_, slot)| (slot.ino != NO_INODE, slot.last_use)).ok_or(Errno::ENFILE)?;
        if entry.ino != NO_INODE {
            self.unload(slot).await?;
        }
        Ok(slot)
    }

    /// Writes the inode back; frees it if it has no links.
    async fn unload(&mut self, slot: usize) -> Result<(), Errno> {
        let ino = core::mem::replace(&mut self.slots[slot].ino, NO_INODE);
        self.slots[slot].unlinked = false;
        let unloaded = self.inode(slot)?.call(Unload {}, ()).await?;
        if unloaded.free {
            self.allocator.call(FreeInode { ino, directory: unloaded.directory }, ()).await?;
        }
        Ok(())
    }

    /// Who comes with a number of an earlier life of this board does no harm to the inode that has it now.
    fn check(&self, slot: usize, ino: u32) -> Result<(), Errno> {
        self.slots.get(slot).filter(|entry| entry.ino == ino).map(|_| ()).ok_or(Errno::EINVAL)
    }

    fn release(&mut self, slot: usize, board: u8) -> Result<(), Errno> {
        let references = &mut self.slots.get_mut(slot).ok_or(Errno::EINVAL)?.references;
        if references.remove(board) { Ok(()) } else { Err(Errno::EINVAL) }
    }

    fn keep(&mut self, slot: usize, board: u8) -> Result<(), Errno> {
        self.slots.get(slot).filter(|slot| !slot.references.is_empty()).ok_or(Errno::EINVAL)?;
        self.refer(slot, board).map(|_| ())
    }

    /// Drops all that a dead board refers to; inodes that nobody else needs are freed.
    async fn drop_board(&mut self, board: u8) {
        for slot in 0..self.slots.len() {
            if self.slots[slot].references.drop_board(board) > 0 {
                self.free_if_unlinked(slot).await;
            }
        }
    }

    /// After a release. A failure leaves the inode allocated, for e2fsck to find.
    async fn free_if_unlinked(&mut self, slot: usize) {
        let entry = self.slots[slot];
        if entry.references.is_empty() && entry.unlinked && entry.ino != NO_INODE {
            let _ = self.unload(slot).await;
        }
    }

    async fn create(&mut self, entry: Create, board: u8) -> Result<u16, Errno> {
        if self.retired {
            return Err(Errno::EROFS);
        }
        let Create { mode, device, parent } = entry;
        let directory = mode & TYPE_MASK == DIRECTORY;
        let slot = self.vacate().await?;
        let ino = self.allocator.call(TakeInode { parent, directory }, ()).await?;
        if let Err(errno) = self.inode(slot)?.call(Initialise { ino, mode, device }, ()).await {
            self.allocator.call(FreeInode { ino, directory }, ()).await?;
            return Err(errno);
        }
        self.slots[slot].ino = ino;
        self.refer(slot, board)
    }

    /// Makes all changes permanent. An inode that cannot be written to its buffer is left out.
    async fn commit(&mut self, whole: bool) -> Result<(), Errno> {
        let (mut told, mut broken) = (Ok(()), false);
        for slot in 0..self.slots.len() {
            if self.slots[slot].ino != NO_INODE {
                match self.inode(slot)?.call(Freeze {}, ()).await {
                    Ok(frozen) => broken |= frozen.broken,
                    Err(errno) => (told, broken) = (Err(errno), true),
                }
            }
        }
        let done = self.allocator.call(Commit { whole, broken }, ()).await;
        for slot in 0..self.slots.len() {
            if self.slots[slot].ino != NO_INODE {
                self.inode(slot)?.call(Thaw {}, ()).await?;
            }
        }
        done.and(told)
    }

    /// Frees the inodes that had lost their last name when a cut came.
    async fn free_orphans(&mut self) {
        let mut from = 0;
        while let Ok(ino) = self.allocator.call(NextOrphan { from }, ()).await {
            if let Ok(slot) = self.activate(ino, self.board).await {
                let slot = usize::from(slot);
                self.slots[slot].unlinked = true;
                let _ = self.release(slot, self.board);
                self.free_if_unlinked(slot).await;
            }
            from = ino + 1;
        }
    }

    async fn retire(&mut self) -> Result<(), Errno> {
        self.retired = true;
        let mut told = Ok(());
        for slot in 0..self.slots.len() {
            if self.slots[slot].ino != NO_INODE {
                told = told.and(self.unload(slot).await);
            }
        }
        told
    }
}

//! The directory of inodes: which process holds which active inode, and how many refer to it.
//!
//! Invariants: an inode is active in at most one process. One without references stays active until
//! its process is needed for another (least recently used first), unless it has no links: then it is
//! given up, and freed, at once. It also keeps the lock of names (`InodeDirectory::LockNames`), as
//! it must not activate an inode that is being freed.
//!
//! It decides what a commit holds: when nobody is changing names, and every inode stands still, the
//! buffers hold whole changes only.

use crate::inode_record::{DIRECTORY, TYPE_MASK};
use renga_proto::allocator::{Allocator, Commit, FreeInode, NextOrphan, TakeInode};
use renga_proto::inode::{
    CommitAll, Create, Freeze, Initialise, Inode, InodeDirectory, InodeDirectoryCall, Load, LockNames, Thaw, Unload,
};
use renga_rt::{Call, Client, Errno, Family, Never, Port, Protocol};

/// No inode.
const NO_INODE: u32 = 0;

/// What the directory knows of one inode process. Boot provides one per process.
#[derive(Clone, Copy)]
pub struct InodeSlot {
    ino: u32,
    references: u32,
    last_use: u64,
    /// It has no links: it is to be freed when nobody refers to it.
    unlinked: bool,
}
impl InodeSlot {
    /// A process without an inode.
    pub const EMPTY: InodeSlot = InodeSlot { ino: NO_INODE, references: 0, last_use: 0, unlinked: false };
}

/// The lock of names.
#[derive(Default)]
struct NamesLock {
    shared: u32,
    exclusive: bool,
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
        if !lock.exclusive
            && let Some(call) = commit.take()
        {
            let done = state.commit(call.entry().whole).await;
            call.reply(done);
        }
        let closed = if lock.waiting.is_some() { LockNames::BIT } else { 0 };
        let closed = closed | if commit.is_some() { CommitAll::BIT } else { 0 };
        match port.accept_only(InodeDirectory::ENTRIES & !closed).await {
            InodeDirectoryCall::Activate(call) => {
                let slot = state.activate(call.entry().ino).await;
                call.reply(slot);
            }
            InodeDirectoryCall::Release(call) => {
                let slot = usize::from(call.entry().slot);
                let held = state.release(slot);
                // The caller need not wait until blocks are free.
                call.reply(held);
                if held.is_ok() {
                    state.free_if_unlinked(slot).await;
                }
            }
            InodeDirectoryCall::Create(call) => {
                let slot = state.create(call.entry()).await;
                call.reply(slot);
            }
            InodeDirectoryCall::Keep(call) => {
                let reply = state.keep(usize::from(call.entry().slot));
                call.reply(reply);
            }
            InodeDirectoryCall::CommitAll(call) => commit = Some(call),
            InodeDirectoryCall::Retire(call) => {
                let retired = state.retire().await;
                call.reply(retired);
            }
            InodeDirectoryCall::Unlinked(call) => {
                let slot = usize::from(call.entry().slot);
                let kept = state.keep(slot);
                call.reply(kept.and_then(|()| {
                    state.slots[slot].unlinked = true;
                    state.release(slot)
                }));
            }
            InodeDirectoryCall::BoardDied(call) => call.reply(Ok(())),
            InodeDirectoryCall::LockNames(call) => lock.lock(call),
            InodeDirectoryCall::UnlockNames(call) => {
                lock.unlock();
                call.reply(Ok(()));
            }
        }
    }
}

impl NamesLock {
    fn lock(&mut self, call: Call<LockNames>) {
        let exclusive = call.entry().exclusive;
        if self.exclusive || (exclusive && self.shared > 0) {
            self.waiting = Some(call);
            return;
        }
        self.exclusive = exclusive;
        self.shared += u32::from(!exclusive);
        call.reply(Ok(()));
    }

    fn unlock(&mut self) {
        if self.exclusive {
            self.exclusive = false;
        } else {
            self.shared = self.shared.saturating_sub(1);
        }
        if let Some(call) = self.waiting.take() {
            self.lock(call);
        }
    }
}

impl State {
    fn inode(&mut self, slot: usize) -> Result<Client<Inode>, Errno> {
        self.inodes.at(self.board, slot).ok_or(Errno::EIO)
    }

    fn refer(&mut self, slot: usize) -> u16 {
        self.uses += 1;
        let entry = &mut self.slots[slot];
        entry.references += 1;
        entry.last_use = self.uses;
        slot as u16
    }

    async fn activate(&mut self, ino: u32) -> Result<u16, Errno> {
        if self.retired {
            return Err(Errno::EROFS);
        }
        if ino == NO_INODE {
            return Err(Errno::EIO);
        }
        if let Some(slot) = self.slots.iter().position(|slot| slot.ino == ino) {
            return Ok(self.refer(slot));
        }
        let slot = self.vacate().await?;
        self.inode(slot)?.call(Load { ino }, ()).await?;
        self.slots[slot].ino = ino;
        Ok(self.refer(slot))
    }

    /// A process without an inode: that of the least recently used one without references, which is
    /// written back.
    async fn vacate(&mut self) -> Result<usize, Errno> {
        let free = self.slots.iter().enumerate().filter(|(_, slot)| slot.references == 0);
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

    fn release(&mut self, slot: usize) -> Result<(), Errno> {
        let entry = self.slots.get_mut(slot).filter(|slot| slot.references > 0).ok_or(Errno::EINVAL)?;
        entry.references -= 1;
        Ok(())
    }

    fn keep(&mut self, slot: usize) -> Result<(), Errno> {
        self.slots.get(slot).filter(|slot| slot.references > 0).ok_or(Errno::EINVAL)?;
        self.refer(slot);
        Ok(())
    }

    /// After a release. A failure leaves the inode allocated, for e2fsck to find.
    async fn free_if_unlinked(&mut self, slot: usize) {
        let entry = self.slots[slot];
        if entry.references == 0 && entry.unlinked && entry.ino != NO_INODE {
            let _ = self.unload(slot).await;
        }
    }

    async fn create(&mut self, entry: Create) -> Result<u16, Errno> {
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
        Ok(self.refer(slot))
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
            if let Ok(slot) = self.activate(ino).await {
                let slot = usize::from(slot);
                self.slots[slot].unlinked = true;
                let _ = self.release(slot);
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

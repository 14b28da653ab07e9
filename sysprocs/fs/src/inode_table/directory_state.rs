//! The state of the directory of inodes, and activating an inode.
//!
//! Owns: the table of active inodes, the known names, the calls that wait for a vacant process.
//! Invariant: a caller waits here, never the directory: the inode reclaimer vacates processes. Not here: entries
//! (`inode_directory.rs`).

use crate::format::inode_record::{DIRECTORY, TYPE_MASK};
use crate::inode_table::active_table::{Activation, ActiveTable};
use crate::inode_table::commit_queue::CommitQueue;
use crate::inode_table::names_lock::NamesLock;
use crate::lookup::name_cache::NameCache;
use core::cell::Cell;
use heapless::Deque;
use renga_proto::inode::{Facts, Inode, InodeDirectoryCall, InodeFacts, InodeOwner, Links, Load, NextReclaim, Retire};
use renga_proto::pages::FileId;
use renga_rt::{Call, Client, Errno, Family, ForwardFamily, Me, WatchFilters};

/// Calls that wait for the inode reclaimer; further ones wait at the port.
const WAITING_MAX: usize = 16;

renga_rt::with_defaults! {
    pub(super) struct InodeDirectoryState {
        pub(super) me: Me = me,
        pub(super) inodes: Family<Inode> = inodes,
        /// The same, for calls that are passed on.
        pub(super) passed_on: ForwardFamily<Inode> = passed_on,
        pub(super) board: u8 = board,
        pub(super) table: ActiveTable = table,
        pub(super) names: NameCache = names,
        /// Calls that wait for the inode reclaimer.
        pub(super) waiting: Deque<InodeDirectoryCall, WAITING_MAX> = Deque::new(),
        pub(super) inode_reclaimer: Option<Call<NextReclaim>> = None,
        /// The inode reclaimer has done something, so that a waiting call may go on.
        pub(super) reclaimed: bool = false,
        pub(super) retires: Option<Call<Retire>> = None,
        pub(super) lock: NamesLock = NamesLock::default(),
        pub(super) commits: CommitQueue = CommitQueue::default(),
        /// Where inodes were found.
        pub(super) watched: &'static WatchFilters = watched,
    }
    pub(super) fn new(
        me: Me,
        inodes: Family<Inode>,
        passed_on: ForwardFamily<Inode>,
        board: u8,
        table: ActiveTable,
        names: NameCache,
        watched: &'static WatchFilters,
    );
}

impl InodeDirectoryState {
    pub(super) fn give_work(&mut self) {
        if self.inode_reclaimer.is_some()
            && self.table.may_reclaim()
            && let Some(inode) = self.table.next_reclaim()
            && let Some(inode_reclaimer) = self.inode_reclaimer.take()
        {
            inode_reclaimer.reply(Ok(inode));
        }
    }

    pub(super) fn inode(&mut self, slot: u16) -> Result<Client<Inode>, Errno> {
        self.inodes.at(self.board, slot.into()).ok_or(Errno::EIO)
    }

    /// The inode's process, referred to; `None`: later.
    pub(super) async fn activate(&mut self, ino: u32, board: u8) -> Result<Option<u16>, Errno> {
        match self.table.activate(ino, board)? {
            Activation::Active(slot) => Ok(Some(slot)),
            Activation::Fresh(slot) => {
                self.watched.set_parent(slot, 0);
                self.inode(slot)?.call(Load { ino, mode: 0, device: 0, owner: InodeOwner::default() }, ()).await?;
                Ok(Some(slot))
            }
            Activation::Later => Ok(None),
        }
    }

    pub(super) async fn activate_directory(&mut self, directory: FileId, board: u8) -> Result<Option<u16>, Errno> {
        if self.table.is_directory(directory) {
            return self.activate(directory.ino, board).await;
        }
        let generation = Cell::new(0);
        let walkable = |facts: InodeFacts| {
            generation.set(facts.birth.generation);
            match facts.mode & TYPE_MASK {
                _ if !directory.is_of(generation.get()) => Err(Errno::ENOENT),
                DIRECTORY => Ok(()),
                _ => Err(Errno::ENOTDIR),
            }
        };
        let slot = self.activate_alive(directory.ino, board, walkable).await?;
        if let Some(slot) = slot {
            self.table.set_directory(slot, generation.get());
        }
        Ok(slot)
    }

    /// As `activate`, of any number: only if it is an inode that is `wanted`, and has a name or is open. Until that is
    /// known the reference is this board's: what refers to an inode may change it.
    pub(super) async fn activate_alive(
        &mut self,
        ino: u32,
        board: u8,
        wanted: impl Fn(InodeFacts) -> Result<(), Errno>,
    ) -> Result<Option<u16>, Errno> {
        let own = self.board;
        let Some(slot) = self.activate(ino, own).await? else { return Ok(None) };
        let facts = self.inode(slot)?.call(Facts {}, ()).await;
        let links = self.inode(slot)?.call(Links {}, ()).await;
        let named = links.is_ok_and(|links| links > 0) || self.table.is_unlinked(slot);
        let alive = named && facts.is_ok_and(|facts| facts.mode != 0);
        let answer = if alive { facts.and_then(wanted) } else { Err(Errno::ENOENT) };
        if answer.is_ok() {
            return self.table.hand_over(slot, own, board).map(|()| Some(slot));
        }
        self.table.release(slot, ino, own)?;
        // Another inode of that number may be changed, and not written yet; what is no inode must not be freed
        // because it has no links.
        if !alive && self.table.forget(slot) {
            self.inode(slot)?.call(Load { ino: 0, mode: 0, device: 0, owner: InodeOwner::default() }, ()).await?;
        }
        answer.map(|()| None)
    }
}

//! The state of a lookup worker, and what every path operation needs of the directory of inodes.
//!
//! Invariant: the worker notes each reference to an active inode that an operation gets, and releases those left when
//! the operation ends, however it ends. Called by: all files of this folder.
//! Calls: `inode_directory`, the inodes. Not here: walking (`path_resolution.rs`).

use crate::change_reports::{ChangeReports, REPORTS};
use crate::format::inode_record::{KIND_DIRECTORY, KIND_SYMBOLIC_LINK};
use crate::lookup::pathname::{Component, Rest};
use heapless::Vec;
use renga_pages::flush_all;
use renga_proto::allocator::Allocator;
use renga_proto::events::Events;
use renga_proto::inode::{
    Activate, AddLinks, CommitAll, CommitExtent, EntryFound, Find, HandOver, Inode, InodeDirectory, InodeOwner,
    LearnName, LinkCount, LockNames, NameOf, Release, UnlockNames,
};
use renga_proto::mounts::ROOT;
use renga_proto::pages::{FileId, Revocations};
use renga_proto::steps::WalkSteps;
use renga_rt::{Client, Errno, Family, Forward, ForwardFamily, Local, WatchFilters};

/// Commits that an operation waits for, each of which may free blocks, before there is no room for it. More than
/// one, as others take blocks too.
pub(crate) const COMMITS_MAX: u32 = 3;

/// An operation under the lock of names; again after a commit if there was no room.
macro_rules! locked {
    ($lookup_worker:expr, $exclusive:expr, $operation:expr) => {{
        let mut tries = 0;
        loop {
            $lookup_worker.lock($exclusive).await;
            let done = $operation.await;
            $lookup_worker.release_all().await;
            $lookup_worker.unlock().await;
            if done != Err(Errno::EAGAIN) {
                break done;
            }
            if tries == $crate::names::worker_state::COMMITS_MAX {
                break Err(Errno::ENOSPC);
            }
            tries += 1;
            $lookup_worker.commit().await;
        }
    }};
}

pub(crate) use locked;

renga_rt::clients! {
    /// Whom a lookup worker calls.
    pub struct LookupClients {
        /// Activates inodes; keeps the lock of names.
        inode_directory: Client<InodeDirectory>,
        /// All inodes; those of the board of `inode_directory` are used.
        inodes: Family<Inode>,
        /// Has calls passed on to it.
        cutters: ForwardFamily<Inode>,
        /// Superblock and counts.
        allocator: Client<Allocator>,
        /// Revokes names from other boards.
        revocations: Client<Revocations>,
        /// Programs that watch files.
        events: Local<Events, REPORTS>,
    }
}

pub(crate) struct Maker {
    pub(super) board: u8,
    /// The directory that the board is prepared for.
    pub(super) prepared: u32,
    /// The inode of which it caches no status.
    pub(super) removed: u32,
    /// What is made is to be written there,
    pub(super) leases: bool,
    /// and referred to.
    pub(super) opens: bool,
    /// Whether the grants to the board succeeded.
    pub(super) granted: Result<(), Errno>,
}

/// References that an operation has at a time: to directories and ends of two paths, and to what the walk passes.
const REFERENCES_MAX: usize = 8;

/// A reference to an active inode, good until the operation ends.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct InodeReference {
    pub(crate) slot: u16,
    pub(crate) ino: u32,
    pub(crate) kind: u8,
}

impl InodeReference {
    pub(crate) fn is_directory(&self) -> bool {
        self.kind == KIND_DIRECTORY
    }

    pub(crate) fn is_link(&self) -> bool {
        self.kind == KIND_SYMBOLIC_LINK
    }
}

/// Where a path leads but for its last name; `None`: the path is only slashes.
pub(crate) struct Parent {
    pub(crate) node: InodeReference,
    pub(crate) last: Option<Component>,
}

pub(crate) struct LookupWorker {
    pub(crate) directory: Client<InodeDirectory>,
    pub(crate) inodes: Family<Inode>,
    pub(super) cutters: ForwardFamily<Inode>,
    pub(crate) allocator: Client<Allocator>,
    pub(crate) board: u8,
    pub(crate) revocations: Client<Revocations>,
    pub(super) reports: ChangeReports,
    pub(crate) rest: Rest,
    pub(super) links_followed: u32,
    pub(super) root: FileId,
    /// Whose what it makes is.
    pub(super) owner: InodeOwner,
    /// The steps of a walk, for the board that caches them, if one does.
    pub(crate) steps: WalkSteps,
    pub(crate) grantee: Option<u8>,
    references: Vec<InodeReference, REFERENCES_MAX>,
    /// The file whose data are to be flushed before the rename is tried again.
    pub(super) unflushed: Option<InodeReference>,
    /// For whom something is being made, if that is to be notified.
    pub(crate) maker: Option<Maker>,
}

impl LookupWorker {
    /// Makes room: what was given back is free afterwards.
    pub(crate) async fn commit(&mut self) {
        let _ = flush_all(&mut self.directory, &mut self.inodes).await;
        // A failure is that of the next write then.
        let _ = self.directory.call(CommitAll { extent: CommitExtent::Freed }, ()).await;
    }

    pub(crate) fn new(clients: LookupClients, watched: &'static WatchFilters) -> Self {
        let LookupClients { inode_directory: directory, inodes, cutters, allocator, revocations, events } = clients;
        let board = directory.server().board.0;
        LookupWorker {
            directory,
            inodes,
            cutters,
            allocator,
            board,
            revocations,
            reports: ChangeReports::new(watched, events),
            rest: Rest::new(),
            links_followed: 0,
            root: ROOT,
            owner: InodeOwner::default(),
            steps: WalkSteps::default(),
            references: Vec::new(),
            unflushed: None,
            grantee: None,
            maker: None,
        }
    }

    /// The process that cuts a file and replies.
    pub(crate) fn cutter(&self, slot: u16) -> Option<Forward<Inode>> {
        self.cutters.at(self.board, slot.into())
    }

    /// Takes the lock of names. It cannot fail.
    pub(crate) async fn lock(&mut self, exclusive: bool) {
        let _ = self.directory.call(LockNames { exclusive }, ()).await;
    }

    pub(crate) async fn unlock(&mut self) {
        let _ = self.directory.call(UnlockNames {}, ()).await;
    }

    pub(crate) fn inode(&mut self, slot: u16) -> Result<Client<Inode>, Errno> {
        self.inodes.at(self.board, slot.into()).ok_or(Errno::EIO)
    }

    pub(crate) async fn activate(&mut self, ino: u32, kind: u8) -> Result<InodeReference, Errno> {
        let slot = self.directory.call(Activate { ino }, ()).await?;
        Ok(self.note(InodeReference { slot, ino, kind }))
    }

    /// The operation has this reference from now on.
    pub(crate) fn note(&mut self, node: InodeReference) -> InodeReference {
        assert!(self.references.push(node).is_ok(), "an operation has few references at a time");
        node
    }

    /// The operation has this reference no longer.
    fn forget(&mut self, slot: u16) {
        let at = self.references.iter().rposition(|node| node.slot == slot);
        at.map(|at| self.references.remove(at));
    }

    /// Releases a reference before the operation ends: a walk has passed its inode.
    pub(crate) async fn release(&mut self, node: InodeReference) {
        self.forget(node.slot);
        // It is ours, so it is not refused.
        let _ = self.directory.call(Release { slot: node.slot, ino: node.ino }, ()).await;
    }

    /// Ends an operation: releases the references that it still has.
    pub(crate) async fn release_all(&mut self) {
        while let Some(&node) = self.references.last() {
            self.release(node).await;
        }
    }

    /// Passes a reference to `board`, in which session; also if this fails the operation has it no longer.
    pub(crate) async fn hand_over(&mut self, slot: u16, board: u8) -> Result<u32, Errno> {
        self.forget(slot);
        if board == self.board {
            return Ok(0);
        }
        self.directory.call(HandOver { slot, board }, ()).await
    }

    pub(crate) async fn find(&mut self, directory: &InodeReference, name: &[u8]) -> Result<EntryFound, Errno> {
        self.inode(directory.slot)?.call(Find {}, name).await
    }

    /// Whether the directory has only `.` and `..`.
    pub(crate) async fn is_empty(&mut self, directory: &InodeReference) -> Result<bool, Errno> {
        match self.inode(directory.slot)?.call(NameOf { ino: 0 }, &mut []).await {
            Err(Errno::ENOENT) => Ok(true),
            named => named.map(|_| false),
        }
    }

    pub(crate) async fn add_links(&mut self, node: &InodeReference, add: i32) -> Result<LinkCount, Errno> {
        let aware = self.prepared_boards(node);
        self.inode(node.slot)?.call(AddLinks { add, aware }, ()).await
    }

    /// What is known from now on of `name` in `directory`: it stands for inode `ino`, or (0) for nothing.
    pub(crate) async fn learn(&mut self, directory: &InodeReference, name: &[u8], ino: u32, kind: u8) {
        if name == b"." {
            return;
        }
        // This call cannot fail.
        let _ = self.directory.call(LearnName { directory: directory.ino, ino, kind }, name).await;
    }
}

//! Leases of names and status: granting them to other boards, and revoking them before a change.
//!
//! Invariant: a grant is true while the lock of names is owned, and the board is noted before the lock is released. A
//! change of a name revokes it first, under the exclusive lock. Called by: the files that walk, change and create.
//! Calls: `revocations`, the directory of inodes. Not here: the notes (`lookup/name_holders.rs`), the boards' caches
//! (`lease_cache`).

use crate::names::worker_state::{InodeReference, LookupWorker, Maker};
use renga_proto::inode::{
    GiveUp, GrantName, GrantedFacts, InodeFacts, Lease, LeaseStatus, LeaseWrite, NameHolders, OpenKnown, STAT_BYTES,
    SessionWith, TakeHolders,
};
use renga_proto::names::{ALL_DIRECTORIES, OTHERS};
use renga_proto::pages::{RevokeNameFrom, RevokeReferenceFrom};
use renga_proto::sessions::ReferenceOrigin;
use renga_rt::{BOARDS_MAX, Errno};

impl LookupWorker {
    /// The boards, a bit each, that have given up the status of `node`, and of a directory the name that is changed
    /// there.
    pub(crate) fn prepared_boards(&self, node: &InodeReference) -> u8 {
        let prepared = |maker: &Maker| [maker.prepared, maker.removed].contains(&node.ino);
        if self.maker.as_ref().is_some_and(prepared) { self.notified_board() } else { 0 }
    }

    /// The board, as a bit, that is notified of what is made or removed.
    pub(crate) fn notified_board(&self) -> u8 {
        self.maker.as_ref().map_or(0, |maker| 1_u8.checked_shl(maker.board.into()).unwrap_or(0))
    }

    /// Another name is made than the one for which the board is prepared.
    pub(crate) fn drop_prepared(&mut self) {
        self.maker.iter_mut().for_each(|maker| maker.prepared = 0);
    }

    /// Under the lock of names, when `name` in `directory` stands for `node` already.
    pub(crate) async fn grant_found(&mut self, directory: &InodeReference, name: &[u8], node: &InodeReference) {
        if let Some(&Maker { board, .. }) = self.maker.as_ref() {
            self.grant_name(board, directory.ino, name, node.ino, node.kind).await;
        }
    }

    /// Under the exclusive lock of names, when `node` has been made, as `name` in `directory`.
    pub(crate) async fn grant_created(&mut self, directory: &InodeReference, name: &[u8], node: &InodeReference) {
        let Some(&Maker { board, leases, opens, .. }) = self.maker.as_ref() else { return };
        self.grant_name(board, directory.ino, name, node.ino, node.kind).await;
        if node.is_directory() {
            // There are none.
            self.grant_name(board, node.ino, OTHERS, 0, 0).await;
        }
        self.grant_directory(directory, board).await;
        if leases {
            self.grant_write(node, board).await;
        }
        let mut status = [0; STAT_BYTES];
        let mut granted = self.lease_status(node, board, &mut status).await;
        if let Ok((mut facts, cacheable)) = granted {
            if opens {
                let session = self.hand_over(node.slot, board).await;
                facts.origin.session = session.unwrap_or(0);
                granted = session.and(granted);
            }
            // What may not be cached is not reported, but for the time of a lease: it would only take time on the link.
            self.steps.end_at(&facts, cacheable, if cacheable || leases { &status } else { &[0; STAT_BYTES] });
        }
        if let Some(maker) = &mut self.maker {
            maker.granted = granted.map(|_| ());
        }
    }

    /// Under the exclusive lock of names, when `name` in `directory` has been removed.
    pub(crate) async fn grant_removed(&mut self, directory: &InodeReference, name: &[u8]) {
        if let Some(&Maker { board, .. }) = self.maker.as_ref() {
            self.grant_name(board, directory.ino, name, 0, 0).await;
            self.grant_directory(directory, board).await;
        }
    }

    /// Reports the status of a directory that was changed, if the board may cache it.
    async fn grant_directory(&mut self, directory: &InodeReference, board: u8) {
        let mut status = [0; STAT_BYTES];
        if let Ok((facts, true)) = self.lease_status(directory, board, &mut status).await {
            self.steps.put_folder(&facts, &status);
        }
    }

    /// The status of an inode, and whether the board may cache it.
    async fn lease_status(
        &mut self,
        node: &InodeReference,
        board: u8,
        status: &mut [u8; STAT_BYTES],
    ) -> Result<(InodeFacts, bool), Errno> {
        let leased = self.inode(node.slot)?.call(LeaseStatus { board }, &mut status[..]).await?;
        let GrantedFacts { mode, birth, cacheable, .. } = leased;
        Ok((InodeFacts { slot: node.slot, ino: node.ino, mode, birth, origin: ReferenceOrigin::NONE }, cacheable))
    }

    /// Without a lease, writes cross.
    async fn grant_write(&mut self, node: &InodeReference, board: u8) {
        let Ok(mut inode) = self.inode(node.slot) else { return };
        let wanted = LeaseWrite { ino: node.ino, board, page: 0 };
        if let Ok(lease @ Lease { below: 1.., .. }) = inode.call(wanted, ()).await {
            self.steps.put_lease(lease);
        }
    }

    /// The facts for the opener, though another board may have changed them. Without the lock of names: this revokes
    /// a lease.
    pub(crate) async fn open_facts(&mut self, slot: u16) -> Result<InodeFacts, Errno> {
        let facts = self.inode(slot)?.call(OpenKnown {}, &[][..]).await?;
        if facts.mode == 0 { Err(Errno(facts.birth.device as u16)) } else { Ok(facts) }
    }

    /// Reports that `name` in `directory` is inode `ino`, or (0) missing, if that may be cached.
    pub(crate) async fn grant_name(&mut self, board: u8, directory: u32, name: &[u8], ino: u32, kind: u8) {
        let granted = self.steps.has_room_for(name)
            && self.directory.call(GrantName { directory, board }, name).await == Ok(true);
        if granted {
            self.steps.put_name(directory, name, ino, kind);
        }
    }

    /// Before `name` in `directory` changes: no board caches it when this is over.
    pub(crate) async fn revoke_name(&mut self, directory: &InodeReference, name: &[u8]) {
        let aware = self.prepared_boards(directory);
        let holders = self.directory.call(TakeHolders { directory: directory.ino, aware }, name).await;
        if let Ok(NameHolders { one, all }) = holders {
            self.revoke_from(all, ALL_DIRECTORIES, &[]).await;
            self.revoke_from(one & !all & !aware, directory.ino, name).await;
        }
    }

    /// No board of `boards` caches names in `directory` when this is over.
    pub(crate) async fn revoke_names(&mut self, boards: u8, directory: &InodeReference) {
        self.revoke_from(boards, directory.ino, &[]).await;
    }

    /// No board of `boards` keeps an unused reference to an inode without links.
    pub(crate) async fn revoke_references(&mut self, boards: u8, node: &InodeReference) {
        let (slot, ino) = (node.slot, node.ino);
        for board in (0..BOARDS_MAX as u8).filter(|board| *board != self.board && boards >> board & 1 != 0) {
            let Ok(session) = self.directory.call(SessionWith { board }, ()).await else { continue };
            // One that does not answer is dead: it refers to nothing.
            if self.revocations.call(RevokeReferenceFrom { board, ino }, ()).await == Ok(true) {
                // Refused if the board has no reference any more; the name is off either way.
                let _ = self.directory.call(GiveUp { slot, ino, board, session }, ()).await;
            }
        }
    }

    async fn revoke_from(&mut self, mut boards: u8, directory: u32, name: &[u8]) {
        // Each iteration notifies a board.
        while boards != 0 {
            let board = boards.trailing_zeros() as u8;
            boards &= boards - 1;
            // One that does not answer is dead: it caches nothing.
            let _ = self.revocations.call(RevokeNameFrom { board, directory }, name).await;
        }
    }
}

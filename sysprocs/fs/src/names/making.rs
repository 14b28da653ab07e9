//! Making something for a board without the disk, in one call: it is made, opened, lent to be written, and what is so then is told.
//!
//! Invariant: what is told is so until the lock of names is given back, and the board is noted before that. Of the
//! directory that the board is *prepared* for it holds nothing that changes, so that it need not be asked.
//! Not here: making (`change.rs`, `open.rs`), who is prepared (`held/making.rs`).

use crate::names::lookup_worker::locked;
use crate::names::walk::{COMMITS_MAX, LookupWorker, Node};
use renga_proto::inode::{InodeFacts, Lease, LeaseStatus, LeaseWrite, LeasedFacts, STAT_BYTES};
use renga_proto::names::OTHERS;
use renga_proto::path::{Make, OPEN_WRITE, Open};
use renga_proto::sessions::Stamp;
use renga_rt::Errno;

/// For whom something is being made.
pub(crate) struct Maker {
    board: u8,
    /// The directory that the board is prepared for.
    prepared: u32,
    /// What is made is to be written there,
    lends: bool,
    /// and referred to.
    opens: bool,
    /// What came of telling it.
    told: Result<(), Errno>,
    /// The reference to it is the board's.
    handed: bool,
}

impl LookupWorker {
    /// Makes what is to be made, and writes the steps to `out`; how many bytes.
    pub(crate) async fn make(&mut self, make: Make, board: u8, path: &[u8], out: &mut [u8]) -> Result<u32, Errno> {
        let Make { at, flags, mode, directory, prepared } = make;
        let (opens, lends) = (!directory, !directory && flags & OPEN_WRITE != 0);
        self.maker = Some(Maker { board, prepared, lends, opens, told: Ok(()), handed: false });
        self.steps.clear();
        let made = if directory {
            locked!(self, true, self.make_directory(at.into(), path, mode))
        } else {
            self.make_file(Open { at: at.into(), flags, mode }, board, path).await
        };
        let told = self.maker.take().map_or(Ok(()), |maker| maker.told);
        match made.and(told) {
            Err(Errno::EAGAIN) => self.steps.refuse(Errno::EAGAIN),
            done => done?,
        }
        let steps = self.steps.bytes();
        out.get_mut(..steps.len()).ok_or(Errno::EINVAL)?.copy_from_slice(steps);
        Ok(steps.len() as u32)
    }

    async fn make_file(&mut self, open: Open, board: u8, path: &[u8]) -> Result<(), Errno> {
        let (node, created) = self.open_with_room(open, path).await?;
        if created {
            if self.maker.as_ref().is_none_or(|maker| !maker.handed) {
                self.release(node).await;
            }
            return Ok(());
        }
        let found = match self.finish_open(&node, open.flags, false).await {
            Ok((_, true)) => Err(Errno::EAGAIN),
            Ok((facts, false)) => self.hand_over(node.slot, board).await.map(|()| facts),
            Err(errno) => Err(errno),
        };
        match found {
            Ok(facts) => self.steps.end_at(&facts, false, &[0; STAT_BYTES]),
            Err(_) => self.release(node).await,
        }
        found.map(|_| ())
    }

    /// The boards, a bit each, that have given up what they held of `directory` and of the name that is entered there.
    pub(crate) fn aware_of(&self, directory: &Node) -> u8 {
        let prepared = |maker: &&Maker| maker.prepared == directory.ino;
        self.maker.as_ref().filter(prepared).map_or(0, |maker| 1_u8.checked_shl(maker.board.into()).unwrap_or(0))
    }

    /// Another name is made than the one for which the board is prepared.
    pub(crate) fn lose_sight(&mut self) {
        self.maker.iter_mut().for_each(|maker| maker.prepared = 0);
    }

    /// Under the lock of names, when `name` in `directory` stands for `node` already.
    pub(crate) async fn tell_found(&mut self, directory: &Node, name: &[u8], node: &Node) {
        if let Some(&Maker { board, .. }) = self.maker.as_ref() {
            self.tell_name(board, directory.ino, name, node.ino, node.kind).await;
        }
    }

    /// Under the exclusive lock of names, when `node` has been made, as `name` in `directory`.
    pub(crate) async fn tell_made(&mut self, directory: &Node, name: &[u8], node: &Node) {
        let Some(&Maker { board, lends, opens, .. }) = self.maker.as_ref() else { return };
        self.tell_name(board, directory.ino, name, node.ino, node.kind).await;
        if node.is_directory() {
            // There are none.
            self.tell_name(board, node.ino, OTHERS, 0, 0).await;
        }
        let mut status = [0; STAT_BYTES];
        if let Ok((facts, true)) = self.lease_status(directory, board, &mut status).await {
            self.steps.put_folder(&facts, &status);
        }
        if lends {
            self.tell_lease(node, board).await;
        }
        let (mut told, mut handed) = (self.lease_status(node, board, &mut status).await, false);
        if let Ok((facts, held)) = told {
            // What may not be held is not told: it would only take time on the link.
            self.steps.end_at(&facts, held, if held { &status } else { &[0; STAT_BYTES] });
            if opens {
                // If that fails it is nobody's any more.
                (told, handed) = (self.hand_over(node.slot, board).await.and(told), true);
            }
        }
        if let Some(maker) = &mut self.maker {
            (maker.handed, maker.told) = (handed, told.map(|_| ()));
        }
    }

    /// What there is to be held of an inode, and whether it may be.
    async fn lease_status(
        &mut self,
        node: &Node,
        board: u8,
        status: &mut [u8; STAT_BYTES],
    ) -> Result<(InodeFacts, bool), Errno> {
        let leased = self.inode(node.slot)?.call(LeaseStatus { board }, &mut status[..]).await?;
        let LeasedFacts { mode, birth, held, .. } = leased;
        Ok((InodeFacts { slot: node.slot, ino: node.ino, mode, birth, stamp: Stamp::NONE }, held))
    }

    /// Without a lease, writes cross.
    async fn tell_lease(&mut self, node: &Node, board: u8) {
        let Ok(mut inode) = self.inode(node.slot) else { return };
        let wanted = LeaseWrite { ino: node.ino, board, page: 0 };
        if let Ok(lease @ Lease { below: 1.., .. }) = inode.call(wanted, ()).await {
            self.steps.put_lease(lease);
        }
    }
}

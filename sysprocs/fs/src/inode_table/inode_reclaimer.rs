//! The inode reclaimer: makes inode processes free for other inodes, frees the inodes that have neither links nor
//! references, and flushes leases when they are many. The last needs no commit, which would write to the medium what
//! may yet be changed or removed.
//!
//! Invariant: it takes as long as the medium and the inode's size say, or as another board for a piece of a lease, and
//! only a call that needs a process when all are in use waits for it. Between two pieces of a large inode a commit may
//! come, and programs run. Giving up an inode is charged to the account that released the last reference. Not here:
//! which inodes (`active_table.rs`).

use renga_proto::allocator::{Allocator, FreeInode, NextOrphan};
use renga_proto::inode::{
    Activate, Inode, InodeDirectory, LeaseWrite, NO_SLOT, NextReclaim, ReclaimedInode, Release, Unlinked, Unload,
};
use renga_rt::account::AccountNumber;
use renga_rt::{Client, Errno, Family, Me, Never};

/// How long programs that are ready run between two pieces of an inode, ns: one slice.
const PAUSE_NS: u64 = renga_abi::policy::SLICE_NS;

renga_rt::clients! {
    /// Whom the inode reclaimer calls.
    pub struct InodeReclaimerClients {
        /// Gives it work.
        inode_directory: Client<InodeDirectory>,
        /// All inodes; those of the board of `inode_directory` are used.
        inodes: Family<Inode>,
        /// Takes inodes back.
        allocator: Client<Allocator>,
    }
}

/// Frees what a cut has left without a name, and then what it is given.
pub async fn inode_reclaimer(mut me: Me, mut clients: InodeReclaimerClients) -> Never {
    let (mut from, mut done) = (0, NO_SLOT);
    while let Ok(ino) = clients.allocator.call(NextOrphan { from }, ()).await {
        // One that cannot be freed stays allocated, for e2fsck to find.
        let _ = clients.take_over(ino).await;
        while let Ok(reap) = clients.inode_directory.call(NextReclaim { done, wait: false }, ()).await {
            done = clients.reclaim(&mut me, reap).await;
        }
        (from, done) = (ino + 1, NO_SLOT);
    }
    loop {
        if let Ok(reap) = clients.inode_directory.call(NextReclaim { done, wait: true }, ()).await {
            done = clients.reclaim(&mut me, reap).await;
        }
    }
}

impl InodeReclaimerClients {
    /// Makes an inode without a name one that is to be given up.
    async fn take_over(&mut self, ino: u32) -> Result<(), Errno> {
        let slot = self.inode_directory.call(Activate { ino }, ()).await?;
        self.inode_directory.call(Unlinked { slot, aware: 0 }, ()).await?;
        self.inode_directory.call(Release { slot, ino }, ()).await
    }

    /// Flushes or gives up an inode; returns the process that is without an inode then, or `NO_SLOT`.
    async fn reclaim(&mut self, me: &mut Me, reap: ReclaimedInode) -> u16 {
        me.act_for(AccountNumber(reap.account));
        if reap.ino == 0 {
            // A failure is reported to the file's next sync; the rest comes in the next round.
            let _ = self.flush_piece(reap.slot).await;
            return NO_SLOT;
        }
        let _ = self.give_up(me, reap).await;
        reap.slot
    }

    /// Flushes some pages of whichever inode the process has, and ends its lease if there are no more.
    async fn flush_piece(&mut self, slot: u16) -> Result<(), Errno> {
        let board = self.inode_directory.server().board.0;
        let mut inode = self.inodes.at(board, slot.into()).ok_or(Errno::EIO)?;
        inode.call(LeaseWrite::flush(0), ()).await.map(|_| ())
    }

    /// A failure leaves the inode allocated, for e2fsck to find.
    async fn give_up(&mut self, me: &mut Me, reap: ReclaimedInode) -> Result<(), Errno> {
        let board = self.inode_directory.server().board.0;
        let mut inode = self.inodes.at(board, reap.slot.into()).ok_or(Errno::EIO)?;
        let unload = Unload { aware: reap.aware };
        let mut unloaded = inode.call(unload, ()).await?;
        // Bounded by the inode's blocks.
        while unloaded.more {
            if me.programs_wait() {
                let until_ns = me.now_ns() + PAUSE_NS;
                me.sleep_until(until_ns).await;
            }
            unloaded = inode.call(unload, ()).await?;
        }
        if unloaded.free {
            self.allocator.call(FreeInode { ino: reap.ino, directory: unloaded.directory }, ()).await?;
        }
        Ok(())
    }
}

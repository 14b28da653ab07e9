//! The committer: makes all changes so far permanent, together, whenever a caller of the directory of inodes wants
//! that.
//!
//! A commit, in its order:
//!
//! 1. Dirty data goes to its places. (To empty the journal: also all metadata that it has.)
//! 2. The transaction is closed: no names change, every inode that joined writes itself to its buffer and stands
//!    still, the allocator puts bitmaps and counts into theirs. All dirty metadata are copied. Then changes go on. None
//!    of this waits for the medium but for a block that is not cached.
//! 3. Data that became dirty before the transaction was closed goes to its places.
//! 4. The copies go to the journal, and then the commit block.
//! 5. To empty the journal: the copies go to their places, and the journal's start is written.
//!
//! So no reader waits for it, and a writer waits for 2 only. Without a journal metadata go to their places in 2, and
//! a power cut may leave work for `e2fsck`. Not here: joining (`transaction.rs`), the journal (`journal.rs`), the
//! callers (`inode_directory.rs`).

use crate::cache::metadata_writeback::{MetadataWritebackClients, RunWriter};
use crate::format::superblock::Superblock;
use crate::probes::{Commit, CommitEnd};
use crate::volume::journal::Journal;
use crate::volume::members::ProcessSet;
use renga_abi::PAGE_BYTES;
use renga_proto::allocator::{
    Allocator, CloseTransaction, EndFreeze, EndTransaction, JournalReached, MarkClean, Mount, NextMember, Pended,
    Pending, SaveMetadata,
};
use renga_proto::buffer::{DirtyClass, TransactionOutcome, directory};
use renga_proto::data::{DataWriteback, WriteData};
use renga_proto::disk::Disk;
use renga_proto::inode::{CommitExtent, Freeze, Inode, InodeDirectory, LockNames, NextCommit, Thaw, UnlockNames};
use renga_proto::pages::{Pages, SetOrdered};
use renga_rt::account::AccountNumber;
use renga_rt::{Client, Errno, Family, Me, Never};

/// Blocks of data that are written in one piece.
const RUN_PAGES: usize = 16;
/// The pause before a disk on another board, which does not answer yet, is asked again to mount it, ns; how often.
const DISK_PAUSE_NS: u64 = 100_000_000;
const DISK_TRIES_MAX: u32 = 600;
/// Times that everything is offered to the disk before the journal is emptied.
const TRIES_MAX: u32 = 8;

renga_rt::clients! {
    /// Whom the committer calls.
    pub struct CommitterClients {
        /// Gives it work, and keeps the lock of names.
        inode_directory: Client<InodeDirectory>,
        /// All inodes; those of the board of `inode_directory` are used.
        inodes: Family<Inode>,
        /// The joined inodes, bitmaps and counts.
        allocator: Client<Allocator>,
        /// For the journal.
        disk: Client<Disk>,
        /// For everything else that is metadata.
        writer: MetadataWritebackClients,
        /// Writes data.
        data_writeback: Client<DataWriteback>,
        /// Is reported when a commit refers to data.
        pages: Client<Pages>,
    }
}

/// Pages that the committer of so many buffers needs.
pub const fn committer_pages(buffers: usize) -> usize {
    RUN_PAGES + 2 + buffers + buffers.div_ceil(crate::format::journal_format::TAGS_MAX)
}

fn empties(extent: CommitExtent) -> bool {
    matches!(extent, CommitExtent::Places | CommitExtent::Unmount)
}

renga_rt::with_defaults! {
    struct CommitterState {
        board: u8 = clients.inode_directory.server().board.0,
        inode_directory: Client<InodeDirectory> = clients.inode_directory,
        inodes: Family<Inode> = clients.inodes,
        allocator: Client<Allocator> = clients.allocator,
        writer: RunWriter = RunWriter::new(clients.writer, run),
        data_writeback: Client<DataWriteback> = clients.data_writeback,
        pages: Client<Pages> = clients.pages,
        journal: Journal = Journal::new(clients.disk, rest),
        journaled: bool = false,
        blocks: u32 = 0,
        /// Inodes with a write that waits for the commit to end.
        wait_for_room: ProcessSet = ProcessSet::NONE,
    }
    fn new(clients: CommitterClients, run: &'static mut [[u8; PAGE_BYTES]], rest: &'static mut [[u8; PAGE_BYTES]]);
}

/// Recovers the journal and mounts the file system, and then commits. `pages`: [`committer_pages`].
pub async fn committer(mut me: Me, clients: CommitterClients, pages: &'static mut [[u8; PAGE_BYTES]]) -> Never {
    let (run, rest) = pages.split_at_mut(RUN_PAGES);
    let mut state = CommitterState::new(clients, run, rest);
    if let Err(errno) = state.mount(&mut me).await {
        me.log("the file system cannot be mounted", [errno.0.into(), 0]);
        let _ = state.allocator.call(Mount { journaled: false, usable: false }, ()).await;
    }
    let mut ended = Ok(());
    loop {
        let before = ended.err().map_or(0, |errno: Errno| errno.0);
        let wanted = state.inode_directory.call(NextCommit { ended: before }, ()).await;
        ended = match wanted {
            Ok(wanted) => {
                me.act_for(AccountNumber(wanted.account));
                me.probe(Commit, []);
                let ended = state.commit(wanted.extent).await;
                me.probe(CommitEnd, []);
                ended
            }
            Err(errno) => Err(errno),
        };
    }
}

impl CommitterState {
    /// The superblock, when the disk's board answers.
    async fn first_superblock(&mut self, me: &mut Me) -> Result<Superblock, Errno> {
        for _ in 0..DISK_TRIES_MAX {
            match self.journal.superblock().await {
                Err(Errno::EHOSTDOWN) => me.sleep_until(me.now_ns() + DISK_PAUSE_NS).await,
                read => return read,
            }
        }
        Err(Errno::EHOSTDOWN)
    }

    async fn mount(&mut self, me: &mut Me) -> Result<(), Errno> {
        let superblock = self.first_superblock(me).await?;
        self.blocks = superblock.blocks();
        if superblock.has_journal() {
            self.journal.find(&superblock).await?;
            self.journaled = self.journal.is_large_enough();
            if !self.journaled {
                me.log("the journal is too small for so many buffers and is not used", [0, 0]);
            }
            if self.journal.start != 0 {
                let recovered = self.journal.recover(self.writer.room(), self.blocks).await?;
                if recovered > 0 {
                    me.log("changes were taken from the journal: transactions", [recovered.into(), 0]);
                }
            }
        }
        self.allocator.call(Mount { journaled: self.journaled, usable: true }, ()).await?;
        self.flush_surely(DirtyClass::Direct).await?;
        if self.journaled { self.journal.empty().await } else { Ok(()) }
    }

    /// Writes all of a class, offering it several times.
    async fn flush_surely(&mut self, class: DirtyClass) -> Result<(), Errno> {
        let mut done = Err(Errno::EIO);
        for _ in 0..TRIES_MAX {
            done = self.writer.flush(class).await;
            if done.is_ok() {
                break;
            }
        }
        done
    }

    async fn commit(&mut self, extent: CommitExtent) -> Result<(), Errno> {
        // A caller that wrote what the disk refuses learns it from the answer, if not earlier.
        let written = self.data_writeback.call(WriteData {}, ()).await;
        let Pended { changed, checkpoint } = self.allocator.call(Pending {}, ()).await?;
        let places = self.journaled && empties(extent) && !self.journal.is_empty();
        if changed || places || extent == CommitExtent::Unmount {
            self.transact(extent, checkpoint).await?;
        }
        if extent == CommitExtent::Unmount {
            self.unmount().await?;
        }
        written
    }

    async fn transact(&mut self, extent: CommitExtent, checkpoint: bool) -> Result<(), Errno> {
        let metadata = directory::CountDirty { class: DirtyClass::Metadata };
        let expected = self.writer.clients.directory.call(metadata, ()).await?;
        let whole = empties(extent) || checkpoint || !self.journal.has_room(expected);
        // The journal's blocks go to their places first, so that only this transaction is left.
        let placed = if whole && self.journaled { self.flush_surely(DirtyClass::Journaled).await } else { Ok(()) };
        self.close().await?;
        let (frozen, copied) = self.stage().await;
        self.end_freeze().await?;
        let (done, reached) = match copied {
            Ok(()) if self.journaled => self.write(whole, placed).await,
            Ok(()) => (Ok(()), JournalReached::Emptied),
            Err(errno) => (Err(errno), JournalReached::Failed),
        };
        self.end(reached, whole).await.and(done).and(frozen)
    }

    /// Closes the transaction: no process changes names or joins from now on.
    async fn close(&mut self) -> Result<(), Errno> {
        self.inode_directory.call(LockNames { exclusive: false }, ()).await?;
        let closed = self.allocator.call(CloseTransaction {}, ()).await;
        if closed.is_err() {
            self.inode_directory.call(UnlockNames {}, ()).await?;
        }
        closed
    }

    /// Freezes the members, copies the dirty metadata, and thaws them. Whether all members wrote themselves to their
    /// buffers (one that could not is left out), and whether metadata were copied.
    async fn stage(&mut self) -> (Result<(), Errno>, Result<(), Errno>) {
        let (mut frozen, mut reported, mut broken) = (ProcessSet::NONE, Ok(()), false);
        while let Ok(slot) = self.allocator.call(NextMember {}, ()).await {
            frozen.insert(slot);
            let Some(mut inode) = self.inode(slot) else { continue };
            match inode.call(Freeze {}, ()).await {
                Ok(state) => {
                    broken |= state.broken;
                    if state.waits {
                        self.wait_for_room.insert(slot);
                    }
                }
                Err(errno) => (reported, broken) = (Err(errno), true),
            }
        }
        let copied = self.copy_metadata(broken).await;
        // What the copied inodes refer to is to be written, whatever becomes of their files.
        let copied = copied.and(self.pages.call(SetOrdered { ordered: true }, ()).await);
        while let Some(slot) = frozen.take_first() {
            if let Some(mut inode) = self.inode(slot) {
                reported = reported.and(inode.call(Thaw { committed: false }, ()).await);
            }
        }
        (reported, copied)
    }

    async fn copy_metadata(&mut self, broken: bool) -> Result<(), Errno> {
        self.allocator.call(SaveMetadata { broken }, ()).await?;
        if !self.journaled {
            // `commit` reports a failure to write data.
            let _ = self.data_writeback.call(WriteData {}, ()).await;
            return self.writer.flush(DirtyClass::Metadata).await;
        }
        self.journal.begin();
        while let Ok(buffered) = self.writer.clients.directory.call(directory::NextMetadata {}, ()).await {
            self.journal.add(&mut self.writer, buffered).await?;
        }
        self.journal.end_descriptor();
        Ok(())
    }

    async fn end_freeze(&mut self) -> Result<(), Errno> {
        self.allocator.call(EndFreeze {}, ()).await?;
        self.inode_directory.call(UnlockNames {}, ()).await
    }

    fn inode(&mut self, slot: u16) -> Option<Client<Inode>> {
        self.inodes.at(self.board, slot.into())
    }

    /// Writes the transaction; how far it came. `placed`: whether all that was in the journal before is in its place.
    async fn write(&mut self, whole: bool, placed: Result<(), Errno>) -> (Result<(), Errno>, JournalReached) {
        // What is refused here is notified by the next commit: it stays dirty.
        let _ = self.data_writeback.call(WriteData {}, ()).await;
        let mut written = self.journal.write_transaction().await;
        if written == Err(Errno::ENOSPC) {
            // More than expected: room is made from the journal itself, as buffers may cache newer metadata.
            written = self.journal.replay(self.writer.room(), self.blocks).await;
            if written.is_ok() {
                written = self.journal.write_transaction().await;
            }
        }
        if written.is_err() {
            return (written, JournalReached::Failed);
        }
        if !whole {
            return (Ok(()), JournalReached::Journaled);
        }
        // What is not in its place is in the journal only, which cannot be emptied then.
        if placed.is_err() {
            return (placed, JournalReached::Full);
        }
        let mut emptied = Ok(());
        for _ in 0..TRIES_MAX {
            emptied = self.journal.place_transaction().await;
            if emptied.is_ok() {
                emptied = self.journal.empty().await;
            }
            if emptied.is_ok() {
                return (Ok(()), JournalReached::Emptied);
            }
        }
        (emptied, JournalReached::Full)
    }

    async fn end(&mut self, reached: JournalReached, whole: bool) -> Result<(), Errno> {
        let outcome = match reached {
            JournalReached::Failed => TransactionOutcome::Failed,
            JournalReached::Journaled | JournalReached::Full => TransactionOutcome::Journaled,
            JournalReached::Emptied => TransactionOutcome::Placed,
        };
        self.pages.call(SetOrdered { ordered: false }, ()).await?;
        self.writer.clients.directory.call(directory::EndTransaction { outcome }, ()).await?;
        let ended = self.allocator.call(EndTransaction { reached, whole }, ()).await;
        if ended.is_err() {
            // Blocks that are not in the journal must not go to their places by half.
            let abandoned = directory::EndTransaction { outcome: TransactionOutcome::Abandoned };
            self.writer.clients.directory.call(abandoned, ()).await?;
        }
        while let Some(slot) = self.wait_for_room.take_first() {
            if let Some(mut inode) = self.inode(slot) {
                inode.call(Thaw { committed: true }, ()).await?;
            }
        }
        // The caller gets the first failure, not its consequences.
        if reached == JournalReached::Failed { Ok(()) } else { ended }
    }

    async fn unmount(&mut self) -> Result<(), Errno> {
        if self.journaled {
            self.journal.write_head(0).await?;
        }
        self.allocator.call(MarkClean {}, ()).await?;
        self.flush_surely(DirtyClass::Direct).await
    }
}

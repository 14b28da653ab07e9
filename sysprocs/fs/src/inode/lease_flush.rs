//! Flushing a file that another board writes: pages, size, times and attributes come back, and the lease ends.
//!
//! A board that does not answer may live and still have dirty pages: its lease stays, and the inode is served as it was
//! last flushed.
//! The owner flushes when that board calls again, or when all leases are flushed. A change of the data before that ends
//! the lease: the dirty pages are lost, and the board reports it to their writers.
//!
//! Invariants: a page is flushed at most once, and is dirty there until it is dirty here. No board is granted a page
//! of an orphaned lease. Called by: `lease_calls.rs`. Calls: `revocations`, the allocator, the page cache. Not here:
//! granting (`lease_grant.rs`).

use crate::format::inode_record::{REGULAR, Time};
use crate::inode::active_inode::{ActiveInode, no_room};
use crate::inode::lease_grant::PAGE;
use crate::leases::write_lease::WriteLease;
use renga_proto::allocator::EndReserve;
use renga_proto::attributes::{ATTRIBUTES_BYTES, AttributeChange};
use renga_proto::notices::MODIFIED;
use renga_proto::pages::{
    DiscardPage, FlushExtent, FlushFrom, FlushedBytes, FlushedPage, NO_PAGE, NOT_WRITTEN, PlacePage, TO_END,
};
use renga_rt::Errno;

/// How long a lease outlives the last sign of its board, ns: an inode that is leased keeps its process and its room.
const SILENCE_NS_MAX: u64 = 600_000_000_000;

/// Pages that be flushed between two other calls.
const PIECE_PAGES: u32 = 16;

/// Times that a page is offered to the cache here.
const TRIES_MAX: u32 = 4;

impl ActiveInode {
    /// The board that has the lease has not answered.
    ///
    /// # Errors
    /// `EHOSTDOWN`: the lease goes on.
    pub(super) async fn note_silence(&mut self, errno: Errno) -> Result<(), Errno> {
        let now_ns = self.me.now_ns();
        let Some(lease) = &mut self.leased else { return Ok(()) };
        let silent_ns = *lease.silent_ns.get_or_insert(now_ns);
        if matches!(errno, Errno::EHOSTDOWN | Errno::ESTALE) && now_ns - silent_ns < SILENCE_NS_MAX {
            return Err(Errno::EHOSTDOWN);
        }
        self.drop_orphan().await;
        Ok(())
    }

    pub(super) async fn drop_orphan(&mut self) {
        if let Some(lease) = self.leased {
            let text = "what a board has written is lost, as it does not answer or has rebooted: board, inode";
            self.me.log(text, [lease.board.into(), self.ino.into()]);
        }
        self.end_lease(Some(Errno::EIO)).await;
    }

    /// A call comes to the orphaned file, which is served as it was last flushed, if at all.
    pub(super) fn note_stale(&mut self) {
        let now_ns = self.me.now_ns();
        let Some(lease) = self.leased.as_mut().filter(|lease| !lease.stale) else { return };
        lease.stale = true;
        lease.silent_ns.get_or_insert(now_ns);
        let text = "a file is served without what a board has written, as that does not answer: board, inode";
        self.me.log(text, [lease.board.into(), self.ino.into()]);
    }

    /// While a board with dirty pages does not answer no open file is durable.
    pub(super) fn note_missing(&mut self) {
        if !self.is_orphaned() {
            return;
        }
        let recorded = self.leased.as_mut().is_none_or(|lease| core::mem::replace(&mut lease.missed, true));
        if recorded { self.losses.prolong(self.me.now_ns()) } else { self.record_loss(Errno::EIO) }
    }

    /// What the board with the write lease says of it.
    pub(crate) async fn refresh_facts(&mut self) {
        let given = self.flush_from_writer(FlushExtent::Facts).await;
        if let Err(errno) = given {
            let _ = self.note_silence(errno).await;
        }
    }

    async fn flush_from_writer(&mut self, back: FlushExtent) -> Result<FlushedPage, Errno> {
        let Some(lease) = self.leased else { return Err(Errno::EINVAL) };
        let WriteLease { board, id, taken, grants, .. } = lease;
        let flush = FlushFrom { board, file: self.file(), taken, back, lease: id, grants };
        let mut changed = [0; ATTRIBUTES_BYTES];
        let given = self.leases.revocations.call(flush, &mut changed[..]).await?;
        self.take_facts(given.bytes, given.written_ns, &changed).await;
        if let Some(lease) = &mut self.leased {
            lease.size = given.size.min(u64::from(lease.below) * PAGE);
        }
        if given.reserved > 0 {
            self.note_reserved(board, given.reserved.min(u64::from(lease.below) * PAGE));
        }
        Ok(given)
    }

    /// What the board has changed under the lease becomes so here; it may be here already.
    pub(super) async fn take_facts(&mut self, bytes: FlushedBytes, written_ns: u64, changed: &[u8]) {
        let mut record = self.record.clone();
        let counts = bytes.changes > 0 && self.leased.is_some_and(|lease| !lease.superseded);
        if let Some((change, at_ns)) = AttributeChange::get(changed).filter(|_| counts) {
            record.change(change, at_ns);
        }
        if written_ns != NOT_WRITTEN {
            record.set_time_ns(Time::Modify, written_ns);
            record.set_time_ns(Time::Change, written_ns.max(record.time_ns(Time::Change)));
        }
        if record == self.record || !self.record.is(REGULAR) {
            return;
        }
        match self.join().await {
            Ok(()) => {
                self.record = record;
                self.note_change();
            }
            Err(errno) => self.record_loss(errno),
        }
    }

    /// Flushes everything and ends the lease. `EAGAIN`: after a commit, unless this is the `last` time. `EHOSTDOWN`:
    /// when the board is there again.
    pub(crate) async fn flush_lease(&mut self, last: bool) -> Result<(), Errno> {
        while self.flush_pages(u32::MAX, last).await? {}
        Ok(())
    }

    pub(crate) async fn flush_some(&mut self, last: bool) -> Result<bool, Errno> {
        self.flush_pages(PIECE_PAGES, last).await
    }

    async fn flush_pages(&mut self, most: u32, last: bool) -> Result<bool, Errno> {
        if self.leased.is_none() {
            return Ok(false);
        }
        if let Err(errno) = self.begin_leased_write().await {
            // Nothing may be changed any more.
            let _ = self.flush_from_writer(FlushExtent::Nothing).await;
            self.end_lease(Some(errno)).await;
            return Ok(false);
        }
        let mut only_changes = false;
        for _ in 0..most {
            let Some(lease) = &mut self.leased else { return Ok(false) };
            lease.closed = true;
            let given = self.flush_from_writer(FlushExtent::Dirty).await;
            let again = only_changes;
            only_changes = given.is_ok_and(|given| given.page == NO_PAGE && given.bytes.changes > 0);
            match given {
                // It can change nothing any more.
                Ok(_) if only_changes && again => {
                    self.end_lease(Some(Errno::EIO)).await;
                    return Ok(false);
                }
                // What is dirty comes next.
                Ok(_) if only_changes => {}
                Ok(FlushedPage { page: NO_PAGE, .. }) => {
                    self.end_lease(None).await;
                    return Ok(false);
                }
                // It was granted to no writer; after the end of the session: its board has rebooted.
                Err(Errno::ENOENT) if !self.is_of_ended_session() => {
                    self.end_lease(None).await;
                    return Ok(false);
                }
                Ok(given) => self.place_flushed_page(given.page, last).await?,
                Err(errno) => return self.note_silence(errno).await.map(|()| false),
            }
        }
        Ok(true)
    }

    /// The page that has come is the file's; a failure is reported to the next sync, unless it is tried again after a
    /// commit.
    async fn place_flushed_page(&mut self, page: u32, last: bool) -> Result<(), Errno> {
        let Some(lease) = self.leased else { return Ok(()) };
        if page < lease.from || page >= lease.below {
            // It gives what it has not got.
            self.leases.revocations.call(DiscardPage {}, ()).await?;
            self.end_lease(Some(Errno::EIO)).await;
            return Ok(());
        }
        let put = self.place_page(page, lease.size).await;
        if put.is_err() {
            self.leases.revocations.call(DiscardPage {}, ()).await?;
        }
        match put {
            Err(Errno::EAGAIN) if !last => return Err(Errno::EAGAIN),
            Err(errno) => {
                self.record_loss(no_room(errno));
                self.leased.iter_mut().for_each(|lease| lease.damaged = true);
            }
            Ok(()) if lease.watched => self.report(MODIFIED).await,
            Ok(()) => {}
        }
        if let Some(lease) = &mut self.leased {
            (lease.from, lease.taken) = (page.saturating_add(1).max(lease.from), page);
        }
        Ok(())
    }

    async fn place_page(&mut self, page: u32, size: u64) -> Result<(), Errno> {
        let (block, _) = self.map_for_write(page.into()).await?;
        let (file, size) = (self.file(), self.record.size().max(size.min((u64::from(page) + 1) * PAGE)));
        let mut put = Err(Errno::EIO);
        for _ in 0..TRIES_MAX {
            put = self.leases.revocations.call(PlacePage { file, page, block, size }, ()).await;
            match put {
                Ok(crowded) => {
                    if crowded {
                        self.data.make_room(false).await;
                    }
                    break;
                }
                Err(Errno::ENOMEM) => self.data.make_room(true).await,
                Err(_) => break,
            }
        }
        put?;
        self.record.set_size(size);
        self.note_change();
        Ok(())
    }

    /// The lease is over; if that `failed`, its board's unflushed writes are lost.
    pub(super) async fn end_lease(&mut self, failed: Option<Errno>) {
        let Some(lease) = self.leased.take() else { return };
        self.referrers.set_leased(self.number, false);
        // What it caches of the status ends with the lease.
        self.leases.give_up_status(1 << lease.board);
        if let Some(errno) = failed {
            self.leases.holders.forget(lease.board);
            // With the file, or as all of it is cut, nothing is lost.
            if errno != Errno::ENOENT && !lease.missed {
                // A file that was opened when its board did not answer has never shown what is lost.
                let now_ns = self.me.now_ns();
                self.losses.record(errno, lease.silent_ns.map_or(now_ns, |silent_ns| silent_ns.saturating_sub(1)));
            }
        }
        let blocks = lease.reserved;
        // Neither is refused.
        let _ = self.allocator.call(EndReserve { slot: self.number, blocks }, ()).await;
        let _ = self.data.grant(self.file(), false, self.record.size()).await;
        if lease.damaged {
            // It still shows what is lost.
            self.revoke(0, TO_END).await;
        }
    }

    /// Nothing is left of what is dirty elsewhere: the file goes. The boards in `aware` know that.
    pub(crate) async fn discard_lease(&mut self, aware: u8) {
        let knows = self.leased.is_some_and(|lease| aware >> lease.board & 1 != 0);
        if !knows && !self.is_orphaned() {
            let _ = self.flush_from_writer(FlushExtent::Nothing).await;
        }
        self.end_lease(Some(Errno::ENOENT)).await;
    }
}

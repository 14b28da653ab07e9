//! An active inode: its record in memory, brought from and to the inode table.
//!
//! Invariant: while `ino` is not 0 the record here is the inode; the table's copy is older if
//! `changed`. Not here: data (`file_data.rs`, `truncate.rs`), directories (`directory.rs`).

use crate::change_reports::{ChangeReports, REPORTS};
use crate::data::client::DataClients;
use crate::data::read_ahead_window::ReadAheadWindow;
use crate::format::inode_record::{DIRECTORY, InodeRecord, REGULAR, Time, kept_bytes};
use crate::inode::append_room::Appends;
use crate::inode::block_route::PointerLine;
use crate::inode::data_losses::DataLosses;
use crate::leases::page_leases::PageLeases;
use crate::leases::referrers::Referrers;
use crate::leases::write_lease::{TIME_BITS, WriteLease};
use renga_proto::allocator::{Allocator, InodePlace, JoinTransaction, LocateInode};
use renga_proto::buffer::directory::{BufferDirectory, ReadBytes, WriteBytes};
use renga_proto::events::Events;
use renga_proto::inode::{Frozen, InodeOwner, LinkCount, LossReport};
use renga_proto::name_index::NameIndex;
use renga_proto::pages::{FileId, Revocations, TO_END};
use renga_rt::{Call, Client, Entry, Errno, Local, Me, WatchFilters};

pub(super) const SECTORS_PER_BLOCK: u32 = 8;

const LINKS_MAX: u32 = 32_000;

renga_rt::clients! {
    /// Whom an inode's process calls.
    pub struct InodeClients {
        /// Metadata.
        cache: Client<BufferDirectory>,
        /// Data.
        data: DataClients,
        /// Calls pages back from other boards.
        revocations: Client<Revocations>,
        /// Blocks, and transactions.
        allocator: Client<Allocator>,
        /// Where names of large directories are.
        index: Client<NameIndex>,
        /// Programs that watch it.
        events: Local<Events, REPORTS>,
    }
}

pub(crate) struct ActiveInode {
    pub(crate) me: Me,
    pub(crate) cache: Client<BufferDirectory>,
    pub(crate) data: DataClients,
    pub(crate) leases: PageLeases,
    pub(crate) reports: ChangeReports,
    /// The board with the write lease, so that it alone writes.
    pub(crate) leased: Option<WriteLease>,
    pub(super) appends: Appends,
    /// Lease requests still to refuse, as boards alternate.
    pub(crate) refusals: u8,
    pub(crate) allocator: Client<Allocator>,
    pub(crate) number: u16,
    pub(crate) referrers: &'static Referrers,
    pub(super) epoch_ns: u64,
    pub(super) boot: u8,
    /// Which inode this is; 0: none.
    pub(crate) ino: u32,
    pub(super) place: InodePlace,
    pub(crate) record: InodeRecord,
    pub(crate) changed: bool,
    /// Why the record is not here.
    pub(super) bad: Option<Errno>,
    /// The block allocated last; the search for the next starts behind it.
    pub(super) last_block: u32,
    pub(crate) line: PointerLine,
    pub(crate) index: Client<NameIndex>,
    /// A block of a directory that may have room for an entry; of a small one the first.
    pub(crate) room_from: u64,
    pub(crate) room_found: bool,
    pub(crate) read_ahead: ReadAheadWindow,
    /// The first refusal of a write since the last `ReportError`.
    pub(crate) deferred_error: Option<Errno>,
    pub(super) losses: DataLosses,
    /// Programs may have written it by a mapping since it was loaded.
    pub(crate) mapped: bool,
    /// It is a member of the transaction that is open.
    pub(super) joined: bool,
    /// A failure left a change half done.
    pub(crate) broken: bool,
    /// While it is being cut: the size up to which it still has blocks, which the inode table has instead of the new
    /// one.
    pub(crate) uncut: Option<u64>,
    /// What is being given back includes metadata.
    pub(crate) frees_metadata: bool,
    /// The system's count of lost writes when this inode was first written since the last `ReportError`.
    pub(crate) lost_before: Option<u32>,
}

impl ActiveInode {
    /// `ESTALE` for a call that would change the inode, if the caller's board does not refer to it.
    pub(crate) fn admit<E: Entry>(&self, call: &Call<E>) -> Result<(), Errno> {
        let admitted = self.referrers.admit(self.me.id().board.0, self.number, call);
        if admitted { Ok(()) } else { Err(Errno::ESTALE) }
    }

    /// Whether a write may go on, which has waited for `commits`: its first attempt is to be admitted.
    pub(super) fn admit_attempt<E: Entry>(&mut self, call: &Call<E>, commits: u8) -> Result<(), Errno> {
        if commits == 0 {
            return self.admit(call);
        }
        self.me.take_up(call);
        Ok(())
    }

    pub(crate) fn new(
        me: Me,
        clients: InodeClients,
        without_leases: u8,
        (number, referrers, watched): (u16, &'static Referrers, &'static WatchFilters),
        (epoch_ns, boot): (u64, u8),
    ) -> Self {
        let InodeClients { cache, data, revocations, allocator, index, events } = clients;
        ActiveInode {
            me,
            cache,
            data,
            leases: PageLeases::new(revocations, without_leases),
            reports: ChangeReports::new(watched, events),
            leased: None,
            appends: Appends::default(),
            refusals: 0,
            allocator,
            number,
            referrers,
            epoch_ns,
            boot,
            ino: 0,
            place: InodePlace { block: 0, offset: 0, bytes: 0, goal: 0, generation: 0 },
            record: InodeRecord::EMPTY,
            changed: false,
            bad: None,
            last_block: 0,
            line: PointerLine::NONE,
            index,
            room_from: 0,
            room_found: false,
            read_ahead: ReadAheadWindow::NONE,
            deferred_error: None,
            losses: DataLosses::default(),
            mapped: false,
            joined: false,
            broken: false,
            uncut: None,
            frees_metadata: false,
            lost_before: None,
        }
    }

    /// Whether there is an inode here to work on.
    pub(crate) fn check(&self) -> Result<(), Errno> {
        if self.ino == 0 { Err(Errno::EIO) } else { self.bad.map_or(Ok(()), Err) }
    }

    pub(super) fn reset(&mut self, ino: u32) {
        self.ino = ino;
        self.record = InodeRecord::EMPTY;
        (self.changed, self.bad, self.deferred_error, self.lost_before, self.uncut) = (false, None, None, None, None);
        (self.last_block, self.room_from, self.room_found, self.mapped) = (0, 0, false, false);
        (self.leased, self.refusals, self.appends) = (None, 0, Appends::default());
        self.read_ahead = ReadAheadWindow::NONE;
        (self.line, self.losses) = (PointerLine::NONE, DataLosses::default());
    }

    /// Becomes inode `ino`. It keeps a failure, and returns it to every call.
    pub(crate) async fn load(&mut self, ino: u32) {
        self.reset(ino);
        if let Err(errno) = self.try_load().await {
            self.bad = Some(errno);
        }
    }

    async fn try_load(&mut self) -> Result<(), Errno> {
        self.place = self.allocator.call(LocateInode { ino: self.ino }, ()).await?;
        let kept = kept_bytes(self.place.bytes);
        self.record.kept_bytes = kept;
        let read = ReadBytes { block: self.place.block.into(), offset: self.place.offset };
        self.cache.call(read, &mut self.record.bytes[..kept]).await?;
        self.publish_mode();
        Ok(())
    }

    /// Becomes the fresh inode `ino`; a failure is kept as by `load`.
    pub(crate) async fn initialise(&mut self, ino: u32, (mode, owner): (u16, InodeOwner), device: u32) {
        self.reset(ino);
        match self.allocator.call(LocateInode { ino }, ()).await {
            Ok(place) => self.place = place,
            Err(errno) => return self.bad = Some(errno),
        }
        let now_ns = self.now_ns();
        self.record = InodeRecord::fresh(self.place.bytes, mode, device, self.place.generation);
        self.record.set_owner(owner.uid, owner.gid);
        self.publish_mode();
        for time in [Time::Access, Time::Modify, Time::Change] {
            self.record.set_time_ns(time, now_ns);
        }
        self.note_change();
    }

    pub(crate) async fn save(&mut self) -> Result<(), Errno> {
        if self.ino != 0 && self.changed && self.bad.is_none() {
            let (kept, size) = (self.record.kept_bytes, self.record.size());
            self.record.set_size(self.uncut.unwrap_or(size));
            let write = WriteBytes { block: self.place.block.into(), offset: self.place.offset, metadata: true };
            let saved = self.cache.call(write, &self.record.bytes[..kept]).await;
            self.record.set_size(size);
            saved?;
            self.changed = false;
        }
        Ok(())
    }

    /// As `report_error`; the commit that follows writes data, but for those of a board that does not answer.
    pub(crate) async fn sync(&mut self) -> Result<LossReport, Errno> {
        self.check()?;
        self.note_missing();
        self.report_error().await
    }

    /// Puts it into its buffer, to stand still until the commit is over.
    pub(crate) async fn freeze(&mut self) -> Result<Frozen, Errno> {
        let broken = core::mem::take(&mut self.broken);
        self.joined = false;
        self.save().await?;
        Ok(Frozen { waits: false, broken })
    }

    /// Before any change: joins the transaction, so that a commit follows and contains all of the change. `EROFS`:
    /// read-only. No board caches the inode's status from then on, until the change is over.
    pub(crate) async fn begin_change(&mut self) -> Result<(), Errno> {
        if self.leases.is_status_cached(None) {
            self.revoke_status().await;
        }
        self.join().await
    }

    /// The same before a change under the write lease: the status that its board caches is completed there.
    pub(super) async fn join(&mut self) -> Result<(), Errno> {
        if !self.joined {
            self.allocator.call(JoinTransaction { slot: self.number }, ()).await?;
            self.joined = true;
        }
        Ok(())
    }

    /// It is not on the medium as it is now.
    ///
    /// # Panics
    /// If some board caches the old status, other than that with the write lease.
    pub(crate) fn note_change(&mut self) {
        let writer = self.leased.map(|lease| lease.board);
        assert!(!self.leases.is_status_cached(writer), "inode {} changes while its status is cached", self.ino);
        self.changed = true;
    }

    /// Reports the first refusal since the last report, or losses. A page that the cache gave up may be of any file
    /// written since, so each reports it.
    pub(crate) async fn report_error(&mut self) -> Result<LossReport, Errno> {
        if let Some(before) = self.lost_before.take()
            && self.data.lost_writes().await != before
        {
            self.record_loss(Errno::EIO);
        }
        self.deferred_error.take().map_or_else(|| Ok(self.losses.report(self.me.now_ns())), Err)
    }

    /// Data that were written are lost: reported to each open file.
    pub(super) fn record_loss(&mut self, errno: Errno) {
        self.losses.record(errno, self.me.now_ns());
    }

    /// Before data are changed: as `begin_change`, and remembers what failures there were before.
    pub(crate) async fn begin_write(&mut self) -> Result<(), Errno> {
        self.begin_change().await?;
        self.note_losses().await;
        Ok(())
    }

    /// The same under the write lease, which goes on or is being flushed.
    pub(super) async fn begin_leased_write(&mut self) -> Result<(), Errno> {
        self.join().await?;
        self.note_losses().await;
        Ok(())
    }

    async fn note_losses(&mut self) {
        if self.lost_before.is_none() {
            self.lost_before = Some(self.data.lost_writes().await);
        }
    }

    pub(crate) fn touch_content(&mut self) {
        let now_ns = self.now_ns();
        self.record.set_time_ns(Time::Modify, now_ns);
        self.record.set_time_ns(Time::Change, now_ns);
        self.note_change();
    }

    pub(crate) fn touch(&mut self) {
        let now_ns = self.now_ns();
        self.record.set_time_ns(Time::Change, now_ns);
        self.note_change();
    }

    /// Changes the link count; at once in the buffer too, so that a sync of something else does
    /// not put names on the medium whose inodes are only here.
    pub(crate) async fn add_links(&mut self, add: i32) -> Result<LinkCount, Errno> {
        self.check()?;
        self.begin_change().await?;
        let links = self.record.links().checked_add_signed(add).ok_or(Errno::EIO)?;
        if links > LINKS_MAX {
            return Err(Errno::EMLINK);
        }
        if links == 0 && self.record.is(DIRECTORY) {
            // It has no entries any more.
            self.revoke(0, TO_END).await;
        }
        self.record.set_links(links);
        self.touch();
        self.save().await?;
        Ok(LinkCount { links, generation: self.record.generation() })
    }

    /// As the page cache knows it.
    pub(crate) fn file(&self) -> FileId {
        FileId { ino: self.ino, generation: self.record.generation() }
    }

    /// Before pages `from..to` change: revokes them from all other boards.
    pub(crate) async fn revoke(&mut self, from: u32, to: u32) {
        self.leases.revoke(self.file(), from, to).await;
    }

    /// Before any change of the status.
    pub(crate) async fn revoke_status(&mut self) {
        self.leases.revoke_status(self.ino).await;
    }

    pub(crate) fn append_at(&self) -> u64 {
        self.appends.next_at(self.record.size(), |board| self.referrers.session(board))
    }

    pub(crate) fn check_regular(&self) -> Result<(), Errno> {
        self.check()?;
        match () {
            () if self.record.is(REGULAR) => Ok(()),
            () if self.record.is(DIRECTORY) => Err(Errno::EISDIR),
            () => Err(Errno::EINVAL),
        }
    }

    /// A number that no lease of this inode has had.
    pub(super) fn lease_id(&self) -> u64 {
        u64::from(self.boot) << TIME_BITS | self.me.now_ns() & ((1 << TIME_BITS) - 1)
    }

    /// Whether the session in which it was leased has ended, or its board has not answered.
    pub(super) fn is_orphaned(&self) -> bool {
        self.is_of_ended_session() || self.leased.is_some_and(|lease| lease.silent_ns.is_some())
    }
    pub(super) fn is_of_ended_session(&self) -> bool {
        self.leased.is_some_and(|lease| lease.session != self.referrers.session(lease.board))
    }

    pub(crate) fn now_ns(&self) -> u64 {
        self.epoch_ns + self.me.now_ns()
    }
}

/// The error of a caller that gives up waiting for room.
pub(crate) fn no_room(errno: Errno) -> Errno {
    if errno == Errno::EAGAIN { Errno::ENOSPC } else { errno }
}

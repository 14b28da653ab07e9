//! What `stat` says of an inode, and setting it: mode, owner, times.

use crate::format::bytes::{put_u32, put_u64};
use crate::format::inode_record::{DIRECTORY, REGULAR, TYPE_MASK, Time};
use crate::format::stat::{ACCESS_AT, put_time};
use crate::inode::active_inode::ActiveInode;
use renga_abi::PAGE_BYTES;
use renga_proto::attributes::{AttributeChange, KEEP_OWNER, for_next_owner};
use renga_proto::inode::{
    DISK_DEVICE, GrantedFacts, InodeFacts, KEEP_MODE, STAT_BYTES, SetAccess, SetTimes, TIME_KEEP, TIME_NOW,
};
use renga_rt::Errno;

impl ActiveInode {
    /// Fills a `struct stat` as `asm-generic/stat.h` lays it out for 64 bits.
    pub(crate) fn status(&self, out: &mut [u8]) -> Result<(), Errno> {
        self.check()?;
        let out = out.get_mut(..STAT_BYTES).ok_or(Errno::EINVAL)?;
        out.fill(0);
        let record = &self.record;
        let (uid, gid) = record.owner();
        for (at, word) in [
            (0, DISK_DEVICE),
            (8, self.ino.into()),
            (32, record.device().into()),
            (48, self.known_size()),
            (64, self.known_sectors()),
        ] {
            put_u64(out, at, word);
        }
        for (at, word) in
            [(16, record.mode().into()), (20, record.links()), (24, uid), (28, gid), (56, PAGE_BYTES as u32)]
        {
            put_u32(out, at, word);
        }
        for (at, time) in [(ACCESS_AT, Time::Access), (88, Time::Modify), (104, Time::Change)] {
            put_time(out, at, record.time_ns(time));
        }
        Ok(())
    }

    /// As `status`, for `board`, which may cache it if the inode `stands` and has a name. It revokes nothing, as the
    /// caller has the lock of names.
    pub(crate) fn lease_status(&mut self, board: u8, stands: bool, out: &mut [u8]) -> Result<GrantedFacts, Errno> {
        self.status(out)?;
        let InodeFacts { mode, birth, .. } = self.facts()?;
        let may_hold = stands && self.record.links() > 0;
        Ok(GrantedFacts {
            mode,
            birth,
            known: self.leased.is_none(),
            cacheable: may_hold && self.leases.grant_status(board),
        })
    }

    pub(super) async fn set_access(&mut self, access: SetAccess) -> Result<(), Errno> {
        self.set(match access {
            SetAccess { mode: KEEP_MODE, uid, gid } => AttributeChange::owner(uid, gid),
            SetAccess { mode, .. } => AttributeChange::mode(mode),
        })
        .await
    }

    pub(super) async fn set_times(&mut self, SetTimes { access_ns, modify_ns }: SetTimes) -> Result<(), Errno> {
        let now_ns = self.now_ns();
        let [access_ns, modify_ns] = [access_ns, modify_ns].map(|ns| if ns == TIME_NOW { now_ns } else { ns });
        self.set(AttributeChange { access_ns, modify_ns, ..AttributeChange::NONE }).await
    }

    async fn set(&mut self, change: AttributeChange) -> Result<(), Errno> {
        self.check()?;
        self.begin_change().await?;
        if change != AttributeChange::NONE {
            self.make_changed(change, 0);
        }
        Ok(())
    }

    /// Takes over the board's changes.
    pub(super) async fn take_changed(&mut self, bytes: &[u8]) {
        let Some((changed, ns_ago)) = AttributeChange::get(bytes) else { return };
        if self.leased.is_none_or(|lease| lease.superseded) || !self.record.is(REGULAR) {
            return;
        }
        match self.begin_change().await {
            Ok(()) => self.make_changed(changed, ns_ago),
            Err(errno) => self.deferred_error = self.deferred_error.or(Some(errno)), // reported to the next sync
        }
    }

    fn make_changed(&mut self, changed: AttributeChange, ns_ago: u64) {
        let AttributeChange { mode, owner, strips, access_ns, modify_ns } = changed;
        let choose = |new: u32, old: u32| if new == KEEP_OWNER { old } else { new };
        let (uid, gid) = self.record.owner();
        self.record.set_owner(choose(owner.0, uid), choose(owner.1, gid));
        let bits = match mode {
            KEEP_MODE if strips && !self.record.is(DIRECTORY) => for_next_owner(self.record.mode()),
            KEEP_MODE => self.record.mode(),
            mode => mode,
        };
        self.record.set_mode(self.record.mode() & TYPE_MASK | bits & !TYPE_MASK);
        for (time, ns) in [(Time::Access, access_ns), (Time::Modify, modify_ns)] {
            if ns != TIME_KEEP {
                self.record.set_time_ns(time, ns);
            }
        }
        let changed_ns = self.now_ns().saturating_sub(ns_ago);
        self.record.set_time_ns(Time::Change, changed_ns);
        self.note_change();
    }

    /// Mode, owner or times are changed here, whatever the holder of the orphaned lease has changed before.
    pub(super) fn supersede(&mut self) {
        self.leased.iter_mut().for_each(|lease| lease.superseded = true);
    }
}

//! What `stat` says of an inode, and setting it: mode, owner, times.

use crate::format::bytes::{put_u32, put_u64};
use crate::format::inode_record::{DIRECTORY, InodeRecord, Time};
use crate::inode::active_inode::ActiveInode;
use renga_abi::PAGE_BYTES;
use renga_proto::attributes::AttributeChange;
use renga_proto::inode::{
    Birth, DISK_DEVICE, GrantedFacts, InodeFacts, KEEP_MODE, STAT_BYTES, SetAccess, SetTimes, TIME_KEEP,
};
use renga_proto::notices::{ACCESSED, ATTRIBUTES, MODIFIED};
use renga_proto::pages::NO_LEASE;
use renga_proto::sessions::ReferenceOrigin;
use renga_proto::stat::{ACCESS_AT, CHANGE_AT, MODIFY_AT, put_time};
use renga_rt::Errno;

/// What is made in a directory with this bit gets its group.
const SET_GROUP: u16 = 0o2000;

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
        for (at, time) in [(ACCESS_AT, Time::Access), (MODIFY_AT, Time::Modify), (CHANGE_AT, Time::Change)] {
            put_time(out, at, record.time_ns(time));
        }
        Ok(())
    }

    pub(crate) fn facts(&self) -> Result<InodeFacts, Errno> {
        self.check()?;
        let record = &self.record;
        Ok(InodeFacts {
            slot: self.number,
            ino: self.ino,
            mode: record.mode(),
            birth: Birth { generation: record.generation(), device: record.device() },
            origin: ReferenceOrigin::NONE,
        })
    }

    /// The same; of what cannot be read, or has failed as `failed` says, mode 0, which no inode has, and why.
    pub(crate) fn facts_or_why_not(&self, failed: Option<Errno>) -> InodeFacts {
        let why = match (failed, self.facts()) {
            (None, Ok(facts)) => return facts,
            (Some(errno), _) | (None, Err(errno)) => errno.0.into(),
        };
        InodeFacts {
            slot: self.number,
            ino: self.ino,
            mode: 0,
            birth: Birth { generation: 0, device: why },
            origin: ReferenceOrigin::NONE,
        }
    }

    /// As `status`, for `board`, which may cache it if the inode `stands` and has a name, and no other board the write
    /// lease. It revokes nothing, as the caller has the lock of names.
    pub(crate) fn lease_status(&mut self, board: u8, stands: bool, out: &mut [u8]) -> Result<GrantedFacts, Errno> {
        self.status(out)?;
        let InodeFacts { mode, birth, .. } = self.facts()?;
        let own = self.leased.filter(|lease| lease.board == board && !lease.closed && !self.is_orphaned());
        let may_hold = stands && self.record.links() > 0 && (self.leased.is_none() || own.is_some());
        let cacheable = may_hold && self.leases.grant_status(board);
        let lease = own.filter(|_| cacheable).map_or(NO_LEASE, |lease| lease.id);
        Ok(GrantedFacts { mode, birth, known: self.leased.is_none() || lease != NO_LEASE, cacheable, lease })
    }

    /// Who makes something in it learns whether that gets its group.
    pub(super) fn publish_mode(&self) {
        self.referrers.set_gives_group(self.number, self.record.is(DIRECTORY) && self.record.mode() & SET_GROUP != 0);
    }

    pub(super) async fn set_access(&mut self, access: SetAccess) -> Result<(), Errno> {
        self.set(match access {
            SetAccess { mode: KEEP_MODE, uid, gid } => AttributeChange::owner(uid, gid),
            SetAccess { mode, .. } => AttributeChange::mode(mode),
        })
        .await?;
        self.report(ATTRIBUTES).await;
        Ok(())
    }

    pub(super) async fn set_times(&mut self, SetTimes { access_ns, modify_ns }: SetTimes) -> Result<(), Errno> {
        let times = AttributeChange { access_ns, modify_ns, ..AttributeChange::NONE };
        self.set(times.made_at(self.now_ns())).await?;
        match (access_ns == TIME_KEEP, modify_ns == TIME_KEEP) {
            (true, true) => {}
            // As Linux names them.
            (false, true) => self.report(ACCESSED).await,
            (true, false) => self.report(MODIFIED).await,
            (false, false) => self.report(ATTRIBUTES).await,
        }
        Ok(())
    }

    async fn set(&mut self, change: AttributeChange) -> Result<(), Errno> {
        self.check()?;
        self.begin_change().await?;
        if change != AttributeChange::NONE {
            let now_ns = self.now_ns();
            self.record.change(change, now_ns);
            self.publish_mode();
            self.note_change();
        }
        Ok(())
    }

    /// Mode, owner or times are changed here, whatever the holder of the orphaned lease has changed before.
    pub(super) fn supersede(&mut self) {
        self.leased.iter_mut().for_each(|lease| lease.superseded = true);
    }
}

impl InodeRecord {
    /// Changes mode, owner and times, as was done at `at_ns`. Once more it changes nothing.
    pub(super) fn change(&mut self, change: AttributeChange, at_ns: u64) {
        let AttributeChange { strips, access_ns, modify_ns, .. } = change;
        let change = AttributeChange { strips: strips && !self.is(DIRECTORY), ..change };
        let (uid, gid) = change.owner_after(self.owner());
        self.set_owner(uid, gid);
        self.set_mode(change.mode_after(self.mode()));
        for (time, ns) in [(Time::Access, access_ns), (Time::Modify, modify_ns)] {
            if ns != TIME_KEEP {
                self.set_time_ns(time, ns);
            }
        }
        self.set_time_ns(Time::Change, at_ns.max(self.time_ns(Time::Change)));
    }
}

//! What `stat` says of an inode, and setting it: mode, owner, times.

use crate::format::bytes::{put_u32, put_u64};
use crate::format::inode_record::{DIRECTORY, TYPE_MASK, Time};
use crate::format::stat::{ACCESS_AT, put_time};
use crate::inode::active_inode::ActiveInode;
use renga_abi::PAGE_BYTES;
use renga_proto::attributes::for_next_owner;
use renga_proto::inode::{
    DISK_DEVICE, GrantedFacts, InodeFacts, KEEP_MODE, STAT_BYTES, SetAccess, TIME_KEEP, TIME_NOW,
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

    /// As `status`, for `board`, which may cache it if the inode `stands` and has a name. It asks nobody, as the caller has the lock of names.
    pub(crate) fn lease_status(&mut self, board: u8, stands: bool, out: &mut [u8]) -> Result<GrantedFacts, Errno> {
        self.status(out)?;
        let InodeFacts { mode, birth, .. } = self.facts()?;
        let may_hold = stands && self.record.links() > 0;
        Ok(GrantedFacts {
            mode,
            birth,
            known: self.leased.is_none(),
            held: may_hold && self.leases.grant_status(board),
        })
    }

    pub(super) async fn set_access(&mut self, access: SetAccess) -> Result<(), Errno> {
        match access {
            SetAccess { mode: KEEP_MODE, uid, gid } => self.set_owner(uid, gid).await,
            SetAccess { mode, .. } => self.set_mode(mode).await,
        }
    }

    async fn set_mode(&mut self, mode: u16) -> Result<(), Errno> {
        self.check()?;
        self.begin_change().await?;
        self.record.set_mode(self.record.mode() & TYPE_MASK | mode & !TYPE_MASK);
        self.touch();
        Ok(())
    }

    pub(crate) async fn set_times(&mut self, access_ns: u64, modify_ns: u64) -> Result<(), Errno> {
        self.check()?;
        self.begin_change().await?;
        if (access_ns, modify_ns) == (TIME_KEEP, TIME_KEEP) {
            return Ok(());
        }
        let now_ns = self.now_ns();
        for (time, ns) in [(Time::Access, access_ns), (Time::Modify, modify_ns)] {
            match ns {
                TIME_KEEP => {}
                TIME_NOW => self.record.set_time_ns(time, now_ns),
                ns => self.record.set_time_ns(time, ns),
            }
        }
        self.touch();
        Ok(())
    }

    async fn set_owner(&mut self, uid: u32, gid: u32) -> Result<(), Errno> {
        self.check()?;
        self.begin_change().await?;
        let (old_uid, old_gid) = self.record.owner();
        let choose = |new: u32, old: u32| if new == u32::MAX { old } else { new };
        self.record.set_owner(choose(uid, old_uid), choose(gid, old_gid));
        if !self.record.is(DIRECTORY) {
            self.record.set_mode(for_next_owner(self.record.mode()));
        }
        self.touch();
        Ok(())
    }
}

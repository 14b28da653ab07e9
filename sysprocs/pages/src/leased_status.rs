//! The `struct stat` of a file that this board has leased: the owner's, and what was written and changed here since the
//! grant.
//!
//! Invariant: what is here was made under the lease, and covers all that was reported to the owner; so it completes any
//! status that the owner has granted under this lease, however old that is. Not here: the cached status
//! (`renga_fs`).

use crate::index::PageIndex;
use renga_hal::memory::PAGE_BYTES;
use renga_proto::inode::{STAT_BYTES, TIME_KEEP};
use renga_proto::pages::FileId;
use renga_proto::stat::{
    ACCESS_AT, CHANGE_AT, MODE_AT, MODIFY_AT, OWNER_AT, SECTORS_AT, SIZE_AT, full_blocks, half, put_half, put_time,
    put_word, time_ns, word,
};
use renga_rt::Errno;

const SECTORS_PER_PAGE: u64 = 8;

impl PageIndex {
    /// Completes what the owner has granted under `lease`. `ENOLCK`: that is not the lease of this board; `EINVAL`: the
    /// slice has no room for a `struct stat`.
    pub fn complete_status(&self, id: FileId, lease: u64, status: &mut [u8]) -> Result<(), Errno> {
        let status = status.get_mut(..STAT_BYTES).ok_or(Errno::EINVAL)?;
        let leased = self.lease_of(id).filter(|leased| leased.lease == lease).ok_or(Errno::ENOLCK)?;
        let (_, written_ns, changed) = self.facts(id);
        let (before, size) = (word(status, SIZE_AT), leased.size.max(word(status, SIZE_AT)));
        let blocks = |size: u64| full_blocks(size.div_ceil(PAGE_BYTES as u64));
        let sectors = (blocks(size) - blocks(before)) * SECTORS_PER_PAGE;
        put_word(status, SIZE_AT, size);
        put_word(status, SECTORS_AT, word(status, SECTORS_AT).saturating_add(sectors));
        if let Some((change, at_ns)) = changed {
            put_half(status, MODE_AT, change.mode_after(half(status, MODE_AT) as u16).into());
            let (uid, gid) = change.owner_after((half(status, OWNER_AT), half(status, OWNER_AT + 4)));
            put_half(status, OWNER_AT, uid);
            put_half(status, OWNER_AT + 4, gid);
            for (at, ns) in [(ACCESS_AT, change.access_ns), (MODIFY_AT, change.modify_ns)] {
                if ns != TIME_KEEP {
                    put_time(status, at, ns);
                }
            }
            put_time(status, CHANGE_AT, at_ns.max(time_ns(status, CHANGE_AT)));
        }
        if let Some(written_ns) = written_ns {
            put_time(status, MODIFY_AT, written_ns);
            put_time(status, CHANGE_AT, written_ns.max(time_ns(status, CHANGE_AT)));
        }
        Ok(())
    }
}

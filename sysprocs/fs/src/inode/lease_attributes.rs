//! Mode, owner and times that the board which holds the inode has changed there.
//!
//! Invariant: they are flushed before anybody is notified of them or changes them here. What was changed here while that board was orphaned
//! stays. Not here: who asks for them (`demand.rs`), how they are asked for (`write_lease.rs`).

use crate::format::inode_record::{REGULAR, TYPE_MASK, Time};
use crate::inode::active_inode::ActiveInode;
use renga_proto::attributes::{AttributeChange, KEEP_OWNER, for_next_owner};
use renga_proto::inode::{KEEP_MODE, TIME_KEEP};

impl ActiveInode {
    /// What the board has changed is so here from now on.
    pub(super) async fn take_changed(&mut self, bytes: &[u8]) {
        let Some((changed, ns_ago)) = AttributeChange::get(bytes) else { return };
        if self.leased.is_none_or(|lease| lease.superseded) || !self.record.is(REGULAR) {
            return;
        }
        match self.begin_change().await {
            Ok(()) => self.make_changed(changed, ns_ago),
            Err(errno) => self.deferred_error = self.deferred_error.or(Some(errno)), // reported to whoever syncs
        }
    }

    fn make_changed(&mut self, changed: AttributeChange, ns_ago: u64) {
        let AttributeChange { mode, owner, strips, access_ns, modify_ns } = changed;
        let choose = |new: u32, old: u32| if new == KEEP_OWNER { old } else { new };
        let (uid, gid) = self.record.owner();
        self.record.set_owner(choose(owner.0, uid), choose(owner.1, gid));
        let bits = match mode {
            KEEP_MODE if strips => for_next_owner(self.record.mode()),
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

//! Process groups that nobody of their session could continue any more: those that have stopped members get SIGHUP and
//! SIGCONT when that begins.
//!
//! Invariant: a group is orphaned when no member's parent is in its session and in another group; init continues
//! nobody. Only records of this board are examined: a member whose parent is elsewhere keeps its group from being
//! orphaned. Not here: other uses of groups (`table.rs`).

use super::record::{Home, ProcessRecord, ProcessState};
use super::rows::RowKey;
use super::table::ProcessTable;
use crate::signals::{SIGCONT, SIGHUP};
use renga_proto::procs::{Cause, INIT, Users};

impl ProcessTable {
    /// Process `pid` ends: hangs up the groups that become orphaned with it, its own and its children's. The last one
    /// that has members on other boards; 0: none.
    pub(super) fn hang_up_orphans_of(&mut self, pid: u32) -> u32 {
        let Ok(&ended) = self.get(pid) else { return 0 };
        let mut elsewhere = 0;
        if let Ok(parent) = self.get(ended.parent)
            && parent.group != ended.group
        {
            elsewhere |= self.hang_up_if_orphaned(ended.group, pid);
        }
        let mut at = self.rows.first(RowKey::Parent, pid);
        while let Some(index) = at {
            let ProcessRecord { group, session, .. } = self.rows[index];
            at = self.rows.next(index, RowKey::Parent);
            if group != ended.group && session == ended.session {
                elsewhere |= self.hang_up_if_orphaned(group, pid);
            }
        }
        elsewhere
    }

    /// The number of `group` if it has members elsewhere that are to be hung up, else 0. `without` is ending.
    fn hang_up_if_orphaned(&mut self, group: u32, without: u32) -> u32 {
        let (mut stopped, mut elsewhere, mut at) = (false, false, self.rows.first(RowKey::Group, group));
        while let Some(index) = at {
            let member = &self.rows[index];
            at = self.rows.next(index, RowKey::Group);
            if member.pid == without || matches!(member.state, ProcessState::Ended(_)) {
                continue;
            }
            if member.parent != without && self.can_continue(member) {
                return 0;
            }
            stopped |= matches!(member.state, ProcessState::Stopped { .. });
            elsewhere |= member.home == Home::Elsewhere;
        }
        if !stopped {
            return 0;
        }
        for signal in [SIGHUP, SIGCONT] {
            let _ = self.kill_group((group, without), signal, Cause::KERNEL, Users::default()); // both are signals
        }
        if elsewhere { group } else { 0 }
    }

    /// Whether the parent of `member` may continue it as a job.
    fn can_continue(&self, member: &ProcessRecord) -> bool {
        let is_other = |parent: &ProcessRecord| parent.session == member.session && parent.group != member.group;
        member.parent != INIT && self.get(member.parent).map_or(true, is_other)
    }
}

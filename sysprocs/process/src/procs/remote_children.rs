//! Children on other boards: their records here, at their parents' board.
//!
//! Invariant: a child elsewhere has a record here from before it is made ([`ProcessTable::begin_fork`] keeps a row for
//! it), so that its end is never lost for want of room. Not here: those of this board (`table.rs`).

use super::record::{Home, ProcessRecord, ProcessState};
use super::table::ProcessTable;
use crate::signals::{CONTINUED, SIGKILL, SignalSet, killed, stop_signal};
use renga_proto::procs::{INIT, Relations, board_of};
use renga_rt::{BOARDS_MAX, Errno};

impl ProcessTable {
    /// The boards where children of processes here are, a bit each.
    pub fn far_boards(&self) -> u8 {
        (0..BOARDS_MAX).filter(|&board| self.far[board] > 0).fold(0, |set, board| set | 1 << board)
    }

    /// The record at `index` is not of a process elsewhere any more.
    pub(super) fn forget_far(&mut self, index: usize) {
        let ProcessRecord { pid, home, .. } = self.rows[index];
        if home == Home::Elsewhere {
            self.far[usize::from(board_of(pid, self.init_board))] -= 1;
        }
    }

    /// `parent` makes a child on another board: keeps a record for it until `add_child` or `cancel_fork`.
    pub fn begin_fork(&mut self, parent: u32, blocked: SignalSet) -> Result<Relations, Errno> {
        self.may_fork(parent, blocked)?;
        let index = self.index(parent)?;
        if self.rows.free() <= self.reserved || self.rows[index].forking {
            return Err(Errno::EAGAIN);
        }
        self.reserved += 1;
        self.rows.change(index, |record| (record.forking, record.from_group) = (true, 0));
        self.relate(parent)
    }

    /// `parent` has no child on another board to add.
    pub fn cancel_fork(&mut self, parent: u32) -> Result<(), Errno> {
        if self.change(parent, |record| core::mem::take(&mut record.forking))? {
            self.reserved -= 1;
        }
        Ok(())
    }

    /// The record of a child made on another board since `begin_fork`, when there had been `deaths` ends of boards.
    /// It may have ended meanwhile, and so may its board. Which signals `parent`'s group got meanwhile: the child
    /// is to have them too.
    pub fn add_child(&mut self, parent: u32, child: u32, group: u32, deaths: u32) -> Result<SignalSet, Errno> {
        let signals = self.get(parent)?.from_group;
        let known = self.index(child);
        if known.is_err() {
            self.insert_child(parent, child, group)?;
        }
        self.cancel_fork(parent)?; // the record is there
        if let Ok(index) = known {
            self.rows.change(index, |record| record.group = group);
            self.reap(index);
        } else if self.last_death[usize::from(board_of(child, self.init_board))] > deaths {
            self.child_exited(parent, child, killed(SIGKILL))?;
        }
        Ok(signals)
    }

    /// The record of a child elsewhere: what is reserved for its parent's, if that is making one.
    fn insert_child(&mut self, parent: u32, child: u32, group: u32) -> Result<(), Errno> {
        let ProcessRecord { session, forking, .. } = *self.get(parent)?;
        let record = ProcessRecord { pid: child, parent, group, session, home: Home::Elsewhere, ..ProcessRecord::FREE };
        if forking { self.insert_reserved(record) } else { self.insert(record) }
    }

    /// A child on another board ended, stopped or goes on. An unknown one belongs to a parent whose `AddChild` is
    /// still to come, or to init, the last parent of all; any other is an earlier parent's of that pid.
    pub fn child_exited(&mut self, parent: u32, child: u32, status: u32) -> Result<(), Errno> {
        let known = self.index(child);
        let index = match known {
            Ok(index) => index,
            Err(_) if !self.get(parent).is_ok_and(|record| record.forking || parent == INIT) => return Ok(()),
            Err(_) => {
                self.insert_child(parent, child, child)?;
                self.index(child)?
            }
        };
        match stop_signal(status) {
            _ if status == CONTINUED => {
                self.rows.change(index, |record| (record.state, record.continued) = (ProcessState::Alive, true));
            }
            Some(signal) => self.note_stop(index, signal),
            None => {
                self.forget_far(index);
                self.rows
                    .change(index, |record| (record.home, record.state) = (Home::Nowhere, ProcessState::Ended(status)));
            }
        }
        let parent = self.rows[index].parent;
        self.notify_parent(parent, child, status);
        if known.is_ok() {
            self.reap(index); // else `AddChild` does
        }
        Ok(())
    }

    /// A board failed: its processes' parents here learn that they were killed, and its processes' children here
    /// become init's. Pids of that board are void.
    pub fn board_died(&mut self, board: u8) {
        self.deaths += 1;
        if let Some(last) = self.last_death.get_mut(usize::from(board)) {
            *last = self.deaths;
        }
        for index in 0..self.rows.end() {
            let ProcessRecord { pid, parent, home, .. } = self.rows[index];
            if pid != 0 && parent != INIT && board_of(parent, self.init_board) == board {
                self.orphan_children_of(parent);
            } else if home == Home::Elsewhere && board_of(pid, self.init_board) == board {
                // The record is there, so it has room and a parent.
                let _ = self.child_exited(parent, pid, killed(SIGKILL));
            }
        }
    }
}

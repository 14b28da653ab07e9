//! Threads in the table: each beyond a process's first has a record and a slot of its own.
//!
//! Invariant: the record of a further thread names its process as its parent, and is none of that's children. What
//! concerns the process (group, parent, children, being stopped, signals for any of its threads) is in the record of
//! the first thread, which outlives the others. Not here: what the threads share (`user/state/thread_groups.rs`).

use super::record::{Home, ProcessRecord, ProcessState};
use super::rows::RowKey;
use super::slot_set::SlotSet;
use super::table::ProcessTable;
use crate::signals::{SIGKILL, SignalSet, bit};
use renga_proto::procs::Cause;
use renga_rt::Errno;

impl ProcessTable {
    /// The process that `pid` is, or is a thread of.
    pub fn process_of(&self, pid: u32) -> Result<u32, Errno> {
        let record = self.get(pid)?;
        Ok(if record.is_thread { record.parent } else { pid })
    }

    /// The row of that.
    pub(super) fn process_index(&self, index: usize) -> usize {
        let record = &self.rows[index];
        if record.is_thread { self.index(record.parent).unwrap_or(index) } else { index }
    }

    /// The slots of all threads of the process at `index`.
    pub(super) fn slots_of(&self, index: usize) -> SlotSet {
        let mut slots = SlotSet::NONE;
        let record = &self.rows[index];
        slots.add(record.slot().map_or(SlotSet::NONE, SlotSet::of));
        if record.threads > 0 {
            let mut at = self.rows.first(RowKey::Parent, record.pid);
            while let Some(thread) = at {
                at = self.rows.next(thread, RowKey::Parent);
                let record = &self.rows[thread];
                if let Some(slot) = record.slot().filter(|_| record.is_thread) {
                    slots.insert(slot);
                }
            }
        }
        slots
    }

    /// A further thread of process `parent`, in `slot`.
    pub fn spawn_thread(&mut self, slot: u16, parent: u32) -> Result<u32, Errno> {
        let index = self.index(parent)?;
        let ProcessRecord { reaps, quiet, queued_most, name, is_thread, users, saved, .. } = self.rows[index];
        if is_thread || self.rows[index].slot().is_none() {
            return Err(Errno::ESRCH);
        }
        let known = ProcessRecord { parent, reaps, quiet, queued_most, name, users, saved, ..ProcessRecord::FREE };
        let pid = self.fresh_pid();
        self.insert(ProcessRecord { pid, home: Home::Slot(slot), is_thread: true, ..known })?;
        self.take_slot(slot);
        self.change(parent, |record| record.threads += 1)?;
        Ok(pid)
    }

    /// The thread at `index`, which is not its process's first, is no more.
    pub(super) fn end_thread(&mut self, index: usize) {
        self.forget_signals(index);
        let ProcessRecord { parent: process, used, .. } = self.rows[index];
        self.remove(index);
        // It outlives its threads.
        let _ = self.change(process, |record| {
            record.threads -= 1;
            record.used = record.used.plus(used);
        });
    }

    /// Kills all threads of process `pid` but `except`, each for itself.
    pub(super) fn kill_siblings(&mut self, pid: u32, except: u32) -> Result<(), Errno> {
        let first = self.index(pid)?;
        let mut slots = self.slots_of(first);
        let mut at = Some(first);
        let mut next = self.rows.first(RowKey::Parent, pid);
        while let Some(index) = at {
            let ProcessRecord { pid: tid, is_thread, .. } = self.rows[index];
            match self.rows[index].slot() {
                Some(slot) if tid == except => slots.remove(slot),
                Some(_) if is_thread || index == first => {
                    self.note_signal(index, SIGKILL, Cause { code: Cause::FOR_THREAD, ..Cause::KERNEL })?;
                }
                _ => {}
            }
            at = next;
            next = at.and_then(|index| self.rows.next(index, RowKey::Parent));
        }
        self.to_answer.add(slots);
        self.to_interrupt.add(slots);
        self.resume(first);
        Ok(())
    }

    /// The first thread of process `pid`, which a sibling has killed, goes on as the program that that one runs.
    pub(super) fn forget_sibling(&mut self, pid: u32) -> Result<(), Errno> {
        let index = self.index(pid)?;
        // One that came for the process is no sibling's.
        if self.rows[index].directed & bit(SIGKILL) != 0 {
            self.rows.change(index, |record| {
                record.pending &= !bit(SIGKILL);
                record.directed &= !bit(SIGKILL);
            });
        }
        Ok(())
    }

    /// The process at `index` goes on if it is stopped, since a thread of it has to.
    pub(super) fn resume(&mut self, index: usize) {
        if matches!(self.rows[index].state, ProcessState::Stopped { .. }) {
            self.rows.change(index, |record| record.state = ProcessState::Alive);
            self.to_answer.add(self.slots_of(index));
        }
    }

    /// Pending signals that concern `pid` while it blocks `blocked`: its own, and those of its process for any thread.
    pub(super) fn deliverable(&self, pid: u32, blocked: SignalSet) -> Result<SignalSet, Errno> {
        let index = self.index(pid)?;
        let own = self.rows[index].deliverable(blocked);
        let process = self.process_index(index);
        if process == index {
            return Ok(own);
        }
        let record = &self.rows[process];
        Ok(own | record.deliverable(blocked) & !record.directed)
    }

    /// All pending signals that `pid` may take: its own, and those of its process for any thread.
    pub(super) fn pending(&self, pid: u32) -> Result<SignalSet, Errno> {
        let own = self.index(pid)?;
        let record = &self.rows[self.process_index(own)];
        let of_process = if self.rows[own].is_thread { record.pending & !record.directed } else { 0 };
        Ok(self.rows[own].pending | of_process)
    }

    /// Whether a thread of a stopped process is to wait with it.
    pub(super) fn is_stopped(&self, index: usize) -> bool {
        matches!(self.rows[self.process_index(index)].state, ProcessState::Stopped { .. })
    }
}

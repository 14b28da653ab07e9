//! Signals in the table: who gets them, what they wake.
//!
//! Invariant: a signal that its receiver ignores and does not block leaves no trace.

use super::record::{Record, State};
use super::table::Table;
use crate::signals::{SIGCONT, SIGKILL, SIGNALS, STOPPING, SignalSet, UNSTOPPABLE, bit, first};
use renga_proto::procs::INIT;
use renga_rt::Errno;

impl Table {
    /// Sends `signal` to `pid` of this board; 0 only asks whether it is there.
    pub fn kill(&mut self, pid: u32, signal: u8) -> Result<(), Errno> {
        if signal > SIGNALS {
            return Err(Errno::EINVAL);
        }
        let record = self.get(pid)?;
        if signal == 0 || matches!(record.state, State::Ended(_)) {
            return Ok(());
        }
        self.post(pid, signal)
    }

    /// Sends `signal` to all of `group`, or to all but init for group 0, and never to `except`; how many
    /// there are.
    pub fn kill_group(&mut self, group: u32, signal: u8, except: u32) -> Result<u32, Errno> {
        if signal > SIGNALS {
            return Err(Errno::EINVAL);
        }
        let mut count = 0;
        for index in 0..self.used {
            let Record { pid, group: own, home, .. } = self.records[index];
            let meant = if group == 0 { pid != INIT } else { own == group };
            if pid != 0 && pid != except && meant && matches!(home, super::record::Home::Slot(_)) {
                count += 1;
                if signal != 0 {
                    self.post(pid, signal)?;
                }
            }
        }
        Ok(count)
    }

    pub(super) fn post(&mut self, pid: u32, signal: u8) -> Result<(), Errno> {
        let index = self.index(pid)?;
        let record = &mut self.records[index];
        let slot = record.slot().ok_or(Errno::ESRCH)?;
        let set = bit(signal);
        if signal == SIGCONT || signal == SIGKILL {
            record.pending &= !STOPPING;
            record.stopping = false;
            if matches!(record.state, State::Stopped { .. }) {
                record.state = State::Alive;
                self.to_answer |= 1 << slot;
            }
        } else if set & STOPPING != 0 {
            record.pending &= !bit(SIGCONT);
        }
        if record.ignored & !record.blocked & !UNSTOPPABLE & set != 0 {
            return Ok(());
        }
        record.pending |= set;
        self.to_answer |= 1 << slot;
        if record.deliverable(record.blocked) & set != 0 {
            self.to_interrupt |= 1 << slot;
        }
        Ok(())
    }

    /// Takes away the pending signal of `pid` outside `blocked` that is to be served first; 0: none.
    pub fn take_signal(&mut self, pid: u32, blocked: SignalSet) -> Result<u8, Errno> {
        let index = self.index(pid)?;
        let record = &mut self.records[index];
        let Some(signal) = first(record.pending & (!blocked | UNSTOPPABLE)) else { return Ok(0) };
        record.pending &= !bit(signal);
        record.stopping = bit(signal) & STOPPING != 0;
        Ok(signal)
    }

    /// Notes what `pid` blocks and ignores.
    pub fn set_masks(&mut self, pid: u32, blocked: SignalSet, ignored: SignalSet) -> Result<(), Errno> {
        let index = self.index(pid)?;
        let record = &mut self.records[index];
        record.blocked = blocked & !UNSTOPPABLE;
        record.ignored = ignored & !UNSTOPPABLE;
        record.pending &= !record.ignored | record.blocked;
        if record.deliverable(record.blocked) != 0
            && let Some(slot) = record.slot()
        {
            self.to_interrupt |= 1 << slot;
        }
        Ok(())
    }

    /// Whether a signal outside `blocked` waits for `pid`.
    pub fn has_signal(&self, pid: u32, blocked: SignalSet) -> Result<bool, Errno> {
        Ok(self.get(pid)?.deliverable(blocked) != 0)
    }

    /// Whether `pid` is stopped.
    pub fn is_stopped(&self, pid: u32) -> Result<bool, Errno> {
        Ok(matches!(self.get(pid)?.state, State::Stopped { .. }))
    }
}

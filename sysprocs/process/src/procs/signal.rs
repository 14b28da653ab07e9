//! Signals in the table: who gets them, what they wake.
//!
//! Invariant: a signal that its receiver ignores and does not block leaves no trace.

use super::record::{Home, Record, State};
use super::rows::Key;
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
        if group == 0 {
            for index in 0..self.rows.end() {
                count += self.post_for_group(index, signal, except, INIT);
            }
            return Ok(count);
        }
        let mut at = self.rows.first(Key::Group, group);
        while let Some(index) = at {
            count += self.post_for_group(index, signal, except, 0);
            at = self.rows.next(index, Key::Group);
        }
        Ok(count)
    }

    /// Sends `signal` to the process at `index`, if it is one of this board and none of the exceptions; how many
    /// that are.
    fn post_for_group(&mut self, index: usize, signal: u8, except: u32, and: u32) -> u32 {
        let Record { pid, home, .. } = self.rows[index];
        if pid == 0 || pid == except || pid == and || !matches!(home, Home::Slot(_)) {
            return 0;
        }
        if signal != 0 {
            self.rows.change(index, |record| record.from_group |= bit(signal));
            let _ = self.post(pid, signal); // it is here, in a slot
        }
        1
    }

    /// Sends `pid`, just made by another board's process, the signals that the group of that process got meanwhile,
    /// but those that it got as one of the group itself.
    pub fn pass_on(&mut self, pid: u32, signals: SignalSet) -> Result<(), Errno> {
        let mut missed = signals & !self.get(pid)?.from_group;
        // Each turn takes a signal out.
        while let Some(signal) = first(missed) {
            missed &= !bit(signal);
            self.kill(pid, signal)?;
        }
        Ok(())
    }

    pub(super) fn post(&mut self, pid: u32, signal: u8) -> Result<(), Errno> {
        let index = self.index(pid)?;
        let slot = self.rows[index].slot().ok_or(Errno::ESRCH)?;
        let (answer, interrupt) = self.rows.change(index, |record| note(record, signal));
        if answer {
            self.to_answer.insert(slot);
        }
        if interrupt {
            self.to_interrupt.insert(slot);
        }
        Ok(())
    }

    /// Takes away the pending signal of `pid` outside `blocked` that is to be served first; 0: none.
    pub fn take_signal(&mut self, pid: u32, blocked: SignalSet) -> Result<u8, Errno> {
        let index = self.index(pid)?;
        let Some(signal) = first(self.rows[index].pending & (!blocked | UNSTOPPABLE)) else { return Ok(0) };
        self.rows.change(index, |record| {
            record.pending &= !bit(signal);
            record.stopping = bit(signal) & STOPPING != 0;
        });
        Ok(signal)
    }

    /// Notes what `pid` blocks and ignores.
    pub fn set_masks(&mut self, pid: u32, blocked: SignalSet, ignored: SignalSet) -> Result<(), Errno> {
        let index = self.index(pid)?;
        self.rows.change(index, |record| {
            record.blocked = blocked & !UNSTOPPABLE;
            record.ignored = ignored & !UNSTOPPABLE;
            record.pending &= !record.ignored | record.blocked;
        });
        let record = self.rows[index];
        if record.deliverable(record.blocked) != 0
            && let Some(slot) = record.slot()
        {
            self.to_interrupt.insert(slot);
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

/// Notes that `signal` has come; whether a held call may have an answer now, and whether the process must look.
fn note(record: &mut Record, signal: u8) -> (bool, bool) {
    let (set, mut continued) = (bit(signal), false);
    if signal == SIGCONT || signal == SIGKILL {
        record.pending &= !STOPPING;
        record.stopping = false;
        if matches!(record.state, State::Stopped { .. }) {
            record.state = State::Alive;
            continued = true;
        }
    } else if set & STOPPING != 0 {
        record.pending &= !bit(SIGCONT);
    }
    if record.ignored & !record.blocked & !UNSTOPPABLE & set != 0 {
        return (continued, false);
    }
    record.pending |= set;
    (true, record.deliverable(record.blocked) & set != 0)
}

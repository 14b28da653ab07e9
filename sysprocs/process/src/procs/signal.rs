//! Signals in the table: who gets them, what they wake.
//!
//! Invariant: a signal that its receiver ignores and does not block leaves no trace, if it has said so; any other is
//! pending until it is taken. Only the receiver knows which ones it blocks: it is interrupted, and checks.

use super::queue::SignalQueue;
use super::record::{Home, ProcessRecord, ProcessState};
use super::rows::RowKey;
use super::slot_set::SlotSet;
use super::table::ProcessTable;
use crate::signals::{CONTINUED, SIGCONT, SIGKILL, SIGNALS, SIGRTMIN, STOPPING, SignalSet, UNSTOPPABLE, bit, first};
use renga_proto::procs::{Cause, INIT, SOME_REFUSED, SignalFacts, TakenSignal, Users};
use renga_rt::Errno;

impl ProcessTable {
    /// Sends `signal` to `pid` of this board; 0 only checks that it exists. Returns whether the signal is pending.
    /// `EAGAIN`: there is no room in the queue for one that must not get lost.
    pub fn kill(&mut self, pid: u32, signal: u8, cause: Cause) -> Result<bool, Errno> {
        if signal > SIGNALS {
            return Err(Errno::EINVAL);
        }
        let process = self.process_of(pid)?;
        if signal == 0 && cause.code == Cause::FOR_THREAD && cause.value != 0 && cause.value != u64::from(process) {
            return Err(Errno::ESRCH);
        }
        // What is not for one thread is for its process.
        let pid = if cause.is_for_thread() { pid } else { process };
        let record = self.get(pid)?;
        if signal == 0 && cause.code == Cause::OF_SIBLING {
            return self.forget_sibling(pid).map(|()| false);
        }
        if signal == 0 || matches!(record.state, ProcessState::Ended(_)) {
            return Ok(false);
        }
        if cause.code == Cause::OF_SIBLING {
            if signal != SIGKILL || self.process_of(cause.sender.pid) != Ok(pid) {
                return Err(Errno::EPERM);
            }
            return self.kill_siblings(pid, cause.sender.pid).map(|()| true);
        }
        self.post(pid, signal, cause)
    }

    /// Sends `signal` to all of `group`, or to all but init for group 0, and never to `except`, from a process of
    /// `users`; how many there are, with `SOME_REFUSED` if it may not signal some of them.
    pub fn kill_group(
        &mut self,
        (group, except): (u32, u32),
        signal: u8,
        cause: Cause,
        users: Users,
    ) -> Result<u32, Errno> {
        if signal > SIGNALS {
            return Err(Errno::EINVAL);
        }
        let session = self.get(cause.sender.pid).ok().map(|sender| sender.session);
        let who = (users, session.filter(|_| signal == SIGCONT));
        let mut count = 0;
        if group == 0 {
            for index in 0..self.rows.end() {
                count = self.post_for_group(index, (signal, cause), [except, INIT], who).add_to(count);
            }
            return Ok(count);
        }
        let mut at = self.rows.first(RowKey::Group, group);
        while let Some(index) = at {
            count = self.post_for_group(index, (signal, cause), [except, 0], who).add_to(count);
            at = self.rows.next(index, RowKey::Group);
        }
        Ok(count)
    }

    /// Sends `signal` to the process at `index`, if it is one of this board and none of the exceptions, and `who`
    /// sends it may.
    fn post_for_group(
        &mut self,
        index: usize,
        (signal, cause): (u8, Cause),
        but: [u32; 2],
        (users, goes_on_in): (Users, Option<u32>),
    ) -> Posted {
        let ProcessRecord { pid, home, is_thread, .. } = self.rows[index];
        if pid == 0 || is_thread || but.contains(&pid) || !matches!(home, Home::Slot(_)) {
            return Posted::Passed;
        }
        if !self.rows[index].admits(users, goes_on_in) {
            return Posted::Refused;
        }
        if signal != 0 {
            self.rows.change(index, |record| record.from_group |= bit(signal));
            let _ = self.post(pid, signal, cause); // it is here, in a slot
        }
        Posted::Sent
    }

    /// Sends `pid`, just made by another board's process, the signals that the group of that process got meanwhile,
    /// but those that it got as one of the group itself.
    pub fn pass_on(&mut self, pid: u32, signals: SignalSet) -> Result<(), Errno> {
        let mut missed = signals & !self.get(pid)?.from_group;
        // Each pass takes a signal out.
        while let Some(signal) = first(missed) {
            missed &= !bit(signal);
            self.kill(pid, signal, Cause::user(0))?;
        }
        Ok(())
    }

    pub(super) fn post(&mut self, pid: u32, signal: u8, cause: Cause) -> Result<bool, Errno> {
        let index = self.index(pid)?;
        let slot = self.rows[index].slot().ok_or(Errno::ESRCH)?;
        let Noted { kept, goes_on } = self.note_signal(index, signal, cause)?;
        if self.rows[index].is_thread && (signal == SIGKILL || signal == SIGCONT) {
            self.resume(self.process_index(index));
        }
        // Any thread may take what is for the process.
        let one = cause.is_for_thread() || self.rows[index].threads == 0;
        let slots = if one && !goes_on { SlotSet::of(slot) } else { self.slots_of(index) };
        if kept || goes_on {
            self.to_answer.add(slots);
        }
        if kept {
            self.to_interrupt.add(slots);
        }
        let ProcessRecord { parent, continued, .. } = self.rows[index];
        if goes_on && continued {
            self.notify_parent(parent, pid, CONTINUED);
        }
        Ok(kept)
    }

    /// Notes that `signal` has come for the process or thread at `index`.
    pub(super) fn note_signal(&mut self, index: usize, signal: u8, cause: Cause) -> Result<Noted, Errno> {
        let ProcessTable { rows, queue, .. } = self;
        rows.change(index, |record| note(record, queue, signal, cause))
    }

    /// Takes the pending signal of `pid` outside `blocked` that is to be served first: one of its own, or else one of
    /// its process for any thread.
    pub fn take_signal(&mut self, pid: u32, blocked: SignalSet) -> Result<TakenSignal, Errno> {
        let own = self.index(pid)?;
        let process = self.process_index(own);
        let wanted = !blocked | UNSTOPPABLE;
        let for_any = self.rows[process].pending & !self.rows[process].directed;
        let from_own = process == own || self.rows[own].pending & wanted != 0;
        let (index, wanted) = if from_own { (own, wanted) } else { (process, wanted & for_any) };
        let signal = first(self.rows[index].pending & wanted);
        // What kills a process with threads kills it whichever takes it, also if that one ends for a sibling's exec.
        let shared = self.rows[process].threads > 0 && self.rows[process].pid != INIT;
        let kept = shared && index == process && signal == Some(SIGKILL) && for_any & bit(SIGKILL) != 0;
        let ProcessTable { rows, queue, .. } = self;
        let cause = signal.and_then(|signal| {
            rows.change(index, |record| {
                let (cause, more) = queue.take(&mut record.queued, signal);
                if !more && !kept {
                    record.pending &= !bit(signal);
                    record.directed &= record.pending;
                }
                record.stopping = bit(signal) & STOPPING != 0;
                cause
            })
        });
        let (suspended, parent) = (self.rows[own].suspended, self.rows[process].parent);
        let pending = match process == own {
            true => self.rows[own].pending,
            false => self.rows[own].pending | self.rows[process].pending & !self.rows[process].directed,
        };
        let (more, waits) = (pending & (!blocked | UNSTOPPABLE) != 0, pending != 0);
        let suspended = suspended || self.is_stopped(own);
        let next = SignalFacts { signal: signal.unwrap_or(0), more, waits, suspended, parent };
        Ok(TakenSignal { next, cause: cause.unwrap_or(Cause::user(0)) })
    }

    /// Nothing waits for the process at `index` any more.
    pub(super) fn forget_signals(&mut self, index: usize) {
        let ProcessTable { rows, queue, .. } = self;
        rows.change(index, |record| {
            (record.pending, record.directed) = (0, 0);
            queue.discard(&mut record.queued, SignalSet::MAX);
        });
    }

    /// At most `most` signals wait for `pid` with their causes.
    pub fn limit_queued(&mut self, pid: u32, most: u32) -> Result<(), Errno> {
        self.change(pid, |record| record.queued_most = most)
    }

    /// Notes what `pid` ignores and does not block.
    pub fn set_ignored(&mut self, pid: u32, ignored: SignalSet) -> Result<(), Errno> {
        let index = self.index(pid)?;
        let process = self.process_index(index);
        let ProcessTable { rows, queue, .. } = self;
        rows.change(index, |record| {
            record.ignored = ignored & !UNSTOPPABLE;
            record.forget(queue, record.ignored);
        });
        // What one thread waits for must not get lost, whatever the others said.
        if process != index {
            rows.change(process, |record| record.ignored &= ignored);
        }
        if rows[process].threads > 0 {
            let mut at = rows.first(RowKey::Parent, rows[process].pid);
            while let Some(thread) = at {
                at = rows.next(thread, RowKey::Parent);
                if rows[thread].is_thread {
                    rows.change(thread, |record| record.ignored &= ignored);
                }
            }
        }
        Ok(())
    }

    /// Whether a signal outside `blocked` waits for `pid`.
    pub fn has_signal(&self, pid: u32, blocked: SignalSet) -> Result<bool, Errno> {
        Ok(self.deliverable(pid, blocked)? != 0)
    }

    /// The parent to notify that `pid` goes on, 0 if it was killed; `None` while it is stopped.
    pub fn gone_on(&self, pid: u32) -> Result<Option<u32>, Errno> {
        let ProcessRecord { state, parent, continued, .. } = self.rows[self.process_index(self.index(pid)?)];
        let stopped = matches!(state, ProcessState::Stopped { .. });
        Ok((!stopped).then_some(if continued { parent } else { 0 }))
    }

    /// Whether `pid`, which blocks `blocked`, is to wait because it is suspended: a signal is served at once.
    pub fn is_kept(&self, pid: u32, blocked: SignalSet) -> Result<bool, Errno> {
        let own = self.index(pid)?;
        Ok(self.is_stopped(own) || self.rows[own].suspended && self.deliverable(pid, blocked)? == 0)
    }
}

/// What came of a signal to one of a group.
enum Posted {
    Passed,
    Refused,
    Sent,
}

impl Posted {
    /// What is answered of the group, of which `count` is answered so far.
    fn add_to(self, count: u32) -> u32 {
        match self {
            Posted::Passed => count,
            Posted::Refused => count | SOME_REFUSED,
            Posted::Sent => count + 1,
        }
    }
}

/// What a signal that has come leads to.
pub(super) struct Noted {
    /// It waits to be taken, so that the process must check.
    pub(super) kept: bool,
    /// A process that was stopped goes on, or ends.
    pub(super) goes_on: bool,
}

impl ProcessRecord {
    /// Drops the pending signals of `set`.
    fn forget(&mut self, queue: &mut SignalQueue, set: SignalSet) {
        if self.pending & set != 0 {
            self.pending &= !set;
            queue.discard(&mut self.queued, set);
        }
    }
}

/// Notes that `signal` has come.
fn note(record: &mut ProcessRecord, queue: &mut SignalQueue, signal: u8, cause: Cause) -> Result<Noted, Errno> {
    let (set, mut goes_on) = (bit(signal), false);
    if signal == SIGCONT || signal == SIGKILL {
        record.forget(queue, STOPPING);
        record.stopping = false;
        if matches!(record.state, ProcessState::Stopped { .. }) {
            record.state = ProcessState::Alive;
            (goes_on, record.continued) = (true, signal == SIGCONT);
        }
    } else if set & STOPPING != 0 {
        record.forget(queue, bit(SIGCONT));
    }
    if record.ignored & !UNSTOPPABLE & set != 0 {
        return Ok(Noted { kept: false, goes_on });
    }
    // Real-time signals count; of others one waits, with the first one's cause.
    let again = signal < SIGRTMIN && record.pending & set != 0 && cause.timer == 0;
    if signal != SIGKILL && !again {
        let queued = record.queued.count < record.queued_most && queue.push(&mut record.queued, signal, cause);
        if !queued && (cause.timer != 0 || (signal >= SIGRTMIN && cause.code < 0)) {
            return Err(Errno::EAGAIN);
        }
    }
    if cause.is_for_thread() && record.threads > 0 && record.pending & set == 0 {
        record.directed |= set;
    } else if !cause.is_for_thread() {
        record.directed &= !set;
    }
    record.pending |= set;
    Ok(Noted { kept: true, goes_on })
}

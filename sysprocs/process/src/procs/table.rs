//! The table of a board's user processes: the rules, without calls.
//!
//! Invariant: every process that occupies a slot of this board has exactly one record with that slot;
//! a record without a slot is that of a child whose parent is here, and goes when the parent has waited
//! for it or ends. Whom a change concerns is noted in `to_interrupt` and `to_answer`, which the server
//! empties after each call.
//!
//! Not here: signals (`signal.rs`), children on other boards (`remote_children.rs`), finding records (`rows.rs`),
//! deferred calls (`server.rs`).

use super::queue::{QueuedSignal, SignalQueue};
use super::record::{Home, NAME_BYTES, ProcessRecord, ProcessState};
use super::rows::{ProcessRow, ProcessRows, RowKey};
use super::slot_set::SlotSet;
use crate::signals::{CONTINUED, SIGCHLD, SignalSet, of_child, stop_signal, stopped};
use renga_proto::procs::{
    EndedProcess, FurtherFacts, INIT, Relations, Rename, SetGroup, Users, WAIT_CONTINUED, WAIT_ENDED, WAIT_GROUP,
    WAIT_KEEP, WAIT_NO_HANG, WAIT_STOPPED, WaitedChild, board_of,
};
use renga_proto::used::Used;
use renga_rt::{BOARDS_MAX, Errno};

/// Processes, ended ones not yet waited for, and children on other boards, of one board.
pub const RECORDS_MAX: usize = 2048;
/// Pids stay below this; numbers are given out again from the start then. They are more than records, groups
/// and sessions can name.
const SEQUENCE_MAX: u32 = 131_072 / BOARDS_MAX as u32;
const _: () = assert!(SEQUENCE_MAX as usize > 3 * RECORDS_MAX + 1);

/// How far apart the first pids of two starts of a board are.
const PIDS_BETWEEN_STARTS: u32 = 509;

renga_rt::with_defaults! {
    /// The table.
    pub struct ProcessTable {
        pub(super) board: u8 = board,
        pub(super) rows: ProcessRows = ProcessRows::new(rows),
        /// The causes of signals that wait.
        pub(super) queue: SignalQueue = SignalQueue::new(queued),
        pub(super) init_board: u8 = init_board,
        sequence: u32 = u32::from(boot.saturating_sub(1)) * PIDS_BETWEEN_STARTS % (SEQUENCE_MAX - 1),
        /// Children on each other board.
        pub(super) far: [u16; BOARDS_MAX] = [0; BOARDS_MAX],
        /// Rows that children being made on other boards will need.
        pub(super) reserved: usize = 0,
        /// Ends of boards so far, and which of them was the last of each board.
        pub(super) deaths: u32 = 0,
        pub(super) last_death: [u32; BOARDS_MAX] = [0; BOARDS_MAX],
        /// Slots that have a process.
        taken: SlotSet = SlotSet::NONE,
        /// Slots whose process must check its signals.
        pub to_interrupt: SlotSet = SlotSet::NONE,
        /// Slots whose deferred call may have its reply now.
        pub to_answer: SlotSet = SlotSet::NONE,
        /// The use of the child that `wait` reported last.
        pub waited: Used = Used::NONE,
    }
    /// No process yet on `board`, where init is to run on `init_board`; `boot` counts the board's boots from 1, so
    /// that the next one does not reuse its pids soon. It has room for as many records as `rows`, and for as many
    /// queued signals as `queued`.
    pub fn new(
        board: u8,
        init_board: u8,
        boot: u8,
        rows: &'static mut [ProcessRow],
        queued: &'static mut [QueuedSignal],
    );
}

impl ProcessTable {
    pub(super) fn index(&self, pid: u32) -> Result<usize, Errno> {
        self.rows.first(RowKey::Pid, pid).filter(|_| pid != 0).ok_or(Errno::ESRCH)
    }

    /// The record of `pid`, alive or not.
    pub fn get(&self, pid: u32) -> Result<&ProcessRecord, Errno> {
        Ok(&self.rows[self.index(pid)?])
    }

    /// Changes the record of `pid`.
    pub(super) fn change<R>(&mut self, pid: u32, change: impl FnOnce(&mut ProcessRecord) -> R) -> Result<R, Errno> {
        let index = self.index(pid)?;
        Ok(self.rows.change(index, change))
    }

    /// The slot of a process of this board.
    pub fn slot(&self, pid: u32) -> Result<u16, Errno> {
        self.get(pid)?.slot().ok_or(Errno::ESRCH)
    }

    /// Whether a process has `slot`.
    pub fn is_taken(&self, slot: u16) -> bool {
        self.taken.contains(slot)
    }

    /// `slot` has a process from now on.
    pub(super) fn take_slot(&mut self, slot: u16) {
        self.taken.insert(slot);
    }

    /// The processes that run here, with their slots.
    pub fn in_slots(&self) -> impl Iterator<Item = (u32, u16)> {
        (0..self.rows.end()).filter_map(|index| Some((self.rows[index].pid, self.rows[index].slot()?)))
    }

    /// Adds a record, if there is room beside what is reserved. `EAGAIN` without.
    pub(super) fn insert(&mut self, record: ProcessRecord) -> Result<(), Errno> {
        if self.rows.free() <= self.reserved {
            return Err(Errno::EAGAIN);
        }
        self.insert_reserved(record)
    }

    pub(super) fn insert_reserved(&mut self, record: ProcessRecord) -> Result<(), Errno> {
        self.rows.insert(record).ok_or(Errno::EAGAIN)?;
        if record.home == Home::Elsewhere {
            self.far[usize::from(board_of(record.pid, self.init_board))] += 1;
        }
        Ok(())
    }

    pub(super) fn remove(&mut self, index: usize) {
        self.forget_far(index);
        self.rows.remove(index);
    }

    /// A pid that no record here names. Bounded: more pids than records can name.
    pub(super) fn fresh_pid(&mut self) -> u32 {
        loop {
            self.sequence = self.sequence % (SEQUENCE_MAX - 1) + 1;
            let pid = self.sequence * BOARDS_MAX as u32 + u32::from(self.board);
            let named = |key| self.rows.first(key, pid).is_some();
            if !(named(RowKey::Pid) || named(RowKey::Group) || named(RowKey::Session)) {
                return pid;
            }
        }
    }

    /// A new process in `slot`, of `parent` (of any board). Group 0: group and session are those of the parent, which
    /// is of this board, and so are its settings of signals and children but for `set_ignored`.
    pub fn spawn(&mut self, slot: u16, parent: u32, group: u32, session: u32) -> Result<u32, Errno> {
        let known = match group {
            0 => {
                let ProcessRecord { group, session, reaps, quiet, queued_most, users, saved, .. } =
                    *self.get(parent)?;
                ProcessRecord { group, session, reaps, quiet, queued_most, users, saved, ..ProcessRecord::FREE }
            }
            _ => ProcessRecord { group, session, ..ProcessRecord::FREE },
        };
        let name = self.get(parent).map_or([0; NAME_BYTES], |parent| parent.name);
        let pid = self.fresh_pid();
        self.insert(ProcessRecord { pid, parent, home: Home::Slot(slot), name, ..known })?;
        self.taken.insert(slot);
        Ok(pid)
    }

    /// Init, in `slot`.
    pub fn make_init(&mut self, slot: u16) -> Result<u32, Errno> {
        if self.board != self.init_board || self.index(INIT).is_ok() || self.is_taken(slot) {
            return Err(Errno::EEXIST);
        }
        let home = Home::Slot(slot);
        self.insert(ProcessRecord { pid: INIT, group: INIT, session: INIT, home, ..ProcessRecord::FREE })?;
        self.taken.insert(slot);
        Ok(INIT)
    }

    /// `EINTR` if a signal that it does not block waits for `parent`, and must be served before it forks: a signal to
    /// the parent's group includes the child.
    pub fn may_fork(&self, parent: u32, blocked: SignalSet) -> Result<(), Errno> {
        let record = self.get(parent)?;
        // What is for the first thread alone keeps none of the others from it.
        if record.deliverable(blocked) & !record.directed != 0 { Err(Errno::EINTR) } else { Ok(()) }
    }

    /// Process `pid` of this board ends; its parent's pid, and who else has to know. Its slot is free.
    pub fn exit(&mut self, pid: u32, status: u32) -> Result<EndedProcess, Errno> {
        let index = self.index(pid)?;
        let ProcessRecord { parent, home, session, .. } = self.rows[index];
        // Whose record this is not, or not any more, is not to end here.
        let Home::Slot(slot) = home else { return Err(Errno::ESRCH) };
        self.taken.remove(slot);
        if self.rows[index].is_thread {
            self.end_thread(index);
            return Ok(EndedProcess { parent: 0, orphaned: 0, leads: false });
        }
        self.forget_signals(index);
        self.cancel_fork(pid)?;
        let orphaned = self.hang_up_orphans_of(pid);
        self.orphan_children_of(pid);
        self.rows.change(index, |record| (record.home, record.state) = (Home::Nowhere, ProcessState::Ended(status)));
        if self.slot(parent).is_ok() {
            self.notify_parent(parent, pid, status);
            self.reap(index);
        } else {
            self.remove(index);
        }
        Ok(EndedProcess { parent, orphaned, leads: session == pid && pid != INIT })
    }

    /// Notes what a process that ends has used.
    pub fn note_used(&mut self, pid: u32, used: Used) {
        let _ = self.change(pid, |record| record.used = used); // else no parent reads it
    }

    /// Removes a record that waits for a parent who will not wait.
    pub(super) fn reap(&mut self, index: usize) {
        let ProcessRecord { parent, state, .. } = self.rows[index];
        if matches!(state, ProcessState::Ended(_)) && self.get(parent).is_ok_and(|parent| parent.reaps) {
            self.remove(index);
        }
    }

    /// Notes whether the children of `pid` are gone when they end, and whether it gets no signal when they stop.
    pub fn set_reaps(&mut self, pid: u32, reaps: bool, quiet: bool) -> Result<(), Errno> {
        let process = self.process_of(pid)?;
        self.change(process, |record| (record.reaps, record.quiet) = (reaps, quiet))
    }

    /// Process `pid` of this board stops; its parent's pid. 0: it was continued or killed meanwhile, and
    /// does not stop.
    pub fn stop(&mut self, pid: u32, signal: u8) -> Result<u32, Errno> {
        let own = self.index(pid)?;
        let index = self.process_index(own);
        let mut stops = |index| self.rows.change(index, |record| core::mem::take(&mut record.stopping));
        if !(stops(own) | stops(index)) {
            return Ok(0);
        }
        self.note_stop(index, signal);
        // The other threads stop with it.
        let mut others = self.slots_of(index);
        self.rows[own].slot().inspect(|&slot| others.remove(slot));
        self.to_interrupt.add(others);
        let ProcessRecord { pid, parent, .. } = self.rows[index];
        self.notify_parent(parent, pid, stopped(signal));
        Ok(parent)
    }

    pub(super) fn note_stop(&mut self, index: usize, signal: u8) {
        let state = ProcessState::Stopped { signal, reported: false };
        self.rows.change(index, |record| (record.state, record.continued) = (state, false));
    }

    pub(super) fn notify_parent(&mut self, parent: u32, child: u32, status: u32) {
        if let Ok(index) = self.index(parent)
            && self.rows[index].slot().is_some()
        {
            self.to_answer.add(self.slots_of(index));
            if self.rows[index].quiet && (status == CONTINUED || stop_signal(status).is_some()) {
                return;
            }
            let uid = self.get(child).map_or(0, |child| child.users.real);
            // The parent is of this board: it has a slot.
            let _ = self.post(parent, SIGCHLD, of_child(child, uid, status));
        }
    }

    /// Gives the children of `pid` to init, if init is on this board; else no process waits for them here.
    pub(super) fn orphan_children_of(&mut self, pid: u32) {
        let adopt = self.board == self.init_board && pid != INIT;
        // Each pass changes the parent of a child, or removes it. Init's own stay its own.
        while let Some(index) = self.rows.first(RowKey::Parent, pid).filter(|_| pid != INIT) {
            let slot = self.rows[index].slot();
            if let Some(slot) = slot {
                self.to_interrupt.insert(slot); // so that it learns of its new parent
            } else if !adopt {
                self.remove(index);
                continue;
            }
            self.rows.change(index, |record| record.parent = INIT);
            if let ProcessRecord { home: Home::Nowhere, pid: child, state: ProcessState::Ended(status), .. } =
                self.rows[index]
                && adopt
            {
                self.notify_parent(INIT, child, status);
            }
        }
    }

    /// News of a child of `parent`, or of the process that this is a thread of, of the kinds that `options` ask for;
    /// `None`: not yet.
    pub fn wait(&mut self, parent: u32, which: i32, options: u32) -> Result<Option<WaitedChild>, Errno> {
        let parent = self.process_of(parent)?;
        let group = self.get(parent)?.group;
        let wanted = |record: &ProcessRecord| match which {
            _ if options & WAIT_GROUP != 0 => record.group == which as u32,
            -1 => true,
            0 => record.group == group,
            1.. => record.pid == which as u32,
            _ => record.group == which.unsigned_abs(),
        };
        self.waited = Used::NONE;
        let (mut any, mut at) = (false, self.rows.first(RowKey::Parent, parent));
        while let Some(index) = at {
            at = self.rows.next(index, RowKey::Parent);
            if self.rows[index].is_thread || !wanted(&self.rows[index]) {
                continue;
            }
            any = true;
            if let Some(status) = self.news(index, options) {
                let pid = self.rows[index].pid;
                self.take_report(index, options);
                return Ok(Some(WaitedChild { pid, status }));
            }
        }
        match any {
            false => Err(Errno::ECHILD),
            true if options & WAIT_NO_HANG != 0 => Ok(Some(WaitedChild { pid: 0, status: 0 })),
            true => Ok(None),
        }
    }

    /// The news of the child at `index`, of the kinds in `options`.
    fn news(&self, index: usize, options: u32) -> Option<u32> {
        match self.rows[index].state {
            ProcessState::Ended(status) if options & WAIT_ENDED != 0 => Some(status),
            ProcessState::Stopped { signal, reported: false } if options & WAIT_STOPPED != 0 => Some(stopped(signal)),
            ProcessState::Alive if self.rows[index].continued && options & WAIT_CONTINUED != 0 => Some(CONTINUED),
            _ => None,
        }
    }

    /// It has been reported, which consumes it unless `options` say otherwise.
    fn take_report(&mut self, index: usize, options: u32) {
        self.waited = self.rows[index].used;
        if options & WAIT_KEEP != 0 {
            return;
        }
        match self.rows[index].state {
            ProcessState::Ended(_) => self.remove(index),
            ProcessState::Stopped { signal, .. } => {
                self.rows.change(index, |record| record.state = ProcessState::Stopped { signal, reported: true });
            }
            ProcessState::Alive => self.rows.change(index, |record| record.continued = false),
        }
    }

    /// Parent, group and session of `pid`, and how many ends of boards there were so far.
    pub fn relate(&self, pid: u32) -> Result<Relations, Errno> {
        let ProcessRecord { parent, group, session, users, saved, .. } =
            self.rows[self.process_index(self.index(pid)?)];
        Ok(Relations { parent, group, session, users, further: FurtherFacts { deaths: self.deaths, saved } })
    }

    /// Notes whose `pid` is.
    pub fn set_users(&mut self, pid: u32, users: Users, saved: u32) -> Result<(), Errno> {
        for pid in [pid, self.process_of(pid)?] {
            self.change(pid, |record| (record.users, record.saved) = (users, saved))?;
        }
        Ok(())
    }

    /// Moves a process to a group.
    pub fn set_group(&mut self, SetGroup { pid, group, by, session }: SetGroup) -> Result<(), Errno> {
        let record = self.get(pid)?;
        let of_another = by != 0 && by != pid;
        match record {
            ProcessRecord { parent, .. } if of_another && *parent != by => Err(Errno::ESRCH),
            ProcessRecord { session: own, .. } if *own == pid || of_another && *own != session => Err(Errno::EPERM),
            ProcessRecord { executed: true, .. } if of_another => Err(Errno::EACCES),
            _ => self.change(pid, |record| record.group = group),
        }
    }

    /// Makes `pid` the leader of a new session and group.
    pub fn new_session(&mut self, pid: u32) -> Result<u32, Errno> {
        self.get(pid)?;
        if self.rows.first(RowKey::Group, pid).is_some() && pid != INIT {
            return Err(Errno::EPERM);
        }
        self.change(pid, |record| (record.group, record.session) = (pid, pid))?;
        Ok(pid)
    }

    /// Notes when `pid` was made.
    pub fn note_start(&mut self, pid: u32, started_ns: u64) {
        let _ = self.change(pid, |record| record.started_ns = started_ns); // it has just been made
    }

    /// Notes what `pid` runs now.
    pub fn rename(&mut self, Rename { pid, executes }: Rename, name: &[u8]) -> Result<(), Errno> {
        let bytes = name.len().min(NAME_BYTES);
        self.change(pid, |record| {
            record.executed |= executes;
            record.name = [0; NAME_BYTES];
            record.name[..bytes].copy_from_slice(&name[..bytes]);
        })
    }
}

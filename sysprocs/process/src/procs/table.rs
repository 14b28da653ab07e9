//! The table of a board's user processes: the rules, without calls.
//!
//! Invariant: every process that occupies a slot of this board has exactly one record with that slot;
//! a record without a slot is that of a child whose parent is here, and goes when the parent has waited
//! for it or ends. Whom a change concerns is noted in `to_interrupt` and `to_answer`, which the server
//! empties after each call.
//!
//! Not here: signals (`signal.rs`), held calls (`server.rs`).

use super::record::{Home, NAME_BYTES, Record, State};
use crate::signals::{SIGCHLD, SIGKILL, killed, stop_signal, stopped};
use renga_proto::procs::{INIT, Relations, WAIT_NO_HANG, WAIT_STOPPED, Waited, board_of};
use renga_rt::{BOARDS_MAX, Errno};

/// Processes, ended ones not yet waited for, and children on other boards, of one board.
pub const RECORDS_MAX: usize = 128;
/// Slots of user processes on one board.
pub const SLOTS_MAX: usize = 64;
/// Pids stay below this, as scripts expect: numbers are given out again from the start then.
const SEQUENCE_MAX: u32 = 32768 / BOARDS_MAX as u32;

/// How far apart the first pids of two starts of a board are.
const PIDS_BETWEEN_STARTS: u32 = 509;

/// A set of slots, one bit each.
pub type SlotSet = u64;

/// The table.
pub struct Table {
    pub(super) board: u8,
    pub(super) records: [Record; RECORDS_MAX],
    /// Records from here on are free.
    pub(super) used: usize,
    init_board: u8,
    sequence: u32,
    /// Children on each other board.
    far: [u16; BOARDS_MAX],
    /// Ends of boards so far, and which of them was the last of each board.
    deaths: u32,
    last_death: [u32; BOARDS_MAX],
    /// Slots whose process must look at its signals.
    pub to_interrupt: SlotSet,
    /// Slots whose held call may have an answer now.
    pub to_answer: SlotSet,
}

impl Table {
    /// No process yet on `board`, where init is to run on `init_board`; `boot` counts the board's starts from 1, so
    /// that pids of one are not given out again soon by the next.
    pub fn new(board: u8, init_board: u8, boot: u8) -> Self {
        Table {
            board,
            init_board,
            records: [Record::FREE; RECORDS_MAX],
            used: 0,
            sequence: u32::from(boot.saturating_sub(1)) * PIDS_BETWEEN_STARTS % (SEQUENCE_MAX - 1),
            far: [0; BOARDS_MAX],
            deaths: 0,
            last_death: [0; BOARDS_MAX],
            to_interrupt: 0,
            to_answer: 0,
        }
    }

    pub(super) fn live(&self) -> &[Record] {
        &self.records[..self.used]
    }

    pub(super) fn index(&self, pid: u32) -> Result<usize, Errno> {
        let found = self.live().iter().position(|record| record.pid == pid && pid != 0);
        found.ok_or(Errno::ESRCH)
    }

    /// The record of `pid`, alive or not.
    pub fn get(&self, pid: u32) -> Result<&Record, Errno> {
        Ok(&self.records[self.index(pid)?])
    }

    /// The slot of a process of this board.
    pub fn slot(&self, pid: u32) -> Result<u16, Errno> {
        self.get(pid)?.slot().ok_or(Errno::ESRCH)
    }

    fn insert(&mut self, record: Record) -> Result<(), Errno> {
        let index = self.records.iter().position(|record| record.pid == 0).ok_or(Errno::EAGAIN)?;
        if record.home == Home::Elsewhere {
            self.far[usize::from(board_of(record.pid, self.init_board))] += 1;
        }
        self.records[index] = record;
        self.used = self.used.max(index + 1);
        Ok(())
    }

    /// The boards where children of processes here are, a bit each.
    pub fn far_boards(&self) -> u8 {
        (0..BOARDS_MAX).filter(|&board| self.far[board] > 0).fold(0, |set, board| set | 1 << board)
    }

    /// The record at `index` is not of a process elsewhere any more.
    fn forget_far(&mut self, index: usize) {
        let Record { pid, home, .. } = self.records[index];
        if home == Home::Elsewhere {
            self.far[usize::from(board_of(pid, self.init_board))] -= 1;
        }
    }

    fn remove(&mut self, index: usize) {
        self.forget_far(index);
        self.records[index] = Record::FREE;
        while self.used > 0 && self.records[self.used - 1].pid == 0 {
            self.used -= 1;
        }
    }

    /// A pid that no record here has. Bounded: more pids than records and groups that name them.
    fn fresh_pid(&mut self) -> u32 {
        loop {
            self.sequence = self.sequence % (SEQUENCE_MAX - 1) + 1;
            let pid = self.sequence * BOARDS_MAX as u32 + u32::from(self.board);
            let taken = |r: &Record| r.pid != 0 && (r.pid == pid || r.group == pid || r.session == pid);
            if !self.live().iter().any(taken) {
                return pid;
            }
        }
    }

    /// A new process in `slot`, of `parent` (of any board). Group 0: group and session are those of
    /// the parent, which is of this board.
    pub fn spawn(&mut self, slot: u16, parent: u32, group: u32, session: u32) -> Result<u32, Errno> {
        let (group, session) = match group {
            0 => self.get(parent).map(|parent| (parent.group, parent.session))?,
            _ => (group, session),
        };
        let name = self.get(parent).map_or([0; NAME_BYTES], |parent| parent.name);
        let pid = self.fresh_pid();
        self.insert(Record { pid, parent, group, session, home: Home::Slot(slot), name, ..Record::FREE })?;
        Ok(pid)
    }

    /// Init, in `slot`.
    pub fn make_init(&mut self, slot: u16) -> Result<u32, Errno> {
        if self.board != self.init_board || self.index(INIT).is_ok() {
            return Err(Errno::EEXIST);
        }
        let home = Home::Slot(slot);
        self.insert(Record { pid: INIT, group: INIT, session: INIT, home, ..Record::FREE })?;
        Ok(INIT)
    }

    /// The record of a child made on another board when there had been `deaths` ends of boards. It may have ended
    /// meanwhile, and so may its board.
    pub fn add_child(&mut self, parent: u32, child: u32, group: u32, deaths: u32) -> Result<(), Errno> {
        if let Ok(index) = self.index(child) {
            self.records[index].group = group;
            self.reap(index);
            return Ok(());
        }
        self.insert_child(parent, child, group)?;
        if self.last_death[usize::from(board_of(child, self.init_board))] > deaths {
            return self.child_exited(parent, child, killed(SIGKILL));
        }
        Ok(())
    }

    fn insert_child(&mut self, parent: u32, child: u32, group: u32) -> Result<(), Errno> {
        let session = self.get(parent)?.session;
        self.insert(Record { pid: child, parent, group, session, home: Home::Elsewhere, ..Record::FREE })
    }

    /// Process `pid` of this board ends; its parent's pid. Its slot is free.
    pub fn exit(&mut self, pid: u32, status: u32) -> Result<u32, Errno> {
        let index = self.index(pid)?;
        let parent = self.records[index].parent;
        self.orphan_children_of(pid);
        self.records[index].home = Home::Nowhere;
        self.records[index].state = State::Ended(status);
        if self.slot(parent).is_ok() {
            self.tell_parent(parent);
            self.reap(index);
        } else {
            self.remove(index);
        }
        Ok(parent)
    }

    /// Removes a record that waits for a parent who will not wait.
    fn reap(&mut self, index: usize) {
        let Record { parent, state, .. } = self.records[index];
        if matches!(state, State::Ended(_)) && self.get(parent).is_ok_and(|parent| parent.reaps) {
            self.remove(index);
        }
    }

    /// Notes whether the children of `pid` are gone when they end.
    pub fn set_reaps(&mut self, pid: u32, reaps: bool) -> Result<(), Errno> {
        let index = self.index(pid)?;
        self.records[index].reaps = reaps;
        Ok(())
    }

    /// A child on another board ended or stopped. One that nobody here knows belongs to a parent whose
    /// `AddChild` is still to come, or to init, who is everybody's last parent.
    pub fn child_exited(&mut self, parent: u32, child: u32, status: u32) -> Result<(), Errno> {
        let known = self.index(child);
        let index = match known {
            Ok(index) => index,
            Err(_) if self.slot(parent).is_err() => return Ok(()),
            Err(_) => {
                self.insert_child(parent, child, child)?;
                self.index(child)?
            }
        };
        match stop_signal(status) {
            Some(signal) => self.records[index].state = State::Stopped { signal, told: false },
            None => {
                self.forget_far(index);
                (self.records[index].home, self.records[index].state) = (Home::Nowhere, State::Ended(status));
            }
        }
        let parent = self.records[index].parent;
        self.tell_parent(parent);
        if known.is_ok() {
            self.reap(index); // else `AddChild` does
        }
        Ok(())
    }

    /// A board is dead: its processes' parents here learn that they were killed, and its processes' children
    /// here are given to init. Pids of that board mean nobody any more.
    pub fn board_died(&mut self, board: u8) {
        self.deaths += 1;
        if let Some(last) = self.last_death.get_mut(usize::from(board)) {
            *last = self.deaths;
        }
        for index in 0..self.used {
            let Record { pid, parent, home, .. } = self.records[index];
            if pid != 0 && parent != INIT && board_of(parent, self.init_board) == board {
                self.orphan_children_of(parent);
            } else if home == Home::Elsewhere && board_of(pid, self.init_board) == board {
                // The record is there, so it has room and a parent.
                let _ = self.child_exited(parent, pid, killed(SIGKILL));
            }
        }
    }

    /// Process `pid` of this board stops; its parent's pid. 0: it was continued or killed meanwhile, and
    /// does not stop.
    pub fn stop(&mut self, pid: u32, signal: u8) -> Result<u32, Errno> {
        let index = self.index(pid)?;
        if !core::mem::take(&mut self.records[index].stopping) {
            return Ok(0);
        }
        self.records[index].state = State::Stopped { signal, told: false };
        let parent = self.records[index].parent;
        self.tell_parent(parent);
        Ok(parent)
    }

    fn tell_parent(&mut self, parent: u32) {
        if let Ok(slot) = self.slot(parent) {
            self.to_answer |= 1 << slot;
            // The parent is of this board: it has a slot.
            let _ = self.post(parent, SIGCHLD);
        }
    }

    /// Gives the children of `pid` to init, if it is on this board; else nobody waits for them here.
    fn orphan_children_of(&mut self, pid: u32) {
        let adopt = self.board == self.init_board && pid != INIT;
        for index in 0..self.used {
            let record = &mut self.records[index];
            if record.pid == 0 || record.parent != pid {
                continue;
            }
            record.parent = INIT;
            let slot = record.slot();
            if let Some(slot) = slot {
                self.to_interrupt |= 1 << slot; // so that it learns of its new parent
            }
            if adopt && record.home == Home::Nowhere {
                self.tell_parent(INIT);
            } else if !adopt && slot.is_none() {
                self.forget_far(index);
                self.records[index] = Record::FREE;
            }
        }
    }

    /// A child of `parent` that ended or stopped; `None`: not yet.
    pub fn wait(&mut self, parent: u32, which: i32, options: u32) -> Result<Option<Waited>, Errno> {
        let group = self.get(parent)?.group;
        let wanted = |record: &Record| match which {
            -1 => true,
            0 => record.group == group,
            1.. => record.pid == which as u32,
            _ => record.group == which.unsigned_abs(),
        };
        let mut any = false;
        for index in 0..self.used {
            let record = &mut self.records[index];
            if record.pid == 0 || record.parent != parent || !wanted(record) {
                continue;
            }
            any = true;
            let pid = record.pid;
            match &mut record.state {
                State::Ended(status) => {
                    let status = *status;
                    self.remove(index);
                    return Ok(Some(Waited { pid, status }));
                }
                State::Stopped { signal, told } if !*told && options & WAIT_STOPPED != 0 => {
                    *told = true;
                    return Ok(Some(Waited { pid, status: stopped(*signal) }));
                }
                _ => {}
            }
        }
        match any {
            false => Err(Errno::ECHILD),
            true if options & WAIT_NO_HANG != 0 => Ok(Some(Waited { pid: 0, status: 0 })),
            true => Ok(None),
        }
    }

    /// Parent, group and session of `pid`, and how many ends of boards there were so far.
    pub fn relate(&self, pid: u32) -> Result<Relations, Errno> {
        let Record { parent, group, session, .. } = *self.get(pid)?;
        Ok(Relations { parent, group, session, deaths: self.deaths })
    }

    /// Moves `pid` to `group`.
    pub fn set_group(&mut self, pid: u32, group: u32) -> Result<(), Errno> {
        let index = self.index(pid)?;
        let record = &mut self.records[index];
        if record.session == pid {
            return Err(Errno::EPERM);
        }
        record.group = group;
        Ok(())
    }

    /// Makes `pid` the leader of a new session and group.
    pub fn new_session(&mut self, pid: u32) -> Result<u32, Errno> {
        let index = self.index(pid)?;
        if self.live().iter().any(|record| record.pid != 0 && record.group == pid) && pid != INIT {
            return Err(Errno::EPERM);
        }
        self.records[index].group = pid;
        self.records[index].session = pid;
        Ok(pid)
    }

    /// Notes what `pid` runs now.
    pub fn rename(&mut self, pid: u32, name: &[u8]) -> Result<(), Errno> {
        let index = self.index(pid)?;
        let bytes = name.len().min(NAME_BYTES);
        self.records[index].name = [0; NAME_BYTES];
        self.records[index].name[..bytes].copy_from_slice(&name[..bytes]);
        Ok(())
    }

    /// Writes record `index` as fields between blanks: pid, parent, group, session, state, board, name.
    /// Free records and those of other boards' processes are empty lines. `ENOENT` behind the last.
    pub fn describe(&self, index: usize, out: &mut [u8]) -> Result<usize, Errno> {
        let record = self.live().get(index).ok_or(Errno::ENOENT)?;
        let mut text = crate::text::Text::new(out);
        if record.pid != 0 && record.home != Home::Elsewhere {
            for number in [record.pid, record.parent, record.group, record.session] {
                text.number(u64::from(number));
                text.push(b" ");
            }
            text.push(&[record.letter() as u8, b' ', b'a' + self.board, b' ']);
            let end = record.name.iter().position(|&byte| byte == 0).unwrap_or(NAME_BYTES);
            text.push(&record.name[..end]);
        }
        Ok(text.bytes())
    }
}

//! The entries of a board's processes for listings.
//!
//! Invariant: the board that its pid names lists a process, so it is listed once in the cluster. Not here: the format
//! of a listing (`sysprocs/procfs`).

use super::record::{Home, ProcessRecord, ProcessState};
use super::state::{CreatedPrograms, ProcsState};
use renga_proto::listed::{LISTED_BYTES, Listed, NO_SLOT};
use renga_proto::procs::{AS_THREAD, BoardCounts, Describe, LIST_THREADS, board_of};
use renga_rt::Errno;
use renga_rt::account::{AccountNumber, Count, Counts};

impl ProcsState {
    /// Notes when `pid`, which is new, was made.
    pub(super) fn note_start(&mut self, pid: u32) {
        let now_ns = self.me.now_ns();
        self.table.note_start(pid, now_ns);
        self.made = CreatedPrograms { count: self.made.count + 1, last_pid: pid };
    }

    /// Fills `out` with processes; bytes filled.
    pub(super) fn list(&self, wanted: Describe, out: &mut [u8]) -> Result<u32, Errno> {
        if wanted.pid != 0 {
            let index = self.table.index(wanted.pid)?;
            if wanted.index & LIST_THREADS != 0 {
                return self.list_threads(index, wanted.index & !LIST_THREADS, out);
            }
            let listed = self.listed(index, wanted.index == AS_THREAD).ok_or(Errno::ESRCH)?;
            out.get_mut(..LISTED_BYTES).ok_or(Errno::EINVAL)?.copy_from_slice(&listed.to_bytes());
            return Ok(LISTED_BYTES as u32);
        }
        let rows = usize::from(wanted.index)..self.table.rows.end();
        let processes = rows.filter(|&index| !self.table.rows[index].is_thread);
        Ok(put_all(processes.filter_map(|index| self.listed(index, false)), out))
    }

    /// Fills `out` with threads of the process of the one at `index`, from line `from` on.
    fn list_threads(&self, index: usize, from: u16, out: &mut [u8]) -> Result<u32, Errno> {
        let process = self.table.process_index(index);
        let pid = self.table.rows[process].pid;
        let is_its = |index: &usize| {
            let record = &self.table.rows[*index];
            *index == process || record.is_thread && record.parent == pid
        };
        let threads = (usize::from(from)..self.table.rows.end()).filter(is_its);
        Ok(put_all(threads.filter_map(|index| self.listed(index, true)), out))
    }

    /// What is counted of the process at `index`, with all its threads; or of that thread `alone`.
    fn counts_of(&self, index: usize, alone: bool) -> Counts {
        let record = &self.table.rows[index];
        let of = |slot| self.me.counts(AccountNumber::of_slot(self.table.board, slot));
        let mut counts = record.slot().map_or_else(Default::default, of);
        if record.is_thread {
            // Its memory is counted once, of the first one.
            let first = self.table.rows[self.table.process_index(index)].slot();
            counts[Count::FramesResident as usize] = first.map_or(0, |slot| of(slot)[Count::FramesResident as usize]);
        }
        if alone || record.is_thread {
            return counts;
        }
        if record.threads > 0 {
            let mut others = self.table.slots_of(index);
            record.slot().into_iter().for_each(|slot| others.remove(slot));
            // Bounded by the slots.
            while let Some(slot) = others.take_first() {
                counts.iter_mut().zip(of(slot)).for_each(|(all, one)| *all = all.wrapping_add(one));
            }
        }
        // Of threads that have ended, or all of it.
        counts[Count::UserNs as usize] += record.used.user_ns;
        counts[Count::SystemNs as usize] += record.used.system_ns;
        counts
    }

    /// The process or thread at `index`, if this board lists it; a first thread may be listed `alone`.
    fn listed(&self, index: usize, alone: bool) -> Option<Listed> {
        let record = &self.table.rows[index];
        let process = &self.table.rows[self.table.process_index(index)];
        let own = board_of(record.pid, self.table.init_board) == self.table.board;
        if record.pid == 0 || record.home == Home::Elsewhere || !own {
            return None;
        }
        let slot = record.slot();
        let program = slot.and_then(|slot| self.wait_cancellers.get(usize::from(slot)));
        let runs = program.is_some_and(|program| program.wants_to_run());
        let ProcessRecord { pid, pending, started_ns, name, .. } = *record;
        let ProcessRecord { pid: process, parent, group, session, threads, .. } = *process;
        Some(Listed {
            index: index as u16,
            slot: slot.unwrap_or(NO_SLOT),
            state: if runs && record.state == ProcessState::Alive { b'R' } else { record.letter() as u8 },
            pid,
            process,
            threads: u32::from(threads) + 1,
            parent,
            group,
            session,
            pending,
            started_ns,
            policy: program.map_or(0, |program| program.policy().to_word()),
            counts: self.counts_of(index, alone),
            name,
        })
    }

    /// What is counted of `pid`, which has not ended.
    pub(super) fn count_process(&self, pid: u32) -> Result<Counts, Errno> {
        let index = self.table.index(pid)?;
        self.table.slot(pid)?;
        Ok(self.counts_of(index, false))
    }

    pub(super) fn board_counts(&self) -> BoardCounts {
        let by_core = [0, 1, 2, 3].map(|core| self.me.ran_on(core));
        let all = |which: usize| by_core.iter().fold(0_u64, |all, core| all.wrapping_add(core[which]));
        let programs = || self.table.in_slots();
        let runs =
            |slot: u16| self.wait_cancellers.get(usize::from(slot)).is_some_and(|program| program.wants_to_run());
        BoardCounts {
            now_ns: self.me.now_ns(),
            user_ns: all(0),
            system_ns: all(1),
            context_switches: self.me.context_switches(),
            made: self.made.count,
            programs: programs().count() as u64,
            running: programs().filter(|&(_, slot)| runs(slot)).count() as u64,
            last_pid: u64::from(self.made.last_pid),
            free_slots: self.idle.len().into(),
            program_cores: self.me.program_cores().into(),
            core_user_ns: by_core.map(|[user_ns, _]| user_ns),
            core_system_ns: by_core.map(|[_, system_ns]| system_ns),
        }
    }
}

/// Fills `out` with as many of them as have room; bytes filled.
fn put_all(all: impl Iterator<Item = Listed>, out: &mut [u8]) -> u32 {
    let mut bytes = 0;
    for (place, listed) in out.chunks_exact_mut(LISTED_BYTES).zip(all) {
        place.copy_from_slice(&listed.to_bytes());
        bytes += LISTED_BYTES as u32;
    }
    bytes
}

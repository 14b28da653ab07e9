//! The entries of a board's processes for listings.
//!
//! Invariant: the board that its pid names lists a process, so it is listed once in the cluster. Not here: the format
//! of a listing (`sysprocs/procfs`).

use super::record::{Home, ProcessRecord, ProcessState};
use super::state::{CreatedPrograms, ProcsState};
use renga_proto::listed::{LISTED_BYTES, Listed, NO_SLOT};
use renga_proto::procs::{BoardCounts, Describe, board_of};
use renga_rt::Errno;
use renga_rt::account::{AccountNumber, Count};

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
            let listed = self.listed(index).ok_or(Errno::ESRCH)?;
            out.get_mut(..LISTED_BYTES).ok_or(Errno::EINVAL)?.copy_from_slice(&listed.to_bytes());
            return Ok(LISTED_BYTES as u32);
        }
        let (mut bytes, rows) = (0, usize::from(wanted.index)..self.table.rows.end());
        for (place, listed) in out.chunks_exact_mut(LISTED_BYTES).zip(rows.filter_map(|index| self.listed(index))) {
            place.copy_from_slice(&listed.to_bytes());
            bytes += LISTED_BYTES as u32;
        }
        Ok(bytes)
    }

    /// The process at `index`, if this board lists it.
    fn listed(&self, index: usize) -> Option<Listed> {
        let record = &self.table.rows[index];
        let own = board_of(record.pid, self.table.init_board) == self.table.board;
        if record.pid == 0 || record.is_thread || record.home == Home::Elsewhere || !own {
            return None;
        }
        let slot = record.slot();
        let program = slot.and_then(|slot| self.wait_cancellers.get(usize::from(slot)));
        let mut counts =
            slot.map_or_else(Default::default, |slot| self.me.counts(AccountNumber::of_slot(self.table.board, slot)));
        if slot.is_none() {
            counts[Count::UserNs as usize] = record.used.user_ns;
            counts[Count::SystemNs as usize] = record.used.system_ns;
        }
        let runs = program.is_some_and(|program| program.wants_to_run());
        let ProcessRecord { pid, parent, group, session, pending, started_ns, name, .. } = *record;
        Some(Listed {
            index: index as u16,
            slot: slot.unwrap_or(NO_SLOT),
            state: if runs && record.state == ProcessState::Alive { b'R' } else { record.letter() as u8 },
            pid,
            parent,
            group,
            session,
            pending,
            started_ns,
            policy: program.map_or(0, |program| program.policy().to_word()),
            counts,
            name,
        })
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

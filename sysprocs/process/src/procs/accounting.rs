//! What a board knows of its programs' time: how they are scheduled, and what has been charged to them.
//!
//! Not here: the accounts themselves (the core), the calls that report them (`user/facts/usage.rs`).

use super::state::ProcsState;
use renga_proto::procs::{ASK_POLICY, OF_GROUP, PolicyOf, Schedule, WHOLE_BOARD};
use renga_rt::Errno;
use renga_rt::account::AccountNumber;
use renga_rt::policy::Policy;

impl ProcsState {
    /// The policy of a process and the cores that it may use, perhaps changed.
    pub(super) fn change_policy(&mut self, PolicyOf { pid, change }: PolicyOf) -> Result<u64, Errno> {
        if pid & OF_GROUP != 0 {
            return self.change_nice_of_group(pid & !OF_GROUP, change);
        }
        let slot = usize::from(self.table.slot(pid)?);
        let program = self.wait_cancellers.get(slot).ok_or(Errno::ESRCH)?;
        let all_cores = self.me.program_cores();
        let old = Schedule { policy: program.policy(), cores: program.cores() & all_cores, all_cores };
        if change != ASK_POLICY {
            let new = Schedule::from_word(change).ok_or(Errno::EINVAL)?;
            if new.cores != 0 && new.cores & all_cores == 0 {
                return Err(Errno::EINVAL);
            }
            if new.policy != old.policy {
                self.settle_use(pid); // as what it was until now
                program.set_policy(new.policy);
            }
            if new.policy.pace != old.policy.pace {
                self.table.to_interrupt.insert(slot as u16); // its process reads the pace
            }
            if new.cores != 0 {
                program.set_cores(new.cores);
            }
        }
        Ok(old.to_word())
    }

    /// The policy of the member of `group` that goes first, before `change`, of which the nice value is for all.
    fn change_nice_of_group(&mut self, group: u32, change: u64) -> Result<u64, Errno> {
        let mut first: Option<Schedule> = None;
        for slot in 0..self.wait_cancellers.len() as u16 {
            let found = self.table.in_slots().find(|(_, of)| *of == slot).map(|(pid, _)| pid);
            let Some(pid) = found.filter(|&pid| group == 0 || self.table.get(pid).is_ok_and(|of| of.group == group))
            else {
                continue;
            };
            let old =
                Schedule::from_word(self.change_policy(PolicyOf { pid, change: ASK_POLICY })?).ok_or(Errno::EIO)?;
            if first.is_none_or(|first| old.policy.nice < first.policy.nice) {
                first = Some(old);
            }
            if change != ASK_POLICY {
                let nice = Schedule::from_word(change).ok_or(Errno::EINVAL)?.policy.nice;
                let new = Schedule { policy: Policy { nice, ..old.policy }, ..old };
                self.change_policy(PolicyOf { pid, change: new.to_word() })?;
            }
        }
        Ok(first.ok_or(Errno::ESRCH)?.to_word())
    }

    /// What is counted of a process, of the system or of the board.
    pub(super) fn count(&self, pid: u32, out: &mut [u8]) -> Result<u32, Errno> {
        let counts = match pid {
            WHOLE_BOARD => {
                let counts = self.board_counts().to_bytes();
                out.get_mut(..counts.len()).ok_or(Errno::EINVAL)?.copy_from_slice(&counts);
                return Ok(counts.len() as u32);
            }
            0 => self.me.counts(AccountNumber::SYSTEM),
            pid => self.count_process(pid)?,
        };
        let mut bytes = 0;
        for (place, count) in out.chunks_exact_mut(8).zip(counts) {
            place.copy_from_slice(&count.to_le_bytes());
            bytes += 8;
        }
        Ok(bytes)
    }
}

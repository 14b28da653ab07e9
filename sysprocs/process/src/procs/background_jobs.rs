//! Background jobs of a board: the regulator's samples and suspensions.
//!
//! While the regulator renews its lease, this process counts each program's use once, to its class: when it samples
//! the board, when the program's policy changes, and when it ends. A suspension is a lease: no job stays suspended
//! longer, whichever board fails. A suspended job waits in `AwaitContinue`, so its parent gets no report, and its
//! signals are served at once.
//!
//! Invariant: without a lease no job is suspended and no use counted. Not here: the decisions (`renga_regulator`).

use super::record::ProcessRecord;
use super::state::{ProcsState, SlotUse};
use renga_proto::procs::Regulate;
use renga_proto::regulation::{DISK, IGNORED_NAME_BYTES, LINK, PROCESSOR, RESOURCES, ResourceUse, Sample};
use renga_rt::Call;
use renga_rt::account::{AccountNumber, Count};

/// The longest lease, ns: longer ones are cut.
const LEASE_NS_MAX: u64 = 60_000_000_000;
/// A program that computes for more than one such part of the time counts as running, as does one that uses disk or
/// link.
const RUNNING_PART: u64 = 16;

fn add(to: &mut ResourceUse, more: ResourceUse) {
    to.iter_mut().zip(more).for_each(|(sum, more)| *sum = sum.wrapping_add(more));
}

impl ProcsState {
    /// Fills in the use since the last time, and suspends the jobs that `call` names; returns the bytes filled.
    pub(super) fn sample_and_suspend(&mut self, call: &mut Call<Regulate>) -> u32 {
        let Regulate { orders, lease_ns } = call.entry();
        let now_ns = self.me.now_ns();
        if self.regulated.until_ns == 0 {
            self.begin_regulation();
        }
        let (ignored, out) = call.lent();
        let mut bytes = 0;
        if let Some(place) = out.get_mut(..Sample::BYTES) {
            let sample = self.sample(now_ns, ignored);
            place.copy_from_slice(&sample.to_bytes());
            bytes = Sample::BYTES;
        }
        call.set_taken_used(bytes);
        self.suspend_jobs(orders);
        self.regulated.until_ns = now_ns + lease_ns.clamp(1, LEASE_NS_MAX);
        self.me.notify_at(Some(self.regulated.until_ns));
        bytes as u32
    }

    /// Ends a lease that the regulator has not renewed.
    pub(super) fn let_go_when_due(&mut self) {
        let until_ns = self.regulated.until_ns;
        if until_ns != 0 && self.me.now_ns() >= until_ns {
            self.suspend_jobs(0);
            self.regulated.until_ns = 0;
        }
    }

    fn begin_regulation(&mut self) {
        for (_, slot) in self.table.in_slots() {
            self.regulated.seen[usize::from(slot)] = SlotUse { used: self.used(slot), ..SlotUse::NOTHING };
        }
        (self.regulated.looked_ns, self.regulated.charged_ns) = (self.me.now_ns(), self.charged_ns());
        self.regulated.past = [[0; RESOURCES]; 2];
    }

    /// What the account of `slot` has counted.
    fn used(&self, slot: u16) -> ResourceUse {
        let counts = self.me.counts(AccountNumber::of_slot(self.table.board, slot));
        let count = |count: Count| counts[count as usize];
        let mut used = [0; RESOURCES];
        used[PROCESSOR] = count(Count::UserNs) + count(Count::SystemNs) + count(Count::BehalfNs);
        used[DISK] = count(Count::BlocksRead) + count(Count::BlocksWritten);
        used[LINK] = count(Count::LinkFrames);
        used
    }

    fn charged_ns(&self) -> u64 {
        [0, 1, 2, 3].map(|core| self.me.ran_on(core)).into_iter().flatten().fold(0, u64::wrapping_add)
    }

    /// The use of the program in `slot` since the last sample.
    fn take_use(&mut self, slot: u16) -> ResourceUse {
        let now = self.used(slot);
        let seen = &mut self.regulated.seen[usize::from(slot)];
        if seen.fresh {
            if now == seen.used {
                return [0; RESOURCES];
            }
            *seen = SlotUse::NOTHING;
        }
        let before = core::mem::replace(&mut seen.used, now);
        core::array::from_fn(|resource| now[resource].saturating_sub(before[resource]))
    }

    fn is_background(&self, slot: u16) -> bool {
        self.wait_cancellers.get(usize::from(slot)).is_some_and(|program| program.policy().background)
    }

    /// Counts what `pid` used to its class, which it is about to leave.
    pub(super) fn settle_use(&mut self, pid: u32) {
        if self.regulated.until_ns != 0
            && let Ok(slot) = self.table.slot(pid)
        {
            let used = self.take_use(slot);
            add(&mut self.regulated.past[usize::from(self.is_background(slot))], used);
        }
    }

    /// A program begins in `slot`: it is taken to use what its parent, if that is here, uses.
    pub(super) fn note_fresh(&mut self, parent: u32, pid: u32, slot: u16) {
        if self.regulated.until_ns != 0 {
            self.regulated.seen[usize::from(slot)] = SlotUse { used: self.used(slot), fresh: true, ran_ns: 0 };
            let uses = self.table.get(parent).map_or(0, |parent| parent.uses);
            let _ = self.table.change(pid, |record| record.uses = uses); // it has just been made
        }
    }

    fn sample(&mut self, now_ns: u64, ignored: &[u8]) -> Sample {
        let charged_ns = self.charged_ns();
        let cores = u64::from(self.me.program_cores().count_ones());
        let elapsed_ns = now_ns.saturating_sub(self.regulated.looked_ns) * cores;
        let busy_ns = charged_ns.wrapping_sub(self.regulated.charged_ns);
        (self.regulated.looked_ns, self.regulated.charged_ns) = (now_ns, charged_ns);
        let [foreground, background] = core::mem::take(&mut self.regulated.past);
        let idle_ns = elapsed_ns.saturating_sub(busy_ns);
        let mut sample =
            Sample { elapsed_ns, idle_ns, foreground, background, jobs: 0, suspended: 0, front_used_ago_ns: u64::MAX };
        for index in 0..self.table.rows.end() {
            let record = self.table.rows[index];
            let Some(slot) = record.slot() else { continue };
            let used = self.take_use(slot);
            if self.is_background(slot) {
                add(&mut sample.background, used);
                sample.jobs += 1;
                sample.suspended += u64::from(record.suspended);
                if !record.suspended {
                    self.table.rows.change(index, |record| record.uses = resources_in(used));
                }
            } else if !ignored.chunks_exact(IGNORED_NAME_BYTES).any(|ignored| ignored == record.name) {
                add(&mut sample.foreground, used);
                let ran_ns = &mut self.regulated.seen[usize::from(slot)].ran_ns;
                let runs = used[DISK] | used[LINK] != 0 || used[PROCESSOR].saturating_mul(RUNNING_PART) > elapsed_ns;
                *ran_ns = if runs { now_ns } else { *ran_ns };
                if *ran_ns != 0 {
                    sample.front_used_ago_ns = sample.front_used_ago_ns.min(now_ns - *ran_ns);
                }
            }
        }
        sample
    }

    /// Suspends the jobs that use one of the resources of `orders`, and resumes the others.
    fn suspend_jobs(&mut self, orders: u8) {
        for index in 0..self.table.rows.end() {
            let ProcessRecord { suspended, uses, .. } = self.table.rows[index];
            let Some(slot) = self.table.rows[index].slot() else { continue };
            let suspend = uses & orders != 0 && self.is_background(slot);
            if suspend == suspended {
                continue;
            }
            self.table.rows.change(index, |record| record.suspended = suspend);
            let concerned = if suspend { &mut self.table.to_interrupt } else { &mut self.table.to_answer };
            concerned.insert(slot);
        }
    }
}

/// A bit for each resource of which something was used.
fn resources_in(used: ResourceUse) -> u8 {
    (0..RESOURCES).filter(|&resource| used[resource] != 0).fold(0, |all, resource| all | 1 << resource)
}

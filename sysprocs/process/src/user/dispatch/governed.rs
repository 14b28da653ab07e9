//! Programs whose I/O is paced (paper P4, docs/decisions/0069-paced-io.md): a loop of their own, so that others pay
//! nothing for it.
//!
//! Paced are the calls that move bytes between the program and files of the disk, the disk itself or, written, the
//! terminal. Calls that wait for other programs or for people (pipes, keys, events) are not, nor are page faults.
//!
//! Invariant: an I/O's result is kept whatever ends its delay; a signal ends it, and what is left is waited for with
//! the next. Not here: how long delays are (`renga_governor`).

use crate::signals::{SIGKILL, killed};
use crate::user::files::one_page_transfer::{READ, READ_FROM, WRITE};
use crate::user::slot::{User, leaving};
use crate::user::state::{FileDescriptor, Object, SyscallResult, restartable};
use renga_governor::{Governor, IoTimes, TrapTimes};
use renga_hal::memory::UserMemory;
use renga_proto::clock::SleepUntil;
use renga_proto::proc_files::DISK;
use renga_rt::account::Count;
use renga_rt::pace::Pace;
use renga_rt::user::Trap;
use renga_rt::{Errno, Me, apart};

/// Linux's numbers of calls that write to a descriptor.
const WRITES: [u64; 5] = [WRITE, 66, 68, 70, 287];
/// And of those that read from one.
const READS: [u64; 5] = [READ, READ_FROM, 65, 69, 286];
/// `sendfile` and `copy_file_range`, whose first two arguments are files.
const COPIES: [u64; 2] = [71, 285];
/// How long the program keeps the processor busy at a time, ns; then other system processes run.
const SPIN_NS: u64 = 20_000;

impl<M: UserMemory> User<M> {
    /// Runs the program as long as it has a pace; the error is the status with which it ends.
    pub(super) async fn run_governed(&mut self, mut pace: Pace) -> Result<(), u32> {
        let mut governor = Governor::default();
        while pace != Pace::Free {
            if self.check_signals || self.me.wait_cancelled() {
                apart!(self.serve_signals())?;
                if pace != self.pace() {
                    pace = self.pace();
                    governor.begin();
                }
                continue;
            }
            leaving!(self, self.me.run_user(self.context, self.space_number));
            if self.ends_threads() {
                return Err(killed(SIGKILL));
            }
            let asked_ns = self.me.now_ns();
            governor.trapped(self.crossing());
            let number = self.context.x[8];
            let outcome = match self.me.trap() {
                Trap::Syscall => match self.target(number) {
                    Some(target) => apart!(self.paced(&mut governor, pace, target, asked_ns)),
                    None => apart!(self.carry_out(number)),
                },
                Trap::Preempted => continue,
                _ => {
                    apart!(self.fault())?;
                    continue;
                }
            };
            self.take_outcome(outcome)?;
            // What any program's loop does from here to there is of the way to the program and back.
            governor.leaves(self.crossing());
        }
        Ok(())
    }

    fn crossing(&self) -> TrapTimes {
        let user_ns = self.me.counted(self.me.account(), Count::UserNs);
        TrapTimes { now_ns: self.me.now_ns(), user_ns }
    }

    /// An I/O with `target` that the program requested at `asked_ns`.
    async fn paced(
        &mut self,
        governor: &mut Governor,
        pace: Pace,
        target: PacedTarget,
        mut asked_ns: u64,
    ) -> SyscallResult {
        // Each pass waits for another period.
        while let Some(until_ns) = governor.before(pace, asked_ns) {
            restartable(self.doze(until_ns).await)?;
            self.me.count(Count::DelayedNs, self.me.now_ns().saturating_sub(asked_ns) as i64);
            asked_ns = self.me.now_ns();
        }
        // The bytes that a terminal waited for are unknown: no server samples them.
        let before = (target == PacedTarget::Disk).then(|| Needs::of(&self.me, self.me.now_ns()));
        // What was done until here was not the I/O.
        let began_ns = self.me.now_ns();
        let outcome = self.carry_out(self.context.x[8]).await;
        let ended_ns = self.me.now_ns();
        let waited_ns = before.map_or(0, |before| Needs::of(&self.me, ended_ns).waited_ns(before));
        if outcome.is_ok()
            && let Some(until_ns) = governor.after(pace, IoTimes { asked_ns, began_ns, ended_ns, waited_ns })
        {
            // The loop serves the signal that ends the wait early before the program goes on.
            let _ = match pace {
                Pace::Time { spins: true, .. } => self.spin(until_ns).await,
                _ => self.doze(until_ns).await,
            };
            self.me.count(Count::DelayedNs, self.me.now_ns().saturating_sub(ended_ns) as i64);
        }
        outcome
    }

    async fn doze(&mut self, until_ns: u64) -> Result<(), Errno> {
        leaving!(self, self.services.clients.clock.call(SleepUntil { until_ns, calendar: false }, ()))
    }

    /// Keeps the processor busy, as a program that computes: its equals run after each slice.
    async fn spin(&mut self, until_ns: u64) -> Result<(), Errno> {
        let mut slice_ends_ns = self.me.now_ns() + self.facts.slice_ns;
        // Ends when time has passed, which it does by itself.
        while self.me.now_ns() < until_ns {
            if self.me.wait_cancelled() {
                return Err(Errno::EINTR);
            }
            let now_ns = self.me.now_ns();
            if now_ns >= slice_ends_ns {
                self.me.yield_to_programs().await;
                slice_ends_ns = self.me.now_ns() + self.facts.slice_ns;
                continue;
            }
            while self.me.now_ns() < until_ns.min(now_ns + SPIN_NS) {
                core::hint::spin_loop();
            }
            self.me.yield_now().await;
        }
        Ok(())
    }

    /// With what system call `number` is an I/O that is paced, if it is one.
    #[inline]
    fn target(&self, number: u64) -> Option<PacedTarget> {
        let of = |index| self.program.files.get(self.argument(index)).ok().and_then(FileDescriptor::target);
        match number {
            number if WRITES.contains(&number) => of(0),
            number if READS.contains(&number) => of(0).filter(|target| *target == PacedTarget::Disk),
            number if COPIES.contains(&number) => {
                of(0).into_iter().chain(of(1)).find(|target| *target == PacedTarget::Disk)
            }
            _ => None,
        }
    }
}

/// What moves bytes to or from a program and is paced.
#[derive(Clone, Copy, PartialEq, Eq)]
enum PacedTarget {
    /// The disk and its files.
    Disk,
    /// Written.
    Terminal,
}

/// What the program's account has needed of this board until some time.
#[derive(Clone, Copy)]
struct Needs {
    /// Until when, ns.
    until_ns: u64,
    /// Of the processor, but for its own instructions, and of the medium, ns.
    ns: u64,
    /// Blocks read.
    read: u64,
    /// Blocks written and frames sent, whose times are not known.
    others: u64,
}

impl Needs {
    fn of(me: &Me, until_ns: u64) -> Needs {
        let counts = me.counts(me.account());
        let count = |count: Count| counts[count as usize];
        // Work since the dispatch of this process, or of its waker, is not charged yet.
        let now_ns = until_ns.saturating_sub(me.charged_until_ns());
        Needs {
            until_ns,
            ns: count(Count::SystemNs) + count(Count::BehalfNs) + count(Count::MediumReadNs) + now_ns,
            read: count(Count::BlocksRead),
            others: count(Count::BlocksWritten) + count(Count::LinkFrames),
        }
    }

    /// Of the time since `before`, how long others had what it needed. It is known of reads of this board's medium
    /// only: all of the time that writes or other boards take is the I/O's.
    fn waited_ns(self, before: Needs) -> u64 {
        let local = self.read != before.read && self.others == before.others;
        let took_ns = self.until_ns.saturating_sub(before.until_ns);
        if local { took_ns.saturating_sub(self.ns.saturating_sub(before.ns)) } else { 0 }
    }
}

impl FileDescriptor {
    /// What it stands for, if that is paced.
    fn target(&self) -> Option<PacedTarget> {
        match self.object {
            Object::File(_) if !self.is_synthetic() || self.ino == DISK => Some(PacedTarget::Disk),
            Object::Console => Some(PacedTarget::Terminal),
            _ => None,
        }
    }
}

//! All that a process may do as itself.
//!
//! Invariant: one `Me` per process, and only its future has it. Called by: system processes. Not here: lower layers.

use crate::ipc::protocol::Entry;
use crate::ipc::typed::Call;
use crate::sched::account::{AccountNumber, Count, Counts, settled};
use crate::types::probe::{self, Probe};
use crate::types::state::{Core, Me, Process, Wait};
use crate::user::time_slice::RunUser;
use core::future::poll_fn;
use core::mem::replace;
use core::task::Poll;
use renga_abi::ProcId;
use renga_abi::log::LogLine;
use renga_abi::policy::Policy;
use renga_abi::user::{Trap, UserContext};

/// Identity, time, log, probes.
impl Me {
    /// # Safety
    /// Once per process; only the future given to `start` uses the result, and what that yields.
    pub unsafe fn new(process: &'static Process) -> Me {
        Me(process)
    }
    /// Its identity.
    pub fn id(&self) -> ProcId {
        self.0.id()
    }
    /// Virtual or real time since boot, ns.
    pub fn now_ns(&self) -> u64 {
        self.0.core.now_ns()
    }
    /// Writes one line to the kernel's log, with two figures.
    pub fn log(&self, text: &'static str, figures: [u64; 2]) {
        self.0.core.log(self.0.id(), text, figures);
    }
    /// [`Core::lines`].
    pub fn log_lines(&self) -> impl Iterator<Item = LogLine> + use<> {
        let core: &'static Core = self.0.core;
        core.lines()
    }
    /// Passes the probe `P`, which is about this process and `operands`.
    #[inline(always)]
    pub fn probe<P: Probe<N>, const N: usize>(&self, _: P, operands: [u64; N]) {
        P::mark_process(self.0, operands);
    }
}

/// Waiting.
impl Me {
    /// Waits until the process is notified; returns at once if a notification came since the last wait.
    pub async fn notified(&mut self) {
        let me = self.0;
        if !me.notified.replace(false) {
            me.begin(Wait::Notification);
            probe::wait_for_notification(me);
            poll_fn(|_| if me.wait.get() == Wait::Nothing { Poll::Ready(()) } else { Poll::Pending }).await
        }
    }
    /// Lets the others of its priority run.
    pub async fn yield_now(&mut self) {
        let (me, mut gone) = (self.0, false);
        me.begin(Wait::TimeSlice);
        probe::wait_for_time_slice(me);
        me.core.make_ready(me);
        poll_fn(|_| if replace(&mut gone, true) { Poll::Ready(()) } else { Poll::Pending }).await;
        me.wait.set(Wait::Nothing);
    }
    /// Notifies this process at `at_ns`, in place of an earlier request; `None` withdraws that.
    pub fn notify_at(&mut self, at_ns: Option<u64>) {
        self.0.notify_at(at_ns);
    }
    /// Waits until the time is `at_ns` or later. Other notifications meanwhile are kept.
    pub async fn sleep_until(&mut self, at_ns: u64) {
        let mut other = false;
        while self.now_ns() < at_ns {
            self.notify_at(Some(at_ns));
            self.notified().await;
            // The alarm is still set: another notification ended the wait.
            other |= self.0.has_alarm();
        }
        self.notify_at(None);
        if other {
            self.0.notify();
        }
    }
    /// Whether its wait was cancelled.
    pub fn wait_cancelled(&self) -> bool {
        self.0.cancelled.get()
    }
    /// Lowers that flag: later waits are whole again.
    pub fn clear_cancellation(&mut self) {
        self.0.cancelled.set(false);
    }
    /// Whether [`Me::take_rebooted`] has something.
    #[inline(always)]
    pub fn has_rebooted(&self) -> bool {
        self.0.rebooted.get() != 0
    }
    /// The boards that have rebooted since the last time, a bit each, as replies of the router have reported.
    pub fn take_rebooted(&mut self) -> u8 {
        self.0.rebooted.take()
    }
}

/// The account that it works for.
impl Me {
    /// Works for account `number` from now on.
    pub fn act_for(&mut self, number: AccountNumber) {
        probe::account(self.0, number);
        self.0.account.set(self.0.core.account(number));
    }
    /// As [`Me::act_for`]: charges the time since its dispatch to the account before, if that is another one.
    pub fn charge_for(&mut self, number: AccountNumber) {
        let core = self.0.core;
        if core.account_of(self.0).number() != number {
            core.charge_dispatch(self.0, core.now_ns());
        }
        self.act_for(number);
    }
    /// Resumes a call that it has kept: charges as [`Me::charge_for`], and works for the caller from now on.
    pub fn take_up<E: Entry>(&mut self, call: &Call<E>) {
        let (me, core) = (self.0, self.0.core);
        let caller = call.process();
        if core.account_of(me).number() != call.account() {
            core.charge_dispatch(me, core.now_ns());
        }
        me.accepted.set(Some(caller.any()));
        me.work_for(caller);
    }
    /// The account that this process works for.
    pub fn account(&self) -> AccountNumber {
        self.0.core.account_of(self.0).number()
    }
    /// Counts for the account that this process works for.
    pub fn count(&self, count: Count, change: i64) {
        self.0.core.account_of(self.0).count(count, change);
    }
    /// Counts for account `number`.
    pub fn count_for(&self, number: AccountNumber, count: Count, change: i64) {
        self.0.core.account(number).count(count, change);
    }
    /// Sets a gauge of this process's own account.
    #[inline(always)]
    pub fn set_count(&self, count: Count, value: u64) {
        self.0.account.get().set_count(count, value);
    }
    /// What account `number` has counted on this board.
    pub fn counts(&self, number: AccountNumber) -> Counts {
        self.0.core.counts(number)
    }
    /// One count of account `number` on this board.
    pub fn counted(&self, number: AccountNumber, count: Count) -> u64 {
        self.0.core.counted(number, count)
    }
    /// [`Core::charged_until_ns`].
    pub fn charged_until_ns(&self) -> u64 {
        self.0.core.charged_until_ns()
    }
    /// What is to be reported to the board of account `number`: ns, blocks read, blocks written; 0 if too little.
    pub fn take_unreported(&self, number: AccountNumber) -> [u64; 3] {
        let elsewhere = number.board().is_some_and(|board| board != self.0.id().board.0);
        if elsewhere { self.0.core.account(number).take_unreported(&self.counts(number)) } else { [0; 3] }
    }
    /// Notes the policy of account `number` of another board.
    pub fn note_policy(&self, number: AccountNumber, policy: Policy) {
        let account = self.0.core.account(number);
        let elsewhere = number.board().is_some_and(|board| board != self.0.id().board.0);
        if elsewhere && account.policy() != policy {
            account.set_policy(policy);
        }
    }
    /// Resets its account for a new program; one `made_here`, by this board's, starts a slice behind the running task.
    pub fn begin_account(&mut self, policy: Policy, made_here: bool) {
        self.0.begin_account(policy, made_here);
    }
    /// The policy of account `number`, as known on this board.
    pub fn policy_of(&self, number: AccountNumber) -> Policy {
        self.0.core.account(number).policy()
    }
}

/// Programs.
impl Me {
    /// Runs the user program in `context` and address space `space` (a number of the board's memory) until it traps or
    /// the wait is cancelled ([`Trap::Preempted`]); [`Me::trap`] is the trap.
    pub fn run_user<'a>(&'a mut self, context: &'a mut UserContext, space: u32) -> RunUser<'a> {
        self.0.run_user(context, space)
    }
    /// The trap that ended the last run of the program.
    #[inline(always)]
    pub fn trap(&self) -> Trap {
        self.0.last_trap()
    }
    /// In long work for a program: lets those run that have used no more than it; [`Me::yield_now`] does not.
    pub async fn yield_to_programs(&mut self) {
        let me = self.0;
        me.begin(Wait::User);
        me.come_home();
        me.run_queue.get().end_slice(me);
        me.enqueue();
        poll_fn(|_| if me.wait.get() == Wait::Nothing { Poll::Ready(()) } else { Poll::Pending }).await;
        me.come_home();
    }
    /// As [`Me::yield_to_programs`], for work that comes from other boards: returns at once if no task goes first.
    pub async fn await_share(&mut self) {
        if !self.0.core.run_queue.is_due(self.0) {
            self.yield_to_programs().await;
        }
    }
    /// Whether programs of this core are runnable, and wait for system processes only.
    pub fn programs_wait(&self) -> bool {
        self.0.core.has_users()
    }
    /// Gives way to its equals, as after a whole slice.
    pub fn yield_slice(&mut self) {
        self.0.run_queue.get().yield_slice(self.0);
    }
    /// Context switches of the board's programs, voluntary and not.
    pub fn context_switches(&self) -> u64 {
        self.0.core.all_cores().fold(0, |all, core| all.wrapping_add(core.charged()[2]))
    }
    /// The cores of this board on which programs run, a bit each.
    pub fn program_cores(&self) -> u8 {
        self.0.core.program_cores.get()
    }
    /// [`Process::program_core`].
    pub fn program_core(&self) -> u8 {
        self.0.program_core()
    }
    /// The time of programs and of system processes on core `number` of the board, ns; 0 for a core without programs.
    /// Time on other cores is charged when the slice returns.
    pub fn ran_on(&self, number: u8) -> [u64; 2] {
        let core = self.0.core;
        let counts = (core.program_cores.get() | core.homes.get()) >> number & 1 != 0;
        let Some(at) = core.all_cores().find(|at| at.number() == number && counts) else { return [0; 2] };
        let [own_ns, system_ns, _] = at.charged();
        let slices = core.all_cores().flat_map(|home| home.ran_elsewhere());
        let here_ns: u64 = slices.filter(|(on, _)| *on == number).map(|(_, ns)| ns).sum();
        let away_ns: u64 = at.ran_elsewhere().map(|(_, ns)| ns).sum();
        [own_ns.wrapping_add(here_ns).wrapping_sub(away_ns), system_ns].map(settled)
    }
    /// The cores on which this process's program may run, a bit each.
    pub fn cores(&self) -> u8 {
        self.0.account.get().cores()
    }
    /// Lets this process's program run on these only, at least one of [`Me::program_cores`].
    pub fn set_cores(&mut self, cores: u8) {
        let schedule = self.0.account.get().schedule();
        schedule.publish(schedule.published().0, cores);
        self.0.set_cores(cores);
    }
}

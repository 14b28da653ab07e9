//! Rights to reach one process without calling it: to notify it, to cancel its wait, to place its program.
//!
//! Invariant: a right on a process of another core holds that process's shared half only ([`SharedProcess`]).
//! Called by: system processes, boot. Not here: what a notification does (`ipc/notification.rs`).

use crate::sched::{CANCEL_WAIT, NOTIFY, SCHEDULE};
use crate::types::state::{Process, SharedProcess, Wait};
use renga_abi::policy::Policy;
use renga_sched::AccountSchedule;

/// A process of this core, or what this core may see of one of another core.
#[derive(Clone, Copy)]
enum TargetProcess {
    Own(&'static Process),
    Elsewhere(&'static SharedProcess),
}

/// The right to cancel the wait of one process, and to say how its program shares the cores.
#[derive(Clone, Copy)]
pub struct WaitCanceller(TargetProcess);

impl WaitCanceller {
    /// The right over `process`, which is of the same core.
    pub fn new(process: &'static Process) -> Self {
        WaitCanceller(TargetProcess::Own(process))
    }
    /// The right over `process`, which is of another core.
    pub fn elsewhere(process: &'static SharedProcess) -> Self {
        WaitCanceller(TargetProcess::Elsewhere(process))
    }
    /// Whether the process is of another core: a change takes effect once that core has received it.
    pub fn is_elsewhere(&self) -> bool {
        matches!(self.0, TargetProcess::Elsewhere(_))
    }
    /// The core of the process.
    pub fn home(&self) -> u8 {
        match self.0 {
            TargetProcess::Own(process) => process.core.number,
            TargetProcess::Elsewhere(process) => process.home,
        }
    }
    /// See [`Process::cancel_wait`].
    pub fn cancel_wait(&self) {
        match self.0 {
            TargetProcess::Own(process) => process.cancel_wait(),
            TargetProcess::Elsewhere(process) => process.set_events(CANCEL_WAIT),
        }
    }
    fn schedule(&self) -> &'static AccountSchedule {
        match self.0 {
            TargetProcess::Own(process) => process.account.get().schedule(),
            TargetProcess::Elsewhere(process) => process.schedule.get(),
        }
    }
    /// Whether its program runs or is runnable; of another core, as that core last marked it.
    pub fn wants_to_run(&self) -> bool {
        match self.0 {
            TargetProcess::Own(process) => matches!(process.wait.get(), Wait::User | Wait::Nothing | Wait::TimeSlice),
            TargetProcess::Elsewhere(process) => process.schedule.get().is_runnable(),
        }
    }
    /// The process's policy: how its program shares the core.
    pub fn policy(&self) -> Policy {
        self.schedule().published().0
    }
    /// The cores on which its program may run, a bit each; cores without programs may be among them.
    pub fn cores(&self) -> u8 {
        self.schedule().published().1
    }
    /// Gives it another policy.
    pub fn set_policy(&self, policy: Policy) {
        self.set_schedule(policy, self.cores());
    }
    /// Lets its program run on these cores only; programs use at least one of them
    /// ([`Me::program_cores`](crate::Me::program_cores)).
    pub fn set_cores(&self, cores: u8) {
        self.set_schedule(self.policy(), cores);
    }
    fn set_schedule(&self, policy: Policy, cores: u8) {
        self.schedule().publish(policy, cores);
        match self.0 {
            TargetProcess::Own(process) => process.take_schedule(),
            TargetProcess::Elsewhere(process) => process.set_events(SCHEDULE),
        }
    }
}

/// The right to notify one process.
#[derive(Clone, Copy)]
pub struct Notifier(TargetProcess);

impl Notifier {
    /// The right to notify `process`, which is of the same core.
    pub fn new(process: &'static Process) -> Self {
        Notifier(TargetProcess::Own(process))
    }
    /// The right to notify `process`, which is of another core.
    pub fn elsewhere(process: &'static SharedProcess) -> Self {
        Notifier(TargetProcess::Elsewhere(process))
    }
    /// See [`Process::notify`].
    pub fn notify(&self) {
        match self.0 {
            TargetProcess::Own(process) => process.notify(),
            TargetProcess::Elsewhere(process) => process.set_events(NOTIFY),
        }
    }
    /// As [`Notifier::notify`]; one of this core that waits for it has run when this returns, unless others go first.
    /// For a process in its own poll.
    pub fn notify_in_place(&self) {
        match self.0 {
            TargetProcess::Own(process) => process.notify_in_place(),
            TargetProcess::Elsewhere(process) => process.set_events(NOTIFY),
        }
    }
}

//! Notifications: what an interrupt, an alarm or a signal does to a process.
//!
//! Invariant: a notification is a flag, not a count, is never lost, and never blocks the one who
//! gives it, so it makes no edge in the wait-for graph.

use crate::probe;
use crate::process::{Me, Process, Wait};
use crate::remote_call::{CANCEL_WAIT, NOTIFY, SCHEDULE};
use crate::rendezvous::NOTIFIED;
use core::future::poll_fn;
use core::mem::replace;
use core::task::Poll;
use renga_abi::policy::Policy;

impl Process {
    /// Wakes the process from `notified` or `accept_or_notified`, or is kept for its next wait there.
    /// To be called between polls, by interrupt handling or a process of the core ([`Notifier::elsewhere`]: by others).
    pub fn notify(&'static self) {
        probe::notify(self);
        if self.wait.get() == Wait::Notification {
            self.wait.set(Wait::Nothing);
            self.core.make_ready(self);
        } else if self.open.get() & NOTIFIED != 0 {
            self.open.set(0);
            self.wait.set(Wait::Nothing); // it finds the flag, not a caller
            self.notified.set(true);
            self.core.make_ready(self);
        } else {
            self.notified.set(true);
        }
    }

    /// Asks the process to give up waiting: the server that holds its call is notified and may answer early, and its user
    /// program, if it runs, traps at once. The flag stays up until [`Me::clear_cancellation`].
    pub fn cancel_wait(&'static self) {
        self.cancelled.set(true);
        match (self.wait.get(), self.server.get()) {
            (Wait::Reply, Some(server)) => server.notify(),
            (Wait::ReplyElsewhere, _) => self.cancel_remote_call(),
            _ => {}
        }
        if self.wait.get() == Wait::User {
            self.requeue_soon();
        }
    }

    /// Its program shares the cores as it was published to ([`Account::tell`](crate::account::Account::tell)) from now on.
    pub(crate) fn take_schedule(&'static self) {
        let account = self.account.get();
        let (policy, cores) = account.published();
        if policy != account.policy() {
            self.run_queue.get().set_policy(self, policy);
        }
        if cores != account.cores() {
            self.set_cores(cores);
        }
    }
}

/// The right to interrupt one process, and to say how its program shares the cores.
#[derive(Clone, Copy)]
pub struct WaitCanceller {
    process: &'static Process,
    elsewhere: bool,
}

impl WaitCanceller {
    /// The right to interrupt `process`, which is of the same core.
    pub fn new(process: &'static Process) -> Self {
        WaitCanceller { process, elsewhere: false }
    }
    /// The right to interrupt `process`, which is of another core.
    pub fn elsewhere(process: &'static Process) -> Self {
        WaitCanceller { process, elsewhere: true }
    }
    /// Whether the process is of another core: then what it is published takes effect as soon as that has looked.
    pub fn is_elsewhere(&self) -> bool {
        self.elsewhere
    }
    /// The core of the process.
    pub fn home(&self) -> u8 {
        self.process.core.number
    }
    /// See [`Process::interrupt`].
    pub fn cancel_wait(&self) {
        if self.elsewhere { self.process.raise(CANCEL_WAIT) } else { self.process.cancel_wait() }
    }
    /// Whether its program runs, or waits for its turn to; of another core, as far as that has found.
    pub fn wants_to_run(&self) -> bool {
        match self.elsewhere {
            true => self.process.account.get().is_marked_runnable(),
            false => matches!(self.process.wait.get(), Wait::User | Wait::Nothing | Wait::Turn),
        }
    }
    /// The process's policy, of how its program shares the core.
    pub fn policy(&self) -> Policy {
        self.process.account.get().published().0
    }
    /// The cores on which its program may run, a bit each, those on which none does included.
    pub fn cores(&self) -> u8 {
        self.process.account.get().published().1
    }
    /// Gives it another policy.
    pub fn set_policy(&self, policy: Policy) {
        self.set_schedule(policy, self.cores());
    }
    /// Lets its program run on these cores only, of which programs may use one at least ([`Me::program_cores`]).
    pub fn set_cores(&self, cores: u8) {
        self.set_schedule(self.policy(), cores);
    }
    fn set_schedule(&self, policy: Policy, cores: u8) {
        self.process.account.get().publish(policy, cores);
        if self.elsewhere { self.process.raise(SCHEDULE) } else { self.process.take_schedule() }
    }
}

/// The right to notify one process.
#[derive(Clone, Copy)]
pub struct Notifier {
    process: &'static Process,
    elsewhere: bool,
}

impl Notifier {
    /// The right to notify `process`, which is of the same core.
    pub fn new(process: &'static Process) -> Self {
        Notifier { process, elsewhere: false }
    }
    /// The right to notify `process`, which is of another core.
    pub fn elsewhere(process: &'static Process) -> Self {
        Notifier { process, elsewhere: true }
    }
    /// See [`Process::notify`].
    pub fn notify(&self) {
        if self.elsewhere { self.process.raise(NOTIFY) } else { self.process.notify() }
    }
}

impl Me {
    /// Waits until the process is notified; at once if it was since the last wait.
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
        me.begin(Wait::Turn);
        probe::wait_for_turn(me);
        me.core.make_ready(me);
        poll_fn(|_| if replace(&mut gone, true) { Poll::Ready(()) } else { Poll::Pending }).await;
        me.wait.set(Wait::Nothing);
    }

    /// Whether somebody asked this process to give up waiting.
    pub fn wait_cancelled(&self) -> bool {
        self.0.cancelled.get()
    }

    /// Takes note of the interruption: later waits are whole again.
    pub fn clear_cancellation(&mut self) {
        self.0.cancelled.set(false);
    }
    /// Whether [`Me::take_rebooted`] has something.
    #[inline(always)]
    pub fn has_rebooted(&self) -> bool {
        self.0.rebooted.get() != 0
    }
    /// The boards that have begun anew, a bit each, of which the router has published this process since it asked last:
    /// what it knows of them is of an earlier life.
    pub fn take_rebooted(&mut self) -> u8 {
        self.0.rebooted.take()
    }
}

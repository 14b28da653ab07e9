//! Notifications: what an interrupt, an alarm or a signal does to a process.
//!
//! Invariant: a notification is a flag, not a count, is never lost, and never blocks the one who
//! gives it, so it makes no edge in the wait-for graph.

use super::rendezvous::NOTIFIED;
use crate::types::probe;
use crate::types::state::{Process, Wait};

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
        let (policy, cores) = account.schedule().published();
        if policy != account.policy() {
            self.run_queue.get().set_policy(self, policy);
        }
        if cores != account.cores() {
            self.set_cores(cores);
        }
    }
}

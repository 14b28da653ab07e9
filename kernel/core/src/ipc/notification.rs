//! Notifications: the effect of an interrupt, an alarm or event flags on a process.
//!
//! Invariant: a notification is a flag, not a count; never lost, and blocks no notifier: it adds no wait-for edge.

use super::rendezvous::NOTIFIED;
use crate::types::probe;
use crate::types::state::{Process, Wait};
use core::task::{Context, Waker};

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

    /// As [`Process::notify`], between polls: one that waits for this and would be the next runs at once.
    #[inline]
    pub fn notify_now(&'static self, now_ns: impl FnOnce() -> u64) {
        if self.core.bitmap.get() >> self.priority != 0 || self.open.get() & NOTIFIED == 0 {
            return self.notify();
        }
        probe::notify(self);
        self.open.set(0);
        self.wait.set(Wait::Nothing);
        self.notified.set(true);
        self.core.resume(self, now_ns);
    }

    /// As [`Process::notify`], by a process of the core in its own poll: one that waits for this runs here at once, as
    /// the server of a call does in place and within the same bounds.
    pub(crate) fn notify_in_place(&'static self) {
        let (core, left) = (self.core, self.core.in_place_left.get());
        if self.wait.get() != Wait::Notification || left == 0 || core.bitmap.get() >> self.priority > 1 {
            return self.notify();
        }
        probe::notify(self);
        core.in_place_left.set(left - 1);
        self.wait.set(Wait::Nothing);
        self.poll(&mut Context::from_waker(Waker::noop()));
    }

    /// Cancels the wait of the process: the server that has its call is notified and may reply early, and its user
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

    /// Takes the published schedule ([`AccountSchedule::publish`](renga_sched::AccountSchedule::publish)).
    pub(crate) fn take_schedule(&'static self) {
        let account = self.account.get();
        let (policy, cores) = account.schedule().published();
        if policy != account.policy() {
            self.run_queue.get().set_policy(self, policy, self.core.now_ns());
        }
        if cores != account.cores() {
            self.set_cores(cores);
        }
    }
}

//! Alarms: one per process, kept in the order of their times.
//!
//! Invariant: a process is in the list exactly while its alarm is set; the list is bounded by the
//! processes placed. Not here: the hardware timer, which the image arms for [`Core::next_alarm_ns`].

use crate::types::state::{Core, Process};

/// The time of an alarm that is not set.
const NEVER_NS: u64 = u64::MAX;

impl Core {
    /// When the first alarm is due, ns since boot.
    #[inline(always)]
    pub fn next_alarm_ns(&self) -> Option<u64> {
        self.alarms.get().map(|process| process.alarm_ns.get())
    }

    /// Notifies every process whose alarm is due at `now_ns`.
    #[inline]
    pub fn expire_alarms(&self, now_ns: u64) {
        while let Some(process) = self.alarms.get() {
            if process.alarm_ns.get() > now_ns {
                return;
            }
            self.alarms.set(process.alarm_link.take());
            process.alarm_ns.set(NEVER_NS);
            process.notify();
        }
    }

    fn unset_alarm(&self, process: &'static Process) {
        let mut link = &self.alarms;
        while let Some(at) = link.get() {
            if core::ptr::eq(at, process) {
                link.set(process.alarm_link.take());
                break;
            }
            link = &at.alarm_link;
        }
        process.alarm_ns.set(NEVER_NS);
    }

    fn set_alarm(&self, process: &'static Process, at_ns: u64) {
        let mut link = &self.alarms;
        while let Some(at) = link.get() {
            if at.alarm_ns.get() > at_ns {
                break;
            }
            link = &at.alarm_link;
        }
        process.alarm_link.set(link.get());
        process.alarm_ns.set(at_ns);
        link.set(Some(process));
    }
}

impl Process {
    pub(crate) fn notify_at(&'static self, at_ns: Option<u64>) {
        if self.has_alarm() {
            self.core.unset_alarm(self);
        }
        if let Some(at_ns) = at_ns {
            self.core.set_alarm(self, at_ns.min(NEVER_NS - 1));
        }
    }
    pub(crate) fn has_alarm(&self) -> bool {
        self.alarm_ns.get() != NEVER_NS
    }
}

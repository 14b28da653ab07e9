//! A queue of processes linked through their headers.
//!
//! Invariant: a process is in at most one queue (I3 of `rendezvous.rs`), so one link suffices and a
//! queue is bounded by the processes placed.

use crate::types::state::{Process, Queue};

impl Queue {
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.head.get().is_none()
    }

    #[inline(always)]
    pub(crate) fn push(&self, process: &'static Process) {
        process.link.set(None);
        match (self.head.get(), self.tail.get()) {
            (Some(_), Some(tail)) => tail.link.set(Some(process)),
            _ => self.head.set(Some(process)),
        }
        self.tail.set(Some(process));
    }

    pub(crate) fn push_front(&self, process: &'static Process) {
        process.link.set(self.head.get());
        if self.head.replace(Some(process)).is_none() {
            self.tail.set(Some(process));
        }
    }

    #[inline(always)]
    pub(crate) fn pop(&self) -> Option<&'static Process> {
        let process = self.head.get()?;
        self.head.set(process.link.get());
        Some(process)
    }

    /// Unlinks the first process for which `wanted` holds.
    #[inline(always)]
    pub(crate) fn pop_first(&self, wanted: impl Fn(&Process) -> bool) -> Option<&'static Process> {
        let (mut before, mut at) = (None::<&'static Process>, self.head.get());
        while let Some(process) = at {
            if wanted(process) {
                before.map_or(&self.head, |b| &b.link).set(process.link.get());
                if process.link.get().is_none() {
                    self.tail.set(before);
                }
                return at;
            }
            (before, at) = (at, process.link.get());
        }
        None
    }
}

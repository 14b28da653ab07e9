//! A queue of processes linked through their headers.
//!
//! Invariant: one link suffices (I3 of `rendezvous.rs`), and a queue is bounded by the processes placed.

use crate::types::state::{MessagePart, ProcessRef, Queue};

impl Queue {
    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.head.get().is_none()
    }

    #[inline(always)]
    pub(crate) fn push(&self, process: ProcessRef) {
        process.part().link.set(None);
        match (self.head.get(), self.tail.get()) {
            (Some(_), Some(tail)) => tail.part().link.set(Some(process)),
            _ => self.head.set(Some(process)),
        }
        self.tail.set(Some(process));
    }

    pub(crate) fn push_front(&self, process: ProcessRef) {
        process.part().link.set(self.head.get());
        if self.head.replace(Some(process)).is_none() {
            self.tail.set(Some(process));
        }
    }

    #[inline(always)]
    pub(crate) fn pop(&self) -> Option<ProcessRef> {
        let process = self.head.get()?;
        self.head.set(process.part().link.get());
        Some(process)
    }

    /// Unlinks the first process for which `wanted` holds.
    #[inline(always)]
    pub(crate) fn pop_first(&self, wanted: impl Fn(&MessagePart) -> bool) -> Option<ProcessRef> {
        let mut process = self.head.get()?; // a server whose queue is empty sets up no walk
        let mut before = None::<ProcessRef>;
        while !wanted(process.part()) {
            before = Some(process);
            process = process.part().link.get()?;
        }
        let next = process.part().link.get();
        before.map_or(&self.head, |before| &before.part().link).set(next);
        if next.is_none() {
            self.tail.set(before);
        }
        Some(process)
    }
}

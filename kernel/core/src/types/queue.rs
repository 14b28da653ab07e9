//! A queue of processes linked through their headers.
//!
//! Invariant: a process is in at most one queue (I3 of `rendezvous.rs`), so one link suffices and a
//! queue is bounded by the processes placed.

use super::state::{Process, Queue, QueueLink, WaitingProcess};
use core::cell::Cell;
use core::marker::PhantomData;

/// What a queue may be of.
pub(crate) trait Queued: Copy {
    fn link(self) -> QueueLink;
    fn linked(link: QueueLink) -> Self;
}

impl Queued for &'static Process {
    #[inline(always)]
    fn link(self) -> QueueLink {
        QueueLink(self)
    }
    #[inline(always)]
    fn linked(link: QueueLink) -> Self {
        link.0
    }
}

impl Queued for WaitingProcess {
    #[inline(always)]
    fn link(self) -> QueueLink {
        QueueLink(self.0)
    }
    #[inline(always)]
    fn linked(link: QueueLink) -> Self {
        WaitingProcess(link.0)
    }
}

impl QueueLink {
    #[inline(always)]
    fn next(self) -> &'static Cell<Option<QueueLink>> {
        &self.0.message.link
    }
}

impl<T: Queued> Queue<T> {
    pub(crate) const fn new() -> Self {
        Queue { head: Cell::new(None), tail: Cell::new(None), element: PhantomData }
    }

    #[inline(always)]
    pub(crate) fn is_empty(&self) -> bool {
        self.head.get().is_none()
    }

    #[inline(always)]
    pub(crate) fn push(&self, process: T) {
        let process = process.link();
        process.next().set(None);
        match (self.head.get(), self.tail.get()) {
            (Some(_), Some(tail)) => tail.next().set(Some(process)),
            _ => self.head.set(Some(process)),
        }
        self.tail.set(Some(process));
    }

    pub(crate) fn push_front(&self, process: T) {
        let process = process.link();
        process.next().set(self.head.get());
        if self.head.replace(Some(process)).is_none() {
            self.tail.set(Some(process));
        }
    }

    #[inline(always)]
    pub(crate) fn pop(&self) -> Option<T> {
        let process = self.head.get()?;
        self.head.set(process.next().get());
        Some(T::linked(process))
    }

    /// Unlinks the first process for which `wanted` holds.
    #[inline(always)]
    pub(crate) fn pop_first(&self, wanted: impl Fn(T) -> bool) -> Option<T> {
        let (mut before, mut at) = (None::<QueueLink>, self.head.get());
        while let Some(process) = at {
            if wanted(T::linked(process)) {
                before.as_ref().map_or(&self.head, |before| before.next()).set(process.next().get());
                if process.next().get().is_none() {
                    self.tail.set(before);
                }
                return Some(T::linked(process));
            }
            (before, at) = (at, process.next().get());
        }
        None
    }
}

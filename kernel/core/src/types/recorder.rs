//! What a core records of its events, inside a host program.
//!
//! Invariant: a core records nothing until a test enables it (`record_events`).

use super::events::{Event, Events};
use core::cell::{Cell, RefCell};
use std::vec::Vec;

/// What a core records.
#[derive(Default)]
pub(crate) struct Recorder {
    is_on: Cell<bool>,
    events: RefCell<Events>,
}

impl Recorder {
    pub(crate) const fn new() -> Recorder {
        Recorder { is_on: Cell::new(false), events: RefCell::new(Vec::new()) }
    }
}

impl Recorder {
    /// Keeps events from now on.
    pub(crate) fn start(&self) {
        self.is_on.set(true);
    }
    /// Gives out what was recorded.
    pub(crate) fn take(&self) -> Events {
        self.events.take()
    }
    #[inline(always)]
    pub(crate) fn record(&self, now_ns: impl FnOnce() -> u64, event: impl FnOnce() -> Event) {
        if self.is_on.get() {
            self.events.borrow_mut().push((now_ns(), event()));
        }
    }
}

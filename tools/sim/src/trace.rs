//! What a run did, as one number and a count.
//!
//! Invariant: two runs with the same number had, in all likelihood, the same events on the same boards
//! at the same times in the same order. Not here: formats for people.

use fnv::FnvHasher;
use renga_core::events::{Event, Events};
use renga_rt::ProcId;
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::hash::Hasher;

/// Latest events of a board that are kept for reports.
const LATEST_MAX: usize = 60;

/// Events with their times, ns.
type Latest = VecDeque<(u64, Event)>;

/// An event as [`SimTrace::take_watched`] gives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WatchedEvent {
    /// When, ns.
    pub time_ns: u64,
    /// On which board.
    pub board: u8,
    /// What.
    pub event: Event,
}

/// The events of all boards.
pub struct SimTrace {
    hash: Cell<u64>,
    events: Cell<u64>,
    watched: RefCell<Vec<WatchedEvent>>,
    watched_max: Cell<usize>,
    /// By board.
    latest: RefCell<Vec<Latest>>,
}

impl Default for SimTrace {
    fn default() -> Self {
        SimTrace {
            hash: Cell::new(FnvHasher::default().finish()),
            events: Cell::new(0),
            watched: RefCell::default(),
            watched_max: Cell::new(0),
            latest: RefCell::default(),
        }
    }
}

impl SimTrace {
    /// Takes what was events of `board`.
    pub fn take(&self, board: u8, events: Events) {
        let (mut all, place) = (self.latest.borrow_mut(), usize::from(board));
        let boards = all.len().max(place + 1);
        all.resize_with(boards, VecDeque::new);
        let latest = &mut all[place];
        let mut watched = self.watched.borrow_mut();
        for (time_ns, event) in events {
            let words = event.to_words();
            let [what, first, second] = words.map(u64::from);
            self.mix([time_ns ^ u64::from(board) << 56, what, first << 32 | second]);
            self.events.set(self.events.get() + 1);
            if latest.len() == LATEST_MAX {
                latest.pop_front();
            }
            latest.push_back((time_ns, event));
            if watched.len() < self.watched_max.get() {
                watched.push(WatchedEvent { time_ns, board, event });
            }
        }
    }

    /// Keeps so many of the events from now on until they are taken.
    pub fn watch(&self, max: usize) {
        self.watched_max.set(max);
    }
    /// Takes the events that were kept.
    pub fn take_watched(&self) -> Vec<WatchedEvent> {
        self.watched.take()
    }

    fn mix(&self, words: [u64; 3]) {
        let mut hasher = FnvHasher::with_key(self.hash.get());
        for word in words {
            hasher.write(&word.to_le_bytes());
        }
        self.hash.set(hasher.finish());
    }

    /// The number.
    pub fn hash(&self) -> u64 {
        self.hash.get()
    }
    /// How many events there were.
    pub fn events(&self) -> u64 {
        self.events.get()
    }
    /// The latest events of `board`, one in a line; `name` names processes.
    pub fn latest(&self, board: u8, name: &dyn Fn(ProcId) -> String) -> Vec<String> {
        let latest = self.latest.borrow();
        let Some(latest) = latest.get(usize::from(board)) else { return Vec::new() };
        latest.iter().map(|(time_ns, event)| format!("{time_ns} {}", describe(*event, name))).collect()
    }
}

fn describe(event: Event, name: &dyn Fn(ProcId) -> String) -> String {
    match event {
        Event::Call { caller, server, op } => format!("{} calls {}, entry {op}", name(caller), name(server)),
        Event::Reply { caller } => format!("{} is answered", name(caller)),
        Event::Dispatch { process } => format!("{} runs", name(process)),
        Event::UserTrap { process } => format!("the program of {} traps", name(process)),
    }
}

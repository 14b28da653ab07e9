//! What a run did, as one number and a count.
//!
//! Invariant: two runs with the same number had, in all likelihood, the same events on the same boards
//! at the same times in the same order. Not here: formats for people.

use renga_core::trace::{Event, TraceRing};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;

/// Latest events that are kept for reports.
const LATEST_MAX: usize = 200;
/// Offset basis and prime of the 64-bit FNV-1a hash.
const BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

/// The events of all boards.
pub struct Trace {
    hash: Cell<u64>,
    events: Cell<u64>,
    latest: RefCell<VecDeque<(u64, u8, [u32; 3])>>,
}

impl Default for Trace {
    fn default() -> Self {
        Trace { hash: Cell::new(BASIS), events: Cell::new(0), latest: RefCell::default() }
    }
}

impl Trace {
    /// Takes the events out of the ring of `board`.
    ///
    /// # Panics
    /// If the ring was too short for what one dispatch did.
    pub fn drain(&self, board: u8, ring: &TraceRing) {
        let mut latest = self.latest.borrow_mut();
        // Bounded by the ring.
        while let Some((time_ns, words)) = ring.pop() {
            self.mix(time_ns ^ u64::from(board) << 56);
            self.mix(u64::from(words[0]));
            self.mix(u64::from(words[1]) << 32 | u64::from(words[2]));
            self.events.set(self.events.get() + 1);
            if latest.len() == LATEST_MAX {
                latest.pop_front();
            }
            latest.push_back((time_ns, board, words));
        }
        assert!(ring.lost() == 0, "the trace of board {board} lost events");
    }

    /// Mixes a word in: whole words, in place of the bytes of FNV-1a.
    pub fn mix(&self, word: u64) {
        let hash = (self.hash.get() ^ word).wrapping_mul(PRIME);
        self.hash.set(hash ^ hash >> 29);
    }

    /// The number.
    pub fn hash(&self) -> u64 {
        self.hash.get()
    }
    /// How many events there were.
    pub fn events(&self) -> u64 {
        self.events.get()
    }
    /// The latest events, one in a line.
    pub fn latest(&self) -> String {
        let line = |(time_ns, board, words): &(u64, u8, [u32; 3])| match Event::from_words(*words) {
            Some(event) => format!("{time_ns} board {board}: {event:?}\n"),
            None => format!("{time_ns} board {board}: {words:x?}\n"),
        };
        self.latest.borrow().iter().map(line).collect()
    }
}

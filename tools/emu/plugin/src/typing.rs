//! What will be typed at the board's console, and when.
//!
//! Invariant: the instants at which the UART gets bytes follow from the orders and from what the board reads, not
//! from when this code is called.

use crate::machine::CharacterDevice;
use std::collections::VecDeque;

/// When the UART is full, the rest follows after this, in nanoseconds.
const RETRY_NS: u64 = 100_000;

/// Input on its way to the console's UART.
pub struct Typing {
    console: CharacterDevice,
    /// Ordered by time; not due.
    ahead: VecDeque<(u64, Vec<u8>)>,
    /// Due, but the UART had no room.
    due: VecDeque<u8>,
    retry_ns: u64,
}

impl Typing {
    /// Nothing typed yet.
    pub fn new(console: CharacterDevice) -> Self {
        Self { console, ahead: VecDeque::new(), due: VecDeque::new(), retry_ns: 0 }
    }

    /// Lets `bytes` come in at `time_ns`.
    pub fn order(&mut self, time_ns: u64, bytes: Vec<u8>) {
        let place = self.ahead.partition_point(|(other_ns, _)| *other_ns <= time_ns);
        self.ahead.insert(place, (time_ns, bytes));
    }

    /// Types what is due and fits.
    pub fn advance(&mut self, now_ns: u64) {
        while let Some((_, bytes)) = self.ahead.pop_front_if(|(time_ns, _)| *time_ns <= now_ns) {
            self.due.extend(bytes);
        }
        if self.due.is_empty() || now_ns < self.retry_ns {
            return;
        }
        let fits = self.console.room().min(self.due.len());
        if fits > 0 {
            let bytes: Vec<u8> = self.due.drain(..fits).collect();
            self.console.receive(&bytes);
        }
        self.retry_ns = now_ns + RETRY_NS;
    }

    /// When [`Typing::advance`] has something to do next.
    pub fn next_ns(&self) -> Option<u64> {
        let due_ns = (!self.due.is_empty()).then_some(self.retry_ns);
        self.ahead_ns().into_iter().chain(due_ns).min()
    }

    /// When a board that waits is given something next: while its UART is full, nothing, until the board reads.
    pub fn wakes_ns(&self) -> Option<u64> {
        self.next_ns().filter(|_| self.due.is_empty() || self.console.room() > 0).or(self.ahead_ns())
    }

    fn ahead_ns(&self) -> Option<u64> {
        self.ahead.front().map(|(time_ns, _)| *time_ns)
    }
}

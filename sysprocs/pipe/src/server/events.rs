//! Programs that wait for events of a pipe's ends.
//!
//! Invariant: while any waits, what held last is known, so that it is woken when an event begins to hold.

use super::State;
use renga_proto::pipe::{ERROR, HANG_UP, NOBODY, PIPE_ATOMIC_BYTES, PipeEnd, READABLE, WRITABLE};

impl State {
    /// Which poll events hold for an end.
    fn events(&self, end: PipeEnd) -> u32 {
        match end {
            PipeEnd::Reader => {
                let readable = if self.ring.is_empty() { 0 } else { READABLE };
                // A fifo's reader that no writer has come to yet has not been left.
                let left = self.writers.is_empty() && !(self.named && self.opened[PipeEnd::Writer as usize] == 0);
                readable | if left { HANG_UP } else { 0 }
            }
            PipeEnd::Writer => {
                let writable = if self.ring.room() >= PIPE_ATOMIC_BYTES { WRITABLE } else { 0 };
                writable | if self.readers.is_empty() { ERROR } else { 0 }
            }
        }
    }

    /// Which of `events` hold for `end`; if none does, the program in `slot` of `board` waits for another one.
    pub(super) fn poll(&mut self, end: PipeEnd, events: u32, slot: u16, board: u8) -> u32 {
        let held = self.events(end) & (events | ERROR | HANG_UP);
        if held == 0 && slot != NOBODY {
            self.held = [self.events(PipeEnd::Reader), self.events(PipeEnd::Writer)];
            self.waiters[end as usize].add(board, slot);
        }
        held
    }

    /// Wakes who waits for an end of which an event has begun to hold.
    pub(super) fn wake_waiters(&mut self) {
        for (index, end) in [PipeEnd::Reader, PipeEnd::Writer].into_iter().enumerate() {
            let held = self.events(end);
            if held & !core::mem::replace(&mut self.held[index], held) != 0 {
                self.wakes.wake(&mut self.waiters[index]);
            }
        }
    }
}

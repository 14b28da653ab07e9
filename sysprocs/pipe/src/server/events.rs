//! Programs that wait for events of a pipe's ends.
//!
//! Invariant: each change that can make an event true is an edge of its end, and an edge wakes the programs that wait
//! for the event.

use super::PipeState;
use renga_proto::fifos::FifoEnds;
use renga_proto::pipe::{ERROR, HANG_UP, NO_PROGRAM, PIPE_ATOMIC_BYTES, PipeEnd, PollPipe, Polled, READABLE, WRITABLE};
use renga_rt::Errno;

impl PipeState {
    /// The poll events for a caller with `ends` that knows of so many `partners`.
    fn events(&self, ends: FifoEnds, partners: u32) -> u32 {
        let readable = if self.ring.is_empty() { 0 } else { READABLE };
        let writable = if self.ring.room() >= PIPE_ATOMIC_BYTES { WRITABLE } else { 0 };
        match ends {
            FifoEnds::Reader => {
                // A fifo's reader that no writer has come to since has not been left.
                let left = self.writers.is_empty() && !(self.named && self.opened[1] == partners);
                readable | if left { HANG_UP } else { 0 }
            }
            FifoEnds::Writer => writable | if self.readers.is_empty() { ERROR } else { 0 },
            // Neither is ever left.
            FifoEnds::Both => readable | writable,
        }
    }

    /// Those of the wanted events that are true; if none is, the caller's program waits.
    pub(super) fn poll(&mut self, poll: PollPipe, board: u8) -> Result<Polled, Errno> {
        let PollPipe { generation, ends, events, slot, seen, partners } = poll;
        let polled: &[PipeEnd] = match ends {
            FifoEnds::Reader => &[PipeEnd::Reader],
            FifoEnds::Writer => &[PipeEnd::Writer],
            FifoEnds::Both => &[PipeEnd::Reader, PipeEnd::Writer],
        };
        let mut edges = 0u32;
        for &end in polled {
            if let Err(errno) = self.check(generation, end, board) {
                let others = generation == self.generation.number() && !self.end(end).is_empty();
                return Err(if others { Errno::EPERM } else { errno });
            }
            edges = edges.wrapping_add(self.edges[end as usize]);
        }
        let edges = edges.max(1);
        let events = events | ERROR | HANG_UP;
        let ready = if seen == edges { 0 } else { self.events(ends, partners) & events };
        if ready == 0 && slot != NO_PROGRAM {
            for &end in polled {
                self.waiters[end as usize].add(board, slot);
                self.awaited[end as usize] |= events;
            }
        }
        Ok(Polled { events: ready, edges })
    }

    /// A change of `end` may have made `event` true: its waiters poll again.
    #[inline(always)]
    pub(super) fn note_edge(&mut self, end: PipeEnd, event: u32) {
        let end = end as usize;
        self.edges[end] = self.edges[end].wrapping_add(1).max(1);
        if self.awaited[end] & event != 0 {
            self.awaited[end] = 0;
            self.wakes.wake(&mut self.waiters[end]);
        }
    }
}

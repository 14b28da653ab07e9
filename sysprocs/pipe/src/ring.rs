//! The bytes in a pipe.
//!
//! Invariant: bytes come out in the order in which they went in, and never more than fit.

use renga_proto::pipe::PIPE_BYTES;

/// A ring of bytes.
pub struct Ring {
    bytes: &'static mut [u8; PIPE_BYTES],
    head: usize,
    length: usize,
}

impl Ring {
    /// An empty ring in `bytes`.
    pub fn new(bytes: &'static mut [u8; PIPE_BYTES]) -> Self {
        Ring { bytes, head: 0, length: 0 }
    }
    /// Bytes in the ring.
    pub fn len(&self) -> usize {
        self.length
    }
    /// Whether it is empty.
    pub fn is_empty(&self) -> bool {
        self.length == 0
    }
    /// Bytes that fit in.
    pub fn room(&self) -> usize {
        PIPE_BYTES - self.length
    }
    /// Forgets all.
    pub fn clear(&mut self) {
        (self.head, self.length) = (0, 0);
    }
    /// Puts in as much of `from` as fits; how much.
    pub fn push(&mut self, from: &[u8]) -> usize {
        let count = from.len().min(self.room());
        let tail = (self.head + self.length) % PIPE_BYTES;
        let first = count.min(PIPE_BYTES - tail);
        copy(&from[..first], &mut self.bytes[tail..tail + first]);
        copy(&from[first..count], &mut self.bytes[..count - first]);
        self.length += count;
        count
    }
    /// Copies bytes from the one at `start` on, which stay; how many.
    pub fn peek_from(&self, start: usize, into: &mut [u8]) -> usize {
        let count = into.len().min(self.length.saturating_sub(start));
        let head = (self.head + start) % PIPE_BYTES;
        let first = count.min(PIPE_BYTES - head);
        copy(&self.bytes[head..head + first], &mut into[..first]);
        copy(&self.bytes[..count - first], &mut into[first..count]);
        count
    }
    /// As `pop`, but the bytes stay.
    pub fn peek(&self, into: &mut [u8]) -> usize {
        self.peek_from(0, into)
    }
    /// Forgets up to `count` bytes.
    pub fn skip(&mut self, count: usize) {
        let count = count.min(self.length);
        self.head = (self.head + count) % PIPE_BYTES;
        self.length -= count;
    }
    /// Moves as many bytes as fit into `into`; returns their number.
    pub fn pop(&mut self, into: &mut [u8]) -> usize {
        let count = into.len().min(self.length);
        let first = count.min(PIPE_BYTES - self.head);
        copy(&self.bytes[self.head..self.head + first], &mut into[..first]);
        copy(&self.bytes[..count - first], &mut into[first..count]);
        self.head = (self.head + count) % PIPE_BYTES;
        self.length -= count;
        count
    }
}

/// Copies slices of one length; a single byte, as programs that wake each other send it, and none, without a call.
#[inline(always)]
pub(crate) fn copy(from: &[u8], into: &mut [u8]) {
    match (from, &mut *into) {
        ([], []) => {}
        ([byte], [place]) => *place = *byte,
        _ => into.copy_from_slice(from),
    }
}

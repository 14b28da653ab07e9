//! A list of frames as a message carries it.
//!
//! Invariant: at most [`FRAMES_PER_CALL`], below the memory process's bound, so that the list stays small in a future.

use renga_hal::memory::{Frame, ListedFrame};

/// Frames that are shared or freed by one call.
pub const FRAMES_PER_CALL: usize = 256;
const FRAME_BYTES: usize = 4;

/// Frames, as little-endian `u32`s.
pub struct FrameList {
    bytes: [u8; FRAMES_PER_CALL * FRAME_BYTES],
    count: usize,
}

impl FrameList {
    /// None.
    pub const fn new() -> Self {
        FrameList { bytes: [0; FRAMES_PER_CALL * FRAME_BYTES], count: 0 }
    }
    /// Adds one, for which there is room.
    pub fn push(&mut self, frame: Frame) {
        let at = self.count * FRAME_BYTES;
        self.bytes[at..at + FRAME_BYTES].copy_from_slice(&frame.0.to_le_bytes());
        self.count += 1;
    }
    /// Where further ones go, before [`FrameList::added`] counts them.
    pub fn room(&mut self) -> &mut [ListedFrame] {
        self.bytes[self.count * FRAME_BYTES..].as_chunks_mut::<FRAME_BYTES>().0
    }
    /// So many were put into the room.
    pub fn added(&mut self, frames: usize) {
        self.count += frames;
        assert!(self.count <= FRAMES_PER_CALL, "more frames than there was room for");
    }
    /// How many.
    pub fn len(&self) -> usize {
        self.count
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }
    /// Whether no further one has room.
    pub fn is_full(&self) -> bool {
        self.count == FRAMES_PER_CALL
    }
    /// As a message's slice.
    pub fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.count * FRAME_BYTES]
    }
    /// Drops all.
    pub fn clear(&mut self) {
        self.count = 0;
    }
}

impl Default for FrameList {
    fn default() -> Self {
        FrameList::new()
    }
}

/// The frames of a list in a slice; bytes behind the last whole one are ignored.
pub fn frames_in(bytes: &[u8]) -> impl Iterator<Item = Frame> + '_ {
    bytes.as_chunks::<FRAME_BYTES>().0.iter().map(|word| Frame(u32::from_le_bytes(*word)))
}

//! Frames that have crossed, to be drawn.
//!
//! Invariant: keeping records changes nothing on the bus.

use renga_wire::{FrameKind, Header};
use std::vec::Vec;

/// A frame that has crossed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CrossedFrame {
    /// When it ended, ns.
    pub end_ns: u64,
    /// How long its bytes took, ns.
    pub wire_ns: u64,
    /// What for.
    pub kind: FrameKind,
    /// Its sender.
    pub source: u8,
    /// The board that it is for, or [`renga_wire::frame::BROADCAST`].
    pub destination: u8,
    /// Its length.
    pub bytes: usize,
    /// The boards, a bit each, that it was for and that have not received it whole.
    pub harmed: u16,
}

/// Those that are kept, at most `max`.
#[derive(Default)]
pub(super) struct CrossedFrames {
    pub(super) max: usize,
    pub(super) kept: Vec<CrossedFrame>,
    /// Of the frame that is being delivered.
    pub(super) harmed: u16,
}

impl CrossedFrames {
    /// The frame that is being delivered does not reach `board`, which it is for.
    pub(super) fn harm(&mut self, board: u8) {
        self.harmed |= 1 << board;
    }

    /// The frame has been delivered.
    pub(super) fn keep(&mut self, end_ns: u64, wire_ns: u64, header: &Header, bytes: usize) {
        let harmed = core::mem::take(&mut self.harmed);
        if self.kept.len() < self.max {
            let Header { kind, source, destination, .. } = *header;
            self.kept.push(CrossedFrame { end_ns, wire_ns, kind, source, destination, bytes, harmed });
        }
    }
}

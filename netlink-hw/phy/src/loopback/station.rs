//! What the bus keeps of each board, and its settings.

use crate::FRAME_BYTES_MAX;
use crate::token::{PhyEvent, SendError};
use renga_wire::bus::{Answers, BusLines, Drive, Poll, WatchedLines};
use std::boxed::Box;
use std::collections::VecDeque;

/// Frames that wait at a receiver before it refuses further ones.
pub const RECEIVE_FRAMES_MAX: usize = 64;

/// How the bus behaves.
#[derive(Clone, Copy, Debug)]
pub struct BusTiming {
    /// Bits that cross in a second.
    pub bits_per_s: u64,
    /// What a frame costs beside its bytes (arming, poll word), ns.
    pub frame_overhead_ns: u64,
    /// From a change of a line to the interrupts of its watchers, ns.
    pub line_ns: u64,
    /// How long bids stand on the data lines, ns.
    pub bid_ns: u64,
    /// From the end of a frame on the wire to the interrupts, ns.
    pub latency_ns: u64,
}

impl BusTiming {
    /// The 16-bit bus on the pins of a Pi 3.
    pub const PI3: BusTiming = BusTiming {
        bits_per_s: 18_000_000,
        frame_overhead_ns: 10_000,
        line_ns: 1_000,
        bid_ns: 10_000,
        latency_ns: 1_000,
    };
}

/// What goes wrong, of a thousand: frames for each receiver, hand-overs of the token by wire.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Faults {
    /// Frames that a receiver does not notice.
    pub lost_per_mille: u16,
    /// Frames that arrive twice.
    pub doubled_per_mille: u16,
    /// Frames that arrive with one bit changed.
    pub changed_per_mille: u16,
    /// Frames that arrive, and whose sender does not see the answer.
    pub unanswered_per_mille: u16,
    /// Frames that a receiver answers and then loses.
    pub dropped_per_mille: u16,
    /// Frames that reach a receiver's processor late, and all after them too.
    pub delayed_per_mille: u16,
    /// Longest such delay, ns.
    pub delay_ns: u64,
    /// Hand-overs that only their sender believes in.
    pub token_lost_per_mille: u16,
    /// Hand-overs that another board sees too.
    pub token_doubled_per_mille: u16,
}

impl Faults {
    /// None.
    pub const NONE: Faults = Faults {
        lost_per_mille: 0,
        doubled_per_mille: 0,
        changed_per_mille: 0,
        unanswered_per_mille: 0,
        dropped_per_mille: 0,
        delayed_per_mille: 0,
        delay_ns: 0,
        token_lost_per_mille: 0,
        token_doubled_per_mille: 0,
    };
}

/// What the bus has done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BusCounters {
    /// Frames sent, but for those of the token protocol.
    pub frames: u64,
    /// Their bytes.
    pub bytes: u64,
    /// Time that the wire carried their bytes, without overheads, ns.
    pub wire_ns: u64,
    /// Time that frames of any kind took, ns.
    pub busy_ns: u64,
    /// Frames of the token protocol.
    pub control_frames: u64,
    /// Frames that two boards sent at once.
    pub collisions: u64,
    /// Hand-overs by wire.
    pub tokens: u64,
    /// Hand-overs that were lost or doubled.
    pub token_faults: u64,
}

/// Bytes of a frame.
pub(crate) type Buffer = Box<[u8; FRAME_BYTES_MAX]>;

/// A frame at its receiver.
pub(crate) struct ReadyFrame {
    pub(crate) bytes: usize,
    pub(crate) buffer: Buffer,
    pub(crate) ready_ns: u64,
}

/// A frame on the wire.
#[derive(Clone, Copy)]
pub(crate) struct Talk {
    pub(crate) bytes: usize,
    pub(crate) wire_ns: u64,
    pub(crate) failed: Option<SendError>,
}

pub(crate) struct LoopbackStation {
    /// Boards hear those of their own group.
    pub(crate) group: u8,
    pub(crate) hung: bool,
    /// Its answers are set.
    pub(crate) listens: bool,
    pub(crate) drive: Drive,
    /// What others saw of it until `seen_ns`.
    pub(crate) before: Drive,
    pub(crate) seen_ns: u64,
    pub(crate) watch: WatchedLines,
    pub(crate) answers: Answers,
    /// The lines as it knows them.
    pub(crate) reported: BusLines,
    pub(crate) lines_changed: bool,
    pub(crate) received: bool,
    pub(crate) sent: Option<Result<Poll, SendError>>,
    pub(crate) bids: Option<u16>,
    pub(crate) talk: Option<Talk>,
    pub(crate) frame: Buffer,
    /// Counts what it began, so that the end of something broken off is known.
    pub(crate) operation: u32,
    pub(crate) bid_until_ns: Option<u64>,
    pub(crate) receive: VecDeque<ReadyFrame>,
    pub(crate) overrun: bool,
    /// Until when it sees BUSY# low, TOK_IN# low, TOK_IN# high, though they are not.
    pub(crate) false_busy_ns: u64,
    pub(crate) false_token_ns: u64,
    pub(crate) blind_to_token: bool,
}

impl LoopbackStation {
    pub(crate) fn new() -> LoopbackStation {
        LoopbackStation {
            group: 0,
            hung: false,
            listens: false,
            drive: Drive::default(),
            before: Drive::default(),
            seen_ns: 0,
            watch: WatchedLines::default(),
            answers: Answers::default(),
            reported: BusLines::default(),
            lines_changed: false,
            received: false,
            sent: None,
            bids: None,
            talk: None,
            frame: Box::new([0; FRAME_BYTES_MAX]),
            operation: 0,
            bid_until_ns: None,
            receive: VecDeque::new(),
            overrun: false,
            false_busy_ns: 0,
            false_token_ns: 0,
            blind_to_token: false,
        }
    }

    pub(crate) fn interrupts(&self, now_ns: u64) -> bool {
        let arrived = self.receive.front().is_some_and(|received| received.ready_ns <= now_ns);
        !self.hung && (self.lines_changed || self.sent.is_some() || self.bids.is_some() || arrived)
    }

    pub(crate) fn poll(&mut self) -> Option<PhyEvent> {
        if let Some(result) = self.sent.take() {
            return Some(PhyEvent::Sent(result));
        }
        if let Some(bids) = self.bids.take() {
            return Some(PhyEvent::Bids(bids));
        }
        core::mem::take(&mut self.lines_changed).then_some(PhyEvent::Lines)
    }

    pub(crate) fn resume(&mut self) {
        (self.hung, self.lines_changed) = (false, true);
        if self.talk.take().is_some() {
            self.sent = Some(Err(SendError::Stalled));
        }
        if self.bid_until_ns.take().is_some() {
            self.bids = Some(0);
        }
        self.operation += 1;
    }

    pub(crate) fn abort(&mut self) {
        (self.talk, self.bid_until_ns, self.sent, self.bids) = (None, None, None, None);
        self.operation += 1;
    }
}

//! What a phy gives to the token protocol: lines, frames one at a time, arbitration.
//!
//! A phy answers the poll word of others' frames by itself, as [`Answers`] says, and handshakes by
//! itself; it decides nothing else. All calls return at once or after a bounded time (one frame).

use crate::FRAME_BYTES_MAX;
use renga_wire::bus::{Answers, BusLines, Drive, Poll, WatchedLines};

pub use renga_wire::bus::SendError;

/// A phy's events.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum PhyEvent {
    /// A line that is watched has changed.
    Lines,
    /// The frame of [`TokenPhy::transmit`] has ended.
    Sent(Result<Poll, SendError>),
    /// The data lines during the bid of [`TokenPhy::bid`]: bit n, board n bids.
    Bids(u16),
}

/// How a talker finds out that the listeners are armed before it sends the first word.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Arming {
    /// It waits for longer than any board may be late: several boards acknowledge on one line, and the first hides the
    /// others.
    Timed,
    /// It continues when the acknowledgement appears: only one other board takes part, so the line is that board's.
    Interlocked,
}

/// One board's access to a bus with a token.
pub trait TokenPhy {
    /// This board's number.
    fn board(&self) -> u8;

    /// The lines as they are at `now_ns`. Forgets what was heard.
    fn lines(&mut self, now_ns: u64) -> BusLines;

    /// Sets what this board pulls low, which lines it watches, and how it answers, from now on. A change is one against
    /// what the board can know: the lines as [`TokenPhy::lines`] last gave them. A line that it has itself released
    /// since is expected to be high, so one that stays low is news.
    fn set(&mut self, now_ns: u64, drive: Drive, watch: WatchedLines, answers: Answers);

    /// Starts to send a sealed frame (at most [`FRAME_BYTES_MAX`] bytes); the end is [`PhyEvent::Sent`]. A phy may arm
    /// by time whatever `arming` says.
    fn transmit(&mut self, now_ns: u64, frame: &[u8], arming: Arming);

    /// Drives only this board's data line high for a while; the end is [`PhyEvent::Bids`].
    fn bid(&mut self, now_ns: u64);

    /// Breaks off what [`TokenPhy::transmit`] or [`TokenPhy::bid`] began, without an event.
    fn abort(&mut self, now_ns: u64);

    /// What has happened; `None`: nothing more. It interrupts while there is something.
    fn poll(&mut self, now_ns: u64) -> Option<PhyEvent>;

    /// Takes the oldest frame received, of whatever kind, that was addressed to this board or to all, or
    /// that names this board as its source: its length, bytes. Frames of kind `Poll` may be left out. It interrupts
    /// while there is one.
    fn receive(&mut self, out: &mut [u8; FRAME_BYTES_MAX]) -> Option<usize>;

    /// The time, if calls take so long that it has advanced meanwhile, ns.
    fn now_ns(&mut self) -> Option<u64> {
        None
    }

    /// When it wants [`TokenPhy::poll`] to be called though it does not interrupt.
    fn deadline_ns(&self) -> Option<u64> {
        None
    }

    /// Whether frames were lost since the last call for lack of buffers.
    fn take_overrun(&mut self) -> bool;
}

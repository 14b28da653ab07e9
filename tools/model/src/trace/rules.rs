//! The rules, frame by frame.
//!
//! Invariant: the rules bind a board only by what it must know: a received frame counts from its arrival, which is no
//! later than when the router took it. Not here: frames of the token protocol, which are skipped.

use renga_router::WINDOW_FRAMES;
use renga_wire::frame::Hello;
use renga_wire::{FrameKind, Head, Header, LinkFrame};
use std::collections::{BTreeMap, VecDeque};

/// The rule that was broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum BrokenRule {
    /// What a board says parses.
    NoFrame,
    /// A board's epochs with another one go up by one.
    Epoch,
    /// No data before the other board has named this epoch.
    DataBeforeGreeting,
    /// New frames have consecutive numbers, and old ones are within the window.
    Sequence,
    /// What is sent again is what was sent.
    Changed,
    /// No more is acknowledged than was heard in order.
    Acknowledged,
    /// A fragment parses.
    NoFragment,
}

/// What one board has said to another, and heard of it.
#[derive(Default)]
struct Side {
    epoch: Option<u8>,
    /// The other has named the epoch.
    named: bool,
    /// Data frames said, and the last ones' fragments.
    sent: u64,
    fragments: VecDeque<Vec<u8>>,
    /// The other's epoch.
    peer: Option<u8>,
    /// Data frames heard in order.
    received: u64,
}

/// What all boards have said and heard so far.
#[derive(Default)]
pub struct Rules {
    sides: BTreeMap<(u8, u8), Side>,
}

impl Rules {
    /// `board` restarts.
    pub fn started(&mut self, board: u8) {
        self.sides.retain(|(me, _), _| *me != board);
    }

    /// `board` says a frame.
    ///
    /// # Errors
    /// The rule that it breaks.
    pub fn sent(&mut self, board: u8, bytes: &[u8]) -> Result<(), BrokenRule> {
        let frame = LinkFrame::parse(bytes).map_err(|_| BrokenRule::NoFrame)?;
        let header = frame.header;
        let side = self.sides.entry((board, header.destination)).or_default();
        match header.kind {
            FrameKind::Hello => {
                let hello = Hello::parse(frame.payload).map_err(|_| BrokenRule::NoFrame)?;
                side.begin(header.epoch)?;
                if hello.known.is_some() && hello.known == side.peer {
                    side.check_acknowledged(header.sequence)?;
                }
                Ok(())
            }
            FrameKind::Ack | FrameKind::Nak => {
                side.check_up(header)?;
                side.check_acknowledged(header.sequence)
            }
            FrameKind::Data => {
                side.check_up(header)?;
                let (acknowledged, fragment) = frame.payload.split_first().ok_or(BrokenRule::NoFragment)?;
                Head::parse(fragment).map_err(|_| BrokenRule::NoFragment)?;
                side.check_acknowledged(*acknowledged)?;
                side.say(header.sequence, fragment)
            }
            _ => Ok(()),
        }
    }

    /// `board` hears a frame, which may be damaged or for others.
    pub fn received(&mut self, board: u8, bytes: &[u8]) {
        let Ok(frame) = LinkFrame::parse(bytes) else { return };
        let header = frame.header;
        if header.destination != board {
            return;
        }
        let side = self.sides.entry((board, header.source)).or_default();
        match header.kind {
            FrameKind::Hello => {
                let Ok(hello) = Hello::parse(frame.payload) else { return };
                let named = hello.known.is_some() && hello.known == side.epoch;
                if !named || side.peer != Some(header.epoch) {
                    (side.peer, side.received) = (Some(header.epoch), 0);
                }
                side.named = named;
            }
            FrameKind::Data if side.peer == Some(header.epoch) && header.sequence == side.received as u8 => {
                side.received += 1
            }
            _ => {}
        }
    }
}

impl Side {
    /// Says `epoch` in a greeting.
    fn begin(&mut self, epoch: u8) -> Result<(), BrokenRule> {
        let Some(former) = self.epoch else {
            self.epoch = Some(epoch);
            return Ok(());
        };
        // Several sessions may end before a greeting goes.
        match epoch.wrapping_sub(former) {
            0 => Ok(()),
            steps if steps <= u8::MAX / 2 => {
                let (peer, received) = (self.peer, self.received);
                *self = Side { epoch: Some(epoch), peer, received, ..Side::default() };
                Ok(())
            }
            _ => Err(BrokenRule::Epoch),
        }
    }

    fn check_up(&self, header: Header) -> Result<(), BrokenRule> {
        if self.epoch != Some(header.epoch) {
            return Err(BrokenRule::Epoch);
        }
        if self.named { Ok(()) } else { Err(BrokenRule::DataBeforeGreeting) }
    }

    fn check_acknowledged(&self, next: u8) -> Result<(), BrokenRule> {
        let behind = (self.received as u8).wrapping_sub(next);
        if behind <= u8::MAX / 2 && u64::from(behind) <= self.received { Ok(()) } else { Err(BrokenRule::Acknowledged) }
    }

    fn say(&mut self, sequence: u8, fragment: &[u8]) -> Result<(), BrokenRule> {
        let back = (self.sent as u8).wrapping_sub(sequence);
        if back == 0 {
            self.sent += 1;
            self.fragments.push_back(fragment.to_vec());
            if self.fragments.len() > usize::from(WINDOW_FRAMES) {
                self.fragments.pop_front();
            }
            return Ok(());
        }
        let place = self.fragments.len().checked_sub(usize::from(back)).ok_or(BrokenRule::Sequence)?;
        if self.fragments[place] == fragment { Ok(()) } else { Err(BrokenRule::Changed) }
    }
}

//! What crosses the bus beside the frames: the lines every board sees, and the poll word that ends a frame.
//!
//! Invariant: a board's answer in a poll word depends only on [`Answers`] and the frame, so that a phy can answer while
//! the frame's talker waits. Not here: volts and times (`phy`), the right to talk (`mac`).

use crate::frame::BROADCAST;
use crate::{FrameKind, Header};

/// Boards of a bus: each has one bit in either half of the poll word.
pub const BOARDS_MAX: u8 = 8;
/// Bytes of the longest payload of a frame of the token protocol.
pub const CONTROL_PAYLOAD_BYTES_MAX: usize = 8;

/// The lines as a board sees them; true: pulled low, by whomever.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct BusLines {
    /// BUSY#: a board has the token and uses it.
    pub busy: bool,
    /// ATN# outside of frames: a board wants the token. While a frame is under way the phy leaves ATN# to the talker,
    /// whatever [`Drive`] says, and reports false.
    pub attention: bool,
    /// TOK_IN#: the board before this one on the harness hands the token on.
    pub token_in: bool,
    /// Another board has talked since the last sample of the lines: a frame's intact header was seen.
    pub received: bool,
}

/// What a board pulls low.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Drive {
    /// BUSY#.
    pub busy: bool,
    /// ATN#, outside of frames.
    pub attention: bool,
    /// TOK_OUT#.
    pub token_out: bool,
}

/// Lines whose change wakes a board; other changes go unreported.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct WatchedLines {
    /// BUSY#.
    pub busy: bool,
    /// ATN#.
    pub attention: bool,
    /// TOK_IN#.
    pub token_in: bool,
}

/// The poll word: board n owns bit n and bit 8+n.
///
/// A board that the frame is addressed to answers in two bits: bit n alone, it took the frame; both, and
/// it wants the token; bit 8+n alone, it refuses the frame; none, it is not there or saw a damaged one.
/// Any other board says in bit 8+n that it wants the token.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Poll(pub u16);

impl Poll {
    /// Whether `board` took the frame.
    pub const fn took(self, board: u8) -> bool {
        self.0 >> board & 1 != 0
    }
    /// Whether `board`, which the frame was addressed to, refused it.
    pub const fn refused(self, board: u8) -> bool {
        !self.took(board) && self.0 >> (BOARDS_MAX + board) & 1 != 0
    }
    /// Boards that took the frame, a bit each.
    pub const fn takers(self) -> u8 {
        self.0 as u8
    }
    /// Boards that refused a frame that was addressed to all, a bit each.
    pub const fn refusers(self) -> u8 {
        (self.0 >> BOARDS_MAX) as u8 & !(self.0 as u8)
    }
    /// Boards that want the token, a bit each; the frame was for `destination`.
    pub const fn wanting(self, destination: u8) -> u8 {
        let (low, high) = (self.0 as u8, (self.0 >> BOARDS_MAX) as u8);
        let addressed = if destination >= BOARDS_MAX { 0xff } else { 1 << destination };
        high & (low | !addressed)
    }
}

/// Why a frame was not sent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum SendError {
    /// No board listens.
    NoListener,
    /// Another board talks too.
    Collision,
    /// A listener stops in the middle of a frame, for longer than the phy waits.
    Stalled,
}

/// Whether epoch `epoch` is older than `than`; epochs wrap.
pub const fn older(epoch: u8, than: u8) -> bool {
    (epoch.wrapping_sub(than) as i8) < 0
}

/// How a board answers frames; kept by the phy.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Answers {
    /// This board, below [`BOARDS_MAX`].
    pub board: u8,
    /// Whether it takes part: else it says nothing but that its number is taken.
    pub present: bool,
    /// Whether it wants the token.
    pub wants: bool,
    /// The token's epoch, if it knows it.
    pub epoch: Option<u8>,
    /// What no other board has.
    pub serial: u64,
}

impl Answers {
    /// The bits of the poll word that this board drives after an intact frame; `room`: the phy can keep it.
    pub fn to(&self, header: &Header, payload: &[u8], room: bool) -> Poll {
        let (take, high) = (1u16 << self.board, 1u16 << (BOARDS_MAX + self.board));
        if self.meets_its_double(header, payload) {
            return Poll(high);
        }
        if !self.present || header.source == self.board {
            return Poll(0);
        }
        let wants = if self.wants { high } else { 0 };
        if header.destination != self.board && header.destination != BROADCAST {
            return Poll(wants);
        }
        let stale = match header.kind {
            FrameKind::Token | FrameKind::Map | FrameKind::Join => {
                self.epoch.is_some_and(|epoch| older(header.epoch, epoch))
            }
            _ => false,
        };
        Poll(if stale || !room { high } else { take | wants })
    }

    /// Whether the frame says that another board has this one's number.
    pub fn meets_its_double(&self, header: &Header, payload: &[u8]) -> bool {
        header.kind == FrameKind::Join && header.source == self.board && joined_serial(payload) != Some(self.serial)
    }
}

/// The serial number in the payload of a `Join`.
pub fn joined_serial(payload: &[u8]) -> Option<u64> {
    payload.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

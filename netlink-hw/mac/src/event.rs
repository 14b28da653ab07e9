//! The protocol's events and commands.

use crate::timing::TokenTiming;
use renga_wire::bus::{BusLines, CONTROL_PAYLOAD_BYTES_MAX, Poll, SendError};
use renga_wire::{Header, LinkFrame};

/// What one board is.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct MacSetup {
    /// Its number, below [`renga_wire::bus::BOARDS_MAX`].
    pub board: u8,
    /// What no other board has.
    pub serial: u64,
    /// How long to wait for what.
    pub timing: TokenTiming,
}

/// What has happened.
#[derive(Clone, Copy, Debug)]
pub enum MacEvent<'a> {
    /// The board has started, or takes part again.
    Started,
    /// A line that is watched has changed.
    Lines,
    /// A frame of the token protocol came in, intact.
    Frame(LinkFrame<'a>),
    /// The frame that was commanded has ended; it was for `destination`.
    Sent {
        /// A board, or [`renga_wire::frame::BROADCAST`].
        destination: u8,
        /// Its poll word.
        result: Result<Poll, SendError>,
    },
    /// The bidders, a bit each.
    Bids(u16),
    /// Whether frames wait to be sent.
    Demand(bool),
    /// The board wants to take part no more.
    Leave,
    /// [`crate::Mac::deadline_ns`] has come.
    Time,
}

/// A frame of the token protocol to be sent.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Control {
    /// Its header.
    pub header: Header,
    /// Its payload; `bytes` of it count.
    pub payload: [u8; CONTROL_PAYLOAD_BYTES_MAX],
    /// How many bytes.
    pub bytes: u8,
}

/// What the board is to do.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MacCommand {
    /// Send one frame of data.
    SendData,
    /// Send a frame of the protocol.
    SendControl(Control),
    /// Bid for the token.
    Bid,
    /// Break off sending or bidding.
    Abort,
}

/// What the board's owner may want to know.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum MacReport {
    /// This board takes part.
    Member,
    /// A board has said that it takes part; perhaps it was reset unnoticed.
    Joined {
        /// Which.
        board: u8,
        /// Its serial number.
        serial: u64,
    },
    /// A board is there no more, or has left.
    Left {
        /// Which.
        board: u8,
    },
    /// The token was lost; this board created another one.
    Regenerated {
        /// Its epoch.
        epoch: u8,
    },
    /// Two boards have the number of this one: it keeps silent for [`TokenTiming::quarantine_ns`].
    Duplicate {
        /// The other one's serial number, if this board heard it.
        other: Option<u64>,
    },
    /// Lines stay low though no board uses them.
    Stuck(BusLines),
    /// The board does not take part any more, as its host wished.
    Off,
}

/// Most reports of one step.
pub const REPORTS_MAX: usize = 4;

/// What follows from an event.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Actions {
    /// To be done at once, after the lines were set.
    pub command: Option<MacCommand>,
    reports: [Option<MacReport>; REPORTS_MAX],
}

impl Actions {
    /// What the owner may want to know.
    pub fn reports(&self) -> impl Iterator<Item = MacReport> + '_ {
        self.reports.iter().flatten().copied()
    }
    /// Adds a report; the first ones are kept.
    pub(crate) fn report(&mut self, report: MacReport) {
        if let Some(place) = self.reports.iter_mut().find(|place| place.is_none()) {
            *place = Some(report);
        }
    }
}

//! What the plugin and the coordinator say to each other, over one stream socket per board.
//!
//! `PluginHello` (plugin), `Welcome` (coordinator), then for ever `BarrierReport` (plugin: this board has reached the
//! end of its quantum) and `Grant` (coordinator: it may go on until then). Each is a length (4 bytes, little-endian)
//! and that many bytes of postcard. Both sides are of one build, so the layout needs no version.

use crate::pins::PinDrive;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::fmt;
use std::io::{self, Read, Write};

/// Most bytes of a message: a board alone goes 20 million instructions between reports, and few of them are probes.
pub const MESSAGE_BYTES_MAX: usize = 1 << 27;
/// The time that never comes.
pub const NEVER_NS: u64 = u64::MAX;

/// First words of a plugin.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PluginHello {
    /// The version of QEMU that it found itself in.
    pub version: String,
}

/// The coordinator's answer: the board's number and settings.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Welcome {
    /// The board's number.
    pub board: u8,
    /// Register `FLAGS`.
    pub flags: u32,
    /// From 1970 to time 0 of this board's own clock, ns.
    pub epoch_ns: u64,
    /// Time 0 of this board's own clock, in the cluster's time, ns.
    pub origin_ns: u64,
    /// How often it was started, this time included.
    pub starts: u32,
    /// A board that sends at t stops at t + this, to hear what became of its frame.
    pub lookahead_ns: u64,
    /// How its pins are wired, if they are.
    pub wiring: Option<PinWiring>,
    /// It is offered no device of the emulator's, and its last reset named this partition (0: none).
    pub bare: Option<u8>,
}

/// How a board's pins are wired to those of others.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PinWiring {
    /// What each board does to this one's pins, by board.
    pub others: Vec<PinDrive>,
    /// Pins with a strong resistor upwards.
    pub held_up: u32,
    /// A board that changes a pin at t stops at t + this, to see what others make of it.
    pub echo_ns: u64,
}

/// A board has arrived at the barrier.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BarrierReport {
    /// Its virtual time: that of the core that is furthest.
    pub now_ns: u64,
    /// The first instant from now at which it may do anything without new orders: the time of its last core if it is
    /// busy, so `now_ns` if it has one; [`NEVER_NS`] if it waits with no timer running.
    pub next_ns: u64,
    /// Instructions that it has executed.
    pub instructions: u64,
    /// It waits for room in the transmitter, so departures matter.
    pub wants_departures: bool,
    /// Pins of which a change may wake it.
    pub wakes: u32,
    /// It has ended; there will be no other report.
    pub exit: Option<BoardExit>,
    /// Frames lost at its link device since the beginning.
    pub overruns: u64,
    /// What it did before `next_ns`, in order.
    pub records: Vec<BoardRecord>,
    /// Probes that it reached before then, in order, as `renga-emu-probes` writes them.
    #[serde(with = "serde_bytes")]
    pub hits: Vec<u8>,
}

/// How a board has ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BoardExit {
    /// With this status.
    Status(u8),
    /// It was reset, and starts again from this partition (0: the usual one).
    Reset(u8),
}

/// Something that a board did.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BoardRecord {
    /// Wrote a byte to the console (PL011).
    Console {
        /// When.
        time_ns: u64,
        /// What.
        byte: u8,
    },
    /// Wrote a byte to the log (mini UART).
    Log {
        /// When.
        time_ns: u64,
        /// What.
        byte: u8,
    },
    /// Sent a frame.
    Frame {
        /// When.
        time_ns: u64,
        /// The receiver.
        destination: u8,
        /// What.
        bytes: Vec<u8>,
    },
    /// Did something else to its pins.
    Pins {
        /// When.
        time_ns: u64,
        /// What it does from then on.
        drive: PinDrive,
    },
    /// Its card failed for the first time: the host refused a transfer of the card's file.
    CardFailed {
        /// When.
        time_ns: u64,
    },
}

impl BoardRecord {
    /// When it did it.
    pub fn time_ns(&self) -> u64 {
        match self {
            BoardRecord::Console { time_ns, .. }
            | BoardRecord::Log { time_ns, .. }
            | BoardRecord::Frame { time_ns, .. }
            | BoardRecord::Pins { time_ns, .. }
            | BoardRecord::CardFailed { time_ns } => *time_ns,
        }
    }

    /// The same, `by_ns` later: board time converted to cluster time.
    pub fn later(mut self, by_ns: u64) -> Self {
        let (BoardRecord::Console { time_ns, .. }
        | BoardRecord::Log { time_ns, .. }
        | BoardRecord::Frame { time_ns, .. }
        | BoardRecord::Pins { time_ns, .. }
        | BoardRecord::CardFailed { time_ns }) = &mut self;
        *time_ns += by_ns;
        self
    }
}

/// A board may go on.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Grant {
    /// Until then; it may stop and report earlier.
    pub until_ns: u64,
    /// Nothing that the coordinator has not ordered arrives anywhere before.
    pub quiet_ns: u64,
    /// The boards that run together with it, if it may continue as they do.
    pub together: Option<Together>,
    /// What will happen to it, all at or after its present time.
    pub orders: Vec<BoardOrder>,
}

/// A round of boards that run at the same time and exchange their positions. Times are the cluster's.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Together {
    /// Counts from 1.
    pub round: u64,
    /// One bit per board.
    pub boards: u16,
    /// As in [`Grant`].
    pub quiet_ns: u64,
    /// The board reports here at the latest.
    pub ceiling_ns: u64,
}

/// Something that will happen to a board.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum BoardOrder {
    /// A frame arrives.
    Deliver {
        /// When.
        time_ns: u64,
        /// What.
        bytes: Vec<u8>,
    },
    /// The oldest frame that it sent has left.
    Departed {
        /// When.
        time_ns: u64,
        /// After how long a wait.
        token_wait_ns: u32,
        /// After how long on the wire.
        wire_ns: u32,
    },
    /// Bytes come in at the console.
    Input {
        /// When.
        time_ns: u64,
        /// What.
        bytes: Vec<u8>,
    },
    /// Another board does something else to the pins.
    Pins {
        /// When this board sees it.
        time_ns: u64,
        /// The board.
        board: u8,
        /// What it does from then on, as this board's pins.
        drive: PinDrive,
        /// The pins of which that is new.
        changed: u32,
    },
}

impl BoardOrder {
    /// When it happens.
    pub fn time_ns(&self) -> u64 {
        match self {
            BoardOrder::Deliver { time_ns, .. }
            | BoardOrder::Departed { time_ns, .. }
            | BoardOrder::Input { time_ns, .. }
            | BoardOrder::Pins { time_ns, .. } => *time_ns,
        }
    }

    /// The same, `by_ns` earlier: cluster time converted to board time.
    pub fn earlier(mut self, by_ns: u64) -> Self {
        *self.time_mut() -= by_ns;
        self
    }

    /// The same, but not before `least_ns`.
    pub fn not_before(mut self, least_ns: u64) -> Self {
        let time_ns = self.time_mut();
        *time_ns = least_ns.max(*time_ns);
        self
    }

    fn time_mut(&mut self) -> &mut u64 {
        let (BoardOrder::Deliver { time_ns, .. }
        | BoardOrder::Departed { time_ns, .. }
        | BoardOrder::Input { time_ns, .. }
        | BoardOrder::Pins { time_ns, .. }) = self;
        time_ns
    }
}

/// Why no message came or went.
#[derive(Debug)]
pub enum MessageError {
    /// The other side closed the stream.
    Closed,
    /// Nothing came for as long as the stream's time-out.
    Silent,
    /// The stream broke.
    Io(io::Error),
    /// What came is no message.
    Malformed,
}

impl fmt::Display for MessageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            MessageError::Closed => f.write_str("the other side has gone"),
            MessageError::Silent => f.write_str("the other side is silent"),
            MessageError::Io(error) => write!(f, "the stream broke: {error}"),
            MessageError::Malformed => f.write_str("what came is no message"),
        }
    }
}

impl std::error::Error for MessageError {}

impl From<io::Error> for MessageError {
    fn from(error: io::Error) -> Self {
        match error.kind() {
            io::ErrorKind::UnexpectedEof | io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => {
                MessageError::Closed
            }
            io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut => MessageError::Silent,
            _ => MessageError::Io(error),
        }
    }
}

/// Sends `message`, with `scratch` as space to write it down in.
///
/// # Errors
/// If the other side has gone.
pub fn send<M: Serialize>(stream: &mut impl Write, message: &M, scratch: &mut Vec<u8>) -> Result<(), MessageError> {
    scratch.clear();
    scratch.extend_from_slice(&[0; 4]);
    *scratch = postcard::to_extend(message, std::mem::take(scratch))
        .expect("a message that consists of plain data has a form");
    let length = scratch.len() - 4;
    assert!(length <= MESSAGE_BYTES_MAX, "a message of {length} bytes");
    scratch[..4].copy_from_slice(&(length as u32).to_le_bytes());
    Ok(stream.write_all(scratch)?)
}

/// Waits for a message; `stream` is best buffered, since there are two reads to a message.
///
/// # Errors
/// If the other side has gone, stays silent for the stream's time-out, or talks nonsense.
pub fn receive<M: DeserializeOwned>(stream: &mut impl Read, scratch: &mut Vec<u8>) -> Result<M, MessageError> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length) as usize;
    if length > MESSAGE_BYTES_MAX {
        return Err(MessageError::Malformed);
    }
    scratch.resize(length, 0);
    stream.read_exact(scratch)?;
    postcard::from_bytes(scratch).map_err(|_| MessageError::Malformed)
}

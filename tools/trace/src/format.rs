//! The file of a trace (docs/reference/trace.md).
//!
//! Eight bytes `RENGATR1`; the length of the header (4 bytes, little-endian) and the header as JSON; then one event after
//! the other. An event: a byte with its kind, of which bit 7 says that the board is another than that of the event before,
//! whose number then follows; the time since that event; the event's numbers. All of these are numbers of seven bits a
//! byte, the lowest first, bit 7 set in all but the last byte. The number of a process has its board's bits flipped by
//! the event's board, so that processes of the same board are small. At the end: kind 127 and how many events there were.
//!
//! Invariant: whatever a file contains, it is read or refused with the place of what is wrong.

use crate::event::{Event, Frame, Kind, NUMBERS_MAX, Number, Timed};
use crate::header::Header;
use std::fmt;
use std::io::{self, Write};

const MAGIC: &[u8; 8] = b"RENGATR1";
/// Kinds of events that no probe tells, and the end.
const STOPPED: u8 = 124;
const STARTED: u8 = 125;
const FRAME: u8 = 126;
const END: u8 = 127;
/// Another board than before.
const OTHER_BOARD: u8 = 0x80;
/// Boards that a header may have.
const BOARDS_MAX: u8 = 16;

/// Where a file is wrong, and what is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadTrace {
    /// Bytes from the beginning.
    pub at: usize,
    /// What is wrong there.
    pub what: String,
}

impl fmt::Display for BadTrace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {} of the trace: {}", self.at, self.what)
    }
}

impl std::error::Error for BadTrace {}

/// Writes a trace.
pub struct Writer<W> {
    out: W,
    bytes: Vec<u8>,
    time_ns: u64,
    board: u8,
    events: u64,
}

impl<W: Write> Writer<W> {
    /// Begins one.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(mut out: W, header: &Header) -> io::Result<Self> {
        let header = serde_json::to_vec(header)?;
        out.write_all(MAGIC)?;
        out.write_all(&(header.len() as u32).to_le_bytes())?;
        out.write_all(&header)?;
        Ok(Writer { out, bytes: Vec::new(), time_ns: 0, board: 0, events: 0 })
    }

    /// Writes an event, which is not before the one before.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&mut self, timed: &Timed) -> io::Result<()> {
        let bytes = &mut self.bytes;
        bytes.clear();
        let numbers = timed.event.numbers();
        let kind = match (&numbers, &timed.event) {
            (Some((kind, _)), _) => *kind as u8,
            (None, Event::Frame(_)) => FRAME,
            (None, Event::Stopped) => STOPPED,
            (None, _) => STARTED,
        };
        if timed.board == self.board {
            bytes.push(kind);
        } else {
            bytes.extend([kind | OTHER_BOARD, timed.board]);
        }
        push(bytes, timed.time_ns.saturating_sub(self.time_ns));
        if let Some((kind, numbers)) = &numbers {
            for (number, what) in numbers.iter().zip(kind.numbers()) {
                push(bytes, flipped(*number, *what, timed.board));
            }
        } else if let Event::Frame(frame) = &timed.event {
            let head = [u64::from(frame.destination), frame.token_wait_ns, frame.wire_ns, frame.arrives_after_ns];
            head.into_iter().chain([frame.bytes.len() as u64]).for_each(|number| push(bytes, number));
            bytes.extend_from_slice(&frame.bytes);
        }
        (self.time_ns, self.board) = (timed.time_ns.max(self.time_ns), timed.board);
        self.events += 1;
        self.out.write_all(bytes)
    }

    /// Ends it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(mut self) -> io::Result<W> {
        self.bytes.clear();
        self.bytes.push(END);
        push(&mut self.bytes, self.events);
        self.out.write_all(&self.bytes)?;
        self.out.flush()?;
        Ok(self.out)
    }
}

fn push(bytes: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        bytes.push(number as u8 | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Processes of `board` become small numbers, and back.
fn flipped(number: u64, what: Number, board: u8) -> u64 {
    if what == Number::Id { number ^ u64::from(board) << 16 } else { number }
}

/// Reads a trace: its header, and as an iterator its events.
#[derive(Clone)]
pub struct Reader<'a> {
    header: Header,
    bytes: &'a [u8],
    at: usize,
    time_ns: u64,
    board: u8,
    events: u64,
    over: bool,
}

impl<'a> Reader<'a> {
    /// Begins to read.
    ///
    /// # Errors
    /// If this is no trace.
    pub fn new(bytes: &'a [u8]) -> Result<Self, BadTrace> {
        let wrong = |at: usize, what: &str| BadTrace { at, what: what.to_string() };
        let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| wrong(0, "this is no trace of Renga's"))?;
        let (length, rest) = rest.split_first_chunk().ok_or_else(|| wrong(MAGIC.len(), "it ends early"))?;
        let length = u32::from_le_bytes(*length) as usize;
        let begin = bytes.len() - rest.len();
        let header = rest.get(..length).ok_or_else(|| wrong(begin, "it ends early"))?;
        let header: Header = serde_json::from_slice(header).map_err(|error| wrong(begin, &error.to_string()))?;
        if header.boards.len() > usize::from(BOARDS_MAX) {
            return Err(wrong(begin, "too many boards"));
        }
        Ok(Reader { header, bytes, at: begin + length, time_ns: 0, board: 0, events: 0, over: false })
    }

    /// The names.
    pub fn header(&self) -> &Header {
        &self.header
    }

    fn wrong<T>(&self, what: &str) -> Result<T, BadTrace> {
        Err(BadTrace { at: self.at, what: what.to_string() })
    }

    fn byte(&mut self) -> Result<u8, BadTrace> {
        let Some(byte) = self.bytes.get(self.at) else { return self.wrong("it ends early") };
        self.at += 1;
        Ok(*byte)
    }

    fn number(&mut self) -> Result<u64, BadTrace> {
        let mut number = 0;
        for shift in (0..u64::BITS).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                return Ok(number);
            }
        }
        self.wrong("a number of more than 64 bits")
    }

    fn event(&mut self) -> Result<Option<Timed>, BadTrace> {
        let first = self.byte()?;
        let kind = first & !OTHER_BOARD;
        if kind == END {
            return if self.number()? == self.events { Ok(None) } else { self.wrong("events are missing") };
        }
        if first & OTHER_BOARD != 0 {
            self.board = self.byte()?;
            if self.board >= BOARDS_MAX {
                return self.wrong("no such board");
            }
        }
        let Some(time_ns) = self.time_ns.checked_add(self.number()?) else { return self.wrong("a time too large") };
        self.time_ns = time_ns;
        self.events += 1;
        let event = match kind {
            STARTED => Event::Started,
            STOPPED => Event::Stopped,
            FRAME => Event::Frame(self.frame()?),
            _ => {
                let Some(kind) = Kind::ALL.get(usize::from(kind)) else { return self.wrong("no such kind of event") };
                let mut numbers = [0; NUMBERS_MAX];
                for (number, what) in numbers.iter_mut().zip(kind.numbers()) {
                    *number = flipped(self.number()?, *what, self.board);
                }
                Event::of(*kind, &numbers[..kind.numbers().len()])
            }
        };
        Ok(Some(Timed { time_ns, board: self.board, event }))
    }

    fn frame(&mut self) -> Result<Frame, BadTrace> {
        let destination = self.number()? as u8;
        let (token_wait_ns, wire_ns, arrives_after_ns) = (self.number()?, self.number()?, self.number()?);
        let length = self.number()? as usize;
        let Some(bytes) = self.at.checked_add(length).and_then(|end| self.bytes.get(self.at..end)) else {
            return self.wrong("it ends in a frame");
        };
        self.at += length;
        Ok(Frame { destination, token_wait_ns, wire_ns, arrives_after_ns, bytes: bytes.to_vec() })
    }
}

impl Iterator for Reader<'_> {
    type Item = Result<Timed, BadTrace>;
    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let event = self.event().transpose();
        self.over = !matches!(event, Some(Ok(_)));
        event
    }
}

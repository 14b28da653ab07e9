//! The file of a trace (docs/reference/trace.md).
//!
//! Eight bytes `RENGATR1`; the length of the header (4 bytes, little-endian) and the header as JSON; then one event
//! after the other. An event: a byte with its kind, of which bit 7 says that the board or its core is another than that
//! of the event before, and then a byte follows with the board in bits 0 to 3 and the core in bits 4 and 5; the time
//! since that event; the event's numbers. All of these are numbers of seven bits a
//! byte, the lowest first, bit 7 set in all but the last byte. The number of a process has its board's bits flipped by
//! the event's board, so that processes of the same board are small. At the end: kind 127 and how many events there
//! were.
//!
//! Invariant: whatever a file contains, it is read or refused with the place of what is wrong.

use crate::event::{EventNumber, NUMBERS_MAX, ProbeEventKind, Timed, TraceEvent, TracedFrame};
use crate::header::{CORES_MAX, TraceHeader};
use std::fmt;
use std::io::{self, Write};

const MAGIC: &[u8; 8] = b"RENGATR1";
/// How traces of all versions begin.
const FAMILY: &[u8] = b"RENGATR";
/// Kinds of events without a probe, and the end.
const STOPPED: u8 = 124;
const STARTED: u8 = 125;
const FRAME: u8 = 126;
const END: u8 = 127;
/// Another board or core than before.
const ELSEWHERE: u8 = 0x80;
/// Boards that a header may have.
const BOARDS_MAX: u8 = 16;
/// Where in a place the core begins, behind the board.
const CORE_SHIFT: u32 = BOARDS_MAX.trailing_zeros();
/// Bytes of a header at most.
const HEADER_BYTES_MAX: usize = 16 << 20;
/// Bytes of a frame at most.
const FRAME_BYTES_MAX: usize = 64 << 10;

/// Where a file is wrong, and what is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BadTrace {
    /// Bytes from the beginning.
    pub at: usize,
    /// What is wrong there.
    pub what: String,
    /// The file ends there: its writer may not be done.
    pub early: bool,
}

impl fmt::Display for BadTrace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "byte {} of the trace: {}", self.at, self.what)
    }
}

impl std::error::Error for BadTrace {}

/// Writes a trace.
pub struct TraceWriter<W> {
    out: W,
    bytes: Vec<u8>,
    time_ns: u64,
    /// The board and the core.
    place: (u8, u8),
    events: u64,
}

impl<W: Write> TraceWriter<W> {
    /// Begins one.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn new(mut out: W, header: &TraceHeader) -> io::Result<Self> {
        let header = serde_json::to_vec(header)?;
        out.write_all(MAGIC)?;
        out.write_all(&(header.len() as u32).to_le_bytes())?;
        out.write_all(&header)?;
        Ok(TraceWriter { out, bytes: Vec::new(), time_ns: 0, place: (0, 0), events: 0 })
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
            (None, TraceEvent::Frame(_)) => FRAME,
            (None, TraceEvent::Stopped) => STOPPED,
            (None, _) => STARTED,
        };
        if (timed.board, timed.core) == self.place {
            bytes.push(kind);
        } else {
            bytes.extend([kind | ELSEWHERE, timed.board | timed.core << CORE_SHIFT]);
        }
        push(bytes, timed.time_ns.saturating_sub(self.time_ns));
        if let Some((kind, numbers)) = &numbers {
            for (number, what) in numbers.iter().zip(kind.numbers()) {
                push(bytes, flipped(*number, *what, timed.board));
            }
        } else if let TraceEvent::Frame(frame) = &timed.event {
            let head = [u64::from(frame.destination), frame.token_wait_ns, frame.wire_ns, frame.arrives_after_ns];
            head.into_iter().chain([frame.bytes.len() as u64]).for_each(|number| push(bytes, number));
            bytes.extend_from_slice(&frame.bytes);
        }
        (self.time_ns, self.place) = (timed.time_ns.max(self.time_ns), (timed.board, timed.core));
        self.events += 1;
        self.out.write_all(bytes)
    }

    /// Ends it.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn finish(&mut self) -> io::Result<()> {
        self.bytes.clear();
        self.bytes.push(END);
        push(&mut self.bytes, self.events);
        self.out.write_all(&self.bytes)?;
        self.out.flush()
    }

    /// Makes sure that all that was written is where it is to be.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }

    /// What it was written to.
    pub fn into_inner(self) -> W {
        self.out
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
fn flipped(number: u64, what: EventNumber, board: u8) -> u64 {
    if what == EventNumber::Id { number ^ u64::from(board) << 16 } else { number }
}

fn wrong<T>(at: usize, what: &str) -> Result<T, BadTrace> {
    Err(BadTrace { at, what: what.to_string(), early: false })
}

fn early<T>(at: usize) -> Result<T, BadTrace> {
    Err(BadTrace { at, what: "it ends early".to_string(), early: true })
}

/// The header, and where the events begin.
///
/// # Errors
/// If this is no trace, or not all of its header is there.
pub fn begin(bytes: &[u8]) -> Result<(TraceHeader, usize), BadTrace> {
    let common = bytes.len().min(MAGIC.len());
    if bytes[..common] != MAGIC[..common] {
        let version = bytes.strip_prefix(FAMILY).and_then(|rest| rest.first()).filter(|byte| byte.is_ascii_graphic());
        return match version {
            Some(version) => wrong(0, &format!("a trace of version {}; this renga reads version 1", *version as char)),
            None => wrong(0, "this is no trace of Renga's"),
        };
    }
    let Some((length, rest)) = bytes[common..].split_first_chunk() else { return early(bytes.len()) };
    let length = u32::from_le_bytes(*length) as usize;
    let begin = bytes.len() - rest.len();
    if length > HEADER_BYTES_MAX {
        return wrong(begin, "a header too large");
    }
    let Some(header) = rest.get(..length) else { return early(bytes.len()) };
    match serde_json::from_slice::<TraceHeader>(header) {
        Err(error) => wrong(begin, &error.to_string()),
        Ok(header) if header.boards.len() > usize::from(BOARDS_MAX) => wrong(begin, "too many boards"),
        Ok(header) => Ok((header, begin + length)),
    }
}

/// The reader's place in the events.
#[derive(Clone, Copy, Default)]
pub struct EventCursor {
    time_ns: u64,
    /// The board and the core.
    place: (u8, u8),
    events: u64,
}

impl EventCursor {
    /// The event with which `bytes` begin, and how many bytes it has; none at the end of the trace. After an error the
    /// cursor is where it was.
    ///
    /// # Errors
    /// If there is no event, or not all of it; its place is that in `bytes`.
    pub fn next(&mut self, bytes: &[u8]) -> Result<(Option<Timed>, usize), BadTrace> {
        let mut event = Bytes { bytes, at: 0 };
        let timed = event.timed(*self)?;
        if let Some(timed) = &timed {
            *self = EventCursor { time_ns: timed.time_ns, place: (timed.board, timed.core), events: self.events + 1 };
        }
        Ok((timed, event.at))
    }
}

/// Bytes, of which the first so many are read.
struct Bytes<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bytes<'_> {
    fn byte(&mut self) -> Result<u8, BadTrace> {
        let Some(byte) = self.bytes.get(self.at) else { return early(self.at) };
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
        wrong(self.at, "a number of more than 64 bits")
    }

    fn place(&mut self) -> Result<(u8, u8), BadTrace> {
        let place = self.byte()?;
        let (board, core) = (place % BOARDS_MAX, place >> CORE_SHIFT);
        if core < CORES_MAX { Ok((board, core)) } else { wrong(self.at, "no such board or core") }
    }

    fn timed(&mut self, before: EventCursor) -> Result<Option<Timed>, BadTrace> {
        let first = self.byte()?;
        let kind = first & !ELSEWHERE;
        if kind == END {
            return if self.number()? == before.events { Ok(None) } else { wrong(self.at, "events are missing") };
        }
        let (board, core) = if first & ELSEWHERE != 0 { self.place()? } else { before.place };
        let Some(time_ns) = before.time_ns.checked_add(self.number()?) else {
            return wrong(self.at, "a time too large");
        };
        let event = match kind {
            STARTED => TraceEvent::Started,
            STOPPED => TraceEvent::Stopped,
            FRAME => TraceEvent::Frame(self.frame()?),
            _ => {
                let Some(kind) = ProbeEventKind::ALL.get(usize::from(kind)) else {
                    return wrong(self.at, "no such kind of event");
                };
                let mut numbers = [0; NUMBERS_MAX];
                for (number, what) in numbers.iter_mut().zip(kind.numbers()) {
                    *number = flipped(self.number()?, *what, board);
                }
                TraceEvent::of(*kind, &numbers[..kind.numbers().len()])
            }
        };
        Ok(Some(Timed { time_ns, board, core, event }))
    }

    fn frame(&mut self) -> Result<TracedFrame, BadTrace> {
        let destination = self.number()? as u8;
        let (token_wait_ns, wire_ns, arrives_after_ns) = (self.number()?, self.number()?, self.number()?);
        let length = self.number()? as usize;
        if length > FRAME_BYTES_MAX {
            return wrong(self.at, "a frame too large");
        }
        let Some(bytes) = self.bytes.get(self.at..self.at + length) else { return early(self.bytes.len()) };
        self.at += length;
        Ok(TracedFrame { destination, token_wait_ns, wire_ns, arrives_after_ns, bytes: bytes.to_vec() })
    }
}

/// Reads a whole trace: its header, and as an iterator its events.
#[derive(Clone)]
pub struct TraceReader<'a> {
    header: TraceHeader,
    bytes: &'a [u8],
    at: usize,
    cursor: EventCursor,
    over: bool,
}

impl<'a> TraceReader<'a> {
    /// Begins to read.
    ///
    /// # Errors
    /// If this is no trace.
    pub fn new(bytes: &'a [u8]) -> Result<Self, BadTrace> {
        let (header, at) = begin(bytes)?;
        Ok(TraceReader { header, bytes, at, cursor: EventCursor::default(), over: false })
    }

    /// The names.
    pub fn header(&self) -> &TraceHeader {
        &self.header
    }
}

impl Iterator for TraceReader<'_> {
    type Item = Result<Timed, BadTrace>;
    fn next(&mut self) -> Option<Self::Item> {
        if self.over {
            return None;
        }
        let event = match self.cursor.next(&self.bytes[self.at..]) {
            Ok((timed, length)) => {
                self.at += length;
                timed.map(Ok)
            }
            Err(bad) => Some(Err(BadTrace { at: bad.at + self.at, ..bad })),
        };
        self.over = !matches!(event, Some(Ok(_)));
        event
    }
}

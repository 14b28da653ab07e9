//! Reads a trace event by event, also one that is still being written.
//!
//! Invariant: no more of it is kept than one chunk and one event. Not here: waiting for more of a file (the caller
//! tries again).

use crate::event::Timed;
use crate::format::{BadTrace, EventCursor, begin};
use crate::header::TraceHeader;
use std::io::{self, Read};

/// Bytes that are read at a time.
const CHUNK_BYTES: usize = 64 << 10;

/// What comes next of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FollowStep {
    /// An event.
    Event(Timed),
    /// Nothing yet: the trace has not ended.
    Later,
    /// Its end.
    End,
}

/// Why a trace cannot be followed.
#[derive(Debug)]
pub enum FollowError {
    /// It cannot be read.
    Io(io::Error),
    /// It is wrong.
    Bad(BadTrace),
}

impl std::fmt::Display for FollowError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            FollowError::Io(error) => error.fmt(f),
            FollowError::Bad(bad) => bad.fmt(f),
        }
    }
}

impl std::error::Error for FollowError {}

/// Reads a trace as it grows.
pub struct Follower<R> {
    input: R,
    /// What was read; the first `used` of it are done with, which were preceded by `before` others.
    bytes: Vec<u8>,
    used: usize,
    before: u64,
    cursor: EventCursor,
    header: Option<TraceHeader>,
    over: bool,
}

impl<R: Read> Follower<R> {
    /// Of this input, from its beginning.
    pub fn new(input: R) -> Follower<R> {
        let cursor = EventCursor::default();
        Follower { input, bytes: Vec::new(), used: 0, before: 0, cursor, header: None, over: false }
    }

    /// How many bytes were read.
    pub fn read_bytes(&self) -> u64 {
        self.before + self.bytes.len() as u64
    }

    /// The input.
    pub fn input(&self) -> &R {
        &self.input
    }

    /// The names; none as long as they are not there.
    ///
    /// # Errors
    /// If this is no trace, or cannot be read.
    pub fn header(&mut self) -> Result<Option<&TraceHeader>, FollowError> {
        // Bounded by the header's length, which has a bound.
        while self.header.is_none() {
            match begin(&self.bytes) {
                Ok((header, length)) => {
                    self.used = length;
                    self.header = Some(header);
                }
                Err(bad) if bad.early => {
                    if self.read()? == 0 {
                        return Ok(None);
                    }
                }
                Err(bad) => return Err(FollowError::Bad(bad)),
            }
        }
        Ok(self.header.as_ref())
    }

    /// What comes next.
    ///
    /// # Errors
    /// If the trace is wrong, or cannot be read.
    pub fn next_event(&mut self) -> Result<FollowStep, FollowError> {
        if self.over {
            return Ok(FollowStep::End);
        }
        if self.header()?.is_none() {
            return Ok(FollowStep::Later);
        }
        loop {
            match self.cursor.next(&self.bytes[self.used..]) {
                Ok((timed, length)) => {
                    self.used += length;
                    self.over = timed.is_none();
                    return Ok(timed.map_or(FollowStep::End, FollowStep::Event));
                }
                Err(bad) if bad.early => {
                    if self.read()? == 0 {
                        return Ok(FollowStep::Later);
                    }
                }
                Err(bad) => {
                    let at = self.before as usize + self.used + bad.at;
                    return Err(FollowError::Bad(BadTrace { at, ..bad }));
                }
            }
        }
    }

    /// Reads a chunk, and lets go what is done with; how many bytes there were.
    fn read(&mut self) -> Result<usize, FollowError> {
        self.bytes.drain(..self.used);
        self.before += self.used as u64;
        self.used = 0;
        let old = self.bytes.len();
        self.bytes.resize(old + CHUNK_BYTES, 0);
        let count = loop {
            match self.input.read(&mut self.bytes[old..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        self.bytes.truncate(old + count.as_ref().map_or(0, |count| *count));
        count.map_err(FollowError::Io)
    }
}

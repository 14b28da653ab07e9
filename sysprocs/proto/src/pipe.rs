//! Pipes: one process each, on the board where the pipe was made.

use crate::fifos::{FifoEnds, OpenedFifo};
use renga_abi::Errno;
use renga_core::{in_words, protocol, word_enum};

word_enum! {
    /// An end of a pipe.
    pub enum PipeEnd {
        /// Where bytes come out.
        Reader,
        /// Where bytes go in.
        Writer,
    }
}

/// Bytes that a pipe holds.
pub const PIPE_BYTES: usize = 65536;
/// Writes up to this many bytes are not torn apart.
pub const PIPE_ATOMIC_BYTES: usize = 4096;

/// Poll: reading would not wait.
pub const READABLE: u32 = 1;
/// Poll: writing would not wait.
pub const WRITABLE: u32 = 4;
/// Poll: the other end has an error (no reader).
pub const ERROR: u32 = 8;
/// Poll: the other end is closed (no writer).
pub const HANG_UP: u32 = 16;

/// As a slot to be woken: nobody.
pub const NOBODY: u16 = u16::MAX;

in_words! {
    /// What holds of something that is polled.
    pub struct Polled {
        /// The events that hold, of those asked for.
        events: u32,
        /// How often something has happened that could make one hold; never 0.
        edges: u32,
    }
}

protocol! {
    /// One pipe. `generation` is what `OpenPipe` answered: `ESTALE` if the pipe is in another generation by now, or
    /// the caller's board holds the end no more, since this board took it for dead meanwhile.
    pub Pipe = 10, PipeCall {
        /// Becomes an empty pipe with one reader and one writer of the caller's board; which of its generations
        /// that is, never 0, another one also after this board has begun anew.
        0 OpenPipe {} (()) -> Result<u32, Errno>;
        /// Waits for bytes; how many came. 0: no writer is left. `EAGAIN` if it may not wait,
        /// `EINTR` if interrupted.
        1 ReadPipe { generation: u32, nonblocking: bool } (&'a mut [u8]) -> Result<u32, Errno> [defers];
        /// Writes all of the slice, waiting for room (at least one byte was written if interrupted
        /// midway; then how many). `EPIPE`: no reader is left.
        2 WritePipe { generation: u32, nonblocking: bool } (&'a [u8]) -> Result<u32, Errno> [defers];
        /// One reference more to an end, for the caller's board.
        3 AddEnd { generation: u32, end: PipeEnd } (()) -> Result<(), Errno>;
        /// One reference less; the last of both ends frees the pipe.
        4 CloseEnd { generation: u32, end: PipeEnd } (()) -> Result<(), Errno> [releases];
        /// Which of `events` (and of error and hang-up) hold now for who has `ends`, unless no more has happened than the
        /// `seen` edges (0: it does not matter). If none does, the program in `slot` of the caller's board, unless that is
        /// `NOBODY`, is woken once when one is to be looked for again. `partners`: of a reader of a fifo that was opened
        /// while nobody wrote, how many had by then; it is not left before more have. `EPERM`: the pipe is in this generation, and
        /// only other boards hold the end.
        5 PollPipe { generation: u32, ends: FifoEnds, events: u32, slot: u16, seen: u32, partners: u32 } (())
            -> Result<Polled, Errno>;
        /// Bytes that can be read now.
        6 PipeBytes { generation: u32 } (()) -> Result<u32, Errno>;
        /// A board is dead: its processes' references to the ends are dropped.
        7 BoardDied { board: u8 } (()) -> Result<(), Errno>;
        /// As a fifo: `board` opens `ends` of it, in this generation, or (0) in a new one as an empty pipe without ends. From
        /// the keeper of fifos only. `ESTALE`: it is in another generation; `ENXIO`: a writer that will not wait, and no reader.
        8 JoinPipe { generation: u32, board: u8, ends: FifoEnds, nonblocking: bool } (()) -> Result<OpenedFifo, Errno>;
        /// Of a fifo: waits until the other end than `end`, which the caller's board holds, has been opened more than
        /// `partners` times. `EINTR` if interrupted.
        9 AwaitPartner { generation: u32, end: PipeEnd, partners: u32 } (()) -> Result<(), Errno> [defers];
        /// From now on who reads or writes at `end` waits, or (`nonblocking`) fails as if its call said so.
        10 SetBlocking { generation: u32, end: PipeEnd, nonblocking: bool } (()) -> Result<(), Errno>;
        /// What `SetBlocking` has set: whether it is nonblocking. At first it is not.
        11 AskBlocking { generation: u32, end: PipeEnd } (()) -> Result<bool, Errno>;
    }
}

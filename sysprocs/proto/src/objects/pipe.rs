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

/// The capacity of a pipe in bytes.
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

/// As a slot to wake: none.
pub const NO_PROGRAM: u16 = u16::MAX;

in_words! {
    /// The state of a polled object.
    pub struct Polled {
        /// Those of the wanted events that are true.
        events: u32,
        /// How often something has happened that could make one true; never 0.
        edges: u32,
    }
}

protocol! {
    /// One pipe. `generation` is from the reply to `OpenPipe`: `ESTALE` if the pipe is in another generation by now,
    /// or the caller's board has lost its reference, since this board took it for dead meanwhile.
    pub Pipe = 10, PipeCall {
        /// Becomes an empty pipe with one reader and one writer of the caller's board; returns its generation, never
        /// 0, and different after a reboot of this board.
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
        /// Returns those of `events` (and of error and hang-up) that are true now for a caller with `ends`, unless
        /// the edge count is still `seen` (0: any). If none is, the program in `slot` of the caller's board, unless
        /// that is `NO_PROGRAM`, is woken once to poll again. `partners`: of a reader of a fifo that was opened without
        /// a writer, how many had opened it by then; it sees no hang-up before more have. `EPERM`: the pipe is in this
        /// generation, and only other boards have the end.
        5 PollPipe { generation: u32, ends: FifoEnds, events: u32, slot: u16, seen: u32, partners: u32 } (())
            -> Result<Polled, Errno>;
        /// Bytes that can be read now.
        6 PipeBytes { generation: u32 } (()) -> Result<u32, Errno>;
        /// A board is dead: its processes' references to the ends are dropped.
        7 BoardDied { board: u8 } (()) -> Result<(), Errno>;
        /// As a fifo: `board` opens `ends` of it, in this generation, or (0) in a new one as an empty pipe without
        /// ends. From the keeper of fifos only. `ESTALE`: it is in another generation; `ENXIO`: a writer that will not
        /// wait, and no reader.
        8 JoinPipe { generation: u32, board: u8, ends: FifoEnds, nonblocking: bool } (()) -> Result<OpenedFifo, Errno>;
        /// Of a fifo: waits until the other end than `end`, to which the caller's board has a reference, has been
        /// opened more than `partners` times. `EINTR` if interrupted.
        9 AwaitPartner { generation: u32, end: PipeEnd, partners: u32 } (()) -> Result<(), Errno> [defers];
        /// From now on who reads or writes at `end` waits, or (`nonblocking`) fails as if its call said so.
        10 SetBlocking { generation: u32, end: PipeEnd, nonblocking: bool } (()) -> Result<(), Errno>;
        /// What `SetBlocking` has set: whether it is nonblocking. At first it is not.
        11 AskBlocking { generation: u32, end: PipeEnd } (()) -> Result<bool, Errno>;
    }
}

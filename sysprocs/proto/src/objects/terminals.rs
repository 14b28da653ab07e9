//! Pseudo-terminals: one process keeps those of each board.
//!
//! A pair has a slave, which is a terminal as the console is, and a master, which is what a serial line is to that: who
//! has it sees what is shown and presses the keys. Both ends may be on any board.

use crate::console::{JobControl, KeyboardSignal, WindowSize};
use crate::pipe::Polled;
use renga_abi::Errno;
use renga_core::{in_word, in_words, protocol, word_enum};

word_enum! {
    /// A side of a pair.
    pub enum TerminalSide {
        /// Where keys are pressed.
        Master,
        /// The terminal.
        Slave,
    }
}
word_enum! {
    /// What is asked of a pair beside its settings.
    pub enum PairRequest {
        /// Whether the slave may not be opened yet.
        AskLock,
        /// It may not be from now on, if the value is not 0.
        Lock,
        /// Whether the master reads packets.
        AskPackets,
        /// It does from now on, if the value is not 0.
        Packets,
        /// How many bytes this side can read.
        Bytes,
        /// Forgets what was typed (0), what is shown (1), both (2).
        Flush,
        /// Stops what is shown (0) or lets it go on (1), or has the other side do so with its own (2, 3).
        Flow,
    }
}

in_word! {
    /// A side of a pair; in one word.
    pub struct TerminalHandle {
        /// The pair's number on its board.
        number: u16 = 0..=15,
        /// Which side.
        side: TerminalSide = 16..=19,
        /// Which generation of that number.
        generation: u32 = 32..=63,
    }
}
in_words! {
    /// What was written.
    pub struct SideWritten {
        /// How many bytes. Keys behind one that means a signal are for the next call.
        bytes: u32,
        /// The signal that the last of them means, for its group; 0: none.
        signal: KeyboardSignal,
    }
    /// The slave as a file.
    pub struct PairFacts {
        /// The pair that has the number now.
        generation: u32,
        /// Its permission bits.
        mode: u16,
        /// Its user.
        user: u32,
        /// Its group.
        group: u32,
    }
}

impl TerminalHandle {
    /// The other side.
    pub const fn other(self) -> TerminalHandle {
        let side = match self.side {
            TerminalSide::Master => TerminalSide::Slave,
            TerminalSide::Slave => TerminalSide::Master,
        };
        TerminalHandle { side, ..self }
    }
}

/// Pairs of a board.
pub const PAIRS: u16 = 32;
/// Permission bits of a slave, until its owner changes them.
pub const SLAVE_MODE: u16 = 0o620;
/// The group of slaves: `tty`.
pub const SLAVE_GROUP: u32 = 5;
/// Poll: a packet of the master is no data (`POLLPRI`).
pub const PRIORITY: u32 = 2;

/// What the pair `number` of `board` is called in the cluster.
pub const fn pair_name(board: u8, number: u16) -> u32 {
    board as u32 * PAIRS as u32 + number as u32
}
/// The board of the pair called `name`, and its number there.
pub const fn pair_of(name: u32) -> (u8, u16) {
    ((name / PAIRS as u32) as u8, (name % PAIRS as u32) as u16)
}

protocol! {
    /// The pairs of a board. `ESTALE`: the number is in another generation by now, or the caller's board has no
    /// reference to the side.
    pub Terminals = 44, TerminalsCall {
        /// Makes a pair for `user`, whose slave is locked, with a reference of the caller's board to the master.
        /// `ENOSPC`: all are in use, or all but those kept for root.
        0 MakePair { user: u32 } (()) -> Result<TerminalHandle, Errno>;
        /// A reference to the slave of the pair `number`, for the caller's board. `EIO`: it is locked; `ENOENT`: its
        /// master is closed, or the number is in another generation than `DescribePair` said.
        1 OpenSlave { number: u16, generation: u32 } (()) -> Result<TerminalHandle, Errno>;
        /// One reference more, for the caller's board.
        2 HoldSide { at: TerminalHandle } (()) -> Result<(), Errno>;
        /// One reference less. After the last of the master the slave is hung up; the signal for the process that leads
        /// its session (0: there is none).
        3 DropSide { at: TerminalHandle } (()) -> Result<KeyboardSignal, Errno>;
        /// As the console's; of the master what is shown. `EIO`: the other side is closed; 0 bytes: it was before.
        4 ReadSide { at: TerminalHandle, nonblocking: bool } (&'a mut [u8]) -> Result<u32, Errno> [defers];
        /// Writes all of the slice, waiting for room, up to a key that means a signal. `EPERM` as the console's.
        5 WriteSide { at: TerminalHandle, nonblocking: bool, checked: bool } (&'a [u8])
            -> Result<SideWritten, Errno> [defers];
        /// As the console's, of either side.
        6 PairAttributes { at: TerminalHandle } (&'a mut [u8]) -> Result<(), Errno>;
        /// Likewise.
        7 ChangeAttributes { at: TerminalHandle, flush: bool } (&'a [u8]) -> Result<(), Errno>;
        /// The sessions and groups that may use the slave, also without a reference; by the master's side those that
        /// might until it was hung up.
        8 PairJobs { at: TerminalHandle } (()) -> Result<JobControl, Errno>;
        /// Sets them.
        9 ChangeJobs { at: TerminalHandle, group: u32, session: u32 } (()) -> Result<(), Errno>;
        /// Rows and columns.
        10 PairWindow { at: TerminalHandle } (()) -> Result<WindowSize, Errno>;
        /// Sets them; the signal for the foreground group (0: none).
        11 ChangeWindow { at: TerminalHandle, rows: u16, columns: u16 } (()) -> Result<KeyboardSignal, Errno>;
        /// As a pipe's `PollPipe`.
        12 PollSide { at: TerminalHandle, events: u32, slot: u16, seen: u32 } (()) -> Result<Polled, Errno>;
        /// Does what is wished, or answers it.
        13 ControlPair { at: TerminalHandle, request: PairRequest, value: u32 } (()) -> Result<u32, Errno>;
        /// The first pair from number `from` on with a master: its number.
        14 NextPair { from: u16 } (()) -> Result<u16, Errno>;
        /// The slave of the pair `number` as a file.
        15 DescribePair { number: u16 } (()) -> Result<PairFacts, Errno>;
        /// Sets its mode, user and group; -1 keeps one. `ENOENT` as `OpenSlave`.
        16 OwnPair { number: u16, generation: u32, mode: u16, user: u32, group: u32 } (()) -> Result<(), Errno>;
        /// A board is dead: its references are dropped.
        17 BoardDied { board: u8 } (()) -> Result<(), Errno>;
    }
}

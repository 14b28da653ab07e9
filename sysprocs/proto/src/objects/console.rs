//! The console: one terminal with its line discipline, on the board that has the UART.

use crate::pipe::Polled;
use renga_abi::Errno;
use renga_core::{in_words, protocol};

/// Bytes of Linux's `struct termios` (kernel layout, AArch64).
pub const TERMIOS_BYTES: usize = 36;

in_words! {
    /// A signal that the keyboard requests.
    pub struct KeyboardSignal {
        /// The signal's number.
        signal: u8,
        /// The foreground process group that it is for.
        group: u32,
    }
    /// The sessions and groups that may use the terminal.
    pub struct JobControl {
        /// The foreground process group; 0: none, and everybody may.
        group: u32,
        /// The session that it is of, whose other groups may not.
        session: u32,
        /// Readers through init's descriptors do not wait.
        nonblocking: bool,
    }
    /// A terminal's size.
    pub struct WindowSize {
        /// Lines.
        rows: u16,
        /// Characters in a line.
        columns: u16,
    }
}

protocol! {
    /// The terminal.
    pub Console = 11, ConsoleCall {
        /// A line (canonical mode) or what is there (raw mode, VMIN and VTIME 0 or 1); 0 bytes at ^D.
        /// `EINTR` if interrupted.
        0 ReadTerminal { nonblocking: bool } (&'a mut [u8]) -> Result<u32, Errno> [defers];
        /// Writes with output processing (ONLCR). `EPERM`: background programs may not write (TOSTOP), and the caller
        /// has not checked its group (`checked`).
        1 WriteTerminal { checked: bool } (&'a [u8]) -> Result<u32, Errno>;
        /// Fills a `struct termios` of `TERMIOS_BYTES`.
        2 GetAttributes {} (&'a mut [u8]) -> Result<(), Errno>;
        /// Sets it; `flush`: forget unread input.
        3 SetAttributes { flush: bool } (&'a [u8]) -> Result<(), Errno>;
        /// The foreground process group.
        4 GetForeground {} (()) -> Result<u32, Errno>;
        /// Sets the foreground process group, and with it the session whose terminal this is.
        5 SetForeground { group: u32, session: u32 } (()) -> Result<(), Errno>;
        /// Rows and columns.
        6 GetWindow {} (()) -> Result<WindowSize, Errno>;
        /// Sets rows and columns.
        7 SetWindow { rows: u16, columns: u16 } (()) -> Result<(), Errno>;
        /// Returns those of `events` that are true now, as of a pipe; if none is, `slot` is woken when one becomes
        /// true.
        8 PollTerminal { events: u32, slot: u16, seen: u32 } (()) -> Result<Polled, Errno>;
        /// Waits for a key that means a signal; called by the keyboard process only.
        9 NextSignal {} (()) -> Result<KeyboardSignal, Errno> [defers];
        /// A board is dead: a foreground group that was set from there is none any more.
        10 BoardDied { board: u8 } (()) -> Result<(), Errno>;
        /// Returns the sessions and groups that may use the terminal.
        11 GetJobControl {} (()) -> Result<JobControl, Errno>;
        /// Notes whether who reads by way of what init opened is to wait.
        12 SetWaits { nonblocking: bool } (()) -> Result<(), Errno>;
    }
}

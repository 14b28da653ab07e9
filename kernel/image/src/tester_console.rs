//! The console's line of a board whose processor has no time to wait for it: text is kept, and leaves byte by byte
//! while the board waits for other things.
//!
//! Invariant: no call waits for the line but [`TesterConsole::finish`], which has a bound. Not here: what is said.

use crate::hardware::BoardUart;
use core::fmt::{Error, Result, Write};
use renga_hal::uart::Uart as _;

/// A report with a fault on each wire has three quarters of it.
const TEXT_BYTES_MAX: usize = 4096;
/// Polls of the line until the rest is given up: about a second, longer than the whole text takes.
const TRIES_MAX: u32 = 10_000_000;

/// The line, and what it is to say.
pub struct TesterConsole {
    line: BoardUart,
    text: [u8; TEXT_BYTES_MAX],
    bytes: usize,
    said: usize,
}

impl TesterConsole {
    /// On `line`.
    pub fn on(line: BoardUart) -> TesterConsole {
        TesterConsole { line, text: [0; TEXT_BYTES_MAX], bytes: 0, said: 0 }
    }

    /// Gives the line its next byte, if there is one and it has room.
    #[inline]
    pub fn go_on(&mut self) {
        if self.said < self.bytes && self.line.try_write(self.text[self.said]) {
            self.said += 1;
        }
    }

    /// Whether all was said.
    pub fn is_over(&self) -> bool {
        self.said == self.bytes
    }

    /// Says the rest.
    pub fn finish(&mut self) {
        let _ = (0..TRIES_MAX).any(|_| {
            self.go_on();
            self.is_over()
        });
    }

    fn keep(&mut self, byte: u8) -> Result {
        *self.text.get_mut(self.bytes).ok_or(Error)? = byte;
        self.bytes += 1;
        Ok(())
    }
}

impl Write for TesterConsole {
    /// Keeps text as far as there is room.
    fn write_str(&mut self, text: &str) -> Result {
        if self.is_over() {
            (self.bytes, self.said) = (0, 0);
        }
        text.bytes().try_for_each(|byte| {
            if byte == b'\n' {
                self.keep(b'\r')?;
            }
            self.keep(byte)
        })
    }
}

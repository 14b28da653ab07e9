//! The line discipline: keys in, lines and echo and signals out.
//!
//! Invariant: `ready` bytes of `input` may be read; behind them is the line being edited. Not here: waiting, and the
//! UART.

use crate::termios::{
    ECHO, ECHOCTL, ECHOE, ECHOK, ICANON, ICRNL, IEXTEN, IGNCR, INLCR, ISIG, NOFLSH, Termios, VEOF, VERASE, VINTR,
    VKILL, VQUIT, VSUSP, VWERASE,
};
use heapless::Deque;

/// Bytes of input that may wait to be read.
pub const INPUT_BYTES_MAX: usize = 4096;
/// Stands in the input for "end of file here"; no key gives it, since it is not a byte.
const END_OF_FILE: u16 = 256;

const SIGINT: u8 = 2;
const SIGQUIT: u8 = 3;
const SIGTSTP: u8 = 20;

pub struct Line {
    pub termios: Termios,
    input: Deque<u16, INPUT_BYTES_MAX>,
    ready: usize,
}

impl Line {
    pub fn new() -> Self {
        Line { termios: Termios::INITIAL, input: Deque::new(), ready: 0 }
    }

    /// Whether a read would find something.
    pub fn readable(&self) -> bool {
        self.ready > 0
    }

    pub fn flush(&mut self) {
        self.input.clear();
        self.ready = 0;
    }

    /// Takes new settings; leaving canonical mode, what was typed becomes readable.
    pub fn set(&mut self, termios: Termios, flush: bool) {
        self.termios = termios;
        if flush {
            self.flush();
        }
        if !termios.has_local(ICANON) {
            self.ready = self.input.len();
        }
    }

    /// Takes one key; `echo` gets what the screen shows for it. The signal to the foreground group that it requests.
    pub fn press(&mut self, key: u8, mut echo: impl FnMut(&[u8])) -> Option<u8> {
        let key = self.translate(key)?;
        if self.termios.has_local(ISIG)
            && let Some(signal) = self.signal_of(key)
        {
            if !self.termios.has_local(NOFLSH) {
                self.flush();
            }
            self.show(key, &mut echo);
            return Some(signal);
        }
        if self.termios.has_local(ICANON) {
            self.edit(key, &mut echo);
        } else if self.input.push_back(u16::from(key)).is_ok() {
            self.ready = self.input.len();
            self.show(key, &mut echo);
        }
        None
    }

    fn translate(&self, key: u8) -> Option<u8> {
        match key {
            b'\r' if self.termios.input & IGNCR != 0 => None,
            b'\r' if self.termios.input & ICRNL != 0 => Some(b'\n'),
            b'\n' if self.termios.input & INLCR != 0 => Some(b'\r'),
            key => Some(key),
        }
    }

    /// Whether `key` is the control character `which`.
    fn is(&self, key: u8, which: usize) -> bool {
        key != 0 && self.termios.characters[which] == key
    }

    fn signal_of(&self, key: u8) -> Option<u8> {
        let signals = [(VINTR, SIGINT), (VQUIT, SIGQUIT), (VSUSP, SIGTSTP)];
        signals.into_iter().find(|(which, _)| self.is(key, *which)).map(|(_, signal)| signal)
    }

    fn edit(&mut self, key: u8, echo: &mut impl FnMut(&[u8])) {
        if self.is(key, VEOF) {
            if self.input.push_back(END_OF_FILE).is_ok() {
                self.ready = self.input.len();
            }
        } else if self.is(key, VERASE) {
            self.erase(echo);
        } else if self.is(key, VKILL) {
            while self.erase(echo) {}
            if self.termios.has_local(ECHO | ECHOK) && !self.termios.has_local(ECHOE) {
                echo(b"\n");
            }
        } else if self.is(key, VWERASE) && self.termios.has_local(IEXTEN) {
            while self.last() == Some(b' ') && self.erase(echo) {}
            while self.last().is_some_and(|last| last != b' ') && self.erase(echo) {}
        } else if self.input.push_back(u16::from(key)).is_ok() {
            self.show(key, echo);
            if key == b'\n' {
                self.ready = self.input.len();
            }
        }
    }

    /// The last byte of the line being edited.
    fn last(&self) -> Option<u8> {
        (self.input.len() > self.ready).then(|| self.input.back().map(|&byte| byte as u8)).flatten()
    }

    /// Takes back the last key of the line being edited; false if it is empty.
    fn erase(&mut self, echo: &mut impl FnMut(&[u8])) -> bool {
        let Some(last) = self.last() else { return false };
        self.input.pop_back();
        if self.termios.has_local(ECHO | ECHOE) {
            echo(b"\x08 \x08");
            if last < b' ' && self.termios.has_local(ECHOCTL) {
                echo(b"\x08 \x08");
            }
        }
        true
    }

    fn show(&self, key: u8, echo: &mut impl FnMut(&[u8])) {
        if !self.termios.has_local(ECHO) {
            return;
        }
        if key == b'\n' || key == b'\t' || !(key < b' ' || key == 0x7f) || !self.termios.has_local(ECHOCTL) {
            echo(&[key]);
        } else {
            echo(&[b'^', key ^ 0x40]);
        }
    }

    /// Gives a reader what it may have: in canonical mode at most one line. How many bytes.
    pub fn read(&mut self, into: &mut [u8]) -> usize {
        let canonical = self.termios.has_local(ICANON);
        let mut count = 0;
        while self.ready > 0 {
            let Some(&next) = self.input.front() else { break };
            if next != END_OF_FILE && count == into.len() {
                break;
            }
            self.input.pop_front();
            self.ready -= 1;
            if next == END_OF_FILE {
                break; // alone, the read is empty, which is the end of the file
            }
            into[count] = next as u8;
            count += 1;
            if canonical && next == u16::from(b'\n') {
                break;
            }
        }
        count
    }
}

#[cfg(test)]
mod tests {
    use super::Line;
    use crate::termios::{ECHO, ICANON, Termios};

    fn typed(line: &mut Line, keys: &[u8]) -> ([u8; 64], usize) {
        let (mut screen, mut at) = ([0; 64], 0);
        for &key in keys {
            line.press(key, |bytes| {
                screen[at..at + bytes.len()].copy_from_slice(bytes);
                at += bytes.len();
            });
        }
        (screen, at)
    }

    #[test]
    fn line_edited_input_is_echoed_and_read_whole() {
        let mut line = Line::new();
        let (screen, length) = typed(&mut line, b"ab\x7fc\r");
        assert_eq!(&screen[..length], b"ab\x08 \x08c\n");
        let mut out = [0; 16];
        assert_eq!(line.read(&mut out), 3);
        assert_eq!(&out[..3], b"ac\n");
    }

    #[test]
    fn line_leaving_canonical_mode_makes_input_readable() {
        let mut line = Line::new();
        typed(&mut line, b"ab");
        assert!(!line.readable());
        line.set(Termios { local: line.termios.local & !ICANON, ..line.termios }, false);
        let mut out = [0; 4];
        assert_eq!((line.read(&mut out), &out[..2]), (2, &b"ab"[..]));
    }

    #[test]
    fn line_unfinished_is_unreadable_until_end_of_file() {
        let mut line = Line::new();
        typed(&mut line, b"x");
        assert!(!line.readable());
        typed(&mut line, b"\x04\x04");
        let mut out = [0; 4];
        assert_eq!(line.read(&mut out), 1);
        assert!(line.readable());
        assert_eq!(line.read(&mut out), 0);
        assert!(!line.readable());
    }

    #[test]
    fn line_interrupt_key_flushes_and_signals() {
        let mut line = Line::new();
        typed(&mut line, b"half");
        assert_eq!(line.press(3, |echo| assert_eq!(echo, b"^C")), Some(2));
        typed(&mut line, b"ok\n");
        let mut out = [0; 8];
        assert_eq!(line.read(&mut out), 3);
    }

    #[test]
    fn line_raw_mode_reads_each_key() {
        let mut line = Line::new();
        let mut raw = line.termios;
        raw.local &= !(ICANON | ECHO);
        line.set(raw, false);
        let (_, echoed) = typed(&mut line, b"q");
        assert_eq!(echoed, 0);
        let mut out = [0; 8];
        assert_eq!(line.read(&mut out), 1);
    }

    #[test]
    fn line_word_erase_removes_last_word() {
        let mut line = Line::new();
        typed(&mut line, b"one two \x17x\n");
        let mut out = [0; 16];
        let count = line.read(&mut out);
        assert_eq!(&out[..count], b"one x\n");
    }
}

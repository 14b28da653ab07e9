//! The line discipline: keys in, lines and echo and signals out. The console and every pseudo-terminal have one.
//!
//! Invariant: `ready` bytes of `input` may be read; behind them is the line being edited. Not here: waiting, and where
//! the keys come from.

use crate::termios::{
    ECHO, ECHOCTL, ECHOE, ECHOK, ECHOKE, ECHONL, ICANON, ICRNL, IEXTEN, IGNCR, INLCR, ISIG, ISTRIP, IUTF8, IXANY, IXON,
    NOFLSH, Termios, VEOF, VEOL, VEOL2, VERASE, VINTR, VKILL, VLNEXT, VMIN, VQUIT, VREPRINT, VSTART, VSTOP, VSUSP,
    VTIME, VWERASE,
};
use heapless::Deque;

#[cfg(test)]
mod tests;

/// Bytes of input that may wait to be read.
pub const INPUT_BYTES_MAX: usize = 4096;
/// Of them, those that are keys; the last place is for the end of a line that is too long.
const KEYS_MAX: usize = INPUT_BYTES_MAX - 1;
/// Memory for what was typed.
pub type InputQueue = Deque<u16, INPUT_BYTES_MAX>;
/// Stands in the input for "end of file here"; no key gives it, since it is not a byte.
const END_OF_FILE: u16 = 256;
/// With a key: the line ends behind it.
const LINE_END: u16 = 512;
const DECISECOND_NS: u64 = 100_000_000;

const SIGINT: u8 = 2;
const SIGQUIT: u8 = 3;
const SIGTSTP: u8 = 20;

/// What a line discipline shows.
pub trait Screen {
    /// One byte; without room it is lost, as on every terminal.
    fn put(&mut self, byte: u8);
    /// A signal flushes what is not shown yet.
    fn forget(&mut self) {}
}

pub struct Line {
    pub termios: Termios,
    /// What programs write is not to be shown for the present.
    pub stopped: bool,
    input: &'static mut InputQueue,
    ready: usize,
    /// The next key means itself.
    literal: bool,
}

impl Line {
    pub const fn new(input: &'static mut InputQueue) -> Self {
        Line { termios: Termios::INITIAL, stopped: false, input, ready: 0, literal: false }
    }

    /// Whether a read would find something.
    pub fn readable(&self) -> bool {
        self.ready > 0
    }

    /// Whether there is as much as a reader of `bytes` waits for.
    pub fn suffices(&self, bytes: usize) -> bool {
        let least = if self.is_raw() { usize::from(self.termios.characters[VMIN]).min(bytes) } else { 1 };
        self.ready >= least.max(1)
    }

    /// Whether who polls may read.
    pub fn is_ready(&self) -> bool {
        let waits = self.is_raw() && self.termios.characters[VTIME] == 0;
        self.ready >= if waits { usize::from(self.termios.characters[VMIN]).max(1) } else { 1 }
    }

    /// How long a reader waits now, if not for ever: from its call, or of several bytes from the last one.
    pub fn wait_ns(&self) -> Option<u64> {
        let [least, tenths] = [VMIN, VTIME].map(|which| u64::from(self.termios.characters[which]));
        let limited = self.is_raw() && (least == 0 || tenths > 0 && self.ready > 0);
        limited.then_some(tenths * DECISECOND_NS)
    }

    /// Bytes that can be read.
    pub fn bytes(&self) -> usize {
        self.input.iter().take(self.ready).filter(|&&byte| byte != END_OF_FILE).count()
    }

    /// Whether a key has room. A line that is too long loses its end, so that it can be ended; behind what can be read,
    /// keys wait.
    pub fn has_room(&self) -> bool {
        self.input.len() < KEYS_MAX || !self.readable()
    }

    pub fn flush(&mut self) {
        self.input.clear();
        (self.ready, self.literal) = (0, false);
    }

    /// Takes new settings; what was typed in the other mode becomes readable.
    pub fn set(&mut self, termios: Termios, flush: bool) {
        let was_raw = self.is_raw();
        self.termios = termios;
        if termios.input & IXON == 0 {
            self.stopped = false;
        }
        if flush {
            self.flush();
        }
        if was_raw == self.is_raw() {
            return;
        }
        self.input.iter_mut().for_each(|byte| *byte = if *byte == END_OF_FILE { 0 } else { *byte & !LINE_END });
        if let Some(last) = self.input.back_mut().filter(|_| was_raw) {
            *last |= LINE_END;
        }
        (self.ready, self.literal) = (self.input.len(), false);
    }

    /// Takes one key; `screen` gets what is shown for it. The signal to the foreground group that it requests.
    pub fn press(&mut self, key: u8, screen: &mut impl Screen) -> Option<u8> {
        let key = if self.has_input(ISTRIP) { key & 0x7f } else { key };
        if core::mem::take(&mut self.literal) {
            self.take(key, screen);
            return None;
        }
        if self.has_input(IXON) {
            let (starts, stops) = (self.is(key, VSTART), self.is(key, VSTOP));
            if starts || stops {
                self.stopped = stops && !(starts && self.stopped);
                return None;
            }
            self.stopped &= !self.has_input(IXANY);
        }
        if self.termios.has_local(ISIG)
            && let Some(signal) = self.signal_of(key)
        {
            self.stopped = false;
            if !self.termios.has_local(NOFLSH) {
                self.flush();
                screen.forget();
            }
            self.echo(key, screen);
            return Some(signal);
        }
        let key = self.translate(key)?;
        if self.is_raw() {
            self.take(key, screen)
        } else {
            self.edit(key, screen)
        }
        None
    }

    fn is_raw(&self) -> bool {
        !self.termios.has_local(ICANON)
    }
    fn has_input(&self, flag: u32) -> bool {
        self.termios.input & flag != 0
    }

    fn translate(&self, key: u8) -> Option<u8> {
        match key {
            b'\r' if self.has_input(IGNCR) => None,
            b'\r' if self.has_input(ICRNL) => Some(b'\n'),
            b'\n' if self.has_input(INLCR) => Some(b'\r'),
            key => Some(key),
        }
    }

    /// Whether `key` is the control character `which`.
    fn is(&self, key: u8, which: usize) -> bool {
        key != 0 && self.termios.characters[which] == key
    }
    /// The same of one that only extended editing has.
    fn is_extended(&self, key: u8, which: usize) -> bool {
        self.termios.has_local(IEXTEN) && self.is(key, which)
    }

    fn signal_of(&self, key: u8) -> Option<u8> {
        let signals = [(VINTR, SIGINT), (VQUIT, SIGQUIT), (VSUSP, SIGTSTP)];
        signals.into_iter().find(|(which, _)| self.is(key, *which)).map(|(_, signal)| signal)
    }

    /// A key that means itself.
    fn take(&mut self, key: u8, screen: &mut impl Screen) {
        if self.input.len() < KEYS_MAX && self.input.push_back(u16::from(key)).is_ok() {
            if self.is_raw() {
                self.ready = self.input.len();
            }
            self.echo(key, screen);
        }
    }

    fn edit(&mut self, key: u8, screen: &mut impl Screen) {
        if self.is(key, VERASE) {
            self.erase(key, screen);
        } else if self.is(key, VKILL) {
            self.kill(key, screen);
        } else if self.is_extended(key, VWERASE) {
            self.erase_word(key, screen);
        } else if self.is_extended(key, VLNEXT) {
            self.literal = true;
            if self.termios.has_local(ECHO | ECHOCTL) {
                self.show(b"^\x08", screen);
            }
        } else if self.is_extended(key, VREPRINT) && self.termios.has_local(ECHO) {
            self.reprint(key, screen);
        } else if self.is(key, VEOF) {
            self.end_line(END_OF_FILE);
        } else if key == b'\n' {
            if self.end_line(u16::from(key) | LINE_END) && self.termios.local & (ECHO | ECHONL) != 0 {
                self.show(b"\n", screen);
            }
        } else if self.is(key, VEOL) || self.is_extended(key, VEOL2) {
            if self.end_line(u16::from(key) | LINE_END) {
                self.echo(key, screen);
            }
        } else {
            self.take(key, screen);
        }
    }

    fn end_line(&mut self, with: u16) -> bool {
        let ended = self.input.push_back(with).is_ok();
        if ended {
            self.ready = self.input.len();
        }
        ended
    }

    /// The last byte of the line being edited.
    fn last(&self) -> Option<u8> {
        (self.input.len() > self.ready).then(|| self.input.back().map(|&byte| byte as u8)).flatten()
    }

    /// Takes back the last character of the line being edited; what it began with, if there was one. `key` requests
    /// it.
    fn erase(&mut self, key: u8, screen: &mut impl Screen) -> Option<u8> {
        let mut last = self.last()?;
        self.input.pop_back();
        while self.has_input(IUTF8) && last & 0xc0 == 0x80 {
            let Some(before) = self.last() else { break };
            self.input.pop_back();
            last = before;
        }
        let is_control = last < b' ' || last == 0x7f;
        match (self.termios.has_local(ECHO), self.termios.has_local(ECHOE)) {
            (false, _) => {}
            (true, false) if self.is(key, VERASE) => self.echo(key, screen),
            (true, _) => {
                let shown = if !is_control {
                    1
                } else if self.termios.has_local(ECHOCTL) {
                    2
                } else {
                    0
                };
                (0..shown).for_each(|_| self.show(b"\x08 \x08", screen));
            }
        }
        Some(last)
    }

    fn kill(&mut self, key: u8, screen: &mut impl Screen) {
        if self.termios.has_local(ECHO | ECHOE | ECHOK | ECHOKE) {
            while self.erase(key, screen).is_some() {}
            return;
        }
        while self.last().is_some() {
            self.input.pop_back();
        }
        if self.termios.has_local(ECHO) {
            self.echo(key, screen);
            if self.termios.has_local(ECHOK) {
                self.show(b"\n", screen);
            }
        }
    }

    /// Takes back a word, and what is no word behind it.
    fn erase_word(&mut self, key: u8, screen: &mut impl Screen) {
        let is_word = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80;
        while self.last().is_some_and(|last| !is_word(last)) {
            self.erase(key, screen);
        }
        while self.last().is_some_and(is_word) {
            self.erase(key, screen);
        }
    }

    fn reprint(&mut self, key: u8, screen: &mut impl Screen) {
        self.echo(key, screen);
        self.show(b"\n", screen);
        for &byte in self.input.iter().skip(self.ready) {
            self.echo(byte as u8, screen);
        }
    }

    /// Shows a key, if keys are shown.
    fn echo(&self, key: u8, screen: &mut impl Screen) {
        if !self.termios.has_local(ECHO) {
            return;
        }
        let is_control = key < b' ' || key == 0x7f;
        if is_control && key != b'\n' && key != b'\t' && self.termios.has_local(ECHOCTL) {
            self.show(&[b'^', key ^ 0x40], screen);
        } else {
            self.show(&[key], screen);
        }
    }

    fn show(&self, bytes: &[u8], screen: &mut impl Screen) {
        bytes.iter().flat_map(|&byte| self.termios.processed(byte)).for_each(|byte| screen.put(byte));
    }

    /// Gives a reader what it may have: in canonical mode at most one line. How many bytes.
    pub fn read(&mut self, into: &mut [u8]) -> usize {
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
            if next & LINE_END != 0 {
                break;
            }
        }
        count
    }
}

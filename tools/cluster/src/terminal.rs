//! The person's terminal during an interactive session: every key goes to the cluster, but those after the escape.
//!
//! Invariant: the terminal is as it was when this is dropped, however the session ends.

use crate::escape::{EscapeReader, Typed};
use anyhow::Result;
use renga_cli::EscapeKey;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcgetwinsize, tcsetattr};
use std::io::{BufRead, IsTerminal, Read, Write};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Weak};
use std::time::Duration;

/// Bytes read at a time.
const CHUNK_BYTES: usize = 1024;

/// How often the window's size is looked at.
const SIZE_PERIOD: Duration = Duration::from_millis(200);

/// A terminal in raw mode.
pub struct Terminal {
    before: Option<Termios>,
}

impl Terminal {
    /// Takes standard input over; what is typed comes through the channel, which closes at the end
    /// of input. Without a terminal, it comes line by line. After `key` comes a line for `renga`.
    ///
    /// # Errors
    /// If the terminal's settings cannot be read or set.
    pub fn take(key: EscapeKey) -> Result<(Terminal, Receiver<Typed>)> {
        let stdin = std::io::stdin();
        let mut before = None;
        if stdin.is_terminal() {
            let settings = tcgetattr(&stdin)?;
            let mut raw = settings.clone();
            raw.make_raw();
            tcsetattr(&stdin, OptionalActions::Now, &raw)?;
            before = Some(settings);
        }
        let (sender, keys) = channel();
        let raw = before.is_some();
        let sender = Arc::new(sender);
        if raw {
            let sender = Arc::downgrade(&sender);
            std::thread::spawn(move || tell_sizes(&sender));
        }
        // It ends with the process: a read from a terminal cannot be called off.
        std::thread::spawn(move || pass_on(raw, key, &sender));
        Ok((Terminal { before }, keys))
    }

    /// Whether a line that is printed has to go back to the left margin by itself.
    pub fn is_raw(&self) -> bool {
        self.before.is_some()
    }
}

/// Reports the window's size now and whenever it has changed, until nothing is typed any more.
fn tell_sizes(sender: &Weak<Sender<Typed>>) {
    let mut last_size = None;
    while let Some(sender) = sender.upgrade() {
        let size = tcgetwinsize(std::io::stdin()).ok().map(|size| (size.ws_row, size.ws_col));
        if let Some((rows, columns)) = size.filter(|&(rows, columns)| rows > 0 && columns > 0)
            && last_size.replace((rows, columns)) != Some((rows, columns))
            && sender.send(Typed::Keys(size_keys(rows, columns))).is_err()
        {
            return;
        }
        drop(sender);
        std::thread::sleep(SIZE_PERIOD);
    }
}

/// What reports to the cluster's terminal its size (RFC 1073).
fn size_keys(rows: u16, columns: u16) -> Vec<u8> {
    let mut keys = vec![255, 250, 31];
    for byte in [columns.to_be_bytes(), rows.to_be_bytes()].concat() {
        keys.extend(std::iter::repeat_n(byte, if byte == 255 { 2 } else { 1 }));
    }
    keys.extend([255, 240]);
    keys
}

/// Passes on what is typed until its end.
fn pass_on(raw: bool, key: EscapeKey, sender: &Sender<Typed>) {
    let mut escape = EscapeReader::new(key);
    while let Some(bytes) = next(raw) {
        let (typed, echo) = escape.feed(&bytes);
        if raw {
            // A terminal that takes no echo takes no error message either.
            let _ = std::io::stderr().write_all(echo.as_bytes());
        }
        if !typed.into_iter().all(|typed| sender.send(typed).is_ok()) {
            return;
        }
    }
}

/// What is typed next: keys as they come, or a line.
fn next(raw: bool) -> Option<Vec<u8>> {
    let mut stdin = std::io::stdin().lock();
    let mut bytes = Vec::new();
    if raw {
        bytes.resize(CHUNK_BYTES, 0);
        let count = stdin.read(&mut bytes).ok()?;
        bytes.truncate(count);
    } else {
        stdin.read_until(b'\n', &mut bytes).ok()?;
    }
    (!bytes.is_empty()).then_some(bytes)
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // A terminal that is gone needs no restored mode.
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, before);
        }
    }
}

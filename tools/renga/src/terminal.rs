//! The person's terminal during an interactive session: every key goes to the cluster.
//!
//! Invariant: the terminal is as it was when this is dropped, however the session ends.

use anyhow::Result;
use rustix::termios::{OptionalActions, Termios, tcgetattr, tcsetattr};
use std::io::{IsTerminal, Read};
use std::sync::mpsc::{Receiver, channel};

/// A terminal in raw mode, and what is typed.
pub struct Terminal {
    before: Option<Termios>,
    /// Keys as they come; the channel closes at end of input.
    pub keys: Receiver<Vec<u8>>,
}

impl Terminal {
    /// Takes standard input over.
    ///
    /// # Errors
    /// If the terminal's settings cannot be read or set.
    pub fn take() -> Result<Terminal> {
        let stdin = std::io::stdin();
        let before = if stdin.is_terminal() {
            let before = tcgetattr(&stdin)?;
            let mut raw = before.clone();
            raw.make_raw();
            tcsetattr(&stdin, OptionalActions::Now, &raw)?;
            Some(before)
        } else {
            None
        };
        let (sender, keys) = channel();
        // It ends with the process: a read from a terminal cannot be called off.
        std::thread::spawn(move || {
            let mut stdin = std::io::stdin().lock();
            let mut buffer = [0; 1024];
            while let Ok(count) = stdin.read(&mut buffer) {
                if count == 0 || sender.send(buffer[..count].to_vec()).is_err() {
                    break;
                }
            }
        });
        Ok(Terminal { before, keys })
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        if let Some(before) = &self.before {
            // A terminal that has gone away needs nothing back.
            let _ = tcsetattr(std::io::stdin(), OptionalActions::Now, before);
        }
    }
}

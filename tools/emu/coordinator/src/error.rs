//! What can go wrong with a cluster, each with what to do.

use std::fmt;
use std::io;
use std::path::PathBuf;

/// Why a cluster cannot start or go on.
#[derive(Debug)]
pub enum EmuError {
    /// The configuration makes no sense.
    Config(String),
    /// There is no program to start.
    NoQemu {
        /// What was tried.
        program: PathBuf,
        /// What happened.
        error: io::Error,
    },
    /// QEMU has another version than the plugin fits.
    WrongVersion {
        /// Its version, or what it said instead.
        found: String,
    },
    /// A file of the configuration cannot be used.
    File {
        /// Which.
        path: PathBuf,
        /// What happened.
        error: io::Error,
    },
    /// What a replayed file says does not fit the configuration.
    Replay(String),
    /// A board's QEMU ended by itself.
    BoardDied {
        /// Which board.
        board: u8,
        /// How its process ended.
        status: String,
        /// The end of what QEMU said.
        said: String,
    },
    /// A board did not reach the end of its quantum.
    BoardSilent {
        /// Which board.
        board: u8,
        /// After how long, in seconds of the host.
        waited_s: f64,
        /// The end of what QEMU said.
        said: String,
    },
    /// A board's firmware finds nothing to start.
    Firmware {
        /// Which board.
        board: u8,
        /// Why.
        why: String,
    },
    /// The talk with a board's plugin broke down.
    Protocol {
        /// Which board.
        board: u8,
        /// How.
        what: String,
    },
    /// The host refused something.
    Host {
        /// What was attempted.
        what: &'static str,
        /// What happened.
        error: io::Error,
    },
}

impl EmuError {
    /// The board that the error is about, if it is about one.
    pub fn board(&self) -> Option<u8> {
        match self {
            EmuError::BoardDied { board, .. }
            | EmuError::BoardSilent { board, .. }
            | EmuError::Firmware { board, .. }
            | EmuError::Protocol { board, .. } => Some(*board),
            _ => None,
        }
    }
}

impl fmt::Display for EmuError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            EmuError::Config(what) => f.write_str(what),
            EmuError::NoQemu { program, error } => {
                write!(f, "cannot start {}: {error}; ./renga installs QEMU", program.display())
            }
            EmuError::WrongVersion { found } => {
                let supported = crate::qemu::SUPPORTED_QEMU.join(" and ");
                write!(f, "this emulator supports QEMU {supported}; found {found}; ./renga installs one")
            }
            EmuError::File { path, error } => write!(f, "{}: {error}", path.display()),
            EmuError::Replay(what) => write!(f, "the recording does not fit: {what}"),
            EmuError::BoardDied { board, status, said } => {
                write!(f, "board {board} died: its QEMU ended with {status}{}", last_words(said))
            }
            EmuError::BoardSilent { board, waited_s, said } => {
                write!(f, "board {board} does not answer: no sign of its QEMU for {waited_s:.0} s{}", last_words(said))
            }
            EmuError::Firmware { board, why } => write!(f, "board {board} does not start: {why}"),
            EmuError::Protocol { board, what } => write!(f, "board {board}: {what}"),
            EmuError::Host { what, error } => write!(f, "cannot {what}: {error}"),
        }
    }
}

fn last_words(said: &str) -> String {
    if said.is_empty() { String::new() } else { format!("; it said:\n{}", said.trim_end()) }
}

impl std::error::Error for EmuError {}

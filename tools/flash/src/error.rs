//! Why a card was not written, and the status with which the command then ends.

use super::device::size;
use super::refusal::Refusal;
use rustix::io::Errno;
use std::fmt::Display;
use std::io;
use std::path::PathBuf;

/// Why.
#[derive(Debug, thiserror::Error)]
pub enum FlashError {
    /// What was read back is not what was written.
    #[error(
        "the card differs from the image at byte {at} ({place}); just written, it is not to be used, and broken if it does so twice"
    )]
    Differs {
        /// The first byte that differs.
        at: u64,
        /// Where that is on the card.
        place: String,
    },
    /// The target is not to be written to.
    #[error("{target} is refused:{}", lines(.reasons))]
    Refused {
        /// The target.
        target: String,
        /// Why; one at least.
        reasons: Vec<Refusal>,
    },
    /// The target is none.
    #[error("{target}: {reason}")]
    NoTarget {
        /// What was named.
        target: String,
        /// What is wrong with it.
        reason: String,
    },
    /// No person confirmed, or not that device.
    #[error("not confirmed: {0}; nothing was written")]
    NotConfirmed(String),
    /// The card was taken out, or another one is there than was confirmed.
    #[error("the card was taken out or changed: it is not to be used before it is written again")]
    Pulled,
    /// There is no room, though the card's size promised it.
    #[error("the card is full after {}: it is smaller than it says", size(*.at))]
    Full {
        /// How far writing came.
        at: u64,
    },
    /// A write failed.
    #[error("cannot write at byte {at}: {cause}")]
    Write {
        /// Where.
        at: u64,
        /// What the host said.
        cause: io::Error,
    },
    /// A read failed.
    #[error("cannot read at byte {at}: {cause}")]
    Read {
        /// Where.
        at: u64,
        /// What the host said.
        cause: io::Error,
    },
    /// This card has been written for another board.
    #[error("this card is that of board {board} already: take another one, or say --force; nothing was written")]
    Taken {
        /// Which.
        board: String,
    },
    /// The image is not sound.
    #[error(
        "{} is not sound, and nothing was written (--raw writes it nevertheless):{}",
        .image.display(), lines(.faults)
    )]
    Unsound {
        /// The image.
        image: PathBuf,
        /// What is wrong with it; one at least.
        faults: Vec<String>,
    },
    /// The device cannot be opened.
    #[error("cannot open {target}: {cause}{}", open_hint(.cause))]
    Open {
        /// The device.
        target: String,
        /// What the host said.
        cause: io::Error,
    },
    /// The image or the journal cannot be read or written.
    #[error("{0:#}")]
    Other(#[from] anyhow::Error),
}

fn lines(reasons: &[impl Display]) -> String {
    reasons.iter().map(|reason| format!("\n  {reason}")).collect()
}

fn open_hint(cause: &io::Error) -> &'static str {
    match cause.kind() {
        io::ErrorKind::PermissionDenied => {
            " (devices are the administrator's: build as yourself, then run `sudo target/debug/renga flash ...`)"
        }
        io::ErrorKind::ResourceBusy => " (it is mounted somewhere, or another program writes to it)",
        _ => "",
    }
}

impl FlashError {
    /// The command's exit status; the list is in docs/guides/flash-cards.md.
    pub fn status(&self) -> u8 {
        match self {
            FlashError::Differs { .. } => 1,
            FlashError::Refused { .. } | FlashError::NoTarget { .. } | FlashError::Open { .. } => 3,
            FlashError::NotConfirmed(_) => 4,
            FlashError::Pulled | FlashError::Full { .. } | FlashError::Write { .. } | FlashError::Read { .. } => 5,
            FlashError::Taken { .. } => 6,
            FlashError::Unsound { .. } => 7,
            FlashError::Other(_) => 125,
        }
    }

    /// What a failed write at `at` means.
    pub(super) fn of_write(at: u64, cause: io::Error) -> FlashError {
        match Errno::from_io_error(&cause) {
            Some(Errno::NOSPC) => FlashError::Full { at },
            Some(errno) if is_gone(errno) => FlashError::Pulled,
            _ => FlashError::Write { at, cause },
        }
    }

    /// What a failed read at `at` means.
    pub(super) fn of_read(at: u64, cause: io::Error) -> FlashError {
        match Errno::from_io_error(&cause) {
            Some(errno) if is_gone(errno) => FlashError::Pulled,
            _ => FlashError::Read { at, cause },
        }
    }
}

fn is_gone(errno: Errno) -> bool {
    matches!(errno, Errno::NODEV | Errno::NXIO | Errno::NOMEDIUM)
}

//! The card from which the board starts, as programs may use it: sectors of the partitions that it may start from.
//!
//! Not here: what is in them (`renga-boot-card`), the file system's partition.

use crate::block::{BlockError, Progress};

/// How the board has started.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StartFacts {
    /// How often, this time included.
    pub starts: u32,
    /// From which partition.
    pub runs: u8,
    /// From which it usually starts.
    pub usual: u8,
    /// When the kernel that runs gives itself up unless it is kept, ns since boot; `None`: it is the usual one.
    pub trial_ends_ns: Option<u64>,
}

/// The card. A call that waits for the card is repeated until it is done or has failed, as with
/// [`crate::block::Block::read_on`]; other callers wait until that transfer ends.
pub trait StartCard {
    /// How the board has started; nothing if there is no such card.
    fn facts(&self) -> Option<StartFacts>;

    /// Fills `out` from `sector` on; sectors behind the partitions are out of range.
    ///
    /// # Errors
    /// If the card cannot be read there.
    fn read(&self, sector: u64, out: &mut [u8]) -> Result<Progress, BlockError>;

    /// Writes `data` from `sector` on; sectors of no such partition are out of range.
    ///
    /// # Errors
    /// If the card cannot be written there.
    fn write(&self, sector: u64, data: &[u8]) -> Result<Progress, BlockError>;

    /// Makes the kernel that runs the usual one.
    ///
    /// # Errors
    /// If the card cannot be written.
    fn keep(&self) -> Result<Progress, BlockError>;

    /// Resets the board, which then tries the kernel of the partition that it does not usually start from.
    ///
    /// # Errors
    /// If it cannot.
    fn try_other(&self) -> Result<(), BlockError>;
}

/// Of a board that did not start from a card, or does not know.
pub struct NoStartCard;

impl StartCard for NoStartCard {
    fn facts(&self) -> Option<StartFacts> {
        None
    }
    fn read(&self, _: u64, _: &mut [u8]) -> Result<Progress, BlockError> {
        Err(BlockError::NoMedium)
    }
    fn write(&self, _: u64, _: &[u8]) -> Result<Progress, BlockError> {
        Err(BlockError::NoMedium)
    }
    fn keep(&self) -> Result<Progress, BlockError> {
        Err(BlockError::NoMedium)
    }
    fn try_other(&self) -> Result<(), BlockError> {
        Err(BlockError::NoMedium)
    }
}

//! The reclaimer of a board: its settings as text, and what it did.
//!
//! Not here: what is decided (`renga_reclaimer`), how pages are given up (`renga_pages`).

use renga_abi::Errno;
use renga_core::protocol;

protocol! {
    /// The reclaimer, one of each board.
    pub Reclaiming = 29, ReclaimingCall {
        /// The text of a setting, one of [`ReclaimSetting`]'s numbers, as far as there is room; how many bytes.
        0 ReadReclaim { setting: u8 } (&'a mut [u8]) -> Result<u32, Errno>;
        /// Changes a setting as a text says, all of it or nothing. `EINVAL`: it says nothing that is allowed.
        1 WriteReclaim { setting: u8 } (&'a [u8]) -> Result<(), Errno>;
    }
}

/// What can be read and set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ReclaimSetting {
    /// Whether large batches are reclaimed.
    Batching,
    /// When, and how large.
    Thresholds,
    /// How much memory there is, and what was reclaimed; to be read only.
    State,
}
impl ReclaimSetting {
    /// The one with this number; `EINVAL`: none has it.
    pub fn from_number(number: u8) -> Result<ReclaimSetting, Errno> {
        use ReclaimSetting::{Batching, State, Thresholds};
        [Batching, Thresholds, State].get(usize::from(number)).copied().ok_or(Errno::EINVAL)
    }
}

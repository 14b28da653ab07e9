//! The reclaimer of a board: its settings as text, and what it did.
//!
//! Not here: what is decided (`renga_reclaimer`), how pages are given up (`renga_pages`).

use renga_abi::Errno;
use renga_core::protocol;

/// Bytes of a setting's text, at most.
pub const TEXT_BYTES_MAX: usize = 1024;

protocol! {
    /// The reclaimer, one of each board.
    pub Reclaiming = 29, ReclaimingCall {
        /// The text of a setting, one of [`Setting`]'s numbers, as far as there is room; how many bytes.
        0 ReadReclaim { setting: u8 } (&'a mut [u8]) -> Result<u32, Errno>;
        /// Changes a setting as a text says, all of it or nothing. `EINVAL`: it says nothing that is allowed.
        1 WriteReclaim { setting: u8 } (&'a [u8]) -> Result<(), Errno>;
    }
}

/// What can be read and set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Setting {
    /// Whether large batches are reclaimed.
    Batching,
    /// When, and how large.
    Thresholds,
    /// How much memory there is, and what was reclaimed; to be read only.
    State,
}
impl Setting {
    /// The one with this number.
    pub fn from_number(number: u8) -> Option<Setting> {
        [Setting::Batching, Setting::Thresholds, Setting::State].into_iter().find(|setting| *setting as u8 == number)
    }
}

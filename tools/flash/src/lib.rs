//! Writing card images to cards, and to nothing else.
//!
//! In order: what a device is and who uses it is read from `/sys` and `/proc` ([`Host`]); every reason not to write to
//! it is collected ([`refusals`]); a person types the end of its serial number; it is opened exclusively,
//! and checked again; then the body is written, flushed, and the master boot record last ([`write_image`]); then all of
//! it is read back past the host's caches and compared, and the card given up ([`eject`]).
//!
//! Invariant: a device that is not a whole, removable, unused, writable disk of moderate size is never opened for
//! writing; a card whose writing was broken off has no master boot record. **Tried on loop devices and files, never yet
//! on a card reader.** Not here: what is on a card (`card`), the command's options (`renga-cli`).
#![forbid(unsafe_code)]

mod block_device;
mod cards;
pub mod command;
mod copy;
mod device;
mod eject;
mod error;
mod host;
mod journal;
mod medium;
mod person;
mod refusal;
mod signature;
mod target;
mod zero_runs;

pub use block_device::{HostMedium, open_for_reading, open_for_writing};
pub use cards::{BoardCard, CardRound, Rounds};
pub use copy::{CopyObserver, Phase, WrittenImage, verify_image, write_image};
pub use device::{BlockDevice, DeviceBus, DeviceUse};
pub use eject::{EJECT, eject};
pub use error::FlashError;
pub use host::Host;
pub use journal::{FlashJournal, JournalEntry};
pub use medium::FlashMedium;
pub use person::{Person, confirm, confirm_file};
pub use refusal::{LARGE_BYTES, Refusal, refusals};
pub use target::{FlashTarget, OrdinaryFile};
pub use zero_runs::ZERO_BLOCK_BYTES;

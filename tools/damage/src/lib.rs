//! Damaged files by kind and seed, for tests: disk images, and files of any form.
//!
//! Invariant: equal seeds give equal files. Not here: what a command must say of them.
#![forbid(unsafe_code)]

mod disk;
mod torn;

pub use disk::{DISK_DAMAGES, DiskDamage, DiskImage, SeenBy};
pub use torn::{TornFile, torn_files};

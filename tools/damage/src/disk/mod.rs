//! Damaged disk images: an MBR with one partition, which holds ext2 with a journal, in blocks of 4 KiB.

mod boards;
mod host;
mod image;
mod kind;

use boards::FOR_BOARDS;
use host::FOR_HOST;
pub use image::DiskImage;
pub use kind::{DiskDamage, SeenBy};

/// All kinds.
pub const DISK_DAMAGES: [&[DiskDamage]; 2] = [FOR_HOST, FOR_BOARDS];

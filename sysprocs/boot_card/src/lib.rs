//! The card from which a board starts: the files of its FAT partitions by sectors, how often the board was started, and
//! its two kernels.
//!
//! ```text
//! partition 1   FAT32: firmware, kernel, tables; NODE.TXT, AUTOBOOT.TXT, STARTS.BIN
//! partition 2   FAT32: firmware, kernel, tables
//! partition 3   the file system, on the board that owns the disk
//! ```
//!
//! `AUTOBOOT.TXT` names the partition that the firmware takes unless a reset names another. New kernels are written to
//! the other one, tried by one start, and become the usual ones by one sector (docs/decisions/0079-two-kernels.md).
//!
//! Invariant: this crate changes no table of clusters and no folder. Whenever writing is interrupted, between or within
//! sectors, the usual partition has a whole kernel. All data from the card are checked. Not here: the driver of the
//! card (`board-rpi`), the callers (`image`, `userland`), the file system (`sysprocs/fs`).
#![no_std]
#![forbid(unsafe_code)]

mod choice;
mod node;
mod record;
mod slot;
mod starts;
mod update;
mod volume;

pub use choice::{CHOICE_FILE, choice_of, choose, chosen, text_of as choice_text};
pub use node::{
    BOARDS_MAX, LinkMode, Model, NAME_BYTES_MAX, NODE_BYTES_MAX, NODE_FILE, NoNodeFile, NodeFault, NodeFile,
    read_node_file,
};
pub use record::{KERNEL_FILE, RECORD_BYTES, RECORD_FILE, Record, TABLES_FILE};
pub use slot::{BootSlot, NoSlot};
pub use starts::{STARTS_BYTES, STARTS_FILE, StartCount, count, first_starts};
pub use update::{NoUpdate, UpdateSource, write_update};
pub use volume::{Extent, NoFile, Volume, find, start_sectors};

/// Partitions from which a board can start, by their numbers.
pub const PARTITIONS: [u8; 2] = [1, 2];
/// Bytes that a card's kernel file has, of which the kernel takes what it needs and the rest is 0.
pub const KERNEL_ROOM_BYTES: usize = 4 << 20;
/// The same of its tables' file.
pub const TABLES_ROOM_BYTES: usize = 64 << 10;

/// The other of the two partitions.
pub const fn other(partition: u8) -> u8 {
    if partition == PARTITIONS[0] { PARTITIONS[1] } else { PARTITIONS[0] }
}

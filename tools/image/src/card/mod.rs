//! Card images: what is written on the SD card of each board of a cluster.
//!
//! A card has two FAT32 partitions from which the board can start (firmware, device tree, `config.txt`, `cmdline.txt`,
//! the kernel, its system's tables, `NODE.TXT`, licences, and `FILES.TXT` with the checksum of each), of which one is
//! the usual, and on the board that owns the disk an ext2
//! partition with the programs. Invariant: equal inputs give equal bytes. Files are sparse, and their sizes are powers
//! of two, so that the emulator takes them as cards too.
//!
//! **Nothing of this has run on a real board yet**: the images are checked file by file, and booted in the emulator,
//! which starts the kernel itself and runs no firmware.
//!
//! Not here: writing to cards (`flash`), the file system on the ext2 partition (`disk_image`).

mod boot;
mod build;
mod checksum;
mod cluster;
mod contents;
mod expected;
mod fat;
mod firmware;
mod inspect;
mod kernel_files;
pub mod models;
mod settings;
mod slots;
#[cfg(test)]
mod tests;

pub use boot::{CardBoot, boot_cards, firmware_of, place_on_disk, put_on_disk};
pub use build::{Card, build_cards, card_file_name, write_card};
pub use checksum::{Checksum, sha256, sha256_of_file};
pub use cluster::CardCluster;
pub use contents::FILES_LIST;
pub use expected::{Expected, ExpectedSystem};
pub use fat::CardFile;
pub use inspect::{BootFile, CardFinding, Inspection, inspect};
pub use kernel_files::{files as kernel_files, update};
pub use slots::SlotFound;

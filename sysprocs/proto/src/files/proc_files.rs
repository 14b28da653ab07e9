//! Synthetic files: those under `/proc`, whose content is made when it is read. One server on each board.
//!
//! A synthetic file has a number, as an inode has, from [`SYNTHETIC`] on: of a program's files it has the pid in it,
//! and the server of that program's board makes them; any server makes the others. Numbers mean the same on every
//! board.

use crate::inode::{DirectoryRead, STAT_BYTES};
use crate::mounts::SYNTHETIC;
use renga_abi::Errno;
use renga_core::{in_words, protocol};

/// Bits of a number that say which file.
const FILE_BITS: u32 = 12;
/// The directory that all others are in.
pub const TOP: u32 = SYNTHETIC;

/// The disk's partition, which has no name here: its node in `/dev` leads to it.
pub const DISK: u32 = SYNTHETIC | (DESCRIPTORS - 1);
/// Bytes of a sector, of which the disk has as many as its `struct stat` says.
pub const SECTOR_BYTES: u64 = 512;
/// Where a `struct stat` says how many sectors there are.
pub const SECTORS_AT: usize = 64;

/// The sectors in a `struct stat`.
pub fn sectors_of(status: &[u8; STAT_BYTES]) -> u64 {
    status[SECTORS_AT..].first_chunk().copied().map_or(0, u64::from_le_bytes)
}

/// Where a board's log is, from `TOP` on.
pub const LOG_PATH: &[u8] = b"renga/log";
/// Bytes of a board's log, at most.
pub const LOG_BYTES_MAX: usize = 32768;

/// Files from here on are a program's descriptors, by number.
pub const DESCRIPTORS: u32 = 1024;

/// The number of the node of the pseudo-terminal called `name`: such a file of no program.
pub const fn pair_node(name: u32) -> u32 {
    SYNTHETIC | (DESCRIPTORS + name)
}
/// What the pseudo-terminal is called whose node has this number, if one's has.
pub const fn pair_file(number: u32) -> Option<u32> {
    if number >= SYNTHETIC && pid_of(number) == 0 { file_of(number).checked_sub(DESCRIPTORS) } else { None }
}

/// What device the slave with this node is: major 136.
pub const fn slave_device(number: u32) -> u64 {
    136 << 8 | (file_of(number).saturating_sub(DESCRIPTORS)) as u64
}

/// The number of file `file` (below 4096) of program `pid`; of no program's if that is 0.
pub const fn synthetic_number(pid: u32, file: u32) -> u32 {
    SYNTHETIC | pid << FILE_BITS | file
}
/// Whose file a number is; 0: no program's.
pub const fn pid_of(number: u32) -> u32 {
    (number & !SYNTHETIC) >> FILE_BITS
}
/// Which file it is.
pub const fn file_of(number: u32) -> u32 {
    number & ((1 << FILE_BITS) - 1)
}

in_words! {
    /// Where a path led.
    pub struct Led {
        /// The synthetic file that it stands for; with mode 0: the inode of the disk from which to walk on.
        number: u32,
        /// Its type and permission bits, as `struct stat` has them.
        mode: u16,
        /// Bytes at the end of the path that are still to be walked, on the disk.
        left: u32,
    }
}

protocol! {
    /// Synthetic files.
    pub ProcFiles = 22, ProcFilesCall {
        /// Looks up a path, which may be empty, from directory `at`, for process `reader` of a user, which follows
        /// links of its own processes only, unless it is root. `flags` may contain
        /// `NO_FOLLOW`. It stops at a program of another board: that board's server goes on from there. It also stops
        /// at a descriptor to follow: only its program knows the target.
        0 WalkSynthetic { at: u32, reader: u32, user: u32, flags: u32 } (&'a [u8]) -> Result<Led, Errno>;
        /// The content from `offset` on; how many bytes.
        1 ReadSynthetic { number: u32, offset: u64 } (&'a mut [u8]) -> Result<u32, Errno>;
        /// Entries of a directory from `cursor` on, as the inode's `ReadDirectory`.
        2 ListSynthetic { number: u32, cursor: u64 } (&'a mut [u8]) -> Result<DirectoryRead, Errno>;
        /// Fills a `struct stat`.
        3 SyntheticStatus { number: u32 } (&'a mut [u8]) -> Result<(), Errno>;
        /// A symbolic link's target as text, to such a reader; how many bytes.
        4 ReadSyntheticLink { number: u32, reader: u32, user: u32 } (&'a mut [u8]) -> Result<u32, Errno>;
        /// The path of a directory; how many bytes.
        5 SyntheticPath { number: u32 } (&'a mut [u8]) -> Result<u32, Errno>;
        /// Changes what the file shows as a text says, all of it or nothing; `EACCES`: it cannot be written. `offset`
        /// means something to the card's file only.
        6 WriteSynthetic { number: u32, offset: u64 } (&'a [u8]) -> Result<(), Errno>;
    }
}

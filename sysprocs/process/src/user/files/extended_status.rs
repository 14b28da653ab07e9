//! Status in other layouts: `statx`, and the `struct stat` of objects without a file process.
//!
//! Invariant: `statx` says the same of a file as `stat`, and marks as absent the fields that only it could have (time
//! of birth, attributes, mount). The wishes in `mask` and the flags about remote file systems change nothing. Not here:
//! the status of files (`status.rs`).

use crate::user::files::path::{AT_EMPTY_PATH, AT_FDCWD, AT_NO_AUTOMOUNT, AT_SYMLINK_NOFOLLOW, SYNC_TYPES};
use crate::user::slot::User;
use crate::user::state::FileDescriptor;
use crate::user::state::fields::{int_at, put_ints, put_words};
use crate::user::state::open_flags::{S_IFCHR, S_IFIFO, S_IFLNK, S_IFMT};
use renga_hal::memory::UserMemory;
use renga_proto::inode::{DISK_DEVICE, STAT_BYTES};
use renga_proto::mounts::SYNTHETIC;
use renga_rt::Errno;

const STATX_BYTES: usize = 256;
/// Mode, links, owner, times, number, size and blocks are there.
const BASIC_STATS: u32 = 0x7ff;
/// A bit of the mask that must not be set.
const RESERVED: u64 = 0x8000_0000;

/// The `struct statx` of a `struct stat`.
fn extended(stat: &[u8; STAT_BYTES]) -> [u8; STATX_BYTES] {
    let mut bytes = [0; STATX_BYTES];
    put_ints(&mut bytes, [(0, BASIC_STATS)]);
    // From, to, length: block size, links, owner, mode, number, size, blocks; times of access, change of status and
    // modification, seconds and nanoseconds each.
    for (from, to, length) in [
        (56, 4, 4),
        (20, 16, 4),
        (24, 20, 8),
        (16, 28, 2),
        (8, 32, 8),
        (48, 40, 8),
        (64, 48, 8),
        (72, 64, 12),
        (104, 96, 12),
        (88, 112, 12),
    ] {
        bytes[to..to + length].copy_from_slice(&stat[from..from + length]);
    }
    for (from, to) in [(32, 128), (0, 136)] {
        let number = int_at(stat, from);
        // Linux's encoding: 8 bits of the minor, 12 of the major, 12 of the minor.
        let (major, minor) = (number >> 8 & 0xfff, number & 0xff | number >> 12 & 0xf_ff00);
        put_ints(&mut bytes, [(to, major), (to + 4, minor)]);
    }
    bytes
}

impl<M: UserMemory> User<M> {
    pub(crate) async fn extended_status(&mut self) -> Result<(), Errno> {
        let (flags, mask, place) = (self.argument(2), self.argument(3), self.argument(4));
        let known = AT_SYMLINK_NOFOLLOW | AT_NO_AUTOMOUNT | AT_EMPTY_PATH | SYNC_TYPES;
        if flags & !known != 0 || flags & SYNC_TYPES == SYNC_TYPES || mask & RESERVED != 0 {
            return Err(Errno::EINVAL);
        }
        let status = self.status_at_path(self.argument(0), self.argument(1), flags).await?;
        self.put(place, &extended(&status)).await
    }

    /// Whether there is something at the path at `address`.
    pub(crate) async fn find_path(&mut self, address: u64, flags: u64) -> Result<(), Errno> {
        self.status_at_path(AT_FDCWD as u64, address, flags).await.map(|_| ())
    }
}

/// Whether the descriptor is of a pipe that has a name.
fn is_fifo(descriptor: &FileDescriptor) -> bool {
    descriptor.mode & S_IFMT == S_IFIFO && descriptor.ino != 0
}

/// Whether its inode is on the disk, although no file process has it: it is named only, or has a name.
fn is_on_disk(descriptor: &FileDescriptor) -> bool {
    descriptor.mode & S_IFMT == S_IFLNK || is_fifo(descriptor)
}

/// A `struct stat` of what no file process has.
pub(crate) fn device_status(descriptor: &FileDescriptor) -> [u8; STAT_BYTES] {
    let (mode, device) = match is_on_disk(descriptor) {
        true => (descriptor.mode, 0),
        false => (descriptor.object.facts().mode, descriptor.object.facts().device),
    };
    let unnamed = descriptor.object.pipe_ino().filter(|_| !is_fifo(descriptor));
    let ino = unnamed.unwrap_or(descriptor.ino.into());
    let mut bytes = [0; STAT_BYTES];
    let is_node = descriptor.mode & S_IFMT == S_IFCHR && (1..SYNTHETIC).contains(&descriptor.ino);
    if is_on_disk(descriptor) || is_node {
        bytes[0..8].copy_from_slice(&DISK_DEVICE.to_le_bytes());
    }
    put_words(&mut bytes, [(8, ino), (32, device)]);
    put_ints(&mut bytes, [(16, mode.into()), (20, 1), (56, 4096)]);
    bytes
}

#[cfg(test)]
mod tests {
    use super::extended;

    #[test]
    fn statx_layout_copies_each_stat_field() {
        let mut stat = [0; 128];
        for (at, byte) in stat.iter_mut().enumerate() {
            *byte = at as u8 + 1;
        }
        // Major 0x234, minor 0x678_05.
        stat[0..8].copy_from_slice(&0x6782_3405_u64.to_le_bytes());
        let bytes = extended(&stat);
        let first = |at: usize| u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap());
        assert_eq!(first(0), 0x7ff);
        // Each place and the place in `struct stat` whose number plus one it must begin with.
        for (place, from) in [
            (4, 56),
            (16, 20),
            (20, 24),
            (24, 28),
            (28, 16),
            (32, 8),
            (40, 48),
            (48, 64),
            (64, 72),
            (72, 80),
            (96, 104),
            (104, 112),
            (112, 88),
            (120, 96),
        ] {
            assert_eq!(bytes[place], from + 1, "at {place}");
        }
        assert_eq!((first(136), first(140)), (0x234, 0x67805));
        assert!(bytes[144..].iter().all(|byte| *byte == 0));
        assert_eq!(bytes[30..32], [0, 0]);
    }
}

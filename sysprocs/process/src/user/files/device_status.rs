//! The status of what no file process has: devices, ends of pipes, what is only named.
//!
//! Not here: the status of files (`status.rs`), which the disk's board knows.

use crate::user::files::descriptors::{Descriptor, Object};
use crate::user::files::path::{S_IFCHR, S_IFIFO, S_IFLNK, S_IFMT};
use renga_proto::inode::{DISK_DEVICE, STAT_BYTES};

/// Whether the descriptor is of a pipe that has a name.
fn is_fifo(descriptor: &Descriptor) -> bool {
    descriptor.mode & S_IFMT == S_IFIFO && descriptor.ino != 0
}

/// Whether its inode is on the disk, although no file process has it: it is named only, or has a name.
fn is_on_disk(descriptor: &Descriptor) -> bool {
    descriptor.mode & S_IFMT == S_IFLNK || is_fifo(descriptor)
}

/// A `struct stat` of what no file process has.
pub(super) fn device_status(descriptor: &Descriptor) -> [u8; STAT_BYTES] {
    let (mode, device): (u32, u64) = match descriptor.object {
        _ if is_on_disk(descriptor) => (descriptor.mode.into(), 0),
        Object::Console => (u32::from(S_IFCHR) | 0o600, 5 << 8 | 1),
        Object::Null => (u32::from(S_IFCHR) | 0o666, 1 << 8 | 3),
        Object::Zero => (u32::from(S_IFCHR) | 0o666, 1 << 8 | 5),
        Object::Full => (u32::from(S_IFCHR) | 0o666, 1 << 8 | 7),
        Object::Random => (u32::from(S_IFCHR) | 0o666, 1 << 8 | 9),
        // As Linux says of what has no name.
        Object::Signals { .. } | Object::Events { .. } => (0o600, 0),
        Object::File { .. }
        | Object::Pipe { .. }
        | Object::Fifo { .. }
        | Object::Named { .. }
        | Object::Lost { .. } => (u32::from(S_IFIFO) | 0o600, 0),
    };
    let ino = match descriptor.object {
        _ if is_fifo(descriptor) => descriptor.ino.into(),
        // Both ends of a pipe are one object, which no inode of the disk is.
        Object::Pipe { board, number, .. } => 1 << 40 | u64::from(board) << 16 | u64::from(number),
        _ => u64::from(descriptor.ino),
    };
    let mut bytes = [0; STAT_BYTES];
    if is_on_disk(descriptor) {
        bytes[0..8].copy_from_slice(&DISK_DEVICE.to_le_bytes());
    }
    bytes[8..16].copy_from_slice(&ino.to_le_bytes());
    bytes[16..20].copy_from_slice(&mode.to_le_bytes());
    bytes[20..24].copy_from_slice(&1u32.to_le_bytes());
    bytes[32..40].copy_from_slice(&device.to_le_bytes());
    bytes[56..60].copy_from_slice(&4096u32.to_le_bytes());
    bytes
}

//! An inode as ext2 keeps it on the disk: the fields used here, in their places.
//!
//! Invariant: fields that are not named here go back as they came. Records of 160 bytes and more
//! have times in nanoseconds, in the extra fields that ext4 gave them; 128-byte ones in seconds.

use crate::format::bytes::{numbers, put_u16, put_u32, u16_at, u32_at};
use renga_proto::stat::{ns_of, seconds_of};

/// Bytes of a record without extra fields.
pub(crate) const PLAIN_BYTES: usize = 128;

/// Bytes of a record kept here: up to the end of the extra times.
pub(crate) const RECORD_BYTES: usize = 160;

/// Length of the extra fields that Linux gives to new inodes.
const EXTRA_BYTES: u16 = 32;

pub(crate) const POINTERS: usize = 15;

/// Bytes of all pointers; a symbolic link shorter than this is kept in their place.
pub(crate) const POINTER_BYTES: usize = POINTERS * 4;
const POINTERS_AT: usize = 40;
const EXTRA_SIZE_AT: usize = PLAIN_BYTES;

/// Type bits of a mode, and the types.
pub(crate) const TYPE_MASK: u16 = 0xf000;
pub(crate) const FIFO: u16 = 0x1000;
pub(crate) const CHARACTER_DEVICE: u16 = 0x2000;
pub(crate) const DIRECTORY: u16 = 0x4000;
pub(crate) const BLOCK_DEVICE: u16 = 0x6000;
pub(crate) const REGULAR: u16 = 0x8000;
pub(crate) const SYMBOLIC_LINK: u16 = 0xa000;
pub(crate) const SOCKET: u16 = 0xc000;

/// Types in directory entries.
pub(crate) const KIND_DIRECTORY: u8 = 2;
pub(crate) const KIND_SYMBOLIC_LINK: u8 = 7;

const NS_PER_S: u64 = 1_000_000_000;

/// Largest file, bytes, as Linux's ext2 has it for blocks of 4096: such that the sectors of a file
/// without holes still fit into 32 bits.
pub(crate) const FILE_BYTES_MAX: u64 = 2_196_873_666_560;

/// A time of an inode: where its seconds are, and its extra field.
#[derive(Clone, Copy)]
pub(crate) enum Time {
    Access,
    Change,
    Modify,
}

impl Time {
    const fn places(self) -> (usize, usize) {
        match self {
            Time::Access => (8, 140),
            Time::Change => (12, 132),
            Time::Modify => (16, 136),
        }
    }
}

#[derive(Clone, PartialEq)]
pub(crate) struct InodeRecord {
    pub(crate) bytes: [u8; RECORD_BYTES],
    /// Of `bytes`, those that the disk keeps.
    pub(crate) kept_bytes: usize,
}

numbers! { InodeRecord {
    mode / set_mode: u16 at 0;
    /// Units of 512 bytes in use, those of indirect blocks included.
    sectors / set_sectors: u32 at 28;
    generation / set_generation: u32 at 100;
} }

impl InodeRecord {
    pub(crate) const EMPTY: InodeRecord = InodeRecord { bytes: [0; RECORD_BYTES], kept_bytes: PLAIN_BYTES };

    /// A fresh inode in a file system that keeps `inode_bytes` of each.
    pub(crate) fn fresh(inode_bytes: u32, mode: u16, device: u32, generation: u32) -> InodeRecord {
        let mut record = InodeRecord { kept_bytes: kept_bytes(inode_bytes), ..InodeRecord::EMPTY };
        if record.kept_bytes == RECORD_BYTES {
            put_u16(&mut record.bytes, EXTRA_SIZE_AT, EXTRA_BYTES);
        }
        record.set_mode(mode);
        record.set_generation(generation);
        if matches!(mode & TYPE_MASK, CHARACTER_DEVICE | BLOCK_DEVICE) {
            record.set_pointer(0, device & 0xffff);
        }
        record
    }

    pub(crate) fn is(&self, kind: u16) -> bool {
        self.mode() & TYPE_MASK == kind
    }

    pub(crate) fn owner(&self) -> (u32, u32) {
        let both = |low, high| u32::from(u16_at(&self.bytes, low)) | u32::from(u16_at(&self.bytes, high)) << 16;
        (both(2, 120), both(24, 122))
    }

    pub(crate) fn set_owner(&mut self, uid: u32, gid: u32) {
        for (id, low, high) in [(uid, 2, 120), (gid, 24, 122)] {
            put_u16(&mut self.bytes, low, id as u16);
            put_u16(&mut self.bytes, high, (id >> 16) as u16);
        }
    }

    /// The size, bytes. Only regular files use the upper half.
    pub(crate) fn size(&self) -> u64 {
        let upper = if self.is(REGULAR) { u32_at(&self.bytes, 108) } else { 0 };
        u64::from(u32_at(&self.bytes, 4)) | u64::from(upper) << 32
    }

    pub(crate) fn set_size(&mut self, bytes: u64) {
        put_u32(&mut self.bytes, 4, bytes as u32);
        if self.is(REGULAR) {
            put_u32(&mut self.bytes, 108, (bytes >> 32) as u32);
        }
    }

    pub(crate) fn links(&self) -> u32 {
        u16_at(&self.bytes, 26).into()
    }

    pub(crate) fn set_links(&mut self, links: u32) {
        put_u16(&mut self.bytes, 26, links as u16);
    }

    pub(crate) fn set_deleted(&mut self, now_ns: u64) {
        put_u32(&mut self.bytes, 20, (now_ns / NS_PER_S) as u32);
    }

    pub(crate) fn pointer(&self, at: usize) -> u32 {
        u32_at(&self.bytes, POINTERS_AT + at * 4)
    }

    pub(crate) fn set_pointer(&mut self, at: usize, block: u32) {
        put_u32(&mut self.bytes, POINTERS_AT + at * 4, block);
    }

    /// The target of a symbolic link that is kept in place of the pointers.
    pub(crate) fn short_target(&mut self) -> &mut [u8] {
        &mut self.bytes[POINTERS_AT..POINTERS_AT + POINTER_BYTES]
    }

    pub(crate) fn has_pointers(&self) -> bool {
        self.is(REGULAR) || self.is(DIRECTORY) || (self.is(SYMBOLIC_LINK) && self.sectors() > 0)
    }

    /// Of a device: major << 8 | minor.
    pub(crate) fn device(&self) -> u32 {
        if !self.is(CHARACTER_DEVICE) && !self.is(BLOCK_DEVICE) {
            return 0;
        }
        match self.pointer(0) {
            0 => self.pointer(1) & 0xffff, // the wider encoding agrees with the old one in these bits
            old => old,
        }
    }

    fn has_extra(&self, at: usize) -> bool {
        self.kept_bytes == RECORD_BYTES && at + 4 <= PLAIN_BYTES + usize::from(u16_at(&self.bytes, EXTRA_SIZE_AT))
    }

    pub(crate) fn time_ns(&self, time: Time) -> u64 {
        let (at, extra_at) = time.places();
        // Seconds are signed; the extra field has two bits more of them, and the nanoseconds.
        let seconds = i64::from(u32_at(&self.bytes, at) as i32);
        let extra = if self.has_extra(extra_at) { u32_at(&self.bytes, extra_at) } else { 0 };
        ns_of(seconds + (i64::from(extra & 3) << 32), extra >> 2)
    }

    pub(crate) fn set_time_ns(&mut self, time: Time, ns: u64) {
        let (at, extra_at) = time.places();
        let (seconds, part) = seconds_of(ns);
        if !self.has_extra(extra_at) {
            // The last second that there is room for, as Linux has it.
            return put_u32(&mut self.bytes, at, seconds.clamp(i32::MIN.into(), i32::MAX.into()) as u32);
        }
        put_u32(&mut self.bytes, at, seconds as u32);
        let above = (seconds - i64::from(seconds as i32)) >> 32;
        put_u32(&mut self.bytes, extra_at, part << 2 | above as u32 & 3);
    }
}

/// The type of a directory entry that stands for an inode of `mode`.
pub(crate) fn kind_of(mode: u16) -> u8 {
    match mode & TYPE_MASK {
        REGULAR => 1,
        DIRECTORY => KIND_DIRECTORY,
        CHARACTER_DEVICE => 3,
        BLOCK_DEVICE => 4,
        FIFO => 5,
        SOCKET => 6,
        SYMBOLIC_LINK => KIND_SYMBOLIC_LINK,
        _ => 0,
    }
}

/// How much of a record is kept here, of `inode_bytes` on the disk.
pub(crate) fn kept_bytes(inode_bytes: u32) -> usize {
    if inode_bytes as usize >= RECORD_BYTES { RECORD_BYTES } else { PLAIN_BYTES }
}

#[cfg(test)]
mod tests {
    use super::{InodeRecord, NS_PER_S, REGULAR, Time, ns_of, seconds_of};

    /// Holds: times-2038.
    #[test]
    fn inode_record_time_out_of_range_is_clamped() {
        let last = i32::MAX as u64;
        for (inode_bytes, seconds, kept) in
            [(128, last, last), (128, last + 1, last), (128, 4_102_444_800, last), (256, 4_102_444_800, 4_102_444_800)]
        {
            let mut record = InodeRecord::fresh(inode_bytes, REGULAR | 0o644, 0, 1);
            record.set_time_ns(Time::Modify, seconds * NS_PER_S);
            assert_eq!(record.time_ns(Time::Modify) / NS_PER_S, kept, "{inode_bytes} bytes, {seconds} s");
        }
        for inode_bytes in [128, 256] {
            let mut record = InodeRecord::fresh(inode_bytes, REGULAR | 0o644, 0, 1);
            record.set_time_ns(Time::Modify, ns_of(-304_560_000, 0));
            assert_eq!(seconds_of(record.time_ns(Time::Modify)), (-304_560_000, 0), "1960, {inode_bytes} bytes");
        }
    }
}

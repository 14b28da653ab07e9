//! Signatures on a disk without a present user: parts of volume groups and arrays, encrypted volumes.
//!
//! Their formats: LVM2's label (`lib/label/label.h`), md's superblocks (`md_p.h`), LUKS. Invariant: only reads, and
//! only the places of these signatures. An unreadable device has none; a user who may write it may read it.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;

/// A mark of LVM is at the beginning of one of the first four sectors, that of an array of version 1.2 at 4096.
const HEAD_BYTES: u64 = 4096 + 512;
const SECTOR_BYTES: usize = 512;
const LVM_SECTORS: usize = 4;
const LVM: &[u8] = b"LABELONE";
const LUKS: &[u8] = b"LUKS\xba\xbe";
const ARRAY: [u8; 4] = 0xa92b_4efcu32.to_le_bytes();
/// Arrays of version 0.90 have theirs in the last whole 64 KiB, those of 1.0 in the last 8 KiB to 12 KiB, at 4 KiB.
const OLD_ARRAY_BYTES: u64 = 64 << 10;
const LATE_ARRAY_BYTES: u64 = 8 << 10;
const LATE_ARRAY_ALIGNED_BYTES: u64 = 4 << 10;

/// What the device at `path` carries, if it is one of these.
pub fn of(path: &Path) -> Option<&'static str> {
    let mut device = File::open(path).ok()?;
    let mut head = Vec::new();
    device.by_ref().take(HEAD_BYTES).read_to_end(&mut head).ok()?;
    if head.chunks(SECTOR_BYTES).take(LVM_SECTORS).any(|sector| sector.starts_with(LVM)) {
        return Some("a volume group");
    }
    if head.starts_with(LUKS) {
        return Some("an encrypted volume");
    }
    let len_bytes = device.seek(SeekFrom::End(0)).ok()?;
    let old = (len_bytes / OLD_ARRAY_BYTES).checked_sub(1).map(|whole| whole * OLD_ARRAY_BYTES);
    let late =
        len_bytes.checked_sub(LATE_ARRAY_BYTES).map(|at| at / LATE_ARRAY_ALIGNED_BYTES * LATE_ARRAY_ALIGNED_BYTES);
    let places = [Some(0), Some(4096), old, late];
    places.into_iter().flatten().any(|at| is_array(&mut device, at)).then_some("an array")
}

fn is_array(device: &mut File, at: u64) -> bool {
    let mut mark = [0; 4];
    device.seek(SeekFrom::Start(at)).is_ok() && device.read_exact(&mut mark).is_ok() && mark == ARRAY
}

//! The partition table: one MBR entry, at a fixed place.
//!
//! Invariant: a disk's size is a power of two, and bytes that are zero take no room on the host.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::ImageError;
use super::error::at;

const SECTOR_BYTES: u64 = 512;
/// Where the partition begins: 1 MiB, as every partitioning program does.
const PARTITION_START_BYTES: u64 = 1 << 20;
const TABLE_AT: usize = 446;
const SIGNATURE_AT: usize = 510;
const SIGNATURE: [u8; 2] = [0x55, 0xAA];
const TYPE_LINUX: u8 = 0x83;
/// What stands where a table would have cylinders and heads: "beyond them, see the sector numbers".
const NO_CYLINDERS: [u8; 3] = [0xFE, 0xFF, 0xFF];
const CHUNK_BYTES: usize = 4096;

/// Where a partition lies on its disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Extent {
    pub(super) start_bytes: u64,
    pub(super) len_bytes: u64,
}

/// Makes `disk`: a partition table and the file system on its one partition.
pub(super) fn wrap(filesystem: &Path, disk: &Path) -> Result<(), ImageError> {
    let len_bytes = fs::metadata(filesystem).map_err(at(filesystem))?.len();
    let extent = Extent { start_bytes: PARTITION_START_BYTES, len_bytes };
    let mut out = File::create(disk).map_err(at(disk))?;
    out.set_len((PARTITION_START_BYTES + len_bytes).next_power_of_two()).map_err(at(disk))?;
    out.write_all(&table(extent)).map_err(at(disk))?;
    let mut from = File::open(filesystem).map_err(at(filesystem))?;
    copy_nonzero(&mut from, &mut out, extent.start_bytes, len_bytes).map_err(at(disk))
}

/// Copies a file and leaves holes where it is zero.
pub(super) fn copy_sparse(from: &Path, to: &Path) -> Result<(), ImageError> {
    let len_bytes = fs::metadata(from).map_err(at(from))?.len();
    let mut out = File::create(to).map_err(at(to))?;
    out.set_len(len_bytes).map_err(at(to))?;
    let mut source = File::open(from).map_err(at(from))?;
    copy_nonzero(&mut source, &mut out, 0, len_bytes).map_err(at(to))
}

/// Copies a disk's partition to a file of its own.
pub(super) fn copy_out(disk: &Path, extent: Extent, to: &Path) -> Result<(), ImageError> {
    let mut out = File::create(to).map_err(at(to))?;
    out.set_len(extent.len_bytes).map_err(at(to))?;
    let mut source = File::open(disk).map_err(at(disk))?;
    source.seek(SeekFrom::Start(extent.start_bytes)).map_err(at(disk))?;
    copy_nonzero(&mut source, &mut out, 0, extent.len_bytes).map_err(at(to))
}

/// Where the first partition of a disk lies.
pub(super) fn find(disk: &Path) -> Result<Extent, ImageError> {
    let not_ext2 = |reason| ImageError::NotExt2 { image: disk.to_path_buf(), reason };
    let mut file = File::open(disk).map_err(at(disk))?;
    let disk_bytes = file.metadata().map_err(at(disk))?.len();
    let mut sector = [0; SECTOR_BYTES as usize];
    file.read_exact(&mut sector).map_err(|_| not_ext2("it is shorter than a sector"))?;
    if sector[SIGNATURE_AT..] != SIGNATURE {
        return Err(not_ext2("it has no partition table"));
    }
    let entry = &sector[TABLE_AT..TABLE_AT + 16];
    if entry[4] != TYPE_LINUX {
        return Err(not_ext2("its first partition is not a Linux one"));
    }
    let sectors =
        |from: usize| u64::from(u32::from_le_bytes([entry[from], entry[from + 1], entry[from + 2], entry[from + 3]]));
    let extent = Extent { start_bytes: sectors(8) * SECTOR_BYTES, len_bytes: sectors(12) * SECTOR_BYTES };
    if extent.start_bytes == 0 || extent.len_bytes == 0 || extent.start_bytes + extent.len_bytes > disk_bytes {
        return Err(not_ext2("its first partition does not lie within it"));
    }
    Ok(extent)
}

fn table(extent: Extent) -> [u8; SECTOR_BYTES as usize] {
    let mut sector = [0; SECTOR_BYTES as usize];
    let entry = &mut sector[TABLE_AT..TABLE_AT + 16];
    entry[1..4].copy_from_slice(&NO_CYLINDERS);
    entry[4] = TYPE_LINUX;
    entry[5..8].copy_from_slice(&NO_CYLINDERS);
    entry[8..12].copy_from_slice(&sector_number(extent.start_bytes));
    entry[12..16].copy_from_slice(&sector_number(extent.len_bytes));
    sector[SIGNATURE_AT..].copy_from_slice(&SIGNATURE);
    sector
}

fn sector_number(bytes: u64) -> [u8; 4] {
    u32::try_from(bytes / SECTOR_BYTES).expect("images are far smaller than 2 TiB").to_le_bytes()
}

fn copy_nonzero(from: &mut File, to: &mut File, start_bytes: u64, len_bytes: u64) -> std::io::Result<()> {
    let mut chunk = [0; CHUNK_BYTES];
    let mut done_bytes = 0;
    while done_bytes < len_bytes {
        let wanted = (len_bytes - done_bytes).min(CHUNK_BYTES as u64) as usize;
        from.read_exact(&mut chunk[..wanted])?;
        if chunk[..wanted].iter().any(|byte| *byte != 0) {
            to.seek(SeekFrom::Start(start_bytes + done_bytes))?;
            to.write_all(&chunk[..wanted])?;
        }
        done_bytes += wanted as u64;
    }
    Ok(())
}

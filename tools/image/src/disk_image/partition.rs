//! The partition table: one MBR entry, at a fixed place.
//!
//! Invariant: a disk's size is a power of two, and bytes that are zero take no room on the host.

use std::fs::{self, File};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::Path;

use super::ImageError;
use super::error::at;
use crate::partition_table::{self, PartitionEntry, PartitionExtent, SECTOR_BYTES, TYPE_LINUX};

/// Where the partition begins: 1 MiB, as every partitioning program does.
pub(super) const PARTITION_START_BYTES: u64 = 1 << 20;
const CHUNK_BYTES: usize = 4096;

/// Makes `disk`: a partition table and the file system on its one partition.
pub(crate) fn wrap(filesystem: &Path, disk: &Path) -> Result<(), ImageError> {
    let len_bytes = fs::metadata(filesystem).map_err(at(filesystem))?.len();
    let extent = PartitionExtent { start_bytes: PARTITION_START_BYTES, len_bytes };
    let mut out = File::create(disk).map_err(at(disk))?;
    out.set_len((PARTITION_START_BYTES + len_bytes).next_power_of_two()).map_err(at(disk))?;
    out.write_all(&partition_table::write(&[PartitionEntry { kind: TYPE_LINUX, extent }], 0)).map_err(at(disk))?;
    let mut from = File::open(filesystem).map_err(at(filesystem))?;
    copy_nonzero(&mut from, &mut out, extent.start_bytes, len_bytes).map_err(at(disk))
}

/// Copies a file and leaves holes where it is zero.
pub(crate) fn copy_sparse(from: &Path, to: &Path) -> Result<(), ImageError> {
    let len_bytes = fs::metadata(from).map_err(at(from))?.len();
    let mut out = File::create(to).map_err(at(to))?;
    out.set_len(len_bytes).map_err(at(to))?;
    let mut source = File::open(from).map_err(at(from))?;
    copy_nonzero(&mut source, &mut out, 0, len_bytes).map_err(at(to))
}

/// Copies a disk's partition to a file of its own.
pub(crate) fn copy_out(disk: &Path, extent: PartitionExtent, to: &Path) -> Result<(), ImageError> {
    let mut out = File::create(to).map_err(at(to))?;
    out.set_len(extent.len_bytes).map_err(at(to))?;
    let mut source = File::open(disk).map_err(at(disk))?;
    source.seek(SeekFrom::Start(extent.start_bytes)).map_err(at(disk))?;
    copy_nonzero(&mut source, &mut out, 0, extent.len_bytes).map_err(at(to))
}

/// Where the first Linux partition of a disk lies.
pub(crate) fn find(disk: &Path) -> Result<PartitionExtent, ImageError> {
    let not_ext2 = |reason| ImageError::NotExt2 { image: disk.to_path_buf(), reason };
    let mut file = File::open(disk).map_err(at(disk))?;
    let mut sector = [0; SECTOR_BYTES as usize];
    file.read_exact(&mut sector).map_err(|cause| match cause.kind() {
        ErrorKind::UnexpectedEof => not_ext2("it is shorter than a sector"),
        _ => at(disk)(cause),
    })?;
    let disk_bytes = file.seek(SeekFrom::End(0)).map_err(at(disk))?;
    let partitions = partition_table::read(&sector).ok_or_else(|| not_ext2("it has no partition table"))?;
    let linux = partitions.iter().find(|partition| partition.kind == TYPE_LINUX);
    let extent = linux.ok_or_else(|| not_ext2("none of its partitions is a Linux one"))?.extent;
    if extent.start_bytes == 0 || extent.len_bytes == 0 || extent.end_bytes() > disk_bytes {
        return Err(not_ext2("its Linux partition does not lie within it"));
    }
    let overlaps = |other: &PartitionEntry| {
        other.extent.start_bytes < extent.end_bytes() && extent.start_bytes < other.extent.end_bytes()
    };
    if partitions.iter().filter(|partition| overlaps(partition)).count() > 1 {
        return Err(not_ext2("another partition overlaps its Linux one"));
    }
    Ok(extent)
}

/// Copies from where `from` stands, and leaves holes where it is zero.
pub(crate) fn copy_nonzero(from: &mut File, to: &mut File, start_bytes: u64, len_bytes: u64) -> std::io::Result<()> {
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

//! Inspection of an image from the host: is it ours, is it sound, what is on it.

use std::fs::{self, File};
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::ImageError;
use super::command::{report, run};
use super::error::at;
use super::partition;
use crate::partition_table::PartitionExtent;

const SUPERBLOCK_AT_BYTES: u64 = 1024;
const MAGIC_AT_BYTES: u64 = SUPERBLOCK_AT_BYTES + 56;
const MAGIC: [u8; 2] = [0x53, 0xEF];
/// In the exit status of e2fsck: there were faults, which are repaired.
const E2FSCK_REPAIRED: i32 = 1;
/// What debugfs says for each file that an ordinary user extracts.
const OWNERS_LEFT_OUT: &str = "while changing ownership of";

/// What the file system checker says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FsckVerdict {
    /// Nothing to complain about.
    Clean,
    /// Faults, in the checker's words.
    Damaged(String),
}

/// Checks the file system of an image with `e2fsck -fn`, which changes nothing.
///
/// # Errors
/// When the image is not ext2 or e2fsck cannot run; faults of the file system are a [`FsckVerdict`].
pub fn fsck(image: &Path) -> Result<FsckVerdict, ImageError> {
    fsck_filesystem(&PartitionCopy::new(image)?.path)
}

/// The same for a file system that lies alone in its file.
///
/// # Errors
/// When e2fsck cannot run.
pub fn fsck_filesystem(file: &Path) -> Result<FsckVerdict, ImageError> {
    let output = run("e2fsck", "e2fsprogs", |command| {
        command.arg("-fn").arg(file);
    })?;
    Ok(if output.status.success() { FsckVerdict::Clean } else { FsckVerdict::Damaged(report(&output)) })
}

/// Repairs the file system of an image with `e2fsck -p`, as a machine does that starts after a power cut. What that
/// does not dare to repair is the verdict.
///
/// # Errors
/// When the image is not ext2 or e2fsck cannot run.
pub fn repair(image: &Path) -> Result<FsckVerdict, ImageError> {
    let copy = PartitionCopy::new(image)?;
    let verdict = repair_filesystem(&copy.path)?;
    if verdict == FsckVerdict::Clean {
        partition::wrap(&copy.path, image)?;
    }
    Ok(verdict)
}

/// The same for a file system that lies alone in its file.
///
/// # Errors
/// When e2fsck cannot run.
pub fn repair_filesystem(file: &Path) -> Result<FsckVerdict, ImageError> {
    let output = run("e2fsck", "e2fsprogs", |command| {
        command.arg("-fp").arg(file);
    })?;
    let repaired = output.status.code().is_some_and(|status| status & !E2FSCK_REPAIRED == 0);
    Ok(if repaired { FsckVerdict::Clean } else { FsckVerdict::Damaged(report(&output)) })
}

/// Copies the file system of an image to a file of its own.
///
/// # Errors
/// When the image is not ext2, or the file cannot be written.
pub fn copy_filesystem(image: &Path, to: &Path) -> Result<(), ImageError> {
    partition::copy_out(image, find_filesystem(image)?, to)
}

/// Where in an image its file system begins.
///
/// # Errors
/// When the image is not ext2.
pub fn filesystem_start_bytes(image: &Path) -> Result<u64, ImageError> {
    Ok(find_filesystem(image)?.start_bytes)
}

/// Puts the host's file `from` as `path` on a file system that lies alone in its file, in place of one that may be
/// there.
///
/// # Errors
/// When debugfs cannot do it.
pub fn add_file(filesystem: &Path, path: &str, from: &Path) -> Result<(), ImageError> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let request = |request: String| {
        run("debugfs", "e2fsprogs", |command| {
            command.arg("-w").arg("-R").arg(&request).arg(filesystem);
        })
    };
    // Complaints of a folder that is there and of a file that is not do not matter.
    request(format!("mkdir \"{folder}\""))?;
    request(format!("rm \"{folder}/{name}\""))?;
    let output = request(format!("write \"{}\" \"{folder}/{name}\"", from.display()))?;
    match String::from_utf8_lossy(&output.stderr).lines().nth(1) {
        Some(fault) => Err(ImageError::Failed { program: "debugfs".into(), report: fault.to_string() }),
        None => Ok(()),
    }
}

/// Writes all files of an image to the folder `to`, which is made. debugfs keeps contents, links, times and the nine
/// permission bits; it leaves out device nodes and the sticky and set-id bits, and for an ordinary user the owners.
///
/// # Errors
/// When the image is not ext2 or debugfs cannot run.
pub fn extract_tree(image: &Path, to: &Path) -> Result<(), ImageError> {
    extract_folder(image, "/", to)
}

/// As [`extract_tree`], but only the folder `from`, which becomes a folder in `to`.
///
/// # Errors
/// As [`extract_tree`].
pub fn extract_folder(image: &Path, from: &str, to: &Path) -> Result<(), ImageError> {
    fs::create_dir_all(to).map_err(at(to))?;
    let (_, said) = debugfs(image, &format!("rdump \"{from}\" \"{}\"", to.display()))?;
    // Behind its version it says what went wrong.
    let faults: Vec<&str> = said.lines().skip(1).filter(|line| !line.contains(OWNERS_LEFT_OUT)).collect();
    match faults.first() {
        Some(first) => {
            let more = faults.len() - 1;
            let report = format!("{first}\nand {more} more such lines: {} is not whole", to.display());
            Err(ImageError::Failed { program: "debugfs".into(), report })
        }
        None => Ok(()),
    }
}

/// The contents of one file of an image.
///
/// # Errors
/// When the image is not ext2 or has no such file.
pub fn read_file(image: &Path, path: &str) -> Result<Vec<u8>, ImageError> {
    let (contents, said) = debugfs(image, &format!("cat \"{path}\""))?;
    match said.lines().nth(1) {
        Some(fault) => Err(ImageError::Failed { program: "debugfs".into(), report: fault.to_string() }),
        None => Ok(contents),
    }
}

/// Runs one read-only command of debugfs; returns what it wrote and what it complained about.
pub(super) fn debugfs(image: &Path, request: &str) -> Result<(Vec<u8>, String), ImageError> {
    let copy = PartitionCopy::new(image)?;
    let output = run("debugfs", "e2fsprogs", |command| {
        command.arg("-R").arg(request).arg(&copy.path);
    })?;
    Ok((output.stdout, String::from_utf8_lossy(&output.stderr).into_owned()))
}

fn find_filesystem(image: &Path) -> Result<PartitionExtent, ImageError> {
    let extent = partition::find(image)?;
    let mut magic = [0; MAGIC.len()];
    let mut file = File::open(image).map_err(at(image))?;
    file.seek(SeekFrom::Start(extent.start_bytes + MAGIC_AT_BYTES)).map_err(at(image))?;
    file.read_exact(&mut magic).map_err(at(image))?;
    if magic == MAGIC {
        return Ok(extent);
    }
    Err(ImageError::NotExt2 { image: image.to_path_buf(), reason: "its first partition holds another file system" })
}

/// The partition of an image in a sparse file of its own, for programs that know no offsets; gone when dropped.
struct PartitionCopy {
    path: PathBuf,
}

impl PartitionCopy {
    fn new(image: &Path) -> Result<Self, ImageError> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let extent = find_filesystem(image)?;
        let name = format!("renga-partition-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let copy = Self { path: image.with_file_name(name) };
        partition::copy_out(image, extent, &copy.path)?;
        Ok(copy)
    }
}

impl Drop for PartitionCopy {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

//! The host's file that is a board's card: the host may refuse to write it, as when its file system is full.
//!
//! A sparse image takes no room on the host before the board uses it. Reserving all of it at the start would make each
//! kept image cost its whole size, and promises nothing where files are copied on write. So a run begins with a
//! warning at most, and the board sees a card that fails.
//!
//! Invariant: no write is lost without an error of the run. Not here: how the board sees the failure (`renga-emu`).

use anyhow::{Context, Result};
use std::fs::File;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Of `st_blocks`.
const BLOCK_BYTES: u64 = 512;

/// The file, and the room that is left beside it.
fn describe(file: &Path) -> String {
    let free = free_bytes(file).map_or_else(|_| String::new(), |bytes| format!(" ({bytes} bytes free beside it)"));
    format!("{}{free}", file.display())
}

fn free_bytes(file: &Path) -> Result<u64> {
    let filesystem = rustix::fs::statvfs(file)?;
    Ok(filesystem.f_bavail.saturating_mul(filesystem.f_frsize))
}

/// Warns of a kept image that may grow beyond what the host has room for.
///
/// # Errors
/// If its file cannot be examined.
pub fn warn_of_little_room(file: &Path) -> Result<()> {
    let facts = file.metadata().with_context(|| format!("cannot examine {}", file.display()))?;
    let (free, may_grow) = (free_bytes(file)?, facts.len().saturating_sub(facts.blocks() * BLOCK_BYTES));
    if free < may_grow {
        eprintln!("renga: {} may grow by {may_grow} bytes: free space, or writes may fail", describe(file));
    }
    Ok(())
}

/// What has happened to a board whose card's file the host refuses to read or write.
pub(crate) fn news(file: &Path) -> String {
    format!("sees its card fail: the host cannot read or write {}; free space there: it tries again", describe(file))
}

/// The error of a run with such a board.
pub(crate) fn failure(file: &Path) -> anyhow::Error {
    anyhow::anyhow!(
        "the host could not read or write all of {}: programs got EIO, and what was not synced is lost. \
         Free space there, repair a kept image (e2fsck -p), and run again",
        describe(file)
    )
}

/// Waits until a kept image is on the host's disk.
///
/// # Errors
/// If the host could not write it.
pub(crate) fn sync(file: &File, path: &Path) -> Result<()> {
    file.sync_all().map_err(|error| failure(path).context(error))
}

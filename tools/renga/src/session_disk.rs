//! The disk of one session: an image with our own programs, the session's script and what the person puts there.
//!
//! Not here: what images are made of (`disk_image`).

use crate::artifacts;
use crate::cli::Job;
use crate::disk_image::{self, Content, Placed};
use crate::environment::Environment;
use crate::progress::Progress;
use crate::scratch::Scratch;
use anyhow::{Context, Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// Where init looks for what to run.
pub const SCRIPT_PATH: &str = "/etc/renga/script";
/// Files of the host that one run may put on the disk.
const PUT_FILES_MAX: usize = 4096;

/// The disk of a session: a fresh one, or the one that the person keeps.
///
/// # Errors
/// If something on it cannot be read, fetched or built, or the kept one is no disk.
pub fn make(
    environment: &Environment,
    job: &Job,
    script: Option<&[u8]>,
    scratch: &Scratch,
    progress: &Progress,
) -> Result<PathBuf> {
    let mut placed = Vec::new();
    if let Some(script) = script {
        placed.push(Placed { dest: SCRIPT_PATH.to_string(), content: Content::Bytes(script.to_vec()), mode: 0o644 });
    }
    for path in &job.put {
        put(path, &format!("/host/{}", file_name(path)?), &mut placed)?;
    }
    let choice = job.image.choice()?;
    if let Some(image) = &job.disk {
        if !placed.is_empty() {
            bail!("-c, -f and --put need a fresh disk: they cannot be used with --disk");
        }
        disk_image::check_is_ext2(image)?;
        return Ok(image.clone());
    }
    let image = scratch.folder.join("disk.img");
    artifacts::session_disk(environment, &choice, placed, &image, progress)?;
    Ok(image)
}

fn file_name(path: &Path) -> Result<String> {
    let path = path.canonicalize().with_context(|| format!("cannot put {} on the disk", path.display()))?;
    Ok(path.file_name().context("a path without a name")?.to_string_lossy().into_owned())
}

/// Adds a file, or a folder with all that is in it.
fn put(path: &Path, dest: &str, placed: &mut Vec<Placed>) -> Result<()> {
    let facts = fs::metadata(path).with_context(|| format!("cannot put {} on the disk", path.display()))?;
    if !facts.is_dir() {
        if placed.len() == PUT_FILES_MAX {
            bail!("more than {PUT_FILES_MAX} files to put on the disk");
        }
        let mode = std::os::unix::fs::PermissionsExt::mode(&facts.permissions()) & 0o777;
        placed.push(Placed { dest: dest.to_string(), content: Content::HostFile(path.to_path_buf()), mode });
        return Ok(());
    }
    for entry in fs::read_dir(path)? {
        let entry = entry?;
        put(&entry.path(), &format!("{dest}/{}", entry.file_name().to_string_lossy()), placed)?;
    }
    Ok(())
}

//! The disk of one session: an image with our own programs, the session's script and what the person puts there.
//!
//! Not here: what images are made of (`disk_image`).

use crate::{host_file, lock_holder};
use anyhow::{Context, Result, bail};
use renga_cli::ScriptOptions;
use renga_images::artifacts;
use renga_images::disk_image::{self, DiskChoice, FileContent, Placed};
use renga_workspace::environment::Environment;
use renga_workspace::progress::ProgressLine;
use renga_workspace::scratch::Scratch;
use std::fs::{self, File, TryLockError};
use std::path::{Path, PathBuf};

/// The script that init runs.
pub const SCRIPT_PATH: &str = "/etc/renga/script";
/// Files of the host that one run may put on the disk.
const PUT_FILES_MAX: usize = 4096;

/// The script of a job, if it has one.
///
/// # Errors
/// If its file cannot be read.
pub fn script(job: &ScriptOptions) -> Result<Option<Vec<u8>>> {
    if let Some(command) = &job.command {
        return Ok(Some(format!("{command}\n").into_bytes()));
    }
    let Some(path) = &job.file else { return Ok(None) };
    Ok(Some(fs::read(path).with_context(|| format!("cannot read the script {}", path.display()))?))
}

/// The disk of a session: a fresh one, or the one that the person keeps.
#[derive(Debug, Default)]
pub struct SessionDisk {
    /// Its image.
    pub path: PathBuf,
    /// A kept image is locked while the session lasts: two systems on one file system destroy it.
    locked: Option<File>,
}

impl SessionDisk {
    /// Makes sure that the host has all of a kept image.
    ///
    /// # Errors
    /// If the host could not write it.
    pub fn finish(&self) -> Result<()> {
        self.locked.as_ref().map_or(Ok(()), |file| host_file::sync(file, &self.path))
    }
}

/// The disk that the person keeps, if a job has one.
///
/// # Errors
/// If it is in use, is no disk that a board would mount, or something is to be put on it.
pub fn kept(job: &ScriptOptions) -> Result<Option<SessionDisk>> {
    let Some(image) = &job.disk else { return Ok(None) };
    if job.command.is_some() || job.file.is_some() || !job.put.is_empty() {
        bail!(
            "-c, -f and --put need a fresh disk. One that is kept (--disk) is changed by its own programs only: \
             type to them, or ./renga run --disk {} < SCRIPT",
            image.display()
        );
    }
    disk_image::expect_disk_file(image)?;
    let locked = Some(locked(image)?);
    disk_image::expect_mountable(image)?;
    host_file::warn_of_little_room(image)?;
    Ok(Some(SessionDisk { path: image.clone(), locked }))
}

/// The kept disk, or else a fresh one.
///
/// # Errors
/// If something on the fresh one cannot be read, fetched or built.
pub fn make(
    kept: Option<SessionDisk>,
    environment: &Environment,
    (job, cores): (&ScriptOptions, u8),
    script: Option<&[u8]>,
    scratch: &Scratch,
    progress: &ProgressLine,
) -> Result<SessionDisk> {
    if let Some(kept) = kept {
        return Ok(kept);
    }
    let mut placed = Vec::new();
    if let Some(script) = script {
        placed.push(Placed {
            dest: SCRIPT_PATH.to_string(),
            content: FileContent::Bytes(script.to_vec()),
            mode: 0o644,
        });
    }
    if cores > 1 {
        placed.push(artifacts::program_for_cores(environment));
    }
    placed.extend(placed_in_host(&job.put)?);
    let choice = DiskChoice::try_from(&job.image)?;
    let image = scratch.folder.join("disk.img");
    artifacts::session_disk(environment, &choice, placed, &image, progress)?;
    Ok(SessionDisk { path: image, locked: None })
}

fn locked(image: &Path) -> Result<File> {
    let shown = image.display();
    let file = File::open(image).with_context(|| format!("cannot open {shown}"))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => {
            let holder = lock_holder::holder(&file).map_or_else(String::new, |holder| format!(" ({holder})"));
            bail!(
                "{shown} is the disk of another ./renga that runs{holder}: \
                 wait for its end, or take a copy (cp {shown} ...)"
            )
        }
        Err(TryLockError::Error(error)) => Err(error).with_context(|| format!("cannot lock {shown}")),
    }
}

/// Files and folders of the host, to be placed in `/host`.
///
/// # Errors
/// If one cannot be read or is neither a file, a folder nor a link.
pub fn placed_in_host(paths: &[PathBuf]) -> Result<Vec<Placed>> {
    let mut placed = Vec::new();
    for path in paths {
        // What is named is meant, wherever it lies.
        let path = path.canonicalize().with_context(|| format!("cannot put {} on the disk", path.display()))?;
        let name = path.file_name().context("a path without a name")?.to_string_lossy().into_owned();
        put(&path, &format!("/host/{name}"), &mut placed)?;
    }
    Ok(placed)
}

/// Adds a file, or a folder with all that is in it, whose links stay links.
fn put(path: &Path, dest: &str, placed: &mut Vec<Placed>) -> Result<()> {
    let cannot = || format!("cannot put {} on the disk", path.display());
    let facts = fs::symlink_metadata(path).with_context(cannot)?;
    if facts.is_dir() {
        for entry in fs::read_dir(path).with_context(cannot)? {
            let entry = entry?;
            put(&entry.path(), &format!("{dest}/{}", entry.file_name().to_string_lossy()), placed)?;
        }
        return Ok(());
    }
    if placed.len() == PUT_FILES_MAX {
        bail!("more than {PUT_FILES_MAX} files to put on the disk");
    }
    let content = match facts.file_type() {
        kind if kind.is_symlink() => FileContent::Link(fs::read_link(path)?.to_string_lossy().into_owned()),
        kind if kind.is_file() => FileContent::HostFile(path.to_path_buf()),
        _ => bail!("cannot put {} on the disk: it is neither a file, a folder nor a link", path.display()),
    };
    let mode = std::os::unix::fs::PermissionsExt::mode(&facts.permissions()) & 0o777;
    placed.push(Placed { dest: dest.to_string(), content, mode });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::put;
    use renga_images::disk_image::FileContent;
    use std::collections::BTreeMap;
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;

    /// Holds: put-links.
    #[test]
    fn put_symbolic_links_stay_links() {
        let folder = std::env::temp_dir().join(format!("renga-put-{}", std::process::id()));
        fs::create_dir_all(folder.join("below")).unwrap();
        fs::write(folder.join("below/file"), b"content").unwrap();
        symlink("nowhere", folder.join("dangling")).unwrap();
        symlink("below", folder.join("folder")).unwrap();
        symlink("..", folder.join("below/up")).unwrap();
        let mut placed = Vec::new();
        put(&folder, "/host/x", &mut placed).unwrap();
        let found: BTreeMap<&str, Option<&str>> = placed
            .iter()
            .map(|file| match &file.content {
                FileContent::Link(target) => (file.dest.as_str(), Some(target.as_str())),
                _ => (file.dest.as_str(), None),
            })
            .collect();
        let expected = [
            ("/host/x/below/file", None),
            ("/host/x/below/up", Some("..")),
            ("/host/x/dangling", Some("nowhere")),
            ("/host/x/folder", Some("below")),
        ];
        assert_eq!(found, BTreeMap::from(expected));
        let _socket = UnixListener::bind(folder.join("socket")).unwrap();
        let refused = put(&folder, "/host/x", &mut placed).unwrap_err().to_string();
        assert!(refused.contains("socket") && refused.contains("neither"), "{refused}");
        fs::remove_dir_all(folder).unwrap();
    }
}

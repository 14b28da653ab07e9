//! Where a command writes: a file, or standard output.
//!
//! Invariant: a file that is replaced has all of the new content or all of the old. Long commands ask before their work
//! whether they can write what comes of it.

use anyhow::{Context, Result, bail};
use serde::Serialize;
use std::fs::{self, File};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};

/// Opens `path`; standard output, if it is `-` or none is given.
///
/// # Errors
/// If the file cannot be made.
pub fn open(path: Option<&Path>) -> Result<Box<dyn Write>> {
    match path.filter(|path| *path != Path::new("-")) {
        Some(path) => {
            let file = File::create(path).with_context(|| format!("cannot write {}", path.display()))?;
            Ok(Box::new(file))
        }
        None => Ok(Box::new(std::io::stdout())),
    }
}

/// Whether `json`, the value of an option `--json`, leaves standard output to the text.
pub fn leaves_text(json: Option<&Path>) -> bool {
    json != Some(Path::new("-"))
}

/// Writes `report` as JSON, if an option `--json` says where.
///
/// # Errors
/// If it cannot be written.
pub fn write_json(json: Option<&Path>, report: &impl Serialize) -> Result<()> {
    let Some(path) = json else { return Ok(()) };
    let text = serde_json::to_string_pretty(report)? + "\n";
    if leaves_text(json) {
        return replace(path, text.as_bytes());
    }
    match std::io::stdout().write_all(text.as_bytes()) {
        // Its reader has what it wanted.
        Err(error) if error.kind() == ErrorKind::BrokenPipe => Ok(()),
        written => written.context("standard output is not whole"),
    }
}

/// Makes `path` a file of these bytes; if that fails, what was there stays.
///
/// # Errors
/// If it cannot be written.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let cannot = || format!("cannot write {}", path.display());
    let Some(part) = part_of(path)? else { return fs::write(path, bytes).with_context(cannot) };
    let written = fs::write(&part, bytes).and_then(|()| fs::rename(&part, real(path)));
    if written.is_err() {
        let _ = fs::remove_file(&part); // it may not be there
    }
    written.with_context(cannot)
}

/// Makes sure, before the work, that a command can write the file which an option names at its end.
///
/// # Errors
/// If it cannot.
pub fn expect_file(path: Option<&Path>) -> Result<()> {
    let Some(path) = path.filter(|path| *path != Path::new("-")) else { return Ok(()) };
    let cannot = || format!("cannot write {}", path.display());
    match part_of(path)? {
        Some(part) => File::create(&part).and_then(|_| fs::remove_file(&part)).with_context(cannot),
        // Opening a pipe would wait for its reader.
        None => Ok(()),
    }
}

/// Makes sure, before the work, that a command can write files into a folder, which is made.
///
/// # Errors
/// If it cannot.
pub fn expect_folder(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    expect_file(Some(&folder.join("a result")))
}

/// The file that becomes `path` when it is whole; none beside what is no file, as a device.
fn part_of(path: &Path) -> Result<Option<PathBuf>> {
    match fs::metadata(path) {
        Ok(facts) if facts.is_dir() => bail!("cannot write {}: it is a folder", path.display()),
        Ok(facts) if !facts.is_file() => return Ok(None),
        _ => {}
    }
    let mut name = path.file_name().with_context(|| format!("{} names no file", path.display()))?.to_os_string();
    name.push(format!(".part-{}", std::process::id()));
    Ok(Some(real(path).with_file_name(name)))
}

/// Where a link leads, if it leads anywhere.
fn real(path: &Path) -> PathBuf {
    path.canonicalize().unwrap_or_else(|_| path.to_path_buf())
}

#[cfg(test)]
mod tests {
    use super::{expect_file, expect_folder, replace};
    use std::fs;
    use std::path::Path;

    #[test]
    fn output_that_cannot_be_written_is_refused_before_and_leaves_the_old_file() {
        let folder = std::env::temp_dir().join(format!("renga-output-{}", std::process::id()));
        fs::create_dir_all(folder.join("folder")).unwrap();
        let file = folder.join("file");
        expect_file(Some(&file)).unwrap();
        assert!(!file.exists(), "asking makes no file");
        replace(&file, b"old").unwrap();
        let link = folder.join("link");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        replace(&link, b"new").unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"new");
        assert!(link.is_symlink(), "a link stays one");
        for path in [folder.join("folder"), file.join("below"), folder.join("none/file"), "/dev/null/x".into()] {
            assert!(expect_file(Some(&path)).is_err(), "{}", path.display());
            assert!(replace(&path, b"new").is_err(), "{}", path.display());
        }
        assert!(expect_folder(&file).is_err());
        expect_folder(&folder.join("made/too")).unwrap();
        replace(Path::new("/dev/full"), b"new").unwrap_err();
        expect_file(Some(Path::new("/dev/null"))).unwrap();
        let mut names: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        names.sort();
        assert_eq!(names, ["file", "folder", "link", "made"], "no parts are left");
        fs::remove_dir_all(folder).unwrap();
    }
}

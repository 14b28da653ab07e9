//! Where the page is written: never over a trace that it is made of, and never half.

use anyhow::{Context, Result, bail};
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Refuses what the page may not be written to: one of the `inputs`, or without `force` what is there already.
///
/// # Errors
/// If it is refused; the message has a way out.
pub fn check(out: &Path, inputs: &[&Path], force: bool) -> Result<()> {
    let place = fs::canonicalize(out).ok();
    if let Some(input) = inputs.iter().find(|input| place.is_some() && fs::canonicalize(input).ok() == place) {
        bail!("the page would replace {}, of which it is made: --out names another file", input.display());
    }
    if !force && out.exists() {
        return Err(there_already(out));
    }
    Ok(())
}

/// Writes the page beside `out` and renames it, so that what was there stays if that fails. What is no file, as a pipe,
/// takes the page directly.
///
/// # Errors
/// If it cannot be written, or without `force` if something has come there.
pub fn write(out: &Path, text: &str, force: bool) -> Result<()> {
    let cannot = || format!("cannot write {}", out.display());
    // A link stays a link.
    let place = fs::canonicalize(out).unwrap_or_else(|_| out.to_path_buf());
    if place.exists() && !place.is_file() {
        let file = File::options().write(true).open(&place);
        return file.and_then(|mut file| file.write_all(text.as_bytes())).with_context(cannot);
    }
    let part = part(&place);
    let written = fs::write(&part, text).with_context(cannot).and_then(|()| {
        if !force && out.exists() {
            return Err(there_already(out));
        }
        fs::rename(&part, &place).with_context(cannot)
    });
    if written.is_err() {
        let _ = fs::remove_file(&part); // the message says what matters
    }
    written
}

fn there_already(out: &Path) -> anyhow::Error {
    anyhow::anyhow!("{} is there already: --force overwrites it, --out names another file", out.display())
}

/// The name of what is not yet whole.
fn part(place: &Path) -> PathBuf {
    let mut name = place.as_os_str().to_owned();
    name.push(format!(".{}.part", std::process::id()));
    PathBuf::from(name)
}

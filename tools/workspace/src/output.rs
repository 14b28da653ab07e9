//! Where a command writes: a file, or standard output.

use anyhow::{Context, Result};
use serde::Serialize;
use std::fs::File;
use std::io::Write;
use std::path::Path;

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
    let text = serde_json::to_string_pretty(report)?;
    writeln!(open(Some(path))?, "{text}").with_context(|| format!("cannot write {}", path.display()))
}

//! Where a command writes: a file, or standard output.

use anyhow::{Context, Result};
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

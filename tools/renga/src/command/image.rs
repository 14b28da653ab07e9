//! `renga image`: builds the disk image.

use crate::artifacts;
use crate::cli::Image;
use crate::environment::Environment;
use crate::progress::Progress;
use anyhow::Result;

/// Builds it and prints where it is.
///
/// # Errors
/// As [`artifacts::disk`].
pub fn image(environment: &Environment, options: &Image) -> Result<u8> {
    let progress = Progress::start();
    let path = artifacts::disk(environment, options.output.as_deref(), &progress)?;
    progress.finish();
    println!("{}", path.display());
    Ok(0)
}

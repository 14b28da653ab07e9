//! Builds of this checkout by cargo.

use anyhow::{Context, Result, bail};
use std::process::Command;

/// The cargo that runs this, or that of the path.
pub fn program() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string())
}

/// Runs a command to its end.
///
/// # Errors
/// If it cannot be started or fails; what it wrote on standard error follows `failure`.
pub fn run(mut command: Command, failure: &str) -> Result<()> {
    let output = command.output().with_context(|| format!("cannot start {:?}", command.get_program()))?;
    if !output.status.success() {
        bail!("{failure}:\n{}", String::from_utf8_lossy(&output.stderr).trim_end());
    }
    Ok(())
}

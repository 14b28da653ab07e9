//! `renga env`: the settings with which plain cargo builds for the boards.

use anyhow::Result;
use renga_workspace::environment::Environment;

/// Prints shell exports.
///
/// # Errors
/// Never; the signature is that of all commands.
pub fn env(environment: &Environment) -> Result<u8> {
    println!("export RENGA_ROOT='{}'", environment.root.display());
    println!("export CARGO_TARGET_AARCH64_UNKNOWN_NONE_SOFTFLOAT_RUSTFLAGS='{}'", environment.target_rustflags);
    Ok(0)
}

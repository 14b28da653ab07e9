//! `renga env`: the settings with which plain cargo builds for the boards.

use anyhow::Result;
use renga_workspace::environment::{Environment, TARGET_RUSTFLAGS};
use renga_workspace::shell::quoted;

/// Cargo's name for the flags of builds for the boards.
const CARGO_FLAGS: &str = "CARGO_TARGET_AARCH64_UNKNOWN_NONE_SOFTFLOAT_RUSTFLAGS";

/// Prints shell exports.
///
/// # Errors
/// If a setting is neither there nor can be provided.
pub fn env(environment: &Environment) -> Result<u8> {
    let mut settings = environment.all()?;
    settings.insert(CARGO_FLAGS.to_string(), settings.get(TARGET_RUSTFLAGS).cloned().unwrap_or_default());
    settings.entry("PATH".to_string()).or_insert_with(|| std::env::var_os("PATH").unwrap_or_default());
    settings.iter().for_each(|(name, value)| println!("export {name}={}", quoted(&value.to_string_lossy())));
    Ok(0)
}

//! Builds of this checkout by cargo.

use anyhow::{Context, Result, bail};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Cargo's variable of compiler flags, whose separator no path contains; it goes before all others.
pub const ENCODED_FLAGS: &str = "CARGO_ENCODED_RUSTFLAGS";
const ENCODED_SEPARATOR: &str = "\x1f";

/// The cargo that runs this, or that of the path.
pub fn program() -> String {
    std::env::var("CARGO").unwrap_or_else(|_| "cargo".to_string())
}

/// What cargo's folder, a folder of the registry's sources, and the project's folder become in what is built.
pub const MAPPED: [&str; 3] = ["/cargo", "/registry", "/renga"];

/// The value of [`ENCODED_FLAGS`] for `flags`, each of which begins with a hyphen and may have spaces in its path, and
/// those that keep this machine's paths out of what is built ([`MAPPED`]). So checkouts in other folders and on other
/// machines build the same bytes.
pub fn encoded_flags(project: &Path, flags: &str) -> OsString {
    let cargo_home = home("CARGO_HOME", ".cargo");
    let registries = fs::read_dir(cargo_home.join("registry/src")).into_iter().flatten().flatten();
    let mut registries: Vec<PathBuf> = registries.map(|entry| entry.path()).collect();
    registries.sort();
    let mut all: Vec<OsString> = split(flags).iter().map(OsString::from).collect();
    // The compiler takes the last that fits.
    let [for_cargo, for_registry, for_project] = MAPPED;
    all.push(mapped(&cargo_home, for_cargo));
    all.extend(registries.iter().map(|folder| mapped(folder, for_registry)));
    all.push(mapped(project, for_project));
    all.join(OsStr::new(ENCODED_SEPARATOR))
}

/// The single flags, which spaces separate: a hyphen follows.
fn split(flags: &str) -> Vec<String> {
    let parts = flags.trim().split(" -").map(str::trim).filter(|part| !part.is_empty());
    parts.enumerate().map(|(at, part)| if at == 0 { part.to_string() } else { format!("-{part}") }).collect()
}

/// The folder of cargo or rustup that a variable names, or else the usual one in the user's.
pub fn home(variable: &str, usual: &str) -> PathBuf {
    let user = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
    std::env::var_os(variable).map_or_else(|| user.join(usual), PathBuf::from)
}

/// The flag by which `from` becomes `to`.
fn mapped(from: &Path, to: &str) -> OsString {
    let mut flag = OsString::from("--remap-path-prefix=");
    flag.push(from);
    flag.push("=");
    flag.push(to);
    flag
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

#[cfg(test)]
mod tests {
    use super::split;

    /// Holds: paths-spaces.
    #[test]
    fn cargo_flags_with_spaces_in_paths_stay_whole() {
        let flags = "--sysroot=/my work/sysroot -Clinker=/my work/bin/rust-lld  -Ctarget-feature=+a,-b ";
        let expected = ["--sysroot=/my work/sysroot", "-Clinker=/my work/bin/rust-lld", "-Ctarget-feature=+a,-b"];
        assert_eq!(split(flags), expected);
        assert!(split("  ").is_empty());
    }
}

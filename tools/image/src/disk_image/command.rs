//! Running the programs of e2fsprogs and dpkg.

use std::process::{Command, Output, Stdio};

use super::ImageError;
use crate::calendar::EPOCH_S;

/// Runs a program to its end, with its output collected. Any exit status is returned as it is.
pub(super) fn run(
    program: &str,
    package: &'static str,
    configure: impl FnOnce(&mut Command),
) -> Result<Output, ImageError> {
    let mut command = Command::new(program);
    // The programs of e2fsprogs lie in /sbin, which an ordinary user's path may lack.
    let path = std::env::var("PATH").unwrap_or_default();
    command.env("PATH", format!("{path}:/usr/sbin:/sbin"));
    command.env("E2FSPROGS_FAKE_TIME", EPOCH_S.to_string()).env("LC_ALL", "C").env("TZ", "UTC");
    command.stdin(Stdio::null());
    configure(&mut command);
    command.output().map_err(|cause| ImageError::MissingProgram { program: program.into(), package, cause })
}

/// Runs a program that must exit with 0.
pub(super) fn run_well(
    program: &str,
    package: &'static str,
    configure: impl FnOnce(&mut Command),
) -> Result<Output, ImageError> {
    let output = run(program, package, configure)?;
    if output.status.success() {
        return Ok(output);
    }
    Err(ImageError::Failed { program: program.into(), report: report(&output) })
}

/// Both streams of a finished program as text.
pub(super) fn report(output: &Output) -> String {
    let text = [String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr)].concat();
    text.trim_end().to_string()
}

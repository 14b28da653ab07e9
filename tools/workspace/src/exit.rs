//! How a command ends.

use anyhow::Result;
use std::process::ExitCode;

/// Exit status when Renga itself fails, as opposed to a program that it ran.
pub const FAILURE_STATUS: u8 = 125;

/// The exit status of a command; prints its error.
pub fn code(outcome: Result<u8>) -> ExitCode {
    ExitCode::from(outcome.unwrap_or_else(|error| {
        eprintln!("renga: {error:#}");
        FAILURE_STATUS
    }))
}

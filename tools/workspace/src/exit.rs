//! How a command ends.
//!
//! Invariant: a command that could not print all fails with a line; a closed pipe is no failure, since its reader has
//! what it wanted. The standard library panics when it cannot print; that panic unwinds, so what a command holds is
//! given back as at any end.

use anyhow::{Result, anyhow};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;

/// Exit status when Renga itself fails, as opposed to a program that it ran.
pub const FAILURE_STATUS: u8 = 125;
/// How the standard library's panic begins.
const CANNOT_PRINT: &str = "failed printing to stdout: ";
/// Its end, if the reader of the output has gone.
const NO_READER: &str = "(os error 32)";

/// Carries a command out; prints its error, and returns its exit status.
pub fn of(command: impl FnOnce() -> Result<u8>) -> ExitCode {
    let usual = panic::take_hook();
    panic::set_hook(Box::new(move |panic| {
        if cannot_print(panic.payload_as_str()).is_none() {
            usual(panic);
        }
    }));
    let outcome = panic::catch_unwind(AssertUnwindSafe(command)).unwrap_or_else(|payload| {
        let text = payload.downcast_ref::<String>().map(String::as_str);
        match cannot_print(text) {
            Some(cause) if cause.ends_with(NO_READER) => Ok(0),
            Some(cause) => Err(anyhow!("standard output is not whole: {cause}")),
            None => panic::resume_unwind(payload),
        }
    });
    ExitCode::from(outcome.unwrap_or_else(|error| {
        eprintln!("renga: {error:#}");
        FAILURE_STATUS
    }))
}

/// Why a panic could not print, if that was it.
fn cannot_print(panic: Option<&str>) -> Option<&str> {
    panic?.strip_prefix(CANNOT_PRINT)
}

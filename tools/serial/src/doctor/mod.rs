//! What this machine has for building, emulating, flashing and connecting boards, and a way out for what it lacks.
//!
//! Invariant: only reads; changes and installs nothing. Not here: set-up (the `renga` script).

mod connections;
mod programs;

pub use connections::{card_readers, serial_ports};
pub use programs::{host_programs, qemu, toolchain};
use serde::Serialize;

/// How a thing stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Health {
    /// It is there.
    Good,
    /// It is only needed for real boards.
    ForBoards,
    /// Renga does not work without it.
    Missing,
}

/// One thing that was examined.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(deny_unknown_fields))]
pub struct Diagnosis {
    /// How it stands.
    pub verdict: Health,
    /// What was found.
    pub what: String,
    /// What to do about it; empty if nothing.
    pub way_out: String,
}

impl Diagnosis {
    fn good(what: impl Into<String>) -> Diagnosis {
        Diagnosis { verdict: Health::Good, what: what.into(), way_out: String::new() }
    }
    fn missing(what: impl Into<String>, way_out: impl Into<String>) -> Diagnosis {
        Diagnosis { verdict: Health::Missing, what: what.into(), way_out: way_out.into() }
    }
    fn for_boards(what: impl Into<String>, way_out: impl Into<String>) -> Diagnosis {
        Diagnosis { verdict: Health::ForBoards, what: what.into(), way_out: way_out.into() }
    }
}

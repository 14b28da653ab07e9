//! A mutant: a place in the source and what stands there instead.
//!
//! Invariant: [`Change::key`] names the mutant in any build of the same sources.

use serde::{Deserialize, Serialize};
use std::fmt;

/// What kind of mutation it is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum MutationKind {
    /// `<` for `<=`.
    Boundary,
    /// A comparison or a condition says the opposite.
    Negation,
    /// `&&` for `||`.
    Logic,
    /// `+` for `-`, `*` for `+`.
    Arithmetic,
    /// `&` for `|`.
    Bits,
    /// A number is one more.
    Number,
    /// A call or an assignment is left out.
    Dropped,
    /// A function returns at once.
    Return,
}

/// A mutant.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Change {
    /// The file, from the repository's root.
    pub file: String,
    /// Its line, from 1.
    pub line: usize,
    /// Its column, from 0.
    pub column: usize,
    /// The function that it is in.
    pub function: String,
    /// What kind of mutation it is.
    pub kind: MutationKind,
    /// What stands there, shortened.
    pub before: String,
    /// What stands there instead.
    pub after: String,
}

impl Change {
    /// Its name.
    pub fn key(&self) -> String {
        format!("{}:{}:{}:{}", self.file, self.line, self.column, self.after)
    }
}

impl fmt::Display for Change {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Change { file, line, function, before, after, .. } = self;
        write!(out, "{file}:{line} in {function}: `{before}` becomes `{after}`")
    }
}

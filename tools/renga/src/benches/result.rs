//! The result of a row with one profile, as a file: findings, and all that they hang on.

use anyhow::{Context, Result};
use renga_bench::findings::Findings;
use renga_bench::run::Profile;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A run, as a result names it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFacts {
    /// What a person calls it.
    pub label: String,
    /// The sum of all that it was made of; what it said is kept under that name.
    pub key: String,
    /// What it was made of: by name, a value or a sum.
    pub parts: BTreeMap<String, String>,
    /// Sums of all that it did: console, frames, probes; empty of Linux.
    pub hashes: BTreeMap<String, String>,
}

/// A result.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RowResult {
    /// The row.
    pub row: String,
    /// What it measures.
    pub title: String,
    /// With which machine.
    pub profile: Profile,
    /// The least that shows it, or all.
    pub short: bool,
    /// The profile's parameters.
    pub parameters: BTreeMap<String, String>,
    /// The revision of the sources, if they were as in it.
    pub revision: Option<String>,
    /// Its runs.
    pub runs: Vec<RunFacts>,
    /// What was found.
    pub findings: Findings,
}

impl RowResult {
    /// Its file's name.
    pub fn file_name(&self) -> String {
        let short = if self.short { ".short" } else { "" };
        format!("{}.{}{short}.json", self.row, self.profile.name())
    }

    /// Writes it into `folder`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let path = folder.join(self.file_name());
        let text = serde_json::to_string_pretty(self)? + "\n";
        fs::write(&path, text).with_context(|| format!("cannot write {}", path.display()))
    }

    /// All results in `folder`, by their files' names.
    ///
    /// # Errors
    /// If one cannot be read.
    pub fn read_all(folder: &Path) -> Result<Vec<RowResult>> {
        let entries = fs::read_dir(folder).with_context(|| format!("no results in {}", folder.display()))?;
        let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
        paths.sort();
        let read = |path: &std::path::PathBuf| -> Result<RowResult> {
            let text = fs::read_to_string(path)?;
            serde_json::from_str(&text).with_context(|| format!("{} is no result", path.display()))
        };
        paths.iter().map(read).collect()
    }
}

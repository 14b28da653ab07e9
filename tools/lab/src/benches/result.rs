//! The result of a row with one profile, as a file: findings, and all that they hang on.

use anyhow::{Context, Result};
use renga_bench::findings::Findings;
use renga_bench::run::CostProfile;
use renga_workspace::output;
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
    pub profile: CostProfile,
    /// What people call the machine, if it is not that profile.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub machine: Option<String>,
    /// The least that shows it, or all.
    pub short: bool,
    /// At so many starts.
    #[serde(default = "once", skip_serializing_if = "is_once")]
    pub phases: usize,
    /// The profile's parameters.
    pub parameters: BTreeMap<String, String>,
    /// The revision of the sources, if they were as in it.
    pub revision: Option<String>,
    /// Its runs.
    pub runs: Vec<RunFacts>,
    /// What was found.
    pub findings: Findings,
}

fn once() -> usize {
    1
}

fn is_once(phases: &usize) -> bool {
    *phases == 1
}

impl RowResult {
    /// What its figures are, if it ran at several starts.
    pub fn starts(&self) -> String {
        format!("median (least to most) of {} starts of the load", self.phases)
    }

    /// What people call its machine.
    pub fn machine(&self) -> &str {
        self.machine.as_deref().unwrap_or(self.profile.name())
    }

    /// Its file's name.
    pub fn file_name(&self) -> String {
        let short = if self.short { ".short" } else { "" };
        format!("{}.{}{short}.json", self.row, self.machine())
    }

    /// Writes it into `folder`.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&self, folder: &Path) -> Result<()> {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        let path = folder.join(self.file_name());
        let text = serde_json::to_string_pretty(self)? + "\n";
        output::replace(&path, text.as_bytes())
    }

    /// All results in `folder`, by their files' names.
    ///
    /// # Errors
    /// If one cannot be read.
    pub fn read_all(folder: &Path) -> Result<Vec<RowResult>> {
        let entries = fs::read_dir(folder).with_context(|| {
            format!("no results in {}: `./renga bench p1` and the other papers' make them", folder.display())
        })?;
        let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
        paths.sort();
        let read = |path: &std::path::PathBuf| -> Result<RowResult> {
            let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
            serde_json::from_str(&text).with_context(|| format!("{} is no result", path.display()))
        };
        paths.iter().map(read).collect()
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::RowResult;
    use renga_bench::claims::{Claim, ClaimBound, Quantity, decide};
    use renga_bench::findings::Findings;
    use renga_bench::run::CostProfile;
    use std::collections::BTreeMap;

    /// A result with a claim of each kind.
    pub(in crate::benches) fn sample() -> RowResult {
        let quantity = |id: &str| Quantity::new(id, "what", "%");
        let claims = vec![
            Claim::paper(quantity("paper"), "1", ClaimBound::Within(0.0, 1.0), "as published"),
            Claim::aim(quantity("aim"), ClaimBound::AtLeast(15.0), "a sixth").exceeded(ClaimBound::AtLeast(45.0)),
            Claim::paper(quantity("other"), "1", ClaimBound::AtMost(1.0), "as published").untested("another question"),
        ];
        let mut findings = Findings::default();
        findings.quantity("paper", 1.0 / 3.0);
        findings.unmeasured("aim", "nothing waited");
        findings.claims = decide(claims, &findings.measured).unwrap();
        RowResult {
            row: "P1.T1".to_string(),
            title: "t".to_string(),
            profile: CostProfile::Paper1989,
            machine: None,
            short: true,
            phases: 1,
            parameters: BTreeMap::new(),
            revision: None,
            runs: Vec::new(),
            findings,
        }
    }

    #[test]
    fn result_round_trip_keeps_figures() {
        let result = sample();
        let folder = std::env::temp_dir().join(format!("renga-result-{}", std::process::id()));
        result.write(&folder).unwrap();
        assert!(folder.join("P1.T1.paper-1989.short.json").exists());
        assert_eq!(RowResult::read_all(&folder).unwrap(), [result]);
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

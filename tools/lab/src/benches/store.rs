//! Runs that were done, by their keys: what a run said, its facts, its trace.
//!
//! Invariant: a kept run is complete: its folder gets its name when all of it is there. Not here: what a key is made of
//! (`runner`).

use super::result::RunFacts;
use anyhow::{Context, Result};
use renga_bench::run::RunOutcome;
use std::fs;
use std::path::{Path, PathBuf};

const CONSOLE_FILE: &str = "console.txt";
const FACTS_FILE: &str = "run.json";
pub(super) const TRACE_FILE: &str = "trace";

/// A folder of runs.
pub(super) struct ResultStore {
    folder: PathBuf,
}

impl ResultStore {
    /// The runs in `folder`, which is made with the first.
    pub(super) fn new(folder: PathBuf) -> ResultStore {
        ResultStore { folder }
    }

    /// What came of the run with this key, if it was done before.
    pub(super) fn remembered(&self, key: &str) -> Option<(RunFacts, RunOutcome)> {
        let folder = self.folder.join(key);
        let facts = serde_json::from_str(&fs::read_to_string(folder.join(FACTS_FILE)).ok()?).ok()?;
        let text = fs::read_to_string(folder.join(CONSOLE_FILE)).ok()?;
        let trace = folder.join(TRACE_FILE);
        Some((facts, RunOutcome { text, trace: trace.exists().then_some(trace) }))
    }

    /// Takes over the folder of a run that is over, which holds its trace if it has one.
    pub(super) fn keep(&self, run: &Path, facts: &RunFacts, text: &str) -> Result<(RunFacts, RunOutcome)> {
        fs::write(run.join(CONSOLE_FILE), text)?;
        fs::write(run.join(FACTS_FILE), serde_json::to_string_pretty(facts)? + "\n")?;
        let kept = self.folder.join(&facts.key);
        fs::create_dir_all(&self.folder)?;
        // What was kept before, or by another command meanwhile, is the same.
        let cannot = || format!("cannot replace {}", kept.display());
        if kept.is_dir() {
            fs::remove_dir_all(&kept).with_context(cannot)?;
        } else if kept.exists() {
            fs::remove_file(&kept).with_context(cannot)?;
        }
        fs::rename(run, &kept).with_context(|| format!("cannot keep a run as {}", kept.display()))?;
        self.remembered(&facts.key).with_context(|| format!("{} does not contain a run", kept.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::{FACTS_FILE, ResultStore};
    use crate::benches::result::RunFacts;
    use std::collections::BTreeMap;
    use std::fs;

    /// Holds: bench-cache.
    #[test]
    fn result_store_finds_runs_by_content_only() {
        let folder = std::env::temp_dir().join(format!("renga-store-{}", std::process::id()));
        let store = ResultStore::new(folder.join("runs"));
        let facts = |key: &str| RunFacts {
            label: "pair".to_string(),
            key: key.to_string(),
            parts: BTreeMap::from([("seed".to_string(), "1".to_string())]),
            hashes: BTreeMap::new(),
        };
        assert!(store.remembered("one").is_none());
        for text in ["said", "said again"] {
            let run = folder.join("run");
            fs::create_dir_all(&run).unwrap();
            fs::write(run.join("trace"), text).unwrap();
            store.keep(&run, &facts("one"), text).unwrap();
            assert!(!run.exists(), "the run's folder has become the kept one");
        }
        let (kept, outcome) = store.remembered("one").unwrap();
        assert_eq!((kept, outcome.text.as_str()), (facts("one"), "said again"));
        assert_eq!(fs::read_to_string(outcome.trace.unwrap()).unwrap(), "said again");
        assert!(store.remembered("two").is_none());
        fs::remove_file(folder.join("runs/one").join(FACTS_FILE)).unwrap();
        assert!(store.remembered("one").is_none(), "what is there in part was not done");
        fs::remove_dir_all(&folder).unwrap();
    }
}

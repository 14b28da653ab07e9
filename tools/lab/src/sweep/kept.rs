//! Results of jobs as JSON files, by the jobs' keys.
//!
//! Invariant: a file with a result's name holds all of it. Not here: what is in it.

use anyhow::{Context, Result};
use serde::de::DeserializeOwned;
use std::fs;
use std::path::{Path, PathBuf};

/// A folder of results.
pub struct Kept {
    folder: PathBuf,
}

impl Kept {
    /// The results in `folder`, which is made if it is not there.
    ///
    /// # Errors
    /// If it cannot be made.
    pub fn new(folder: &Path) -> Result<Kept> {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
        Ok(Kept { folder: folder.to_path_buf() })
    }

    /// Where the result with this key is, or will be.
    pub fn path(&self, key: &str) -> PathBuf {
        self.folder.join(format!("{key}.json"))
    }

    /// Whether it is there.
    pub fn has(&self, key: &str) -> bool {
        self.path(key).exists()
    }

    /// Keeps a result that `write` writes into the file whose path it is given.
    ///
    /// # Errors
    /// What `write` says, or if it wrote nothing.
    pub fn keep(&self, key: &str, write: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
        // Several may be at the same job, where one was thought dead: each has a file of its own.
        let begun = self.folder.join(format!("{key}.{}.begun", std::process::id()));
        let written = write(&begun);
        if let Err(error) = written {
            let _ = fs::remove_file(&begun); // it may not be there
            return Err(error);
        }
        let path = self.path(key);
        fs::rename(&begun, &path).with_context(|| format!("cannot keep a result as {}", path.display()))
    }

    /// What was kept.
    ///
    /// # Errors
    /// If it is not there, or is no such result.
    pub fn read<T: DeserializeOwned>(&self, key: &str) -> Result<T> {
        let path = self.path(key);
        let text = fs::read_to_string(&path).with_context(|| format!("no result in {}", path.display()))?;
        serde_json::from_str(&text).with_context(|| format!("{} is no result: remove it", path.display()))
    }
}

#[cfg(test)]
mod tests {
    use super::Kept;
    use std::fs;

    /// Holds: sweep-once.
    #[test]
    fn kept_result_is_complete_or_absent() {
        let folder = std::env::temp_dir().join(format!("renga-kept-{}", std::process::id()));
        let kept = Kept::new(&folder).unwrap();
        let broken = kept.keep("one", |path| {
            fs::write(path, "[1,")?;
            anyhow::bail!("the worker failed")
        });
        assert!(broken.is_err() && !kept.has("one") && kept.read::<Vec<u8>>("one").is_err());
        assert!(kept.keep("one", |_| Ok(())).is_err(), "nothing was written");
        kept.keep("one", |path| Ok(fs::write(path, "[1, 2]")?)).unwrap();
        assert!(kept.has("one") && !kept.has("two"));
        assert_eq!(kept.read::<Vec<u8>>("one").unwrap(), [1, 2]);
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing else stays");
        fs::remove_dir_all(&folder).unwrap();
    }
}

//! Folders that are gone when the test ends, however it ends.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// A folder of a test's own.
pub struct Scratch {
    folder: PathBuf,
}

impl Scratch {
    /// An empty one.
    pub fn new(name: &str) -> Scratch {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = super::work().join("tests").join(format!("{name}-{}-{number}", std::process::id()));
        // What a killed run has left behind under the same number.
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("target/ can be written");
        Scratch { folder }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// A path in it.
    pub fn join(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes a file in it; its path.
    pub fn write(&self, name: &str, content: &[u8]) -> PathBuf {
        let path = self.join(name);
        if let Some(folder) = path.parent() {
            fs::create_dir_all(folder).expect("target/ can be written");
        }
        fs::write(&path, content).expect("target/ can be written");
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // In target/, which any program may remove.
        let _ = fs::remove_dir_all(&self.folder);
    }
}

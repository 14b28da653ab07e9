//! A folder of a test's own, and commands that are refused in it.

use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

/// The status of a command that Renga itself ends.
pub const REFUSED: i32 = 125;

/// A folder, gone with this.
pub struct Folder(PathBuf);

impl Folder {
    /// An empty one.
    pub fn new(name: &str) -> Folder {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{}-{number}", std::process::id()));
        // What a killed test has left behind under the same number.
        let _ = fs::remove_dir_all(&path);
        fs::create_dir_all(&path).expect("target/ can be written");
        Folder(path)
    }

    /// A path in it.
    pub fn join(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // In target/, which any program may remove.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A project's folder with our systems and images in which nothing is built: no other test builds there, or waits.
fn project() -> PathBuf {
    let project = Path::new(env!("CARGO_TARGET_TMPDIR")).join("damaged-project");
    fs::create_dir_all(&project).expect("target/ can be written");
    for name in ["sysprocs", "userland"] {
        let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(name);
        // Another test may have made it.
        let _ = symlink(ours, project.join(name));
    }
    project
}

/// Runs `renga`, which finds no cargo: what it does not refuse ends there.
pub fn renga(arguments: &[&OsStr]) -> Output {
    let mut renga = Command::new(env!("CARGO_BIN_EXE_renga"));
    renga.env("RENGA_ROOT", project());
    let settings = ["RENGA_QEMU", "RENGA_OBJCOPY", "CARGO"].map(|name| (name, "/bin/false"));
    renga.envs(settings).args(arguments).stdin(Stdio::null()).output().expect("it was built")
}

/// Fails unless a command was refused with a line about `file`; what it said.
pub fn expect_refusal(what: &str, file: &Path, output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!(output.status.code(), Some(REFUSED), "{what}: {said}");
    let line = said.lines().find(|line| line.starts_with("renga: ")).unwrap_or_default();
    assert!(line.contains(&file.display().to_string()), "{what}: no line names the file: {said}");
    assert!(!said.contains("panicked") && !said.contains("/bin/false"), "{what}: {said}");
    said
}

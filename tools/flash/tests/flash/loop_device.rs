//! Loop devices: files that this host shows as disks.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};

/// A file as a disk; detached and gone when dropped.
pub struct LoopDevice {
    pub path: PathBuf,
    pub backing: PathBuf,
}

impl LoopDevice {
    /// One of this size, or none where this machine has none to give: the test that asks is skipped.
    pub fn attach(len_bytes: u64) -> Option<LoopDevice> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let name = format!("renga-loop-{}-{}.img", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let backing = std::env::temp_dir().join(name);
        let file = std::fs::File::create(&backing).expect("there is a temporary folder");
        file.set_len(len_bytes).expect("there is a temporary folder");
        let output = run("losetup", &["--find", "--show", "--partscan", &backing.to_string_lossy()]);
        match output {
            Ok(path) => Some(LoopDevice { path: PathBuf::from(path.trim()), backing }),
            Err(reason) => {
                let _ = std::fs::remove_file(&backing);
                renga_skip::skipped(&format!("no loop device: {reason}"));
                None
            }
        }
    }

    /// The device as an argument.
    pub fn argument(&self) -> &str {
        self.path.to_str().expect("a plain name")
    }

    /// What distinguishes it: its file.
    pub fn serial(&self) -> String {
        format!("--serial={}", self.backing.display())
    }
}

impl Drop for LoopDevice {
    fn drop(&mut self) {
        let _ = run("losetup", &["--detach", self.argument()]);
        let _ = std::fs::remove_file(&self.backing);
    }
}

/// Runs a program of the administrator's; its output, or what it complained about.
pub fn run(program: &str, arguments: &[&str]) -> Result<String, String> {
    let path = format!("{}:/usr/sbin:/sbin", std::env::var("PATH").unwrap_or_default());
    let output = Command::new(program).env("PATH", path).args(arguments).output().map_err(|error| error.to_string())?;
    if output.status.success() {
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    } else {
        Err(String::from_utf8_lossy(&output.stderr).into_owned())
    }
}

/// `renga flash` with these arguments: status, and all that it said.
pub fn flash(arguments: &[&str]) -> (i32, String) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut renga = Command::new(env!("CARGO_BIN_EXE_renga-flash"));
    let output = renga.env("RENGA_ROOT", root).arg("flash").args(arguments).stdin(std::process::Stdio::null());
    let output = output.output().expect("renga starts");
    let said = [output.stdout, output.stderr].concat();
    (output.status.code().unwrap_or(-1), String::from_utf8_lossy(&said).into_owned())
}

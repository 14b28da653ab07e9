//! The boards' busybox on the host: Debian's native build of the same version, as the reference.

use super::{Ended, Scratch, root, work};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// The folder that a Debian package was unpacked to; fetched if it was not.
pub fn folder_of_package(architecture: &str, name: &str) -> PathBuf {
    let names = [name.to_string()];
    let folders = renga_images::disk_image::fetch_packages(&root(), &work(), architecture, &names, &mut |_| {});
    folders.expect("the package can be fetched").remove(name).expect("it was asked for")
}

/// A folder with a link for each applet.
pub struct Busybox {
    applets: Scratch,
}

impl Busybox {
    /// Makes it.
    pub fn new() -> Busybox {
        let architecture = match std::env::consts::ARCH {
            "aarch64" => "arm64",
            _ => "amd64",
        };
        let program = folder_of_package(architecture, "busybox-static").join("bin/busybox");
        let applets = Scratch::new("applets");
        let list = fs::read_to_string(root().join("userland/applets.txt")).expect("the list of applets is there");
        for path in list.lines() {
            let name = path.rsplit('/').next().unwrap_or(path);
            // Some are listed in two folders.
            let _ = symlink(&program, applets.join(name));
        }
        Busybox { applets }
    }

    /// Runs a shell command in `folder` with the environment that scripts have on a board.
    pub fn run(&self, folder: &Path, script: &str) -> Ended {
        let begin = Instant::now();
        let mut shell = Command::new(self.applets.join("sh"));
        shell.current_dir(folder).arg("-c").arg(format!("umask 022\n{script}")).env_clear().stdin(Stdio::null());
        shell.env("PATH", self.applets.path()).env("HOME", "/root").envs([
            ("USER", "root"),
            ("LOGNAME", "root"),
            ("TERM", "linux"),
            ("SHELL", "/bin/sh"),
            ("TZ", "UTC"),
        ]);
        let output = shell.output().expect("busybox starts");
        Ended {
            status: output.status.code().unwrap_or(-1),
            stdout: output.stdout,
            stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
            took: begin.elapsed(),
        }
    }
}

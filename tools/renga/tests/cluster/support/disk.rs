//! Disks of a test's own, which outlive the run: their file system can be judged and read.

use super::{Ended, Renga, Scratch, root};
use renga_images::disk_image::{self, DiskChoice, FileContent, FsckVerdict, ImageSpec, Placed};
use renga_workspace::environment::Environment;
use renga_workspace::progress::ProgressLine;
use std::path::PathBuf;

/// Where init finds the script to run.
const SCRIPT_PATH: &str = "/etc/renga/script";

/// A disk image in a folder of a test's own.
pub struct Disk {
    scratch: Scratch,
}

impl Disk {
    /// A disk whose session runs `script`, with further files (path on the disk, content).
    pub fn new(name: &str, script: &str, files: &[(String, Vec<u8>)]) -> Disk {
        Disk::of(name, DiskChoice::default(), script, files)
    }

    /// The same with a file system of this size.
    pub fn of_size(name: &str, filesystem_mib: u32, script: &str, files: &[(String, Vec<u8>)]) -> Disk {
        let choice = DiskChoice { filesystem_mib: Some(filesystem_mib), ..DiskChoice::default() };
        Disk::of(name, choice, script, files)
    }

    /// The same with another image.
    pub fn of(name: &str, choice: DiskChoice, script: &str, files: &[(String, Vec<u8>)]) -> Disk {
        let disk = Disk { scratch: Scratch::new(name) };
        let place = |dest: &str, content: &[u8]| Placed {
            dest: dest.to_string(),
            content: FileContent::Bytes(content.to_vec()),
            mode: 0o644,
        };
        let mut placed = vec![place(SCRIPT_PATH, script.as_bytes())];
        placed.extend(files.iter().map(|(dest, content)| place(dest, content)));
        let mut environment = Environment::read().expect("the environment can be read");
        environment.root = root();
        let progress = ProgressLine::start();
        let mut spec = ImageSpec { choice, ..ImageSpec::new(&root()) };
        spec.placed = renga_images::artifacts::programs(&environment, &progress).expect("our programs are built");
        spec.placed.extend(placed);
        disk_image::build(&spec, &disk.image(), &mut |step| progress.step(step)).expect("a disk is made");
        disk
    }

    /// The image.
    pub fn image(&self) -> PathBuf {
        self.scratch.join("disk.img")
    }

    /// Runs its script.
    pub fn run(&self) -> Ended {
        self.run_on(&super::system::name())
    }

    /// Runs its script on a system of its own.
    pub fn run_on(&self, system: &str) -> Ended {
        self.on(system).end()
    }

    /// A run of its script on a system of its own, in the making.
    pub fn on(&self, system: &str) -> Renga {
        let options = ["--system".into(), system.into(), "--disk".into(), self.image().into_os_string()];
        Renga::run().with(options)
    }

    /// Fails if the file system checker finds anything.
    pub fn expect_clean(&self, ended: &Ended) {
        if let FsckVerdict::Damaged(faults) = disk_image::fsck(&self.image()).expect("e2fsck runs") {
            panic!("the file system is damaged:\n{faults}\n{}", ended.report());
        }
    }

    /// All its files, in a folder.
    pub fn tree(&self) -> PathBuf {
        let folder = self.scratch.join("tree");
        disk_image::extract_tree(&self.image(), &folder).expect("debugfs runs");
        folder
    }

    /// One of its files.
    pub fn file(&self, path: &str) -> Vec<u8> {
        disk_image::read_file(&self.image(), path).unwrap_or_else(|error| panic!("{path}: {error}"))
    }
}

//! The host's own disk is full: programs on the boards see a disk that fails, the run says why and fails too, and what
//! was synced is on the image.
//!
//! Each test mounts a small file system in a mount namespace of its own, so that nothing of it is left. Where the host
//! forbids that, the test is skipped.

use crate::support::{Disk, Ended, Renga, Scratch, clusters_can_run, system};
use renga_images::disk_image::{self, FsckVerdict};
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::process::Command;

/// A private mount namespace: root's own, or one of a user namespace.
const NAMESPACES: [&[&str]; 2] = [&["-m"], &["-rm"]];
const MIB: u64 = 1 << 20;

/// How `unshare` lets a program mount; if it does not, the test that asks is skipped.
fn namespace(at: &Path) -> Option<&'static [&'static str]> {
    let mounts = |how: &&&[&str]| {
        let mut mount = Command::new("unshare");
        mount.args(**how).args(["mount", "-t", "tmpfs", "-o", "size=1m", "renga"]).arg(at);
        mount.output().is_ok_and(|output| output.status.success())
    };
    let found = NAMESPACES.iter().find(mounts).copied();
    if found.is_none() {
        renga_skip::skipped("this host lets no test mount a small file system (unshare -m)");
    }
    found
}

/// A folder on a file system of `bytes`, in which a command is run: `$1` is the folder, `$2` and so on are `arguments`.
struct SmallFolder {
    scratch: Scratch,
    namespace: &'static [&'static str],
}

impl SmallFolder {
    fn new(name: &str) -> Option<SmallFolder> {
        let scratch = Scratch::new(name);
        let namespace = namespace(scratch.path())?;
        Some(SmallFolder { scratch, namespace })
    }

    /// `renga`, run by `script` as `"$@"` in `$small`, which has room for `bytes`.
    fn run(&self, bytes: u64, script: &str, renga: Renga) -> Ended {
        let small = self.scratch.path().display();
        let script =
            format!("small={small}; mount -t tmpfs -o size={bytes} renga $small || exit 77\ncd $small\n{script}");
        let before = ["unshare"].into_iter().chain(self.namespace.iter().copied()).chain(["sh", "-c", &script, "sh"]);
        renga.below(&before.collect::<Vec<_>>()).end()
    }
}

/// Files that are synced one by one, until all are written or the disk fails: 229 kB each.
const SYNCED: &str = "i=0\nwhile [ $i -lt 12 ]; do\n\
    seq 1 40000 | dd of=/root/f$i bs=64k conv=fsync 2> /dev/null || break\n\
    echo $i\ni=$((i + 1))\ndone\necho end\n";

/// Holds: host-disk-full.
#[test]
fn host_disk_full_kept_image_fails_loudly_and_keeps_synced_files() {
    if !clusters_can_run() {
        return;
    }
    let Some(small) = SmallFolder::new("host-full") else { return };
    let disk = Disk::new("host-full-disk", SYNCED, &[]);
    let image = disk.image();
    let taken = image.metadata().expect("it is ours").blocks() * 512;
    let script = format!(
        "cp --sparse=always {0} disk.img && \"$@\"\nended=$?\ncp --sparse=always disk.img {0} && exit $ended",
        image.display()
    );
    let run = Renga::run().with(["--system", &system::name(), "--disk", "disk.img"]);
    let ended = small.run(taken + MIB, &script, run);
    let synced: Vec<usize> = ended.text().lines().filter_map(|line| line.parse().ok()).collect();
    assert!(!synced.is_empty() && synced.len() < 12, "some files have room, not all: {synced:?}\n{}", ended.report());
    assert!(ended.text().contains("end\n"), "the boards go on\n{}", ended.report());
    assert_eq!(ended.status, 125, "{}", ended.report());
    for part in ["disk.img", "0 bytes free", "free space", "e2fsck -p"] {
        assert!(ended.stderr.contains(part), "no {part:?}\n{}", ended.report());
    }
    disk_image::repair(&image).expect("e2fsck repairs it");
    assert_eq!(disk_image::fsck(&image).expect("e2fsck runs"), FsckVerdict::Clean, "{}", ended.report());
    let expected: String = (1..=40000).map(|number| format!("{number}\n")).collect();
    for file in synced {
        assert!(disk.file(&format!("/root/f{file}")) == expected.as_bytes(), "f{file} was synced\n{}", ended.report());
    }
}

/// Holds: host-disk-full.
#[test]
fn host_disk_full_truncated_outputs_are_errors() {
    if !clusters_can_run() {
        return;
    }
    let Some(small) = SmallFolder::new("host-full-outputs") else { return };
    let run = |script: &str| Renga::command(&["run", "-c", script]);
    let cases = [
        ("\"$@\" > out", run("seq 40000"), "standard output is not whole"),
        ("\"$@\"", run("seq 3000").with(["--trace", "trace"]), "the trace could not be written"),
        ("\"$@\"", run("seq 100000 > /root/f").with(["--extract", "tree"]), "tree is not whole"),
        (
            "echo old > disk.img\n\"$@\"\nended=$?\n[ \"$(echo *; cat disk.img)\" = \"disk.img\nold\" ] || exit 1\nexit $ended",
            Renga::command(&["image", "--out", "disk.img"]),
            "No space left on device",
        ),
    ];
    for (script, renga, complaint) in cases {
        let ended = small.run(200 << 10, script, renga);
        assert_eq!(ended.status, 125, "{complaint}\n{}", ended.report());
        assert!(ended.stderr.contains(complaint), "{complaint}\n{}", ended.report());
    }
}

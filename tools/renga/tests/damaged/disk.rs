//! Disk images that no board could mount.

use crate::support::{Folder, expect_refusal, renga};
use renga_damage::{DISK_DAMAGES, DiskImage, SeenBy};
use renga_images::partition_table::{self, PartitionEntry, PartitionExtent, TYPE_LINUX};
use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const SEED: u64 = 1;
const START_BYTES: usize = 1 << 20;
const DISK_BYTES: usize = 8 << 20;

/// A file system with a journal, on the one partition of a disk.
fn sound_image(folder: &Folder) -> Vec<u8> {
    let file = folder.join("filesystem");
    let places = format!("{}:/sbin:/usr/sbin", std::env::var("PATH").unwrap_or_default());
    let mut mke2fs = Command::new("mke2fs");
    mke2fs.env("PATH", places).args(["-q", "-F", "-t", "ext2", "-b", "4096", "-I", "128", "-J", "size=4", "-O"]);
    mke2fs.arg("none,has_journal,filetype,sparse_super,large_file").arg(&file).arg("7M");
    let output = mke2fs.output().expect("mke2fs (package e2fsprogs)");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let filesystem = fs::read(file).expect("it was made");
    let extent = PartitionExtent { start_bytes: START_BYTES as u64, len_bytes: filesystem.len() as u64 };
    let mut disk = partition_table::write(&[PartitionEntry { kind: TYPE_LINUX, extent }], 0).to_vec();
    disk.resize(START_BYTES, 0);
    disk.extend(filesystem);
    disk.resize(DISK_BYTES, 0);
    disk
}

fn run(image: &Path) -> Output {
    renga(&["run".as_ref(), "--system".as_ref(), "solo".as_ref(), "--disk".as_ref(), image.as_os_str()])
}

/// Holds: disk-damaged.
#[test]
fn damaged_disk_is_refused_before_boards_start() {
    let folder = Folder::new("damaged-disk");
    let (sound, image) = (sound_image(&folder), folder.join("disk.img"));
    let kinds = || DISK_DAMAGES.into_iter().flatten();
    assert!(kinds().count() >= 34 + 12, "kinds that the host sees, and others");
    for damage in kinds().filter(|damage| damage.seen_by == SeenBy::Host) {
        let mut disk = DiskImage::new(sound.clone());
        damage.apply(&mut disk, SEED);
        assert!(disk.bytes != sound, "{}", damage.name);
        fs::write(&image, &disk.bytes).expect("target/ can be written");
        expect_refusal(damage.name, &image, &run(&image));
        assert!(fs::read(&image).expect("it is there") == disk.bytes, "{}: it was changed", damage.name);
    }
}

/// Holds: disk-damaged.
#[test]
fn sound_disk_passes_the_check_of_damage() {
    let folder = Folder::new("sound-disk");
    let image = folder.join("disk.img");
    fs::write(&image, sound_image(&folder)).expect("target/ can be written");
    let said = String::from_utf8_lossy(&run(&image).stderr).into_owned();
    assert!(said.contains("/bin/false") || said.contains("does not build"), "nothing else is missing: {said}");
}

/// Holds: disk-in-use.
#[test]
fn disk_in_use_is_refused_with_its_user() {
    let folder = Folder::new("disk-in-use");
    let image = folder.join("disk.img");
    fs::write(&image, sound_image(&folder)).expect("target/ can be written");
    let file = fs::File::open(&image).expect("it is there");
    file.try_lock().expect("nobody else has it");
    let said = expect_refusal("in use", &image, &run(&image));
    assert!(said.contains(&format!("runs (pid {}: ", std::process::id())), "{said}");
}

/// A pipe's reader waits for a writer; the last is a file that cannot be read.
/// Holds: disk-damaged.
#[test]
fn disk_of_another_kind_than_a_file_is_refused() {
    let folder = Folder::new("no-disk");
    let pipe = folder.join("pipe");
    let made = Command::new("mkfifo").arg(&pipe).status();
    assert!(made.is_ok_and(|status| status.success()), "mkfifo (package coreutils)");
    fs::create_dir(folder.join("folder")).expect("target/ can be written");
    for (image, reason) in [
        (folder.join("folder"), "it is a folder"),
        (pipe, "neither a file nor a block device"),
        ("/dev/null".into(), "neither a file nor a block device"),
        (folder.join("nothing"), "No such file"),
        ("/proc/self/mem".into(), "os error"),
    ] {
        let said = expect_refusal(reason, &image, &run(&image));
        assert!(said.contains(reason), "{reason}: {said}");
    }
}

//! A kept disk that is damaged: the run says why in a line, with a status that no program gives.

use crate::support::{Disk, clusters_can_run};
use std::fs::{self, File};
use std::os::unix::fs::FileExt;

/// Where the file system begins in an image, and parts of it (ext2, blocks of 4 KiB).
const PARTITION_AT: u64 = 1 << 20;
const BLOCK_BYTES: u64 = 4096;
const SUPERBLOCK_AT: u64 = PARTITION_AT + 1024;
const GROUPS_AT: u64 = PARTITION_AT + BLOCK_BYTES;
/// In a group's descriptor: the first block of its inodes.
const INODE_TABLE_AT: u64 = GROUPS_AT + 8;
/// In a superblock.
const INODE_BYTES_AT: u64 = SUPERBLOCK_AT + 88;
const BLOCKS_PER_GROUP_AT: u64 = SUPERBLOCK_AT + 32;
/// The journal's inode, counted from 1.
const JOURNAL: u64 = 8;

fn number(image: &File, at: u64, len: usize) -> u64 {
    let mut bytes = [0; 8];
    image.read_exact_at(&mut bytes[..len], at).expect("the image is longer");
    u64::from_le_bytes(bytes)
}

/// Holds: disk-damaged.
#[test]
fn damaged_disk_ends_run_with_line_and_own_status() {
    if !clusters_can_run() {
        return;
    }
    let disk = Disk::new("damaged", "echo begun", &[]);
    let image = disk.image();
    let whole = fs::read(&image).expect("it was made");
    let open = || File::options().read(true).write(true).open(&image).expect("it was made");
    let inodes_at = PARTITION_AT + number(&open(), INODE_TABLE_AT, 4) * BLOCK_BYTES;
    let journal_at = inodes_at + (JOURNAL - 1) * number(&open(), INODE_BYTES_AT, 2);
    for (what, at, len, status) in [
        ("geometry", BLOCKS_PER_GROUP_AT, 4, 125),
        ("groups", GROUPS_AT, 32, 71),
        ("inodes", inodes_at, BLOCK_BYTES as usize, 71),
        ("journal", journal_at, 128, 71),
    ] {
        fs::write(&image, &whole).expect("it was made");
        open().write_all_at(&vec![0xff; len], at).expect("it was made");
        let ended = disk.run_on("solo");
        assert_eq!(ended.status, status, "{what}\n{}", ended.report());
        let text = ended.text();
        assert!(text.lines().any(|line| line.starts_with("renga: ")), "{what}\n{}", ended.report());
        assert!(!text.contains("begun"), "{what}\n{}", ended.report());
    }
}

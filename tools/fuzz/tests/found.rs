//! Inputs that once broke something, by what they broke.

use renga_fuzz::fs::image::FuzzMedium;
use renga_fuzz::fs::{board, ext2};
use renga_fuzz::syscall;
use renga_rt::Errno;

/// Patches of the image: block, offset, new bytes.
fn patched(use_as: u8, patches: &[(u8, u16, &[u8])]) -> Vec<u8> {
    let mut bytes = vec![use_as];
    for (block, offset, new) in patches {
        bytes.push(*block);
        bytes.extend((offset | (new.len() as u16 - 1) << 13).to_le_bytes());
        bytes.extend(*new);
    }
    bytes
}

const REMOVE: u8 = 6;
const CUT: u8 = 4;
const UNLINK: u8 = 5;

#[test]
fn group_without_directories_losing_one_is_refused() {
    ext2::run(&patched(REMOVE, &[(1, 16, &[0, 0])]));
}

#[test]
fn group_with_too_many_free_inodes_is_refused() {
    ext2::run(&patched(UNLINK, &[(1, 12, &[0xff, 0xff, 0xff, 0xff])]));
}

#[test]
fn file_at_last_block_number_is_refused() {
    // Inode 14: block 0 of the file, then an indirect block that is no block.
    let at = 13 * 256 + 40;
    ext2::run(&patched(CUT, &[(4, at, &[0xff, 0xff, 0xff, 0xff, 1, 0, 0, 0])]));
    ext2::run(&patched(UNLINK, &[(4, at, &[0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0])]));
}

#[test]
fn indirect_block_cycle_is_refused() {
    // Its third indirect block is a block of pointers to itself.
    let at = 13 * 256 + 40 + 14 * 4;
    let mut patches = vec![(4, at, &[12, 0, 0, 0][..])];
    patches.extend((0..64).map(|place| (12, place * 8, &[12, 0, 0, 0, 12, 0, 0, 0][..])));
    ext2::run(&patched(UNLINK, &patches));
}

#[test]
fn directory_of_4_gb_is_refused() {
    // Inode 12, the directory `d`: its size.
    let patch = |medium: &FuzzMedium| medium.patch(4, 11 * 256 + 4, &[0, 0xf0, 0xff, 0xff]);
    let mounted = board::run(&[], patch, |mut user, _| async move {
        assert_eq!(user.list(b"d").await, Err(Errno::EIO));
        assert_eq!(user.read(b"d/f").await, Err(Errno::EIO));
    });
    assert!(mounted.is_some());
}

#[test]
fn directory_with_hole_is_refused() {
    // Inode 12: a size of two blocks, of which the second is nowhere.
    let patch = |medium: &FuzzMedium| medium.patch(4, 11 * 256 + 4, &[0, 0x20, 0, 0]);
    let mounted = board::run(&[], patch, |mut user, _| async move {
        assert_eq!(user.read(b"d/f").await, Ok(5000));
        assert_eq!(user.read(b"d/none").await, Err(Errno::EIO));
    });
    assert!(mounted.is_some());
}

#[test]
fn init_survives_sent_sigsegv() {
    syscall::run(&[129, 1, 0x11, 0, 0, 0, 11]); // kill(0, SIGSEGV)
}

//! Damage behind a sound superblock: what mounting reads, and what it has no need of.

use super::image::{BLOCK_BYTES, DiskImage, POINTERS_AT};
use super::kind::{DiskDamage, SeenBy};
use renga_random::Random;

const JOURNAL_MAGIC: u32 = 0xc03b_3998;
const DESCRIPTOR: u32 = 1;
const COMMIT: u32 = 2;
/// A descriptor's last tag.
const LAST_TAG: u32 = 8;
/// A transaction's number.
const SEQUENCE: u32 = 77;
/// In the superblock: the file system's journal has content.
const RECOVER: u32 = 4;
/// An inode's first bytes: its kind and permissions.
const KIND_FILE: [u8; 2] = 0o100_644_u16.to_le_bytes();
const INODE_BYTES: usize = 128;

const fn board(name: &'static str, run: fn(&mut DiskImage, &mut Random)) -> DiskDamage {
    DiskDamage::new(name, SeenBy::Board, run)
}

const fn nobody(name: &'static str, run: fn(&mut DiskImage, &mut Random)) -> DiskDamage {
    DiskDamage::new(name, SeenBy::Nobody, run)
}

/// Makes the journal begin with a transaction of one block, which belongs to block `to` of the file system.
fn begin_transaction(image: &mut DiskImage, to: u32) {
    let incompatible = image.u32_at(image.superblock(96));
    image.put_u32(image.superblock(96), incompatible | RECOVER);
    let (head, descriptor) = (image.journal(0), image.journal(1));
    image.put_be32(head + 24, SEQUENCE);
    image.put_be32(head + 28, 1);
    for (at, word) in [JOURNAL_MAGIC, DESCRIPTOR, SEQUENCE, to, LAST_TAG].into_iter().enumerate() {
        image.put_be32(descriptor + at * 4, word);
    }
}

fn end_transaction(image: &mut DiskImage) {
    let commit = image.journal(3);
    for (at, word) in [JOURNAL_MAGIC, COMMIT, SEQUENCE].into_iter().enumerate() {
        image.put_be32(commit + at * 4, word);
    }
}

pub(super) const FOR_BOARDS: &[DiskDamage] = &[
    board("group descriptors zeros", |image, _| image.fill(image.group(), BLOCK_BYTES, 0)),
    board("group descriptors ones", |image, _| image.fill(image.group(), 32, 0xff)),
    board("inode table beyond the file system", |image, _| image.put_u32(image.group() + 8, u32::MAX - 1)),
    board("inodes zeros", |image, _| image.fill(image.inode_table(), BLOCK_BYTES, 0)),
    board("inodes ones", |image, _| image.fill(image.inode_table(), BLOCK_BYTES, 0xff)),
    board("inodes random", |image, random| {
        let at = image.inode_table();
        random.fill(&mut image.bytes[at..at + BLOCK_BYTES]);
    }),
    board("root inode zeros", |image, _| image.fill(image.root_inode(), INODE_BYTES, 0)),
    board("root is a file", |image, _| image.put(image.root_inode(), &KIND_FILE)),
    board("root's data beyond the file system", |image, _| {
        image.put_u32(image.root_inode() + POINTERS_AT, u32::MAX - 1);
    }),
    board("root's data zeros", |image, _| image.fill(image.root_data(), BLOCK_BYTES, 0)),
    board("root's data random", |image, random| {
        let at = image.root_data();
        random.fill(&mut image.bytes[at..at + BLOCK_BYTES]);
    }),
    board("journal inode zeros", |image, _| image.fill(image.journal_inode(), INODE_BYTES, 0)),
    board("journal inode ones", |image, _| image.fill(image.journal_inode(), INODE_BYTES, 0xff)),
    board("journal superblock zeros", |image, _| image.fill(image.journal(0), 1024, 0)),
    board("journal longer than its file", |image, _| image.put_be32(image.journal(0) + 16, u32::MAX)),
    board("journal with unknown features", |image, _| image.put_be32(image.journal(0) + 40, u32::MAX)),
    board("journal of a block beyond the file system", |image, _| {
        begin_transaction(image, u32::MAX - 1);
        end_transaction(image);
    }),
    nobody("journal half written", |image, _| begin_transaction(image, 0)),
    nobody("counts of free blocks and inodes", |image, random| {
        let (blocks, inodes) = (random.draw() as u32, random.draw() as u32);
        image.put_u32(image.superblock(12), blocks);
        image.put_u32(image.superblock(16), inodes);
        image.put_u32(image.group() + 12, random.draw() as u32);
    }),
    nobody("bitmaps ones", |image, _| {
        let (blocks, inodes) = (image.u32_at(image.group()), image.u32_at(image.group() + 4));
        image.fill(image.block(blocks), BLOCK_BYTES, 0xff);
        image.fill(image.block(inodes), BLOCK_BYTES, 0xff);
    }),
    nobody("state of errors", |image, _| image.put(image.superblock(58), &[2, 0])),
    nobody("root's times and size", |image, random| {
        let at = image.root_inode() + 4;
        random.fill(&mut image.bytes[at..at + 16]);
    }),
];

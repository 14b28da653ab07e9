//! Damage that the host sees: a file that is no disk, a bad partition table, a superblock that no board mounts.

use super::image::{DiskImage, ENTRY_AT, ENTRY_BYTES};
use super::kind::{DiskDamage, SeenBy};
use renga_random::Random;

/// An entry's type, first sector, and length in sectors.
const KIND_AT: usize = ENTRY_AT + 4;
const FIRST_AT: usize = ENTRY_AT + 8;
const SECTORS_AT: usize = ENTRY_AT + 12;
const FAT32: u8 = 0x0c;

const fn host(name: &'static str, run: fn(&mut DiskImage, &mut Random)) -> DiskDamage {
    DiskDamage::new(name, SeenBy::Host, run)
}

pub(super) const FOR_HOST: &[DiskDamage] = &[
    host("empty", |image, _| image.bytes.clear()),
    host("shorter than a sector", |image, random| image.bytes.truncate(random.between(1, 511) as usize)),
    host("zeros", |image, _| image.bytes.fill(0)),
    host("random bytes", |image, random| random.fill(&mut image.bytes)),
    host("cut in the file system", |image, _| image.bytes.truncate(image.bytes.len() / 2)),
    host("cut before the superblock", |image, _| image.bytes.truncate(image.superblock(0))),
    host("length of half a sector more", |image, _| image.bytes.extend_from_slice(&[0; 256])),
    host("length no power of two", |image, _| image.bytes.extend_from_slice(&[0; 512])),
    host("no signature of the partition table", |image, _| image.put(510, &[0, 0])),
    host("partition of another type", |image, _| image.put(KIND_AT, &[FAT32])),
    host("partition begins beyond the medium", |image, random| {
        let beyond = (image.bytes.len() / 512) as u32 + random.below(1 << 20) as u32;
        image.put_u32(FIRST_AT, beyond);
    }),
    host("partition ends beyond the medium", |image, _| image.put_u32(SECTORS_AT, u32::MAX)),
    host("partition without sectors", |image, _| image.put_u32(SECTORS_AT, 0)),
    host("partition begins at the table", |image, _| image.put_u32(FIRST_AT, 0)),
    host("partitions overlap", |image, _| {
        let (first, sectors) = (image.u32_at(FIRST_AT), image.u32_at(SECTORS_AT));
        image.put(KIND_AT + ENTRY_BYTES, &[FAT32]);
        image.put_u32(FIRST_AT + ENTRY_BYTES, first + sectors / 2);
        image.put_u32(SECTORS_AT + ENTRY_BYTES, sectors);
    }),
    host("superblock zeros", |image, _| image.fill(image.superblock(0), 1024, 0)),
    host("superblock ones", |image, _| image.fill(image.superblock(0), 1024, 0xff)),
    host("magic", |image, random| image.put(image.superblock(56), &[random.below(0x53) as u8])),
    host("block size", |image, random| image.put_u32(image.superblock(24), random.one(&[0, 1, 3, 6, u32::MAX]))),
    host("no blocks", |image, _| image.put_u32(image.superblock(4), 0)),
    host("more blocks than the partition", |image, _| {
        let blocks = image.u32_at(image.superblock(4));
        image.put_u32(image.superblock(4), blocks * 2);
    }),
    host("no inodes", |image, _| image.put_u32(image.superblock(0), 0)),
    host("more inodes than the groups have", |image, _| {
        let inodes = image.u32_at(image.superblock(0));
        image.put_u32(image.superblock(0), inodes + 1);
    }),
    host("inode size", |image, random| image.put(image.superblock(88), &[random.one(&[0, 1, 0x7f, 0x81]), 0])),
    host("no blocks in a group", |image, _| image.put_u32(image.superblock(32), 0)),
    host("too many blocks in a group", |image, _| image.put_u32(image.superblock(32), u32::MAX)),
    host("no inodes in a group", |image, _| image.put_u32(image.superblock(40), 0)),
    host("first block", |image, _| image.put_u32(image.superblock(20), 1)),
    host("revision", |image, _| image.put_u32(image.superblock(76), 0)),
    host("incompatible feature", |image, random| {
        let known = image.u32_at(image.superblock(96));
        image.put_u32(image.superblock(96), known | 1 << random.between(4, 31));
    }),
    host("feature that only reading ignores", |image, random| {
        let known = image.u32_at(image.superblock(100));
        image.put_u32(image.superblock(100), known | 1 << random.between(2, 31));
    }),
    host("recovery without a journal", |image, _| {
        image.put_u32(image.superblock(92), 0);
        image.put_u32(image.superblock(96), 2 | 4);
    }),
];

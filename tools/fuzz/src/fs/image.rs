//! A small ext2 image, and the medium that holds it.
//!
//! Invariant: `e2fsck -fn` finds nothing wrong with the image (`tests/image.rs`). It has one group of 64
//! blocks: directories, files with direct and indirect blocks and a hole, links of each kind, a device.

use renga_hal::block::{Block, BlockError, SECTOR_BYTES, check_range};
use std::cell::RefCell;

/// Bytes of a block.
pub const BLOCK_BYTES: usize = 4096;
/// Blocks of the image.
pub const BLOCKS: usize = 64;
/// Blocks in use, from 0 on: superblock, descriptors, two bitmaps, two of inodes, content.
pub const USED_BLOCKS: usize = 15;
const INODES: u32 = 32;
const USED_INODES: u32 = 18;
const INODE_BYTES: usize = 256;
const TABLE_BLOCK: usize = 4;
const SECTORS_PER_BLOCK: u64 = (BLOCK_BYTES / SECTOR_BYTES) as u64;

/// The names that the image has.
pub const NAMES: [&str; 12] =
    ["/", "d", "d/f", "d/h", "d/../d/f", "h", "i", "l", "long", "null", "lost+found", "nothing"];

struct FuzzImage(Vec<u8>);

impl FuzzImage {
    fn put(&mut self, at: usize, bytes: &[u8]) {
        self.0[at..at + bytes.len()].copy_from_slice(bytes);
    }
    fn put_u16(&mut self, at: usize, value: u16) {
        self.put(at, &value.to_le_bytes());
    }
    fn put_u32(&mut self, at: usize, value: u32) {
        self.put(at, &value.to_le_bytes());
    }

    /// An inode: number, mode, links, size, blocks in use, pointers.
    fn inode(&mut self, ino: usize, mode: u16, links: u16, size: u32, blocks: u32, pointers: &[(usize, u32)]) {
        let at = TABLE_BLOCK * BLOCK_BYTES + (ino - 1) * INODE_BYTES;
        self.put_u16(at, mode);
        self.put_u32(at + 4, size);
        for time in [8, 12, 16] {
            self.put_u32(at + time, 1_600_000_000);
        }
        self.put_u16(at + 26, links);
        self.put_u32(at + 28, blocks * SECTORS_PER_BLOCK as u32);
        for &(place, block) in pointers {
            self.put_u32(at + 40 + place * 4, block);
        }
        self.put_u16(at + 128, 32);
    }

    /// A block of a directory: inodes, types and names; the last record takes the rest.
    fn directory(&mut self, block: usize, entries: &[(u32, u8, &str)]) {
        let mut at = block * BLOCK_BYTES;
        for (place, &(ino, kind, name)) in entries.iter().enumerate() {
            let rest = (block + 1) * BLOCK_BYTES - at;
            let bytes = if place + 1 == entries.len() { rest } else { (8 + name.len()).next_multiple_of(4) };
            self.put_u32(at, ino);
            self.put_u16(at + 4, bytes as u16);
            self.put(at + 6, &[name.len() as u8, kind]);
            self.put(at + 8, name.as_bytes());
            at += bytes;
        }
    }

    fn bitmap(&mut self, block: usize, used: u32, of: u32) {
        for bit in (0..used).chain(of..BLOCK_BYTES as u32 * 8) {
            self.0[block * BLOCK_BYTES + bit as usize / 8] |= 1 << (bit % 8);
        }
    }

    fn superblock(&mut self) {
        let (free_blocks, free_inodes) = (BLOCKS - USED_BLOCKS, INODES - USED_INODES);
        let words = [(0, INODES), (4, BLOCKS as u32), (12, free_blocks as u32), (16, free_inodes), (24, 2), (28, 2)];
        for (at, value) in words.into_iter().chain([(32, 32768), (36, 32768), (40, INODES), (76, 1), (84, 11)]) {
            self.put_u32(1024 + at, value);
        }
        for (at, value) in [(54, 0xffff), (56, 0xef53), (58, 1), (60, 1), (88, INODE_BYTES as u16)] {
            self.put_u16(1024 + at, value);
        }
        for (at, value) in [(96, 2), (100, 3)] {
            self.put_u32(1024 + at, value);
        }
        self.put(1024 + 104, b"renga fuzz image");
        for (at, value) in [(0, 2), (4, 3), (8, TABLE_BLOCK as u32)] {
            self.put_u32(BLOCK_BYTES + at, value);
        }
        for (at, value) in [(12, free_blocks as u16), (14, free_inodes as u16), (16, 3)] {
            self.put_u16(BLOCK_BYTES + at, value);
        }
    }
}

/// The image.
pub fn make() -> Vec<u8> {
    let mut image = FuzzImage(vec![0; BLOCKS * BLOCK_BYTES]);
    image.superblock();
    image.bitmap(2, USED_BLOCKS as u32, BLOCKS as u32);
    image.bitmap(3, USED_INODES, INODES);
    let page = BLOCK_BYTES as u32;
    image.inode(2, 0o040_755, 4, page, 1, &[(0, 6)]);
    image.inode(11, 0o040_700, 2, page, 1, &[(0, 7)]);
    image.inode(12, 0o040_755, 2, page, 1, &[(0, 8)]);
    image.inode(13, 0o100_644, 1, 5000, 2, &[(0, 9), (1, 10)]);
    image.inode(14, 0o100_644, 1, 14 * page, 3, &[(0, 11), (12, 12)]);
    image.inode(15, 0o120_777, 1, 3, 0, &[(0, u32::from_le_bytes(*b"d/f\0"))]);
    image.inode(16, 0o120_777, 1, 100, 1, &[(0, 14)]);
    image.inode(17, 0o100_644, 2, 0, 0, &[]);
    image.inode(18, 0o020_666, 1, 0, 0, &[(0, 1 << 8 | 3)]);
    let root = [(2, 2, "."), (2, 2, ".."), (11, 2, "lost+found"), (12, 2, "d"), (14, 1, "i"), (15, 7, "l")];
    let root: Vec<_> = root.into_iter().chain([(16, 7, "long"), (17, 1, "h"), (18, 3, "null")]).collect();
    image.directory(6, &root);
    image.directory(7, &[(11, 2, "."), (2, 2, "..")]);
    image.directory(8, &[(12, 2, "."), (2, 2, ".."), (13, 1, "f"), (17, 1, "h")]);
    for (block, byte) in [(9, b'f'), (11, b'i'), (13, b'j')] {
        image.0[block * BLOCK_BYTES..][..BLOCK_BYTES].fill(byte);
    }
    image.0[10 * BLOCK_BYTES..][..5000 - BLOCK_BYTES].fill(b'g');
    image.put_u32(12 * BLOCK_BYTES, 13); // block 12 of the file; its block 13 is a hole
    image.put(14 * BLOCK_BYTES, &b"./".repeat(50)[..100]);
    image.0
}

/// A medium in memory that can be set back to the image cheaply.
pub struct FuzzMedium(RefCell<FuzzImageState>);

struct FuzzImageState {
    bytes: Vec<u8>,
    image: Vec<u8>,
    changed: [bool; BLOCKS],
}

impl Default for FuzzMedium {
    fn default() -> Self {
        FuzzMedium(RefCell::new(FuzzImageState { bytes: make(), image: make(), changed: [false; BLOCKS] }))
    }
}

impl FuzzMedium {
    /// Holds the image again.
    pub fn reset(&self) {
        let FuzzImageState { bytes, image, changed } = &mut *self.0.borrow_mut();
        for (block, changed) in changed.iter_mut().enumerate().filter(|(_, changed)| **changed) {
            let range = block * BLOCK_BYTES..(block + 1) * BLOCK_BYTES;
            bytes[range.clone()].copy_from_slice(&image[range]);
            *changed = false;
        }
    }

    /// Changes bytes of one block, as far as they lie in it.
    pub fn patch(&self, block: usize, offset: usize, new: &[u8]) {
        let state = &mut *self.0.borrow_mut();
        let room = &mut state.bytes[block * BLOCK_BYTES..(block + 1) * BLOCK_BYTES][offset..];
        let fits = new.len().min(room.len());
        room[..fits].copy_from_slice(&new[..fits]);
        state.changed[block] = true;
    }

    /// What it holds.
    pub fn content(&self) -> Vec<u8> {
        self.0.borrow().bytes.clone()
    }
}

impl Block for &FuzzMedium {
    fn blocks(&self) -> u64 {
        BLOCKS as u64 * SECTORS_PER_BLOCK
    }
    fn read(&mut self, sector: u64, out: &mut [u8]) -> Result<(), BlockError> {
        check_range(self.blocks(), sector, out.len())?;
        let at = sector as usize * SECTOR_BYTES;
        out.copy_from_slice(&self.0.borrow().bytes[at..at + out.len()]);
        Ok(())
    }
    fn write(&mut self, sector: u64, data: &[u8]) -> Result<(), BlockError> {
        check_range(self.blocks(), sector, data.len())?;
        let at = sector as usize * SECTOR_BYTES;
        let state = &mut *self.0.borrow_mut();
        state.bytes[at..at + data.len()].copy_from_slice(data);
        for block in at / BLOCK_BYTES..(at + data.len()).div_ceil(BLOCK_BYTES) {
            state.changed[block] = true;
        }
        Ok(())
    }
}

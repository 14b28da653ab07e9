//! What is on a file system: each path with what the file is and contains, read without Renga and e2fsprogs.
//!
//! Invariant: times and places of blocks are no part of it. It reads ext2 as our images have it: blocks of 4 KiB, no
//! extents. Called by: `cut_state`, `inspection`.

use super::cut_disk::CutDisk;
use anyhow::{Context, Result, bail, ensure};
use renga_images::card::sha256;
use std::collections::BTreeMap;

const BLOCK_BYTES: u64 = 4096;
const SECTORS_PER_BLOCK: u64 = BLOCK_BYTES / 512;
const POINTERS: u64 = BLOCK_BYTES / 4;
const DIRECT: usize = 12;
const SUPERBLOCK_BYTES: u64 = 1024;
const GROUP_BYTES: u64 = 32;
const ROOT: u32 = 2;
/// A link that is no longer lies in its inode.
const FAST_LINK_BYTES: u64 = 60;
const KIND: u16 = 0o170_000;
const FOLDER: u16 = 0o040_000;
const FILE: u16 = 0o100_000;
const LINK: u16 = 0o120_000;
/// Most paths of a tree, and levels of folders: beyond, it is damaged.
const PATHS_MAX: usize = 1 << 20;
const LEVELS_MAX: usize = 64;

/// What a path stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// A folder.
    Folder,
    /// A file.
    File,
    /// A symbolic link to this.
    Link(Vec<u8>),
    /// Something else: a device.
    Other,
}

/// A file of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TreeFile {
    /// What it is.
    pub content: Content,
    /// Permission bits.
    pub mode: u16,
    /// Owner and group.
    pub owners: (u32, u32),
    /// Its inode.
    pub ino: u32,
    /// Its size, bytes.
    pub bytes: u64,
    /// The sum of its data; of files that lie where the image has them, of their blocks.
    sum: String,
}

impl TreeFile {
    /// What it is; inodes may differ.
    fn description(&self) -> String {
        let TreeFile { content, mode, owners, bytes, sum, .. } = self;
        let bytes = if *content == Content::Folder { 0 } else { *bytes };
        format!("{content:?} {mode:o} {owners:?} {bytes} {sum}")
    }
}

/// By their paths, which are the bytes between the root and the name.
pub type FileTree = BTreeMap<String, TreeFile>;

/// All that two trees must have alike, by path: of each file what it is, and the first of its names.
pub fn descriptions(tree: &FileTree) -> BTreeMap<&str, String> {
    let mut first_names = BTreeMap::new();
    let described = tree.iter().map(|(path, file)| {
        let first = *first_names.entry(file.ino).or_insert(path);
        (path.as_str(), format!("{} {first}", file.description()))
    });
    described.collect()
}

/// Reads a file system that begins at `start_bytes` of a disk.
pub struct Ext2Reader<'a> {
    disk: &'a CutDisk,
    start_bytes: u64,
    inodes_per_group: u32,
    inode_bytes: u64,
}

struct Inode([u8; 128]);

impl Inode {
    fn word(&self, at: usize) -> u32 {
        u32::from_le_bytes([self.0[at], self.0[at + 1], self.0[at + 2], self.0[at + 3]])
    }
    fn half(&self, at: usize) -> u16 {
        u16::from_le_bytes([self.0[at], self.0[at + 1]])
    }
    fn mode(&self) -> u16 {
        self.half(0)
    }
    fn bytes(&self) -> u64 {
        let high = if self.mode() & KIND == FILE { self.word(108) } else { 0 };
        u64::from(self.word(4)) | u64::from(high) << 32
    }
    fn owners(&self) -> (u32, u32) {
        let id = |low, high| u32::from(self.half(low)) | u32::from(self.half(high)) << 16;
        (id(2, 120), id(24, 122))
    }
}

impl<'a> Ext2Reader<'a> {
    /// Reads the superblock.
    ///
    /// # Errors
    /// If the disk cannot be read or has another file system.
    pub fn new(disk: &'a CutDisk, start_bytes: u64) -> Result<Ext2Reader<'a>> {
        let mut head = [0; 1024];
        disk.read_bytes(start_bytes + SUPERBLOCK_BYTES, &mut head)?;
        let word = |at: usize| u32::from_le_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
        ensure!(word(24) == 2 && word(40) > 0, "the file system has other blocks");
        Ok(Ext2Reader { disk, start_bytes, inodes_per_group: word(40), inode_bytes: u64::from(word(88) & 0xffff) })
    }

    /// The whole tree, but for what lies at or below the path `without`.
    ///
    /// # Errors
    /// If the disk cannot be read or the tree is damaged.
    pub fn tree(&self, without: &str) -> Result<FileTree> {
        let mut tree = FileTree::new();
        self.add(&mut tree, "", ROOT, without, 0)?;
        Ok(tree)
    }

    /// The data of a file.
    ///
    /// # Errors
    /// If the disk cannot be read.
    pub fn data(&self, file: &TreeFile) -> Result<Vec<u8>> {
        let inode = self.inode(file.ino)?;
        self.data_of(&inode, &self.blocks(&inode)?)
    }

    fn add(&self, tree: &mut FileTree, path: &str, ino: u32, without: &str, level: usize) -> Result<()> {
        ensure!(tree.len() < PATHS_MAX && level < LEVELS_MAX, "{path}: too many files");
        let inode = self.inode(ino)?;
        let file = self.file(&inode, ino).with_context(|| format!("{path}/"))?;
        let is_folder = file.content == Content::Folder;
        tree.insert(if path.is_empty() { "/".into() } else { path.into() }, file);
        if !is_folder {
            return Ok(());
        }
        for (name, child) in entries(&self.data_of(&inode, &self.blocks(&inode)?)?)? {
            let below = format!("{path}/{name}");
            if below != without {
                self.add(tree, &below, child, without, level + 1)?;
            }
        }
        Ok(())
    }

    fn file(&self, inode: &Inode, ino: u32) -> Result<TreeFile> {
        let bytes = inode.bytes();
        let (content, sum) = match inode.mode() & KIND {
            FOLDER => (Content::Folder, String::new()),
            FILE => (Content::File, self.sum(inode)?),
            LINK if bytes < FAST_LINK_BYTES => (Content::Link(inode.0[40..][..bytes as usize].to_vec()), String::new()),
            LINK => (Content::Link(self.data_of(inode, &self.blocks(inode)?)?), String::new()),
            _ => (Content::Other, format!("{:?}", &inode.0[40..48])),
        };
        Ok(TreeFile { content, mode: inode.mode() & !KIND, owners: inode.owners(), ino, bytes, sum })
    }

    /// Files that the run did not touch are compared by their places only. Block 0, a hole, is the superblock's.
    fn sum(&self, inode: &Inode) -> Result<String> {
        let blocks = self.blocks(inode)?;
        let first = self.start_bytes / 512;
        let is_written =
            |block: &u32| self.disk.has_written(first + u64::from(*block) * SECTORS_PER_BLOCK, SECTORS_PER_BLOCK);
        if blocks.iter().filter(|block| **block != 0).any(is_written) {
            return Ok(sha256(&self.data_of(inode, &blocks)?).to_string());
        }
        Ok(format!("at {blocks:?}"))
    }

    fn inode(&self, ino: u32) -> Result<Inode> {
        let place = ino.checked_sub(1).context("inode 0")?;
        let (group, index) = (place / self.inodes_per_group, place % self.inodes_per_group);
        let mut table = [0; 4];
        self.disk.read_bytes(self.start_bytes + BLOCK_BYTES + u64::from(group) * GROUP_BYTES + 8, &mut table)?;
        let table = u64::from(u32::from_le_bytes(table));
        let mut inode = Inode([0; 128]);
        let at_bytes = table * BLOCK_BYTES + u64::from(index) * self.inode_bytes;
        self.disk.read_bytes(self.start_bytes + at_bytes, &mut inode.0)?;
        Ok(inode)
    }

    /// Its blocks in order; 0 is a hole.
    fn blocks(&self, inode: &Inode) -> Result<Vec<u32>> {
        let count = inode.bytes().div_ceil(BLOCK_BYTES);
        let pointers: Vec<u32> = (0..DIRECT + 3).map(|place| inode.word(40 + 4 * place)).collect();
        let mut blocks: Vec<u32> = pointers[..DIRECT].iter().copied().take(count as usize).collect();
        for (level, pointer) in (1..).zip(&pointers[DIRECT..]) {
            self.add_blocks(*pointer, level, count, &mut blocks)?;
        }
        ensure!(blocks.len() as u64 == count, "the file is too large");
        Ok(blocks)
    }

    fn add_blocks(&self, block: u32, level: u32, count: u64, blocks: &mut Vec<u32>) -> Result<()> {
        let missing = count.saturating_sub(blocks.len() as u64);
        if missing == 0 {
            return Ok(());
        }
        if level == 0 || block == 0 {
            blocks.extend((0..missing.min(POINTERS.pow(level))).map(|_| block));
            return Ok(());
        }
        let mut table = [0; BLOCK_BYTES as usize];
        self.disk.read_bytes(self.start_bytes + u64::from(block) * BLOCK_BYTES, &mut table)?;
        table
            .as_chunks()
            .0
            .iter()
            .try_for_each(|word| self.add_blocks(u32::from_le_bytes(*word), level - 1, count, blocks))
    }

    fn data_of(&self, inode: &Inode, blocks: &[u32]) -> Result<Vec<u8>> {
        let mut data = vec![0; blocks.len() * BLOCK_BYTES as usize];
        for (block, part) in blocks.iter().zip(data.chunks_mut(BLOCK_BYTES as usize)).filter(|(block, _)| **block != 0)
        {
            self.disk.read_bytes(self.start_bytes + u64::from(*block) * BLOCK_BYTES, part)?;
        }
        data.truncate(inode.bytes() as usize);
        Ok(data)
    }
}

/// The names in a folder with their inodes, but for `.` and `..`.
fn entries(data: &[u8]) -> Result<Vec<(String, u32)>> {
    let (mut found, mut rest) = (Vec::new(), data);
    while let [a, b, c, d, low, high, length, _, more @ ..] = rest {
        let (ino, bytes) = (u32::from_le_bytes([*a, *b, *c, *d]), usize::from(u16::from_le_bytes([*low, *high])));
        let name = more.get(..usize::from(*length)).context("a name behind the folder's end")?;
        if bytes < 8 || bytes > rest.len() {
            bail!("a damaged folder");
        }
        if ino != 0 && !matches!(name, b"." | b"..") {
            found.push((String::from_utf8(name.to_vec()).context("a name that is no text")?, ino));
        }
        rest = &rest[bytes..];
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::{Content, FileTree, TreeFile, descriptions};

    #[test]
    fn crash_tree_of_two_names_differs_from_two_files() {
        let tree = |inos: [u32; 2]| -> FileTree {
            let file = |ino| {
                let (content, sum) = (Content::File, "sum".to_string());
                TreeFile { content, mode: 0o644, owners: (0, 0), ino, bytes: 3, sum }
            };
            ["/a", "/b"].map(String::from).into_iter().zip(inos.map(file)).collect()
        };
        assert_eq!(descriptions(&tree([7, 8])), descriptions(&tree([9, 11])), "numbers of inodes are no part of it");
        assert_ne!(descriptions(&tree([7, 7])), descriptions(&tree([7, 8])));
    }
}

//! The image, and where things are in it.

/// Bytes of a block.
pub(super) const BLOCK_BYTES: usize = 4096;
/// Where the first entry of the partition table is, and how long an entry is.
pub(super) const ENTRY_AT: usize = 446;
pub(super) const ENTRY_BYTES: usize = 16;
/// The root's inode, and the journal's.
const ROOT: usize = 2;
const JOURNAL: usize = 8;
/// Where an inode has its pointers.
pub(super) const POINTERS_AT: usize = 40;

/// A disk image in memory.
pub struct DiskImage {
    /// Its bytes.
    pub bytes: Vec<u8>,
    partition_at: usize,
}

impl DiskImage {
    /// A sound image, whose first partition holds the file system.
    pub fn new(bytes: Vec<u8>) -> DiskImage {
        let mut image = DiskImage { bytes, partition_at: 0 };
        image.partition_at = image.u32_at(ENTRY_AT + 8) as usize * 512;
        image
    }

    pub(super) fn u32_at(&self, at: usize) -> u32 {
        let mut word = [0; 4];
        word.copy_from_slice(&self.bytes[at..at + 4]);
        u32::from_le_bytes(word)
    }

    pub(super) fn put(&mut self, at: usize, new: &[u8]) {
        self.bytes[at..at + new.len()].copy_from_slice(new);
    }

    pub(super) fn put_u32(&mut self, at: usize, value: u32) {
        self.put(at, &value.to_le_bytes());
    }

    pub(super) fn put_be32(&mut self, at: usize, value: u32) {
        self.put(at, &value.to_be_bytes());
    }

    pub(super) fn fill(&mut self, at: usize, len: usize, byte: u8) {
        self.bytes[at..at + len].fill(byte);
    }

    /// A field of the superblock.
    pub(super) fn superblock(&self, field: usize) -> usize {
        self.partition_at + 1024 + field
    }

    pub(super) fn block(&self, number: u32) -> usize {
        self.partition_at + number as usize * BLOCK_BYTES
    }

    /// The first group's descriptor.
    pub(super) fn group(&self) -> usize {
        self.block(1)
    }

    /// Where an inode of the first group is, by its number.
    fn inode(&self, number: usize) -> usize {
        let mut bytes = [0; 2];
        bytes.copy_from_slice(&self.bytes[self.superblock(88)..self.superblock(90)]);
        self.inode_table() + (number - 1) * usize::from(u16::from_le_bytes(bytes))
    }

    pub(super) fn inode_table(&self) -> usize {
        self.block(self.u32_at(self.group() + 8))
    }

    pub(super) fn root_inode(&self) -> usize {
        self.inode(ROOT)
    }

    pub(super) fn journal_inode(&self) -> usize {
        self.inode(JOURNAL)
    }

    /// Where the first block of the root's data is.
    pub(super) fn root_data(&self) -> usize {
        self.block(self.u32_at(self.root_inode() + POINTERS_AT))
    }

    /// Where the journal's block `number` is, one of its first twelve.
    pub(super) fn journal(&self, number: usize) -> usize {
        self.block(self.u32_at(self.journal_inode() + POINTERS_AT + number * 4))
    }
}

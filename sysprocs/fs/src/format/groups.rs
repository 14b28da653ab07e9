//! Block groups: where each has its bitmaps and inode table, and how much of it is free.
//!
//! Layout: 32 bytes a group, from block 1 on; of the fields, those used here.

use crate::format::bytes::{put_u16, u16_at, u32_at};

/// Groups that are kept count of: those whose descriptors fit into one block (16 GiB).
pub(crate) const GROUPS_MAX: usize = 128;
pub(crate) const DESCRIPTORS_BLOCK: u32 = 1;
pub(crate) const DESCRIPTOR_BYTES: usize = 32;
/// Where the counts of a descriptor are, and their length.
pub(crate) const COUNTS_OFFSET: u32 = 12;
pub(crate) const COUNTS_BYTES: usize = 6;

#[derive(Clone, Copy)]
pub(crate) struct BlockGroup {
    pub(crate) block_bitmap: u32,
    pub(crate) inode_bitmap: u32,
    pub(crate) inode_table: u32,
    pub(crate) free_blocks: u16,
    pub(crate) free_inodes: u16,
    pub(crate) directories: u16,
    /// The counts differ from those in the buffer.
    pub(crate) changed: bool,
}

impl BlockGroup {
    pub(crate) const NONE: BlockGroup = BlockGroup {
        block_bitmap: 0,
        inode_bitmap: 0,
        inode_table: 0,
        free_blocks: 0,
        free_inodes: 0,
        directories: 0,
        changed: false,
    };

    pub(crate) fn from_descriptor(bytes: &[u8; DESCRIPTOR_BYTES]) -> BlockGroup {
        BlockGroup {
            block_bitmap: u32_at(bytes, 0),
            inode_bitmap: u32_at(bytes, 4),
            inode_table: u32_at(bytes, 8),
            free_blocks: u16_at(bytes, 12),
            free_inodes: u16_at(bytes, 14),
            directories: u16_at(bytes, 16),
            changed: false,
        }
    }

    /// Whether bitmaps and a table of `table_blocks` are inside a file system of `blocks`.
    pub(crate) fn is_inside(&self, blocks: u32, table_blocks: u32) -> bool {
        let inside = |first: u32, count: u32| first > 0 && first.checked_add(count).is_some_and(|end| end <= blocks);
        inside(self.block_bitmap, 1) && inside(self.inode_bitmap, 1) && inside(self.inode_table, table_blocks)
    }

    pub(crate) fn counts(&self) -> [u8; COUNTS_BYTES] {
        let mut bytes = [0; COUNTS_BYTES];
        for (at, count) in [self.free_blocks, self.free_inodes, self.directories].into_iter().enumerate() {
            put_u16(&mut bytes, at * 2, count);
        }
        bytes
    }
}

/// Whether group `number` has a copy of the superblock: 0, 1, and powers of 3, 5 and 7.
pub(crate) fn has_superblock(number: u32) -> bool {
    let is_power = |base: u32| {
        let mut power = base;
        while power < number {
            power = power.saturating_mul(base);
        }
        power == number
    };
    number <= 1 || [3, 5, 7].into_iter().any(is_power)
}

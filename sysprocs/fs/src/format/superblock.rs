//! The superblock: the fields of ext2 that are used here, in their places.
//!
//! Invariant: fields that are not named here go back as they came. Not here: which superblocks are
//! refused (`partition.rs`).

use crate::format::bytes::{numbers, put_u32, u16_at, u32_at};
use crate::format::groups::GROUPS_MAX;
use renga_abi::{Errno, PAGE_BYTES};

/// Bytes of the superblock that are kept; what lies behind is never changed. All are in one sector.
pub(crate) const SUPERBLOCK_BYTES: usize = 256;
/// Where the superblock starts in the partition, bytes.
pub(crate) const SUPERBLOCK_OFFSET: usize = 1024;
pub(crate) const MAGIC: u16 = 0xef53;
pub(crate) const ROOT_INO: u32 = 2;
const STATE_CLEAN: u16 = 1;
const STATE_ERRORS: u16 = 2;
/// `has_journal` and `needs_recovery`.
pub(crate) const FEATURE_JOURNAL: u32 = 4;
pub(crate) const FEATURE_RECOVER: u32 = 4;

/// The first bytes of the superblock.
pub(crate) struct Superblock {
    pub(crate) bytes: [u8; SUPERBLOCK_BYTES],
}

numbers! { Superblock {
    inodes: u32 at 0;
    blocks: u32 at 4;
    reserved_blocks: u32 at 8;
    first_block: u32 at 20;
    block_size_log: u32 at 24;
    blocks_per_group: u32 at 32;
    inodes_per_group: u32 at 40;
    /// Mounts since the last check.
    mounts / set_mounts: u16 at 52;
    magic: u16 at 56;
    state / set_state: u16 at 58;
    revision: u32 at 76;
    /// The first inode that files may have.
    first_ino: u32 at 84;
    incompatible / set_incompatible: u32 at 96;
    journal_ino: u32 at 224;
} }

impl Superblock {
    pub(crate) fn new(bytes: [u8; SUPERBLOCK_BYTES]) -> Self {
        Superblock { bytes }
    }
    pub(crate) fn inode_bytes(&self) -> u32 {
        u32::from(u16_at(&self.bytes, 88))
    }
    /// Compatible, incompatible and read-only-compatible features.
    pub(crate) fn features(&self) -> [u32; 3] {
        [92, 96, 100].map(|at| u32_at(&self.bytes, at))
    }
    /// The file system's UUID's first two words.
    pub(crate) fn fsid(&self) -> [u32; 2] {
        [u32_at(&self.bytes, 104) ^ u32_at(&self.bytes, 112), u32_at(&self.bytes, 108) ^ u32_at(&self.bytes, 116)]
    }
    pub(crate) fn groups(&self) -> u32 {
        self.blocks().saturating_sub(self.first_block()).div_ceil(self.blocks_per_group().max(1))
    }
    /// Whether what the processes reckon with is sound; how many groups there are.
    pub(crate) fn check(&self) -> Result<usize, Errno> {
        let count = self.groups() as usize;
        let inodes = u64::from(self.inodes_per_group()) * count as u64;
        let fits = self.inode_bytes().is_power_of_two()
            && (128..=PAGE_BYTES as u32).contains(&self.inode_bytes())
            && self.inodes_per_group() > 0
            && self.blocks_per_group() > 0
            && u64::from(self.inodes()) == inodes;
        if self.magic() == MAGIC && fits && (1..=GROUPS_MAX).contains(&count) { Ok(count) } else { Err(Errno::EINVAL) }
    }
    pub(crate) fn set_free(&mut self, blocks: u32, inodes: u32) {
        put_u32(&mut self.bytes, 12, blocks);
        put_u32(&mut self.bytes, 16, inodes);
    }
    pub(crate) fn is_clean(&self) -> bool {
        self.state() & STATE_CLEAN != 0
    }
    pub(crate) fn set_clean(&mut self, clean: bool) {
        self.set_state(self.state() & !STATE_CLEAN | if clean { STATE_CLEAN } else { 0 });
    }
    /// Remembers that a change was left half done.
    pub(crate) fn set_errors(&mut self) {
        self.set_state(self.state() | STATE_ERRORS);
    }
    pub(crate) fn has_errors(&self) -> bool {
        self.state() & STATE_ERRORS != 0
    }
    /// Whether there is a journal in a file of this file system.
    pub(crate) fn has_journal(&self) -> bool {
        self.features()[0] & FEATURE_JOURNAL != 0 && self.journal_ino() != 0
    }
    /// Whether the journal may cache what is not in its place.
    pub(crate) fn set_recover(&mut self, recover: bool) {
        let features = self.incompatible() & !FEATURE_RECOVER;
        self.set_incompatible(features | if recover { FEATURE_RECOVER } else { 0 });
    }
    /// One mount more, at `now_s` since 1970.
    pub(crate) fn count_mount(&mut self, now_s: u32) {
        put_u32(&mut self.bytes, 44, now_s);
        self.set_mounts(self.mounts().wrapping_add(1));
    }
    pub(crate) fn set_written(&mut self, now_s: u32) {
        put_u32(&mut self.bytes, 48, now_s);
    }
}

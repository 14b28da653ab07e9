//! Mounting: checks of the file system, and of the remains of a power cut.
//!
//! Invariant: the disk says "not clean" and "recover the journal" from before the first change until `MarkClean`.
//! Every value of the disk is checked here or in `partition.rs`: whatever is on it, an error is the worst that
//! happens. Not here: copying the journal's blocks (`recovery.rs`), which comes before.

use crate::format::bytes::{u16_at, u32_at};
use crate::format::groups::{BlockGroup, DESCRIPTOR_BYTES, DESCRIPTORS_BLOCK};
use crate::format::superblock::SUPERBLOCK_OFFSET;
use crate::volume::allocator_state::AllocatorState;
use crate::volume::members::TransactionPhase;
use renga_abi::PAGE_BYTES;
use renga_proto::buffer::directory::ReadBytes;
use renga_rt::Errno;

/// Inodes whose bits of a bitmap are read together.
const BITS: u32 = 32;
/// Where a record has its link count.
const LINKS_AT: u32 = 26;

impl AllocatorState {
    /// Reads superblock and groups, and says on the disk (when the committer has written its buffer) that there
    /// is work for the journal. Without a `usable` volume everything is refused.
    pub(crate) async fn mount(&mut self, journaled: bool, usable: bool) -> Result<(), Errno> {
        self.phase = TransactionPhase::Open;
        if !usable {
            return Ok(());
        }
        let read = ReadBytes { block: 0, offset: SUPERBLOCK_OFFSET as u32 };
        self.cache.call(read, &mut self.superblock.bytes[..]).await?;
        self.count = self.superblock.check()?;
        self.read_groups().await?;
        self.was_cut = !self.superblock.is_clean();
        if self.was_cut && !journaled {
            self.me.log("the file system was not unmounted and has no journal: e2fsck should check it", [0, 0]);
        }
        let now_s = self.now_s();
        self.superblock.set_clean(false);
        self.superblock.set_recover(journaled);
        self.superblock.count_mount(now_s);
        // Other numbers for each mount: what another one gave out is not taken for ours.
        self.generation = u32::from(self.superblock.mounts()).wrapping_mul(0x9e37_79b9);
        self.put_superblock().await?;
        self.refuses = None;
        Ok(())
    }

    async fn read_groups(&mut self) -> Result<(), Errno> {
        let (blocks, bytes) = (self.superblock.blocks(), self.superblock.inode_bytes());
        let table_blocks = self.superblock.inodes_per_group().div_ceil(PAGE_BYTES as u32 / bytes);
        for number in 0..self.count {
            let mut bytes = [0; DESCRIPTOR_BYTES];
            let read = ReadBytes { block: DESCRIPTORS_BLOCK.into(), offset: (number * DESCRIPTOR_BYTES) as u32 };
            self.cache.call(read, &mut bytes[..]).await?;
            self.groups[number] = BlockGroup::from_descriptor(&bytes);
            if !self.groups[number].is_inside(blocks, table_blocks) {
                return Err(Errno::EINVAL);
            }
        }
        Ok(())
    }

    /// The next inode from `from` on that is in use and has no links: an open file without a name when
    /// the power went.
    pub(crate) async fn next_orphan(&mut self, from: u32) -> Result<u32, Errno> {
        if !self.was_cut || self.refuses.is_some() {
            return Err(Errno::ENOENT);
        }
        let mut ino = from.max(self.superblock.first_ino()).max(1);
        while let Ok((group, index)) = self.group_of(ino) {
            let mut bytes = [0; BITS as usize / 8];
            let read = ReadBytes { block: self.groups[group].inode_bitmap.into(), offset: index / BITS * (BITS / 8) };
            self.cache.call(read, &mut bytes[..]).await?;
            let left = u32_at(&bytes, 0) >> (index % BITS);
            if left == 0 {
                ino += (BITS - index % BITS).min(self.superblock.inodes_per_group() - index);
                continue;
            }
            let place = self.locate(ino)?;
            let mut links = [0; 2];
            if left & 1 != 0 {
                let read = ReadBytes { block: place.block.into(), offset: place.offset + LINKS_AT };
                self.cache.call(read, &mut links[..]).await?;
                if u16_at(&links, 0) == 0 {
                    return Ok(ino);
                }
            }
            ino += 1;
        }
        Err(Errno::ENOENT)
    }
}

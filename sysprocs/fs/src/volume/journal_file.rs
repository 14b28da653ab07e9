//! Finding the journal: which blocks of the disk its file consists of, and what its superblock says.
//!
//! Invariant: a file that cannot be a journal's is refused; whatever the disk says, an error is the worst that
//! happens.

use crate::format::bytes::u32_at;
use crate::format::groups::{BlockGroup, DESCRIPTORS_BLOCK};
use crate::format::journal_format as format;
use crate::format::superblock::{SUPERBLOCK_BYTES, SUPERBLOCK_OFFSET, Superblock};
use crate::volume::journal::{Journal, JournalRun};
use renga_abi::PAGE_BYTES;
use renga_rt::Errno;

/// Where an inode has its pointers.
const POINTERS_AT: usize = 40;
const PER_BLOCK: u32 = PAGE_BYTES as u32 / 4;

impl Journal {
    pub(crate) async fn superblock(&mut self) -> Result<Superblock, Errno> {
        self.read(0).await?;
        let bytes = self.copy[SUPERBLOCK_OFFSET..].first_chunk::<SUPERBLOCK_BYTES>();
        let superblock = Superblock::new(*bytes.ok_or(Errno::EIO)?);
        superblock.check().map(|_| superblock)
    }

    pub(crate) async fn find(&mut self, superblock: &Superblock) -> Result<(), Errno> {
        let index = superblock.journal_ino().checked_sub(1).ok_or(Errno::EINVAL)?;
        if index >= superblock.inodes_per_group() {
            return Err(Errno::EINVAL);
        }
        self.read(DESCRIPTORS_BLOCK).await?;
        let table = BlockGroup::from_descriptor(self.copy.first_chunk().ok_or(Errno::EIO)?).inode_table;
        let bytes = superblock.inode_bytes();
        let per_block = PAGE_BYTES as u32 / bytes;
        let block = table.saturating_add(index / per_block);
        self.open(block, index % per_block * bytes, superblock.blocks()).await
    }

    /// Finds the journal whose inode is at `offset` of block `block`, in a file system of `blocks`.
    pub(crate) async fn open(&mut self, block: u32, offset: u32, blocks: u32) -> Result<(), Errno> {
        self.read(block).await?;
        let mut pointers = [0; 14];
        for (at, pointer) in pointers.iter_mut().enumerate() {
            *pointer = u32_at(&self.copy[..], offset as usize + POINTERS_AT + at * 4);
        }
        let [direct @ .., one, two] = pointers;
        self.runs.clear();
        self.ends = false;
        for pointer in direct {
            self.add_block(pointer, blocks)?;
        }
        self.add_indirect(one, blocks).await?;
        if two != 0 {
            self.check(two, blocks)?;
            for at in 0..PER_BLOCK as usize {
                self.read(two).await?;
                let one = u32_at(&self.copy[..], at * 4);
                if one == 0 {
                    break;
                }
                self.add_indirect(one, blocks).await?;
            }
        }
        let blocks = self.runs.iter().map(|run| run.count).sum();
        self.read_own(0).await?;
        let head = format::head(self.own, blocks)?;
        (self.length, self.first, self.sequence, self.start) = (head.length, head.first, head.sequence, head.start);
        Ok(())
    }

    fn check(&self, block: u32, blocks: u32) -> Result<(), Errno> {
        if (1..blocks).contains(&block) { Ok(()) } else { Err(Errno::EIO) }
    }

    /// The next block of the file; 0: it is at its end. One behind a hole is none of a journal.
    fn add_block(&mut self, block: u32, blocks: u32) -> Result<(), Errno> {
        if block == 0 {
            self.ends = true;
            return Ok(());
        }
        if self.ends {
            return Err(Errno::EIO);
        }
        self.check(block, blocks)?;
        match self.runs.last_mut() {
            Some(run) if run.first + run.count == block => run.count += 1,
            _ => self.runs.push(JournalRun { first: block, count: 1 }).map_err(|_| Errno::EFBIG)?,
        }
        Ok(())
    }

    async fn add_indirect(&mut self, block: u32, blocks: u32) -> Result<(), Errno> {
        if block == 0 {
            return self.add_block(0, blocks);
        }
        self.check(block, blocks)?;
        self.read(block).await?;
        for at in 0..PER_BLOCK as usize {
            let pointer = u32_at(&self.copy[..], at * 4);
            self.add_block(pointer, blocks)?;
        }
        Ok(())
    }
}

//! A directory: entries in the blocks of its inode.
//!
//! Invariant: its size is a multiple of the block, at most [`BLOCKS_MAX`] of them and none a hole (the
//! medium may say otherwise: `EIO`); each block's records fill it. Whether a name is
//! there already is the caller's to know: it holds the lock of names. A directory without links has
//! no entries any more.

use crate::format::directory_block::EMPTY;
use crate::format::inode_record::DIRECTORY;
use crate::inode::active_inode::ActiveInode;
use renga_abi::PAGE_BYTES;
use renga_proto::inode::{DirectoryRead, EntryFound, NAME_BYTES_MAX};
use renga_rt::Errno;

const PAGE: u64 = PAGE_BYTES as u64;
/// Most blocks of a directory, which bounds the search for a name: some 400,000 names.
const BLOCKS_MAX: u64 = 4096;

impl ActiveInode {
    fn check_directory(&self) -> Result<(), Errno> {
        self.check()?;
        if self.record.is(DIRECTORY) { Ok(()) } else { Err(Errno::ENOTDIR) }
    }

    /// Blocks to look through.
    fn directory_blocks(&self) -> Result<u64, Errno> {
        self.check_directory()?;
        let blocks = if self.record.links() == 0 { 0 } else { self.record.size() / PAGE };
        if blocks > BLOCKS_MAX { Err(Errno::EIO) } else { Ok(blocks) }
    }

    /// Where the directory's block `index` is.
    async fn directory_block(&mut self, index: u64) -> Result<u32, Errno> {
        let block = self.map(index).await?;
        if block == 0 { Err(Errno::EIO) } else { Ok(block) }
    }

    /// The block, by its number in the directory and on the disk, with the entry `name`, and that.
    async fn locate(&mut self, name: &[u8]) -> Result<(u64, u32, EntryFound), Errno> {
        for index in 0..self.directory_blocks()? {
            let block = self.directory_block(index).await?;
            match self.cache.find_entry(block, name).await {
                Err(Errno::ENOENT) => {}
                found => return found.map(|found| (index, block, found)),
            }
        }
        Err(Errno::ENOENT)
    }

    pub(crate) async fn find(&mut self, name: &[u8]) -> Result<EntryFound, Errno> {
        self.locate(name).await.map(|(_, _, found)| found)
    }

    pub(crate) async fn enter(&mut self, name: &[u8], ino: u32, kind: u8) -> Result<(), Errno> {
        let blocks = self.directory_blocks()?;
        if self.record.links() == 0 {
            return Err(Errno::ENOENT);
        }
        if name.is_empty() || name.len() > NAME_BYTES_MAX {
            return Err(Errno::EINVAL);
        }
        self.begin_write().await?;
        for index in self.room_from..blocks {
            let block = self.directory_block(index).await?;
            match self.cache.add_entry(block, name, ino, kind).await {
                // Not for this name; a shorter one is given no second chance until a removal.
                Err(Errno::ENOSPC) => self.room_from = index + 1,
                Err(errno) => return Err(errno),
                Ok(()) => {
                    self.room_from = index;
                    self.touch_content();
                    return Ok(());
                }
            }
        }
        if blocks == BLOCKS_MAX {
            return Err(Errno::ENOSPC);
        }
        let (block, _) = self.map_for_write(blocks).await?;
        self.cache.overwrite(block, 0, &EMPTY, true).await?;
        self.record.set_size((blocks + 1) * PAGE);
        self.room_from = blocks;
        self.touch_content();
        self.save().await?;
        self.cache.add_entry(block, name, ino, kind).await
    }

    pub(crate) async fn remove(&mut self, name: &[u8]) -> Result<u32, Errno> {
        self.begin_write().await?;
        let (index, block, _) = self.locate(name).await?;
        let ino = self.cache.remove_entry(block, name).await?;
        self.room_from = self.room_from.min(index);
        self.touch_content();
        Ok(ino)
    }

    pub(crate) async fn repoint(&mut self, name: &[u8], ino: u32, kind: u8) -> Result<u32, Errno> {
        self.begin_write().await?;
        let (_, block, _) = self.locate(name).await?;
        let former = self.cache.repoint_entry(block, name, ino, kind).await?;
        self.touch_content();
        Ok(former)
    }

    pub(crate) async fn is_empty(&mut self) -> Result<bool, Errno> {
        for index in 0..self.directory_blocks()? {
            let block = self.directory_block(index).await?;
            if self.cache.has_entries(block).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(crate) async fn name_of(&mut self, ino: u32, out: &mut [u8]) -> Result<u32, Errno> {
        for index in 0..self.directory_blocks()? {
            let block = self.directory_block(index).await?;
            match self.cache.name_of_entry(block, ino, out).await {
                Err(Errno::ENOENT) => {}
                found => return found,
            }
        }
        Err(Errno::ENOENT)
    }

    /// Entries from `cursor` on. `EINVAL` if not even one fits.
    pub(crate) async fn read_directory(&mut self, cursor: u64, out: &mut [u8]) -> Result<DirectoryRead, Errno> {
        let end = self.directory_blocks()? * PAGE;
        let (mut filled, mut at) = (0, cursor);
        while at < end {
            let block = self.directory_block(at / PAGE).await?;
            let block_end = (at / PAGE + 1) * PAGE;
            let read = self.cache.list_entries(block, at, &mut out[filled..]).await?;
            filled += read.bytes as usize;
            at = read.next;
            if at < block_end {
                if filled == 0 {
                    return Err(Errno::EINVAL);
                }
                break;
            }
        }
        self.touch_access();
        Ok(DirectoryRead { bytes: filled as u32, next: at })
    }
}

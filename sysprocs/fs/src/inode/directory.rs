//! A directory: entries in the blocks of its inode.
//!
//! Invariant: its size is a multiple of the block, at most [`BLOCKS_MAX`] of them and none a hole (the medium may say
//! otherwise: `EIO`); each block's records fill it. The caller, which has the lock of names, checks that a name is
//! new. A directory without links has no entries any more. A small directory is searched linearly; of a larger one
//! the index says where a name is (`name_index/server.rs`), and a new name tries two blocks: so nothing but reading all
//! of it takes time that grows with it.

use crate::format::directory_block::EMPTY;
use crate::format::inode_record::DIRECTORY;
use crate::inode::active_inode::ActiveInode;
use renga_abi::PAGE_BYTES;
use renga_proto::buffer::directory::{
    AddEntry, FindEntry, HasEntries, ListEntries, NameOfEntry, Overwrite, ReadBytes, RemoveEntry, RepointEntry,
};
use renga_proto::inode::Filled;
use renga_proto::inode::{DirectoryRead, EntryFound, NAME_BYTES_MAX};
use renga_proto::name_index::{AddName, FindCandidate, ForgetDirectory, IndexBlock, RemoveName};
use renga_proto::packed::sent_bytes;
use renga_proto::pages::{KEPT, NOT_KEPT, TO_END};
use renga_rt::Errno;

const PAGE: u64 = PAGE_BYTES as u64;
/// Most blocks of a directory, which bounds the search for a name: some 400,000 names.
const BLOCKS_MAX: u64 = 4096;
/// Most blocks of a directory that is searched linearly.
const SMALL_BLOCKS: u64 = 4;

impl ActiveInode {
    fn check_directory(&self) -> Result<(), Errno> {
        self.check()?;
        if self.record.is(DIRECTORY) { Ok(()) } else { Err(Errno::ENOTDIR) }
    }

    fn directory_blocks(&self) -> Result<u64, Errno> {
        self.check_directory()?;
        let blocks = if self.record.links() == 0 { 0 } else { self.record.size() / PAGE };
        if blocks > BLOCKS_MAX { Err(Errno::EIO) } else { Ok(blocks) }
    }

    async fn directory_block(&mut self, index: u64) -> Result<u32, Errno> {
        let block = self.map(index).await?;
        if block == 0 { Err(Errno::EIO) } else { Ok(block) }
    }

    /// The block, by its number in the directory and on the disk, with the entry `name`, and that.
    async fn locate(&mut self, name: &[u8]) -> Result<(u64, u32, EntryFound), Errno> {
        let blocks = self.directory_blocks()?;
        if blocks > SMALL_BLOCKS {
            match self.locate_indexed(blocks, name).await {
                // There is no room in the index.
                Err(Errno::EAGAIN | Errno::ENOSPC) => {}
                found => return found,
            }
        }
        for index in 0..blocks {
            if let Some(found) = self.search_block(index, name).await? {
                return Ok(found);
            }
        }
        Err(Errno::ENOENT)
    }

    async fn search_block(&mut self, index: u64, name: &[u8]) -> Result<Option<(u64, u32, EntryFound)>, Errno> {
        let block = self.directory_block(index).await?;
        match self.cache.call(FindEntry { block: block.into() }, name).await {
            Err(Errno::ENOENT) => Ok(None),
            found => found.map(|found| Some((index, block, found))),
        }
    }

    async fn locate_indexed(&mut self, blocks: u64, name: &[u8]) -> Result<(u64, u32, EntryFound), Errno> {
        let (mut after, mut built) = (0, false);
        // Each iteration passes a name with the same hash, but for the one that builds the index.
        loop {
            match self.index.call(FindCandidate { directory: self.ino, after }, name).await {
                Ok(candidate) => {
                    if let Some(found) = self.search_block(candidate.index.into(), name).await? {
                        return Ok(found);
                    }
                    after = candidate.after;
                }
                Err(Errno::EAGAIN) if !built => {
                    (after, built) = (0, true);
                    self.build_index(blocks).await?;
                }
                Err(errno) => return Err(errno),
            }
        }
    }

    async fn build_index(&mut self, blocks: u64) -> Result<(), Errno> {
        for index in 0..blocks {
            let block = self.directory_block(index).await?;
            let taken = IndexBlock { directory: self.ino, index: index as u32, block, last: index + 1 == blocks };
            self.index.call(taken, ()).await?;
        }
        Ok(())
    }

    /// A directory that is freed is not indexed any more.
    pub(crate) async fn forget_index(&mut self) {
        if self.record.is(DIRECTORY) && self.record.size() > SMALL_BLOCKS * PAGE {
            // This call cannot fail.
            let _ = self.index.call(ForgetDirectory { directory: self.ino }, ()).await;
        }
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
        self.begin_entry_change().await?;
        let entered = match blocks {
            0..=SMALL_BLOCKS => self.enter_into_small(blocks, name, ino, kind).await?,
            BLOCKS_MAX.. => self.enter_anywhere(name, ino, kind).await?,
            _ => self.enter_into_large(blocks, name, ino, kind).await?,
        };
        if let Some(index) = entered {
            return self.entered(name, index, blocks).await;
        }
        if blocks == BLOCKS_MAX {
            return Err(Errno::ENOSPC);
        }
        let (block, _) = self.map_for_write(blocks).await?;
        self.cache.call(Overwrite { block: block.into(), offset: 0, metadata: true }, &EMPTY[..]).await?;
        self.record.set_size((blocks + 1) * PAGE);
        self.touch_content();
        self.save().await?;
        self.cache.call(AddEntry { block: block.into(), ino, kind }, name).await?;
        self.entered(name, blocks, blocks + 1).await
    }

    async fn enter_into(&mut self, index: u64, name: &[u8], ino: u32, kind: u8) -> Result<bool, Errno> {
        let block = self.directory_block(index).await?;
        match self.cache.call(AddEntry { block: block.into(), ino, kind }, name).await {
            Ok(()) => Ok(true),
            Err(Errno::ENOSPC) => Ok(false),
            Err(errno) => Err(errno),
        }
    }

    async fn enter_into_small(&mut self, blocks: u64, name: &[u8], ino: u32, kind: u8) -> Result<Option<u64>, Errno> {
        for index in self.room_from..blocks {
            if self.enter_into(index, name, ino, kind).await? {
                return Ok(Some(index));
            }
            // No room for this name; no shorter name tries this block until a removal.
            self.room_from = index + 1;
        }
        Ok(None)
    }

    /// Tries the block where something was removed last; when that is full, the one before it; and the last one. So
    /// what many removals have left is found again, and what has no room is not tried again.
    async fn enter_into_large(&mut self, blocks: u64, name: &[u8], ino: u32, kind: u8) -> Result<Option<u64>, Errno> {
        // Bounded: the second iteration has found no room before.
        while self.room_from < blocks {
            let index = self.room_from;
            if self.enter_into(index, name, ino, kind).await? {
                self.room_found = true;
                return Ok(Some(index));
            }
            let found_before = core::mem::take(&mut self.room_found);
            self.room_from = if found_before { index.checked_sub(1).unwrap_or(blocks - 1) } else { u64::MAX };
        }
        let last = blocks - 1;
        Ok(if self.enter_into(last, name, ino, kind).await? { Some(last) } else { None })
    }

    async fn enter_anywhere(&mut self, name: &[u8], ino: u32, kind: u8) -> Result<Option<u64>, Errno> {
        for index in 0..BLOCKS_MAX {
            if self.enter_into(index, name, ino, kind).await? {
                return Ok(Some(index));
            }
        }
        Ok(None)
    }

    /// The name is in block number `index` now.
    async fn entered(&mut self, name: &[u8], index: u64, blocks: u64) -> Result<(), Errno> {
        self.touch_content();
        if blocks <= SMALL_BLOCKS {
            return Ok(());
        }
        self.index.call(AddName { directory: self.ino, index: index as u32 }, name).await
    }

    /// Makes the entry `name` stand for inode `ino`, or (0) removes it; the inode that it stood for.
    pub(super) async fn set_entry(&mut self, name: &[u8], ino: u32, kind: u8) -> Result<u32, Errno> {
        if ino == 0 { self.remove(name).await } else { self.repoint(name, ino, kind).await }
    }

    async fn remove(&mut self, name: &[u8]) -> Result<u32, Errno> {
        self.begin_entry_change().await?;
        let (index, block, _) = self.locate(name).await?;
        let ino = self.cache.call(RemoveEntry { block: block.into() }, name).await?;
        self.touch_content();
        if self.record.size() <= SMALL_BLOCKS * PAGE {
            self.room_from = self.room_from.min(index);
        } else {
            (self.room_from, self.room_found) = (index, true);
            self.index.call(RemoveName { directory: self.ino, index: index as u32 }, name).await?;
        }
        Ok(ino)
    }

    async fn repoint(&mut self, name: &[u8], ino: u32, kind: u8) -> Result<u32, Errno> {
        self.begin_entry_change().await?;
        let (_, block, _) = self.locate(name).await?;
        let former = self.cache.call(RepointEntry { block: block.into(), ino, kind }, name).await?;
        self.touch_content();
        Ok(former)
    }

    async fn is_empty(&mut self) -> Result<bool, Errno> {
        for index in 0..self.directory_blocks()? {
            let block = self.directory_block(index).await?;
            if self.cache.call(HasEntries { block: block.into() }, ()).await? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(crate) async fn name_of(&mut self, ino: u32, out: &mut [u8]) -> Result<u32, Errno> {
        if ino == 0 {
            return if self.is_empty().await? { Err(Errno::ENOENT) } else { Ok(0) };
        }
        for index in 0..self.directory_blocks()? {
            let block = self.directory_block(index).await?;
            match self.cache.call(NameOfEntry { block: block.into(), ino }, out).await {
                Err(Errno::ENOENT) => {}
                found => return found,
            }
        }
        Err(Errno::ENOENT)
    }

    /// Block `index` without its trailing zeros, for the page cache of `board`. None behind the end is kept: a listing
    /// would find it.
    pub(super) async fn fill_block(&mut self, board: u8, index: u32, out: &mut [u8]) -> Result<Filled, Errno> {
        let blocks = self.directory_blocks()?;
        if u64::from(index) >= blocks {
            return Ok(Filled { size: blocks * PAGE, keep: NOT_KEPT, bytes: 0 });
        }
        let block = self.directory_block(index.into()).await?.into();
        let out = out.get_mut(..PAGE_BYTES).ok_or(Errno::EINVAL)?;
        self.cache.call(ReadBytes { block, offset: 0 }, &mut *out).await?;
        self.touch_access().await;
        let keep = if self.leases.grant(board, index) { KEPT } else { NOT_KEPT };
        Ok(Filled { size: blocks * PAGE, keep, bytes: sent_bytes(out) as u32 })
    }

    /// Before any entry changes: no board lists the directory from its cache any more.
    async fn begin_entry_change(&mut self) -> Result<(), Errno> {
        self.begin_write().await?;
        self.revoke(0, TO_END).await;
        Ok(())
    }

    /// Entries from `cursor` on. `EINVAL` if not even one fits.
    pub(crate) async fn read_directory(&mut self, cursor: u64, out: &mut [u8]) -> Result<DirectoryRead, Errno> {
        let end = self.directory_blocks()? * PAGE;
        let (mut filled, mut at) = (0, cursor);
        while at < end {
            let block = self.directory_block(at / PAGE).await?;
            let block_end = (at / PAGE + 1) * PAGE;
            let read = self.cache.call(ListEntries { block: block.into(), position: at }, &mut out[filled..]).await?;
            filled += read.bytes as usize;
            at = read.next;
            if at < block_end {
                if filled == 0 {
                    return Err(Errno::EINVAL);
                }
                break;
            }
        }
        self.touch_access().await;
        Ok(DirectoryRead { bytes: filled as u32, next: at })
    }
}

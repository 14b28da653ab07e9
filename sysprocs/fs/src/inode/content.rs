//! Reading and writing a file's content.
//!
//! Invariant: bytes behind the end of the file in its last block are zero. A write is answered when
//! it is in the buffers. Not here: which block holds what (`block_map.rs`).

use crate::format::inode_record::{DIRECTORY, POINTER_BYTES, REGULAR, SYMBOLIC_LINK, Time};
use crate::inode::active_inode::ActiveInode;
use renga_abi::PAGE_BYTES;
use renga_proto::inode::Filled;
use renga_proto::pages::TO_END;
use renga_rt::Errno;

/// Largest file, bytes, as Linux's ext2 has it for blocks of 4096: such that the sectors of a file
/// without holes still fit into 32 bits.
pub(crate) const FILE_BYTES_MAX: u64 = 2_196_873_666_560;
const PAGE: u64 = PAGE_BYTES as u64;
/// Blocks read ahead of a sequential reader.
const AHEAD_BLOCKS: u64 = 2;
const NS_PER_DAY: u64 = 86_400 * 1_000_000_000;

/// How far a reader has come, and how far has been read ahead of it.
#[derive(Default)]
pub(crate) struct ReadAheadWindow {
    end: u64,
    /// Block up to which reading has been begun; 0: the last read did not continue the one before.
    begun: u64,
}
impl ReadAheadWindow {
    fn note(&mut self, offset: u64, end: u64) {
        if offset != self.end || end == offset {
            self.begun = 0;
        } else if self.begun == 0 {
            self.begun = end.div_ceil(PAGE);
        }
        self.end = end;
    }

    /// The blocks to begin with now, of a file of `blocks`.
    fn wanted(&mut self, blocks: u64) -> core::ops::Range<u64> {
        if self.begun == 0 {
            return 0..0;
        }
        let from = self.begun.max(self.end.div_ceil(PAGE));
        self.begun = (self.end.div_ceil(PAGE) + AHEAD_BLOCKS).min(blocks).max(from);
        from..self.begun
    }
}

/// The number of the page that holds the byte at `offset`, which a file may have.
pub(crate) fn page_of(offset: u64) -> u32 {
    (offset / PAGE) as u32
}

impl ActiveInode {
    pub(crate) fn check_regular(&self) -> Result<(), Errno> {
        self.check()?;
        match () {
            () if self.record.is(REGULAR) => Ok(()),
            () if self.record.is(DIRECTORY) => Err(Errno::EISDIR),
            () => Err(Errno::EINVAL),
        }
    }

    /// Page `page` for the page cache of `board`, if this is inode `ino`.
    pub(crate) async fn fill_page(&mut self, board: u8, ino: u32, page: u32, out: &mut [u8]) -> Result<Filled, Errno> {
        if ino != self.ino {
            return Err(Errno::ESTALE);
        }
        let bytes = self.read_at(u64::from(page) * PAGE, out).await? as usize;
        out[bytes..].fill(0);
        Ok(Filled { size: self.record.size(), kept: self.leases.grant(board, page) })
    }

    pub(crate) async fn read_at(&mut self, offset: u64, out: &mut [u8]) -> Result<u32, Errno> {
        self.check_regular()?;
        let count = self.record.size().saturating_sub(offset).min(out.len() as u64) as usize;
        self.read_blocks(offset, &mut out[..count]).await?;
        if count > 0 {
            self.touch_access();
        }
        self.read_ahead.note(offset, offset + count as u64);
        Ok(count as u32)
    }

    async fn read_blocks(&mut self, offset: u64, out: &mut [u8]) -> Result<(), Errno> {
        let mut filled = 0;
        while filled < out.len() {
            let at = offset + filled as u64;
            let within = (at % PAGE) as usize;
            let count = (out.len() - filled).min(PAGE_BYTES - within);
            let part = &mut out[filled..filled + count];
            match self.map(at / PAGE).await? {
                0 => part.fill(0),
                block => self.cache.read(block, within as u32, part).await?,
            }
            filled += count;
        }
        Ok(())
    }

    /// To be called when the reader has its answer: lets buffers begin to read what a sequential
    /// reader will want next.
    pub(crate) async fn read_ahead(&mut self) {
        let blocks = self.read_ahead.wanted(self.record.size().div_ceil(PAGE));
        for index in blocks {
            // A failure is told when the block is wanted.
            let Ok(block) = self.map(index).await else { return };
            if block != 0 && self.cache.read_ahead(block).await.is_err() {
                return;
            }
        }
    }

    /// Sets the access time as Linux's `relatime` does: when it is older than the last change, or
    /// than a day.
    pub(crate) fn touch_access(&mut self) {
        let [access, modify, change] = [Time::Access, Time::Modify, Time::Change].map(|t| self.record.time_ns(t));
        let now_ns = self.now_ns();
        if access <= modify || access <= change || now_ns.saturating_sub(access) >= NS_PER_DAY {
            self.record.set_time_ns(Time::Access, now_ns);
            self.changed = true;
        }
    }

    /// Writes `data` at `offset`; a failure is told, and kept for whoever was let go early.
    pub(crate) async fn write_at(&mut self, offset: u64, data: &[u8]) -> Result<(), Errno> {
        let written = self.try_write_at(offset, data).await;
        match written {
            // Not the last word: it is tried again after a commit.
            Ok(()) | Err(Errno::EAGAIN) => {}
            Err(errno) => self.kept = self.kept.or(Some(errno)),
        }
        written
    }

    async fn try_write_at(&mut self, offset: u64, data: &[u8]) -> Result<(), Errno> {
        self.check_regular()?;
        let end = offset.checked_add(data.len() as u64).filter(|end| *end <= FILE_BYTES_MAX);
        end.ok_or(Errno::EFBIG)?;
        if data.is_empty() {
            return Ok(());
        }
        self.begin_write().await?;
        self.recall_for_write(offset, data.len()).await;
        let mut written = 0;
        let mut told = Ok(());
        while written < data.len() && told.is_ok() {
            let at = offset + written as u64;
            let count = (data.len() - written).min(PAGE_BYTES - (at % PAGE) as usize);
            told = self.write_part(at, &data[written..written + count]).await;
            if told.is_ok() {
                written += count;
            }
        }
        // What was written before a failure stays, so that no block lies behind the end.
        let size = self.record.size().max(if written > 0 { offset + written as u64 } else { 0 });
        self.record.set_size(size);
        if written > 0 {
            self.touch_content();
        }
        told
    }

    /// Before `bytes` bytes are written at `offset`.
    async fn recall_for_write(&mut self, offset: u64, bytes: usize) {
        let (size, end) = (self.record.size(), offset + bytes as u64);
        // A page behind the end may be there too, as zeros.
        let (from, to) =
            if end > size { (page_of(size.min(offset)), TO_END) } else { (page_of(offset), page_of(end - 1) + 1) };
        self.recall(from, to).await;
    }

    /// Writes `part`, which lies in one block.
    async fn write_part(&mut self, at: u64, part: &[u8]) -> Result<(), Errno> {
        let (block, fresh) = self.map_for_write(at / PAGE).await?;
        let within = (at % PAGE) as u32;
        if fresh || part.len() == PAGE_BYTES {
            self.cache.overwrite(block, within, part, false).await
        } else {
            self.cache.write(block, within, part).await
        }
    }

    /// Writes at the end; the new end.
    pub(crate) async fn append(&mut self, data: &[u8]) -> Result<u64, Errno> {
        self.write_at(self.record.size(), data).await?;
        Ok(self.record.size())
    }

    /// A write that was tried before; what still finds no room will not find any.
    pub(crate) async fn write_again(&mut self, offset: u64, data: &[u8]) -> Result<(), Errno> {
        let written = self.write_at(offset, data).await;
        if written != Err(Errno::EAGAIN) {
            return written;
        }
        self.kept = self.kept.or(Some(Errno::ENOSPC));
        Err(Errno::ENOSPC)
    }

    /// The target of a symbolic link; how many bytes.
    pub(crate) async fn read_link(&mut self, out: &mut [u8]) -> Result<u32, Errno> {
        self.check()?;
        if !self.record.is(SYMBOLIC_LINK) {
            return Err(Errno::EINVAL);
        }
        let count = (self.record.size() as usize).min(out.len());
        if self.record.has_pointers() {
            let block = self.map(0).await?;
            self.cache.read(block, 0, out.get_mut(..count.min(PAGE_BYTES)).ok_or(Errno::EIO)?).await?;
        } else {
            let target = self.record.short_target().get(..count).ok_or(Errno::EIO)?;
            out[..count].copy_from_slice(target);
        }
        self.touch_access();
        Ok(count as u32)
    }

    /// Sets the target of a fresh symbolic link: in the inode if it is short, else in a block.
    pub(crate) async fn set_link(&mut self, target: &[u8]) -> Result<(), Errno> {
        self.check()?;
        if !self.record.is(SYMBOLIC_LINK) || target.len() >= PAGE_BYTES {
            return Err(Errno::EINVAL);
        }
        self.begin_change().await?;
        if target.len() < POINTER_BYTES {
            self.record.short_target()[..target.len()].copy_from_slice(target);
        } else {
            let (block, _) = self.map_for_write(0).await?;
            self.cache.overwrite(block, 0, target, false).await?;
        }
        self.record.set_size(target.len() as u64);
        self.touch_content();
        Ok(())
    }
}

//! Reading and writing a file's data.
//!
//! Invariant: bytes behind the end of the file in its last block are zero. The reply to a write comes when it is in
//! the page cache. The target of a long symbolic link is metadata. Not here: the blocks of the file (`block_map.rs`),
//! reading ahead (`read_ahead.rs`).

use crate::data::client::{DataPage, PAGE, page_of};
use crate::format::inode_record::{DIRECTORY, FILE_BYTES_MAX, POINTER_BYTES, SYMBOLIC_LINK, Time};
use crate::inode::active_inode::{ActiveInode, no_room};
use crate::probes::PageLease;
use renga_abi::PAGE_BYTES;
use renga_proto::buffer::directory::{Overwrite, ReadBytes};
use renga_proto::inode::{FillPage, Filled};
use renga_proto::packed::sent_bytes;
use renga_proto::pages::{KEPT, NOT_KEPT, TO_END};
use renga_proto::stat::seconds_of;
use renga_rt::{Errno, Probe};
const S_PER_DAY: i64 = 86_400;

impl ActiveInode {
    /// Page `page` without its trailing zeros, for the page cache of `board`, if this is inode `ino`. `is_shared`:
    /// programs write it by shared mappings, or a board leased it just now, so that the caller's cache generation may
    /// have become void while this call waited.
    pub(crate) async fn fill_page(
        &mut self,
        board: u8,
        FillPage { ino, page, maps }: FillPage,
        is_shared: bool,
        out: &mut [u8],
    ) -> Result<Filled, Errno> {
        if ino != self.ino {
            return Err(Errno::ESTALE);
        }
        let is_here = board == self.me.id().board.0;
        if self.record.is(DIRECTORY) && !is_here {
            return self.fill_block(board, page, out).await;
        }
        self.check_regular()?;
        self.protect_for(board, page).await?;
        let (file, size) = (self.file(), self.record.size());
        let cache_generation = if is_here && is_shared { self.data.cache_generation(file).await } else { KEPT };
        let copied = self.copy_page(page, maps, out).await?;
        if u64::from(page) * PAGE < size {
            self.touch_access().await;
        }
        // A leased page is granted to no other board, though served while its lease is orphaned.
        let may_keep = self.leased.is_none_or(|lease| lease.board == board && !self.is_orphaned());
        let kept = is_here || may_keep && self.leases.grant(board, page);
        if kept {
            PageLease::mark([u64::from(file.ino), u64::from(board), u64::from(page)]);
        }
        let bytes = if is_here { copied } else { out.get(..copied).map_or(copied, sent_bytes) };
        Ok(Filled { size, keep: if kept { cache_generation } else { NOT_KEPT }, bytes: bytes as u32 })
    }

    /// The data of page `page` into `out`; how many bytes of it, behind which are zeros that are not written. A
    /// program `maps` the file and wants it, or not.
    pub(crate) async fn copy_page(&mut self, page: u32, maps: bool, out: &mut [u8]) -> Result<usize, Errno> {
        let (file, size, offset) = (self.file(), self.record.size(), u64::from(page) * PAGE);
        let bytes = size.saturating_sub(offset).min(PAGE) as usize;
        let block = if bytes > 0 { self.map(offset / PAGE).await? } else { 0 };
        if block == 0 {
            return Ok(0);
        }
        self.read_page(DataPage { file, page, block, size }, maps, out).await?;
        Ok(bytes)
    }

    /// Sets the access time as Linux's `relatime` does: when it is older than the last change, or
    /// than a day.
    pub(crate) async fn touch_access(&mut self) {
        let access = self.record.time_ns(Time::Access);
        let [accessed, modified, changed] =
            [Time::Access, Time::Modify, Time::Change].map(|t| seconds_of(self.record.time_ns(t)));
        let now_ns = self.now_ns();
        let is_old = seconds_of(now_ns).0 - accessed.0 >= S_PER_DAY;
        if accessed <= modified || accessed <= changed || is_old {
            self.record.set_time_ns(Time::Access, now_ns);
            // As stored: a record without fractions keeps its value for the rest of a second, and no board needs a
            // notification.
            let kept_ns = self.record.time_ns(Time::Access);
            if kept_ns != access {
                // This process reports it to no caller before the board that caches the status knows it.
                self.leases.notify_access(self.ino, kept_ns).await;
                self.changed = true;
            }
        }
    }

    /// Writes `data` at `offset`; a failure is reported, and kept for a caller that was released early.
    pub(crate) async fn write_at(&mut self, offset: u64, data: &[u8]) -> Result<(), Errno> {
        let written = self.try_write_at(offset, data).await;
        match written {
            // Not the last word: it is tried again after a commit.
            Ok(()) | Err(Errno::EAGAIN) => {}
            Err(errno) => self.deferred_error = self.deferred_error.or(Some(errno)),
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
        self.revoke_for_write(offset, data.len()).await;
        let (mut written, mut reported) = (0, Ok(()));
        while written < data.len() && reported.is_ok() {
            let at = offset + written as u64;
            let count = (data.len() - written).min(PAGE_BYTES - (at % PAGE) as usize);
            reported = self.write_part(at, &data[written..written + count]).await;
            if reported.is_ok() {
                written += count;
            }
        }
        // What was written before a failure stays, so that no block lies behind the end.
        let size = self.record.size().max(if written > 0 { offset + written as u64 } else { 0 });
        self.record.set_size(size);
        if written > 0 {
            self.touch_content();
        }
        reported
    }

    async fn revoke_for_write(&mut self, offset: u64, bytes: usize) {
        let (size, end) = (self.record.size(), offset + bytes as u64);
        // A page behind the end may be there too, as zeros.
        let (from, to) =
            if end > size { (page_of(size.min(offset)), TO_END) } else { (page_of(offset), page_of(end - 1) + 1) };
        self.revoke(from, to).await;
    }

    /// Writes `part`, which lies in one block.
    async fn write_part(&mut self, at: u64, part: &[u8]) -> Result<(), Errno> {
        let (block, fresh) = self.map_for_write(at / PAGE).await?;
        let size = self.record.size().max(at + part.len() as u64);
        let place = DataPage { file: self.file(), page: page_of(at), block, size };
        self.data.write(place, (at % PAGE) as u32, part, fresh).await
    }

    /// Of a write that has waited for `commits`: the lack of room after the last of them is final, and reported again.
    pub(crate) fn keep_refusal(&mut self, written: Result<(), Errno>, commits: u8) -> Result<(), Errno> {
        if commits == 0 {
            return written;
        }
        written.map_err(no_room).inspect_err(|errno| self.deferred_error = self.deferred_error.or(Some(*errno)))
    }

    pub(crate) async fn read_link(&mut self, out: &mut [u8]) -> Result<u32, Errno> {
        self.check()?;
        if !self.record.is(SYMBOLIC_LINK) {
            return Err(Errno::EINVAL);
        }
        let count = (self.record.size() as usize).min(out.len());
        if self.record.has_pointers() {
            let block = self.map(0).await?;
            let read = ReadBytes { block: block.into(), offset: 0 };
            self.cache.call(read, out.get_mut(..count.min(PAGE_BYTES)).ok_or(Errno::EIO)?).await?;
        } else {
            let target = self.record.short_target().get(..count).ok_or(Errno::EIO)?;
            out[..count].copy_from_slice(target);
        }
        self.touch_access().await;
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
            self.cache.call(Overwrite { block: block.into(), offset: 0, metadata: true }, target).await?;
        }
        self.record.set_size(target.len() as u64);
        self.touch_content();
        Ok(())
    }

    /// Before the inode is given up: its next user does not know that pages are to be protected.
    pub(crate) async fn forget_mapped(&mut self) {
        if self.mapped && self.record.links() > 0 {
            // Without a record of the file there is no page of it.
            let _ = self.data.grant(self.file(), false, self.record.size()).await;
        }
    }

    /// Lets the answered caller go on before the next call, which may have revoked its page, is served.
    pub(crate) async fn let_go_first(&mut self) {
        self.me.yield_now().await;
    }

    /// Before `page` is read for `board`: programs here fault before they change it again.
    pub(crate) async fn protect_for(&mut self, board: u8, page: u32) -> Result<(), Errno> {
        if self.mapped && board != self.me.id().board.0 { self.data.protect(self.file(), page).await } else { Ok(()) }
    }
}

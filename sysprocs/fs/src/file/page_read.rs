//! Reading a file through the page cache of this board.
//!
//! Invariant: what comes from the cache was the file's when the read began: the inode's process calls a page back
//! before it changes. A write from here that crosses drops the own board's pages first, since on an asynchronous edge
//! it may be under way when this board reads next.
//! Not here: the cache (`renga_pages`), leases (`inode/lease_grant.rs`).

use crate::file::inode_session::on_inode;
use crate::file::open_file::OpenFile;
use renga_abi::PAGE_BYTES;
use renga_hal::memory::{Frame, UserMemory};
use renga_pages::{Fill, fill};
use renga_proto::data::ReadMissed;
use renga_proto::inode::{FillPage, Filled};
use renga_proto::pages::{ReadCached, RevokePages, TO_END};
use renga_rt::Errno;

pub(super) const PAGE: u64 = PAGE_BYTES as u64;
/// Attempts, when this board leases the file again after each flush, or may not cache the page.
pub(super) const TRIES_MAX: u32 = 4;

impl<M: UserMemory + ?Sized> OpenFile<M> {
    /// Bytes from `offset` on into `out`; how many.
    pub(super) async fn read_cached(&mut self, offset: u64, out: &mut [u8]) -> Result<u32, Errno> {
        let file = self.id();
        match self.clients.pages.call(ReadCached { file, offset }, &mut *out).await {
            Err(Errno::ENOENT) => self.read_by_page(offset, out).await,
            read => read,
        }
    }

    /// As `read_cached`, when not all of it is cached.
    async fn read_by_page(&mut self, offset: u64, out: &mut [u8]) -> Result<u32, Errno> {
        let (file, mut done) = (self.id(), 0);
        // Each iteration passes a page; the last may be cut off by the end of the file.
        loop {
            let at = offset.checked_add(done as u64).ok_or(Errno::EINVAL)?;
            let wanted = (out.len() - done).min(PAGE_BYTES - (at % PAGE) as usize);
            let part = &mut out[done..done + wanted];
            let read = match self.clients.pages.call(ReadCached { file, offset: at }, &mut *part).await {
                Err(Errno::ENOENT) => self.read_missing(at, part).await,
                read => read,
            };
            match read {
                Ok(bytes) => done += bytes as usize,
                Err(errno) if done == 0 => return Err(errno),
                Err(_) => return Ok(done as u32),
            }
            if done == out.len() || read.is_ok_and(|bytes| (bytes as usize) < wanted) {
                return Ok(done as u32);
            }
        }
    }

    /// Reads what is in one page, which comes into the cache.
    async fn read_missing(&mut self, at: u64, out: &mut [u8]) -> Result<u32, Errno> {
        if self.prefetched(at).await {
            match self.clients.pages.call(ReadCached { file: self.id(), offset: at }, &mut *out).await {
                Err(Errno::ENOENT) => {}
                read => return read,
            }
        }
        let mut bytes = 0;
        for _ in 0..TRIES_MAX {
            let filled = self.bring_in(at, out).await?;
            bytes = filled.size.saturating_sub(at).min(out.len() as u64) as usize;
            if bytes == out.len() || !filled.is_kept() || !self.is_elsewhere() {
                break;
            }
            // The inode's process does not know of what was written here behind the end that it knows.
            match self.clients.pages.call(ReadCached { file: self.id(), offset: at }, &mut *out).await {
                Err(Errno::ENOENT) => {}
                read => return read,
            }
        }
        Ok(bytes as u32)
    }

    /// Whether the page with byte `at` is in the cache now, since this file is read sequentially.
    async fn prefetched(&mut self, at: u64) -> bool {
        let (file, known) = (self.id(), self.inode().is_ok_and(|inode| inode.is_some()));
        match (self.slot.filter(|_| known && self.is_elsewhere()), u32::try_from(at / PAGE)) {
            (Some(slot), Ok(page)) => {
                fill::prefetched(&mut self.clients.prefetchers, ReadMissed { file, slot, page }).await
            }
            _ => false,
        }
    }

    /// Brings the page with byte `at` into the cache, and into `out` what is in it from there on, zeros behind its end;
    /// what the inode's process says of it.
    pub(super) async fn bring_in(&mut self, at: u64, out: &mut [u8]) -> Result<Filled, Errno> {
        let page = u32::try_from(at / PAGE).map_err(|_| Errno::EFBIG)?;
        let (frame, filled) = self.bring(page).await?;
        let within = (at % PAGE) as usize;
        out.copy_from_slice(&self.machine.shared_page(frame)[within..within + out.len()]);
        fill::free(&mut self.clients.memory, frame).await;
        Ok(filled)
    }

    /// Brings page `page` into the cache: its frame, with a reference for the caller.
    pub(super) async fn bring(&mut self, page: u32) -> Result<(Frame, Filled), Errno> {
        let id = self.id();
        let begun = Fill::begin(&mut self.clients.memory, &mut self.clients.pages, id, page).await?;
        match self.fill_frame(&begun, page).await {
            Ok(filled) => {
                let frame = begun.frame;
                if filled.is_kept() {
                    begun.as_read(&filled).keep(&mut self.clients.pages, filled.size).await;
                }
                Ok((frame, filled))
            }
            Err(errno) => {
                begun.give_up(&mut self.clients.memory).await;
                Err(errno)
            }
        }
    }

    async fn fill_frame(&mut self, begun: &Fill, page: u32) -> Result<Filled, Errno> {
        let mut content = self.machine.page(begun.frame);
        let filled: Filled = on_inode!(self, FillPage { ino: self.ino, page, maps: false }, &mut content[..])?;
        filled.clear_behind(&mut content[..]);
        Ok(filled)
    }

    /// Before data from `offset` on is changed from here by the inode's process.
    pub(super) async fn revoke_own(&mut self, offset: u64) -> Result<(), Errno> {
        if !self.is_elsewhere() {
            return Ok(());
        }
        let from = u32::try_from(offset / PAGE).unwrap_or(TO_END);
        // It refuses only a leased file.
        for _ in 0..TRIES_MAX {
            let revoke = RevokePages { file: self.id(), from, to: TO_END };
            if self.clients.pages.call(revoke, ()).await != Err(Errno::EBUSY) {
                break;
            }
            self.flush_lease().await?;
        }
        Ok(())
    }
}

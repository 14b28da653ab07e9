//! Calls about leased files: writing them here, flushing their dirty pages.
//!
//! Invariant: a dirty page of a leased file stays dirty until the inode's process has it.
//! Not here: the records of such files (`leased_files.rs`), callers (`renga_fs`).

use crate::cache_state::{CacheState, PAGE};
use crate::lease::CachedLease;
use renga_hal::memory::{Access, Frame, PAGE_BYTES, UserMemory};
use renga_proto::attributes::{ATTRIBUTES_BYTES, AttributeChange};
use renga_proto::packed::sent_bytes;
use renga_proto::pages::{
    AT_END, AcceptLease, FileId, FlushExtent, FlushLease, FlushedBytes, FlushedPage, IN_RECORD, LeasedPages,
    LeasedWrite, NO_PAGE, NOT_WRITTEN, SetLeasedOut, WriteLeased,
};
use renga_rt::{Call, Errno};

impl<M: UserMemory + ?Sized> CacheState<M> {
    /// Accepts a lease; returns the cache generation for the page that came with it, which no earlier revocation
    /// concerns.
    pub(crate) async fn accept_lease(&mut self, offer: AcceptLease) -> Result<u64, Errno> {
        let AcceptLease { file, pages: LeasedPages { slot, below }, cache_generation, size, lease, now_ns } = offer;
        // Before anything is given up: an answer that comes late says nothing of what was written since.
        if self.index.is_void(file, cache_generation, lease) {
            self.index.note_lease(file, lease);
            return Err(Errno::ESTALE);
        }
        self.owner_clock.note(now_ns, self.me.now_ns());
        self.end_other_lease(file, lease).await;
        // Makes room for its record, if there is none.
        if !self
            .index
            .accept_lease(file, slot, cache_generation, CachedLease { size, below, lease })
            .map_err(|_| Errno::ESTALE)?
        {
            return self.cache_generation(file).await.and(Err(Errno::ESTALE));
        }
        self.index.cache_generation(file).ok_or(Errno::ESTALE)
    }

    pub(crate) async fn write_leased(&mut self, call: &mut Call<WriteLeased>) -> Result<LeasedWrite, Errno> {
        let WriteLeased { file, offset } = call.entry();
        let lease = self.index.lease_of(file).ok_or(Errno::ENOLCK)?;
        if offset == IN_RECORD {
            let (change, _) = AttributeChange::get(call.lent()).ok_or(Errno::EINVAL)?;
            let now_ns = self.owner_now_ns();
            self.index.change(file, change.made_at(now_ns), now_ns);
            return Ok(LeasedWrite { end: lease.size, bytes: 0, crowded: false, missing: NO_PAGE });
        }
        let (size, bytes) = (lease.size, call.lent().len());
        let at = if offset == AT_END { self.index.append_at(file) } else { offset };
        // What would leave out many pages is the inode's to write.
        let end = lease.room(at, bytes as u64).ok_or(Errno::ENOLCK)?;
        for page in (at / PAGE)..end.div_ceil(PAGE) {
            let whole = at <= page * PAGE && (page + 1) * PAGE <= end;
            if page * PAGE < size && !whole && self.index.find_leased_out(file, page as u32).is_none() {
                return Ok(LeasedWrite { end: at, bytes: 0, crowded: false, missing: page as u32 });
            }
        }
        let mut done = 0;
        // Each iteration passes a page.
        while done < bytes {
            match self.write_part(file, at + done as u64, &call.lent()[done..]).await {
                Ok(part) => done += part,
                Err(errno) if done == 0 => return Err(errno),
                Err(_) => break,
            }
        }
        let crowded = self.is_crowded();
        Ok(LeasedWrite { end: at + done as u64, bytes: done as u32, crowded, missing: NO_PAGE })
    }

    /// The part of `data` that lies in the page with byte `at`, which is here or need not be; how many bytes.
    async fn write_part(&mut self, file: FileId, at: u64, data: &[u8]) -> Result<usize, Errno> {
        let (page, within) = ((at / PAGE) as u32, (at % PAGE) as usize);
        let bytes = data.len().min(PAGE_BYTES - within);
        let size = self.index.lease_of(file).ok_or(Errno::ENOLCK)?.size;
        if at + bytes as u64 > size {
            self.clear_end(file, at + bytes as u64);
        }
        let fresh = u64::from(page) * PAGE >= size || bytes == PAGE_BYTES;
        let frame = match self.unshared(file, page).await {
            Err(Errno::ENOENT) if fresh => self.add(file, page, size).await?,
            // It was given up to make room for the page before it.
            Err(Errno::ENOENT) => return Err(Errno::ENOMEM),
            found => found?,
        };
        self.machine.page(frame)[within..within + bytes].copy_from_slice(&data[..bytes]);
        let now_ns = self.owner_now_ns();
        self.index.wrote(frame, at + bytes as u64, now_ns);
        Ok(bytes)
    }

    /// Before a program writes the page in `frame`, which it shares: whether it may, as it is dirty.
    pub(crate) fn begin_store(&mut self, file: FileId, page: u32, frame: Frame) -> Result<(), Errno> {
        if self.is_home() {
            return if self.index.begin_store(frame.0) { Ok(()) } else { Err(Errno::EAGAIN) };
        }
        self.index.lease_of(file).filter(|lease| page < lease.below).ok_or(Errno::EAGAIN)?;
        // Of what is being pushed it makes another version.
        if !self.index.is_dirty(frame.0) || self.index.is_on_way(frame.0) {
            if self.is_crowded() && self.index.has_dirty(file) {
                return Err(Errno::EBUSY);
            }
            let now_ns = self.owner_now_ns();
            self.index.wrote(frame, 0, now_ns);
        }
        Ok(())
    }

    /// `ENOENT`: this board has nothing of such a lease; one that has rebooted has not.
    pub(crate) async fn flush_page(&mut self, call: &mut Call<FlushLease>) -> Result<FlushedPage, Errno> {
        let FlushLease { file, taken, back, lease, .. } = call.entry();
        if back == FlushExtent::Gone {
            self.drop_file(file).await;
            return Ok(FlushedPage::NONE);
        }
        self.end_other_lease(file, lease).await;
        let known = self.index.knows_lease(file, lease);
        let changed = match back {
            FlushExtent::Facts => self.index.facts(file).2,
            _ => self.index.take_attributes(file),
        };
        let (mut page, mut bytes) = (NO_PAGE, FlushedBytes::NONE);
        if back == FlushExtent::Dirty {
            let taking = self.index.lease_of(file).is_none() && known;
            self.index.end_lease(file, lease, taking);
            if taken != NO_PAGE {
                self.index.flushed(file, taken);
                self.meet_want().await;
            }
            if let Some((dirty, frame)) = self.index.first_dirty(file, taken.wrapping_add(1))
                && let Some(out) = call.lent().get_mut(..PAGE_BYTES)
            {
                self.index.restrict(self.machine, frame.0, Access::Read);
                out.copy_from_slice(&*self.machine.shared_page(frame));
                let sent = sent_bytes(out);
                if changed.is_none() || sent + ATTRIBUTES_BYTES <= PAGE_BYTES {
                    (page, bytes.page) = (dirty, sent as u16);
                }
            }
            if page == NO_PAGE && changed.is_none() {
                self.index.reclaim(file);
            }
        }
        let behind = call.lent().get_mut(bytes.page.into()..).and_then(<[u8]>::first_chunk_mut);
        if let Some(((change, at_ns), out)) = changed.zip(behind) {
            bytes.changes = change.put(at_ns, out) as u16;
        }
        if back == FlushExtent::Nothing {
            self.forget_file(file).await;
            return Ok(FlushedPage { bytes, ..FlushedPage::NONE });
        }
        let reserved = if back == FlushExtent::Dirty { self.index.reserved(file) } else { 0 };
        let (size, written_ns) = match back {
            FlushExtent::Facts => {
                let (size, written_ns, _) = self.index.facts(file);
                (size, written_ns)
            }
            _ => self.index.take_facts(file),
        };
        if back == FlushExtent::Dirty && !known && changed.is_none() && page == NO_PAGE && written_ns.is_none() {
            return Err(Errno::ENOENT);
        }
        Ok(FlushedPage { page, size, written_ns: written_ns.unwrap_or(NOT_WRITTEN), reserved, bytes })
    }

    pub(crate) async fn note_leased_out(&mut self, set: SetLeasedOut) -> Result<(), Errno> {
        let SetLeasedOut { file, leased, size } = set;
        self.cache_generation(file).await?;
        self.index.set_leased_out(file, leased, size);
        if let Some(record) = self.index.find_file(file) {
            self.index.end_sole(record);
            if leased {
                // Programs that map a page find it again, by way of the inode's process.
                self.index.unmap_range(self.machine, record, 0, u32::MAX);
            }
        }
        Ok(())
    }
}

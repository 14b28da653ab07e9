//! Calls about files that one board holds: writing them here, giving back what is dirty.
//!
//! Invariant: a dirty page of a held file stays so until the inode's process says that it has it.
//! Not here: what is known of such files (`held.rs`), who asks (`renga_fs`).

use crate::held::Holding;
use crate::page_cache::{PAGE, State};
use renga_hal::memory::{Access, Frame, PAGE_BYTES, UserMemory};
use renga_proto::attributes::{ATTRIBUTES_BYTES, AttributeChange};
use renga_proto::pages::{
    AT_END, Back, DirtyFile, EndAdrift, FileId, Given, HeldWrite, HoldFile, IN_RECORD, Lend, NO_LEASE, NO_PAGE,
    NOT_WRITTEN, PagesCall, ReadLent, ReserveHeld, TakeBack, WriteHeld,
};
use renga_rt::{Call, Errno};

impl<M: UserMemory + ?Sized> State<M> {
    pub(crate) async fn serve_held(&mut self, call: PagesCall) {
        match call {
            PagesCall::BeginHold(call) => call.reply(Ok(self.index.now())),
            PagesCall::HoldFile(call) => {
                let held = self.hold(call.entry()).await;
                call.reply(held);
            }
            PagesCall::WriteHeld(mut call) => {
                let written = self.write_held(&mut call).await;
                call.reply(written);
            }
            PagesCall::TakeBack(mut call) => {
                let given = self.give_back(&mut call).await;
                // What is not there need not cross.
                let used = if given.changed { ATTRIBUTES_BYTES } else { PAGE_BYTES };
                call.set_taken_used(if given.page == NO_PAGE && !given.changed { 0 } else { used });
                call.reply(Ok(given));
            }
            PagesCall::Lend(call) => {
                let lent = self.lend(call.entry()).await;
                call.reply(lent);
            }
            PagesCall::ReadLent(mut call) => {
                let ReadLent { file, page } = call.entry();
                let found = self.index.find_lent(file, page).ok_or(Errno::ENOENT);
                let read = found.and_then(|frame| {
                    let out = call.lent().get_mut(..PAGE_BYTES).ok_or(Errno::EINVAL)?;
                    out.copy_from_slice(&*self.machine.shared_page(frame));
                    Ok(())
                });
                call.reply(read);
            }
            PagesCall::ReserveHeld(call) => {
                let ReserveHeld { file, from, bytes } = call.entry();
                call.reply(self.index.reserve(file, from, bytes).ok_or(Errno::ENOLCK));
            }
            PagesCall::OldestHeld(call) => {
                let oldest = self.index.oldest_held().map(|(file, slot)| DirtyFile { file, slot });
                call.reply(oldest.ok_or(Errno::ENOENT));
            }
            PagesCall::FindAdrift(call) => {
                let found = self.index.find_adrift(call.entry().file, call.entry().from);
                call.reply(found.ok_or(Errno::ENOENT));
            }
            PagesCall::EndAdrift(call) => {
                let EndAdrift { file, lease } = call.entry();
                if self.index.find_adrift(file, 0).is_some_and(|adrift| adrift.lease == lease) {
                    self.lose(file).await;
                }
                call.reply(Ok(()));
            }
            _ => unreachable!("served before"),
        }
    }

    /// With which ticket what has come with the lease may be kept: it is not old, whatever was called back before.
    async fn hold(&mut self, hold: HoldFile) -> Result<u64, Errno> {
        let HoldFile { file, slot, ticket, size, below, lease } = hold;
        // Before anything is given up: an answer that comes late says nothing of what was written since.
        if self.index.is_void(file, ticket, lease) {
            self.index.note_lease(file, lease);
            return Err(Errno::ESTALE);
        }
        self.end_other_lease(file, lease).await;
        // Makes room for its record, if there is none.
        if !self.index.hold(file, slot, ticket, Holding { size, below, lease }).map_err(|_| Errno::ESTALE)? {
            return self.ticket(file).await.and(Err(Errno::ESTALE));
        }
        self.index.ticket(file).ok_or(Errno::ESTALE)
    }

    async fn write_held(&mut self, call: &mut Call<WriteHeld>) -> Result<HeldWrite, Errno> {
        let WriteHeld { file, offset } = call.entry();
        let holding = self.index.holding(file).ok_or(Errno::ENOLCK)?;
        if offset == IN_RECORD {
            let (change, _) = AttributeChange::get(call.lent()).ok_or(Errno::EINVAL)?;
            self.index.change(file, change, self.me.now_ns());
            return Ok(HeldWrite { end: holding.size, bytes: 0, crowded: false, missing: NO_PAGE });
        }
        let (size, bytes) = (holding.size, call.lent().len());
        let at = if offset == AT_END { self.index.append_at(file) } else { offset };
        // What would leave out many pages is the inode's to write.
        let end = holding.room(at, bytes as u64).ok_or(Errno::ENOLCK)?;
        for page in (at / PAGE)..end.div_ceil(PAGE) {
            let whole = at <= page * PAGE && (page + 1) * PAGE <= end;
            if page * PAGE < size && !whole && self.index.find_lent(file, page as u32).is_none() {
                return Ok(HeldWrite { end: at, bytes: 0, crowded: false, missing: page as u32 });
            }
        }
        let mut done = 0;
        // Each turn passes a page.
        while done < bytes {
            match self.write_part(file, at + done as u64, &call.lent()[done..]).await {
                Ok(part) => done += part,
                Err(errno) if done == 0 => return Err(errno),
                Err(_) => break,
            }
        }
        let crowded = self.is_crowded();
        Ok(HeldWrite { end: at + done as u64, bytes: done as u32, crowded, missing: NO_PAGE })
    }

    /// The part of `data` that lies in the page with byte `at`, which is here or need not be; how many bytes.
    async fn write_part(&mut self, file: FileId, at: u64, data: &[u8]) -> Result<usize, Errno> {
        let (page, within) = ((at / PAGE) as u32, (at % PAGE) as usize);
        let bytes = data.len().min(PAGE_BYTES - within);
        let size = self.index.holding(file).ok_or(Errno::ENOLCK)?.size;
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
        let now_ns = self.me.now_ns();
        self.index.wrote(frame, at + bytes as u64, now_ns);
        Ok(bytes)
    }

    /// Before a program writes the page in `frame`, which it shares: whether it may, as it is dirty.
    pub(crate) fn begin_store(&mut self, file: FileId, page: u32, frame: Frame) -> Result<(), Errno> {
        if self.is_home() {
            return if self.index.begin_store(frame.0) { Ok(()) } else { Err(Errno::EAGAIN) };
        }
        self.index.holding(file).filter(|held| page < held.below).ok_or(Errno::EAGAIN)?;
        if !self.index.is_dirty(frame.0) {
            if self.is_crowded() && self.index.has_dirty(file) {
                return Err(Errno::EBUSY);
            }
            let now_ns = self.me.now_ns();
            self.index.wrote(frame, 0, now_ns);
        }
        Ok(())
    }

    async fn give_back(&mut self, call: &mut Call<TakeBack>) -> Given {
        let TakeBack { file, taken, back, lease, .. } = call.entry();
        self.end_other_lease(file, lease).await;
        let changed = self.give_changed(file, call);
        if back == Back::Nothing {
            self.forget_file(file).await;
            return Given { page: NO_PAGE, size: 0, written_ns_ago: NOT_WRITTEN, reserved: 0, changed };
        }
        let mut page = NO_PAGE;
        if back == Back::Dirty {
            let taking = self.index.holding(file).is_none() && self.index.knows_lease(file, lease);
            self.index.end_lease(file, lease, taking);
            if taken != NO_PAGE {
                self.index.taken(file, taken);
                self.meet_want().await;
            }
            if let Some((dirty, frame)) = self.index.first_dirty(file, taken.wrapping_add(1)).filter(|_| !changed)
                && let Some(out) = call.lent().get_mut(..PAGE_BYTES)
            {
                self.index.restrict(self.machine, frame.0, Access::Read);
                out.copy_from_slice(&*self.machine.shared_page(frame));
                page = dirty;
            }
            if page == NO_PAGE && !changed {
                self.index.land(file);
            }
        }
        let reserved = if back == Back::Dirty { self.index.reserved(file) } else { 0 };
        let (size, written_ns) = self.index.take_facts(file);
        let now_ns = self.me.now_ns();
        let written_ns_ago = written_ns.map_or(NOT_WRITTEN, |written_ns| now_ns.saturating_sub(written_ns));
        Given { page, size, written_ns_ago, reserved, changed }
    }

    /// Gives what was changed of mode, owner and times; whether anything was.
    fn give_changed(&mut self, file: FileId, call: &mut Call<TakeBack>) -> bool {
        let now_ns = self.me.now_ns();
        let Some(out) = call.lent().first_chunk_mut() else { return false };
        let changed = self.index.take_changed(file);
        changed.is_some_and(|(changed, at_ns)| changed.put(now_ns.saturating_sub(at_ns), out) > 0)
    }

    pub(crate) async fn forget_file(&mut self, id: FileId) {
        self.templates.outdate(Some(id));
        self.index.end_lease(id, NO_LEASE, false);
        if let Some(file) = self.index.recall(id, u32::MAX) {
            self.drop_range(file, 0, u32::MAX).await;
            self.index.forget(file);
        }
    }

    async fn lend(&mut self, lend: Lend) -> Result<(), Errno> {
        let Lend { file, lent, size } = lend;
        self.ticket(file).await?;
        self.index.lend(file, lent, size);
        if let Some(record) = self.index.find_file(file) {
            self.index.end_sole(record);
            if lent {
                // Programs that are shown a page find it anew, by way of the inode's process.
                self.index.withhold_range(self.machine, record, 0, u32::MAX);
            }
        }
        Ok(())
    }
}

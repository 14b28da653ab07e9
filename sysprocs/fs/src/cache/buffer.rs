//! One buffer: the content of one block, and whatever is done to it.
//!
//! Invariants: while it is changed and not on the disk, it is the only copy; it goes to the disk
//! before the page is used for another block. Changed books go to the journal first. A block that the
//! disk refuses stays for a later try; content is given up after [`TRIES_MAX`], books never.
//! Not here: which block to hold (`buffer_directory.rs`), what is done to it (`buffer_work.rs`).

use crate::format::journal_format::JOURNAL_MAGIC;
use renga_abi::PAGE_BYTES;
use renga_proto::buffer::{Become, Buffer, BufferCall, LoggedBlock, ReadAhead};
use renga_proto::disk::{Disk, ReadBlocks, WriteBlocks};
use renga_rt::{Call, Client, Errno, Never, Port};

/// No block: none has this number.
const NO_BLOCK: u64 = u64::MAX;
/// Times that changed content is offered to the disk.
const TRIES_MAX: u32 = 4;

/// What the disk has not seen yet.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Changed {
    Nothing,
    /// May go to its place at any time. `logged`: books, which are in the journal.
    MayGo {
        logged: bool,
    },
    /// Books that are not in the journal.
    Books,
    /// Books that are in the journal, in a transaction without its end.
    Uncommitted,
}

pub(crate) struct State {
    disk: Client<Disk>,
    pub(crate) page: &'static mut [u8; PAGE_BYTES],
    block: u64,
    changed: Changed,
    /// Times that the disk has refused what is changed.
    tries: u32,
    /// A former block was lost, and nobody has been told yet.
    lost: bool,
}

/// Serves one buffer whose content is in `page`.
pub async fn buffer(mut port: Port<Buffer>, disk: Client<Disk>, page: &'static mut [u8; PAGE_BYTES]) -> Never {
    let mut state = State { disk, page, block: NO_BLOCK, changed: Changed::Nothing, tries: 0, lost: false };
    loop {
        match port.accept().await {
            BufferCall::ReadBytes(mut call) => {
                let entry = call.entry();
                let reply = state.read(entry.block, entry.offset, call.lent());
                call.reply(reply);
            }
            BufferCall::WriteBytes(mut call) => {
                let entry = call.entry();
                let reply = state.write(entry.block, entry.offset, entry.books, call.lent());
                call.reply(reply);
            }
            BufferCall::Become(call) => state.become_block(call).await,
            BufferCall::ReadAhead(call) => state.read_ahead(call).await,
            BufferCall::Flush(call) => {
                let entry = call.entry();
                let reply = match state.check(entry.block) {
                    Ok(()) => state.flush(entry.books).await,
                    stale => stale,
                };
                call.reply(reply);
            }
            BufferCall::Log(call) => {
                let reply = state.log(call.entry().to).await;
                call.reply(reply);
            }
            BufferCall::FlushBooks(call) => {
                state.commit(false);
                let reply = state.flush(true).await;
                call.reply(reply);
            }
            BufferCall::Committed(call) => {
                state.commit(call.entry().void);
                call.reply(Ok(()));
            }
            other => state.work(other),
        }
    }
}

impl State {
    /// Writes what may go.
    async fn flush(&mut self, books: bool) -> Result<(), Errno> {
        match self.changed {
            Changed::MayGo { logged } if books || !logged => self.put_in_place().await,
            _ => Ok(()),
        }
    }

    async fn put_in_place(&mut self) -> Result<(), Errno> {
        let written = self.disk.call(WriteBlocks { first: self.block }, &self.page[..]).await;
        match written {
            Ok(()) => (self.changed, self.tries) = (Changed::Nothing, 0),
            Err(_) => self.tries = self.tries.saturating_add(1),
        }
        written
    }

    /// Writes the former block. `EBUSY` if it stays.
    async fn leave(&mut self, force: bool) -> Result<(), Errno> {
        match self.changed {
            Changed::Nothing => {}
            Changed::Books | Changed::Uncommitted if !force => return Err(Errno::EBUSY),
            Changed::MayGo { logged: false } => {
                if self.put_in_place().await.is_err() {
                    if self.tries < TRIES_MAX && !force {
                        return Err(Errno::EBUSY);
                    }
                    self.lost = true;
                }
            }
            _ => self.put_in_place().await.map_err(|_| Errno::EBUSY)?,
        }
        (self.block, self.changed, self.tries) = (NO_BLOCK, Changed::Nothing, 0);
        Ok(())
    }

    async fn load(&mut self, block: u64) -> Result<(), Errno> {
        self.disk.call(ReadBlocks { first: block }, &mut self.page[..]).await?;
        self.block = block;
        Ok(())
    }

    fn take_lost(&mut self) -> bool {
        core::mem::take(&mut self.lost)
    }

    async fn become_block(&mut self, call: Call<Become>) {
        let Become { block, overwrite, force } = call.entry();
        if block != self.block {
            if let Err(errno) = self.leave(force).await {
                return call.reply(Err(errno));
            }
            if overwrite {
                self.block = block;
            } else if let Err(errno) = self.load(block).await {
                return call.reply(Err(errno));
            }
        }
        call.reply(Ok(self.take_lost()));
    }

    async fn read_ahead(&mut self, call: Call<ReadAhead>) {
        let block = call.entry().block;
        if block == self.block {
            return call.reply(Ok(self.take_lost()));
        }
        if let Err(errno) = self.leave(false).await {
            return call.reply(Err(errno));
        }
        call.reply(Ok(self.take_lost()));
        // A failure is found again by whoever wants the block.
        let _ = self.load(block).await;
    }

    /// Writes changed books to block `to`, which is the journal's.
    async fn log(&mut self, to: u64) -> Result<LoggedBlock, Errno> {
        if !matches!(self.changed, Changed::Books | Changed::Uncommitted) {
            return Err(Errno::ENOENT);
        }
        let escaped = self.page[..4] == JOURNAL_MAGIC;
        if escaped {
            self.page[..4].fill(0);
        }
        let written = self.disk.call(WriteBlocks { first: to }, &self.page[..]).await;
        if escaped {
            self.page[..4].copy_from_slice(&JOURNAL_MAGIC);
        }
        written?;
        self.changed = Changed::Uncommitted;
        Ok(LoggedBlock { block: self.block, escaped })
    }

    fn commit(&mut self, void: bool) {
        if matches!(self.changed, Changed::Books | Changed::Uncommitted) {
            self.changed = if void { Changed::Nothing } else { Changed::MayGo { logged: true } };
        }
    }

    pub(crate) fn check(&self, block: u64) -> Result<(), Errno> {
        if block == self.block { Ok(()) } else { Err(Errno::ESTALE) }
    }

    fn read(&self, block: u64, offset: u32, out: &mut [u8]) -> Result<(), Errno> {
        self.check(block)?;
        let from = offset as usize;
        out.copy_from_slice(self.page.get(from..from + out.len()).ok_or(Errno::EINVAL)?);
        Ok(())
    }

    fn write(&mut self, block: u64, offset: u32, books: bool, data: &[u8]) -> Result<(), Errno> {
        self.check(block)?;
        let from = offset as usize;
        self.page.get_mut(from..from + data.len()).ok_or(Errno::EINVAL)?.copy_from_slice(data);
        self.note(books);
        Ok(())
    }

    fn note(&mut self, books: bool) {
        if books {
            self.changed = Changed::Books;
        } else if self.changed == Changed::Nothing {
            self.changed = Changed::MayGo { logged: false };
        }
    }

    /// Changes the page by `work`, if this is `block` and the change succeeds.
    pub(crate) fn change<T>(
        &mut self,
        block: u64,
        books: bool,
        work: impl FnOnce(&mut [u8; PAGE_BYTES]) -> Result<T, Errno>,
    ) -> Result<T, Errno> {
        self.check(block)?;
        let done = work(self.page)?;
        self.note(books);
        Ok(done)
    }

    /// Forgets that it was changed.
    pub(crate) fn discard(&mut self, block: u64) -> Result<(), Errno> {
        self.check(block)?;
        (self.changed, self.tries) = (Changed::Nothing, 0);
        Ok(())
    }
}

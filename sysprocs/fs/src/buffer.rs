//! One buffer: the content of one block, and whatever is done to it.
//!
//! Invariant: while it is changed and not on the disk, it is the only copy; it goes to the disk
//! before the page is used for another block. Not here: which block to hold (`buffer_directory.rs`).

use crate::{bitmap, directory_block};
use renga_abi::PAGE_BYTES;
use renga_proto::buffer::{Become, Buffer, BufferCall, ReadAhead};
use renga_proto::disk::{Disk, ReadBlock, WriteBlock};
use renga_rt::{Call, Client, Errno, Never, Port};

/// No block: none has this number.
const NO_BLOCK: u64 = u64::MAX;

struct State {
    disk: Client<Disk>,
    page: &'static mut [u8; PAGE_BYTES],
    block: u64,
    changed: bool,
    /// A former block was lost, and nobody has been told yet.
    lost: bool,
}

/// Serves one buffer whose content is in `page`.
pub async fn buffer(mut port: Port<Buffer>, disk: Client<Disk>, page: &'static mut [u8; PAGE_BYTES]) -> Never {
    let mut state = State { disk, page, block: NO_BLOCK, changed: false, lost: false };
    loop {
        match port.accept().await {
            BufferCall::ReadBytes(mut call) => {
                let entry = call.entry();
                let reply = state.read(entry.block, entry.offset, call.lent());
                call.reply(reply);
            }
            BufferCall::WriteBytes(mut call) => {
                let entry = call.entry();
                let reply = state.write(entry.block, entry.offset, call.lent());
                call.reply(reply);
            }
            BufferCall::Become(call) => state.become_block(call).await,
            BufferCall::ReadAhead(call) => state.read_ahead(call).await,
            BufferCall::Flush(call) => {
                let reply = if call.entry().block == state.block { state.flush().await } else { Err(Errno::ESTALE) };
                call.reply(reply);
            }
            other => state.work(other),
        }
    }
}

impl State {
    async fn flush(&mut self) -> Result<(), Errno> {
        if self.changed {
            self.disk.call(WriteBlock { block: self.block }, &self.page[..]).await?;
            self.changed = false;
        }
        Ok(())
    }

    /// Writes the former block, which is lost if the disk refuses.
    async fn leave(&mut self) {
        if self.flush().await.is_err() {
            self.lost = true;
        }
        (self.block, self.changed) = (NO_BLOCK, false);
    }

    async fn load(&mut self, block: u64) -> Result<(), Errno> {
        self.disk.call(ReadBlock { block }, &mut self.page[..]).await?;
        self.block = block;
        Ok(())
    }

    fn take_lost(&mut self) -> bool {
        core::mem::take(&mut self.lost)
    }

    async fn become_block(&mut self, call: Call<Become>) {
        let Become { block, overwrite } = call.entry();
        if block != self.block {
            self.leave().await;
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
        self.leave().await;
        call.reply(Ok(self.take_lost()));
        // A failure is found again by whoever wants the block.
        let _ = self.load(block).await;
    }

    fn check(&self, block: u64) -> Result<(), Errno> {
        if block == self.block { Ok(()) } else { Err(Errno::ESTALE) }
    }

    fn read(&self, block: u64, offset: u32, out: &mut [u8]) -> Result<(), Errno> {
        self.check(block)?;
        let from = offset as usize;
        out.copy_from_slice(self.page.get(from..from + out.len()).ok_or(Errno::EINVAL)?);
        Ok(())
    }

    fn write(&mut self, block: u64, offset: u32, data: &[u8]) -> Result<(), Errno> {
        self.check(block)?;
        let from = offset as usize;
        self.page.get_mut(from..from + data.len()).ok_or(Errno::EINVAL)?.copy_from_slice(data);
        self.changed = true;
        Ok(())
    }

    /// Changes the page by `work`, if this is `block` and the change succeeds.
    fn change<T>(
        &mut self,
        block: u64,
        work: impl FnOnce(&mut [u8; PAGE_BYTES]) -> Result<T, Errno>,
    ) -> Result<T, Errno> {
        self.check(block)?;
        let done = work(self.page)?;
        self.changed = true;
        Ok(done)
    }

    /// The entries that need no disk.
    fn work(&mut self, call: BufferCall) {
        match call {
            BufferCall::Zero(call) => {
                let zeroed = self.change(call.entry().block, |page| {
                    page.fill(0);
                    Ok(())
                });
                call.reply(zeroed);
            }
            BufferCall::Discard(call) => {
                let held = self.check(call.entry().block);
                if held.is_ok() {
                    self.changed = false;
                }
                call.reply(held);
            }
            BufferCall::FindEntry(mut call) => {
                let held = self.check(call.entry().block);
                let reply = held.and_then(|()| directory_block::find(self.page, call.lent()));
                call.reply(reply);
            }
            BufferCall::ListEntries(mut call) => {
                let entry = call.entry();
                let held = self.check(entry.block);
                let reply = held.and_then(|()| directory_block::list(self.page, entry.position, call.lent()));
                call.reply(reply);
            }
            BufferCall::HasEntries(call) => {
                let held = self.check(call.entry().block);
                call.reply(held.and_then(|()| directory_block::has_entries(self.page)));
            }
            BufferCall::NameOfEntry(mut call) => {
                let entry = call.entry();
                let held = self.check(entry.block);
                let reply = held.and_then(|()| directory_block::name_of(self.page, entry.ino, call.lent()));
                call.reply(reply);
            }
            other => self.alter(other),
        }
    }

    /// The entries that change directory entries or bitmaps.
    fn alter(&mut self, call: BufferCall) {
        match call {
            BufferCall::AddEntry(mut call) => {
                let entry = call.entry();
                let name = call.lent();
                let reply = self.change(entry.block, |page| directory_block::add(page, name, entry.ino, entry.kind));
                call.reply(reply);
            }
            BufferCall::RemoveEntry(mut call) => {
                let block = call.entry().block;
                let name = call.lent();
                let reply = self.change(block, |page| directory_block::remove(page, name));
                call.reply(reply);
            }
            BufferCall::RepointEntry(mut call) => {
                let entry = call.entry();
                let name = call.lent();
                let reply =
                    self.change(entry.block, |page| directory_block::repoint(page, name, entry.ino, entry.kind));
                call.reply(reply);
            }
            BufferCall::TakeBit(call) => {
                let entry = call.entry();
                let taken =
                    |page: &mut [u8; PAGE_BYTES]| bitmap::take(page, entry.from, entry.below).ok_or(Errno::ENOSPC);
                call.reply(self.change(entry.block, taken));
            }
            BufferCall::ClearBits(call) => {
                let entry = call.entry();
                let cleared = |page: &mut [u8; PAGE_BYTES]| Ok(bitmap::clear(page, entry.first, entry.count));
                call.reply(self.change(entry.block, cleared));
            }
            _ => unreachable!("served before"),
        }
    }
}

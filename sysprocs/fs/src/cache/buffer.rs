//! One buffer: the content of one block, and the work that is done on it.
//!
//! Invariants: calls are served in the order in which the directory passes them on; whatever they do is done
//! to the block that they name. A call for another block than is here makes the buffer read that one first: the
//! directory has seen to it that the medium has all of the former.
//! Not here: which block to hold, what is dirty (`slots.rs`), when it is written (`writer.rs`).

use crate::format::{bitmap, directory_block};
use renga_abi::PAGE_BYTES;
use renga_proto::buffer::page::{Buffer, BufferCall, Overwrite};
use renga_proto::disk::{Disk, ReadBlocks};
use renga_rt::{Call, Client, Errno, Never, Port};

/// No block: none has this number.
const NO_BLOCK: u64 = u64::MAX;

struct BufferState {
    disk: Client<Disk>,
    page: &'static mut [u8; PAGE_BYTES],
    block: u64,
}

/// Serves one buffer whose content is in `page`.
pub async fn buffer(mut port: Port<Buffer>, disk: Client<Disk>, page: &'static mut [u8; PAGE_BYTES]) -> Never {
    let mut state = BufferState { disk, page, block: NO_BLOCK };
    loop {
        match port.accept().await {
            BufferCall::ReadBytes(mut call) => {
                let entry = call.entry();
                let held = state.hold(entry.block).await;
                let reply = held.and_then(|()| read(state.page, entry.offset, call.lent()));
                call.reply(reply);
            }
            BufferCall::WriteBytes(mut call) => {
                let entry = call.entry();
                let held = state.hold(entry.block).await;
                let reply = held.and_then(|()| write(state.page, entry.offset, call.lent()));
                call.reply(reply);
            }
            BufferCall::Overwrite(call) => state.overwrite(call),
            BufferCall::CopyOut(mut call) => {
                let reply = if call.entry().block == state.block { Ok(()) } else { Err(Errno::ENOENT) };
                let reply = reply.and_then(|()| read(state.page, 0, call.lent()));
                call.reply(reply);
            }
            other => state.work(other).await,
        }
    }
}

fn read(page: &[u8; PAGE_BYTES], offset: u32, out: &mut [u8]) -> Result<(), Errno> {
    let from = offset as usize;
    out.copy_from_slice(page.get(from..from + out.len()).ok_or(Errno::EINVAL)?);
    Ok(())
}

fn write(page: &mut [u8; PAGE_BYTES], offset: u32, data: &[u8]) -> Result<(), Errno> {
    let from = offset as usize;
    page.get_mut(from..from + data.len()).ok_or(Errno::EINVAL)?.copy_from_slice(data);
    Ok(())
}

impl BufferState {
    /// Holds `block` from now on.
    async fn hold(&mut self, block: u64) -> Result<(), Errno> {
        if self.block != block {
            self.block = NO_BLOCK;
            self.disk.call(ReadBlocks { first: block }, &mut self.page[..]).await?;
            self.block = block;
        }
        Ok(())
    }

    fn overwrite(&mut self, mut call: Call<Overwrite>) {
        let entry = call.entry();
        let data = call.lent();
        if data.len() < PAGE_BYTES {
            self.page.fill(0);
        }
        let reply = write(self.page, entry.offset, data);
        self.block = entry.block;
        call.reply(reply);
    }

    /// Directory entries.
    async fn work(&mut self, call: BufferCall) {
        match call {
            BufferCall::FindEntry(mut call) => {
                let held = self.hold(call.entry().block).await;
                let reply = held.and_then(|()| directory_block::find(self.page, call.lent()));
                call.reply(reply);
            }
            BufferCall::AddEntry(mut call) => {
                let entry = call.entry();
                let held = self.hold(entry.block).await;
                let reply = held.and_then(|()| directory_block::add(self.page, call.lent(), entry.ino, entry.kind));
                call.reply(reply);
            }
            BufferCall::RemoveEntry(mut call) => {
                let held = self.hold(call.entry().block).await;
                let reply = held.and_then(|()| directory_block::remove(self.page, call.lent()));
                call.reply(reply);
            }
            BufferCall::RepointEntry(mut call) => {
                let entry = call.entry();
                let held = self.hold(entry.block).await;
                let reply = held.and_then(|()| directory_block::repoint(self.page, call.lent(), entry.ino, entry.kind));
                call.reply(reply);
            }
            BufferCall::ListEntries(mut call) => {
                let entry = call.entry();
                let held = self.hold(entry.block).await;
                let reply = held.and_then(|()| directory_block::list(self.page, entry.position, call.lent()));
                call.reply(reply);
            }
            other => self.look_up_and_count(other).await,
        }
    }

    /// What is asked of directories more rarely, and bitmaps.
    async fn look_up_and_count(&mut self, call: BufferCall) {
        match call {
            BufferCall::HasEntries(call) => {
                let held = self.hold(call.entry().block).await;
                call.reply(held.and_then(|()| directory_block::has_entries(self.page)));
            }
            BufferCall::NameOfEntry(mut call) => {
                let entry = call.entry();
                let held = self.hold(entry.block).await;
                let reply = held.and_then(|()| directory_block::name_of(self.page, entry.ino, call.lent()));
                call.reply(reply);
            }
            BufferCall::TakeBit(call) => {
                let entry = call.entry();
                let held = self.hold(entry.block).await;
                let take = |()| bitmap::take(self.page, entry.from, entry.below).ok_or(Errno::ENOSPC);
                call.reply(held.and_then(take));
            }
            BufferCall::ClearBits(call) => {
                let entry = call.entry();
                let held = self.hold(entry.block).await;
                call.reply(held.map(|()| bitmap::clear(self.page, entry.first, entry.count)));
            }
            _ => unreachable!("served before"),
        }
    }
}

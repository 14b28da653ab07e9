//! One buffer: the data of one block, and the work that is done on it.
//!
//! Invariants: a buffer serves calls in the order in which the directory forwards them, each on the block that it
//! names. A call for another block makes the buffer read that one first: the directory has made sure that the medium
//! has all of the former. Not here: which block to cache, what is dirty (`slots.rs`), when it is written
//! (`metadata_writeback.rs`).

use crate::format::{bitmap, directory_block};
use renga_abi::PAGE_BYTES;
use renga_proto::buffer::page::{Buffer, BufferCall, Overwrite};
use renga_proto::disk::{Disk, ReadBlocks};
use renga_rt::{Call, Client, Errno, Never, Port, repeated, reply};

const NO_BLOCK: u64 = u64::MAX;

struct BufferState {
    disk: Client<Disk>,
    page: &'static mut [u8; PAGE_BYTES],
    block: u64,
}

/// Serves one buffer whose data are in `page`.
pub async fn buffer(mut port: Port<Buffer>, disk: Client<Disk>, page: &'static mut [u8; PAGE_BYTES]) -> Never {
    let mut state = BufferState { disk, page, block: NO_BLOCK };
    loop {
        state.serve(port.accept().await).await;
    }
}

/// Replies with what is done to the block that the call names, when the buffer has it.
macro_rules! on_block {
    ($state:expr, $call:ident, $entry:ident => $work:expr) => {{
        let $entry = $call.entry();
        let read = $state.load($entry.block).await;
        reply!($call, if read => $work)
    }};
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
    async fn serve(&mut self, call: BufferCall) {
        use directory_block as directory;
        match call {
            BufferCall::ReadBytes(mut call) => on_block!(self, call, e => read(self.page, e.offset, call.lent())),
            BufferCall::WriteBytes(mut call) => on_block!(self, call, e => write(self.page, e.offset, call.lent())),
            BufferCall::Overwrite(call) => self.overwrite(call),
            BufferCall::CopyOut(mut call) => {
                let here = if call.entry().block == self.block { Ok(()) } else { Err(Errno::ENOENT) };
                reply!(call, if here => read(self.page, 0, call.lent()))
            }
            BufferCall::FindEntry(mut call) => on_block!(self, call, _e => directory::find(self.page, call.lent())),
            BufferCall::AddEntry(mut call) => {
                on_block!(self, call, e => directory::add(self.page, call.lent(), e.ino, e.kind))
            }
            BufferCall::RemoveEntry(mut call) => on_block!(self, call, _e => directory::remove(self.page, call.lent())),
            BufferCall::RepointEntry(mut call) => {
                on_block!(self, call, e => directory::repoint(self.page, call.lent(), e.ino, e.kind))
            }
            BufferCall::ListEntries(mut call) => {
                on_block!(self, call, e => directory::list(self.page, e.position, call.lent()))
            }
            BufferCall::HasEntries(call) => on_block!(self, call, _e => directory::has_entries(self.page)),
            BufferCall::NameOfEntry(mut call) => {
                on_block!(self, call, e => directory::name_of(self.page, e.ino, call.lent()))
            }
            BufferCall::TakeBit(call) => {
                on_block!(self, call, e => bitmap::take(self.page, e.from, e.below).ok_or(Errno::ENOSPC))
            }
            BufferCall::ClearBits(call) => {
                on_block!(self, call, e => Ok(bitmap::clear(self.page, e.first, e.count)))
            }
        }
    }

    async fn load(&mut self, block: u64) -> Result<(), Errno> {
        if self.block != block {
            self.block = NO_BLOCK;
            repeated!(self.disk.call(ReadBlocks { first: block }, &mut self.page[..]))?;
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
}

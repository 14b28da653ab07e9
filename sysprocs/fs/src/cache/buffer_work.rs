//! Work on the block that a buffer holds: directory entries, bitmaps, and the rest that needs no disk.
//!
//! Not here: where the block comes from and goes to (`buffer.rs`).

use crate::cache::buffer::State;
use crate::format::{bitmap, directory_block};
use renga_abi::PAGE_BYTES;
use renga_proto::buffer::BufferCall;
use renga_rt::Errno;

impl State {
    /// The entries that need no disk.
    pub(crate) fn work(&mut self, call: BufferCall) {
        match call {
            BufferCall::Zero(call) => {
                let zeroed = self.change(call.entry().block, call.entry().books, |page| {
                    page.fill(0);
                    Ok(())
                });
                call.reply(zeroed);
            }
            BufferCall::Discard(call) => {
                let held = self.discard(call.entry().block);
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
                let reply =
                    self.change(entry.block, true, |page| directory_block::add(page, name, entry.ino, entry.kind));
                call.reply(reply);
            }
            BufferCall::RemoveEntry(mut call) => {
                let block = call.entry().block;
                let name = call.lent();
                let reply = self.change(block, true, |page| directory_block::remove(page, name));
                call.reply(reply);
            }
            BufferCall::RepointEntry(mut call) => {
                let entry = call.entry();
                let name = call.lent();
                let reply =
                    self.change(entry.block, true, |page| directory_block::repoint(page, name, entry.ino, entry.kind));
                call.reply(reply);
            }
            BufferCall::TakeBit(call) => {
                let entry = call.entry();
                let taken =
                    |page: &mut [u8; PAGE_BYTES]| bitmap::take(page, entry.from, entry.below).ok_or(Errno::ENOSPC);
                call.reply(self.change(entry.block, true, taken));
            }
            BufferCall::ClearBits(call) => {
                let entry = call.entry();
                let cleared = |page: &mut [u8; PAGE_BYTES]| Ok(bitmap::clear(page, entry.first, entry.count));
                call.reply(self.change(entry.block, true, cleared));
            }
            _ => unreachable!("served before"),
        }
    }
}

//! The directory of buffers: passes each call on to the buffer that holds its block, or is to hold it.
//!
//! Invariant: it calls nobody, so it is never held up by the medium. A call that finds no clean buffer waits here, and
//! with it all later work, until one has been cleaned; who cleans and who ends transactions are served
//! meanwhile.
//! Not here: what it knows (`slots.rs`), writing (`writer.rs`).

use crate::cache::slots::{BlockAccess, BufferSlot, BufferSlots, SlotState};
use crate::commit_due::CommitDue;
use renga_proto::buffer::directory::{BufferDirectory, BufferDirectoryCall, NextEviction, NextWrite};
use renga_proto::buffer::page::Buffer;
use renga_proto::buffer::{BufferedBlock, page};
use renga_rt::{Call, Errno, ForwardFamily, Me, Never, Port, Protocol};

/// The entries that are passed on.
const WORK: u32 = 0x1fff;

/// Block numbers of ext2 are of 32 bits.
const BLOCK_MAX: u64 = u32::MAX as u64;

/// Writes refused one after the other until whoever waits for room is notified.
const REFUSALS_MAX: u32 = 16;

struct BufferDirectoryState {
    me: Me,
    buffers: ForwardFamily<Buffer>,
    board: u8,
    slots: BufferSlots,
    due: &'static CommitDue,
    /// Waits for a clean buffer.
    waiting: Option<BufferDirectoryCall>,
    /// Waits until nobody else writes.
    drains: Option<Call<NextWrite>>,
    /// The metadata writeback, while there is nothing to clean.
    metadata_writeback: Option<Call<NextEviction>>,
    /// Writes that the medium has refused, one after the other.
    refusals: u32,
}

/// Serves as many buffers as there are `slots`. A transaction that should come soon is made `due`.
pub async fn buffer_directory(
    me: Me,
    mut port: Port<BufferDirectory>,
    buffers: ForwardFamily<Buffer>,
    slots: &'static mut [BufferSlot],
    due: &'static CommitDue,
) -> Never {
    let (board, slots) = (me.id().board.0, BufferSlots::new(slots));
    let mut server = BufferDirectoryState {
        me,
        buffers,
        board,
        slots,
        due,
        waiting: None,
        drains: None,
        metadata_writeback: None,
        refusals: 0,
    };
    loop {
        let closed = if server.waiting.is_some() { WORK } else { 0 };
        let closed = closed | if server.drains.is_some() { NextWrite::BIT } else { 0 };
        let call = port.accept_only(BufferDirectory::ENTRIES & !closed).await;
        if let Some(call) = server.pass_on(call) {
            server.waiting = Some(call);
        }
        server.serve_waiting();
    }
}

/// Passes a call on with what it asks; gives it back while no buffer is clean.
macro_rules! pass_on {
    ($server:expr, $call:expr, $access:expr, $Entry:ident { $($field:ident),* }) => {{
        let entry = $call.entry();
        let Some(number) = $server.slots.place(entry.block, $access) else {
            return Some(BufferDirectoryCall::$Entry($call));
        };
        match $server.buffers.at($server.board, usize::from(number)) {
            Some(buffer) => $call.forward(&buffer, page::$Entry { $($field: entry.$field),* }),
            None => $call.reply(Err(Errno::EIO)),
        }
    }};
}

const METADATA: BlockAccess = BlockAccess::Change { metadata: true };

impl BufferDirectoryState {
    fn pass_on(&mut self, call: BufferDirectoryCall) -> Option<BufferDirectoryCall> {
        match call {
            // Asked by other boards, too, whose word it is.
            BufferDirectoryCall::ReadBytes(call) if call.entry().block > BLOCK_MAX => call.reply(Err(Errno::EINVAL)),
            BufferDirectoryCall::ReadBytes(call) => {
                pass_on!(self, call, BlockAccess::Read, ReadBytes { block, offset });
            }
            BufferDirectoryCall::WriteBytes(call) => {
                let access = BlockAccess::Change { metadata: call.entry().metadata };
                pass_on!(self, call, access, WriteBytes { block, offset, metadata });
            }
            BufferDirectoryCall::FindEntry(call) => pass_on!(self, call, BlockAccess::Read, FindEntry { block }),
            BufferDirectoryCall::Overwrite(call) => {
                let access = BlockAccess::Change { metadata: call.entry().metadata };
                pass_on!(self, call, access, Overwrite { block, offset, metadata });
            }
            BufferDirectoryCall::AddEntry(call) => pass_on!(self, call, METADATA, AddEntry { block, ino, kind }),
            BufferDirectoryCall::RemoveEntry(call) => pass_on!(self, call, METADATA, RemoveEntry { block }),
            BufferDirectoryCall::RepointEntry(call) => {
                pass_on!(self, call, METADATA, RepointEntry { block, ino, kind });
            }
            BufferDirectoryCall::ListEntries(call) => {
                pass_on!(self, call, BlockAccess::Read, ListEntries { block, position });
            }
            BufferDirectoryCall::TakeBit(call) => pass_on!(self, call, METADATA, TakeBit { block, from, below }),
            BufferDirectoryCall::ClearBits(call) => pass_on!(self, call, METADATA, ClearBits { block, first, count }),
            other => return self.pass_on_rarer(other),
        }
        None
    }

    fn pass_on_rarer(&mut self, call: BufferDirectoryCall) -> Option<BufferDirectoryCall> {
        match call {
            BufferDirectoryCall::HasEntries(call) => pass_on!(self, call, BlockAccess::Read, HasEntries { block }),
            BufferDirectoryCall::NameOfEntry(call) => {
                pass_on!(self, call, BlockAccess::Read, NameOfEntry { block, ino });
            }
            other => self.serve(other),
        }
        None
    }

    /// What concerns writing.
    fn serve(&mut self, call: BufferDirectoryCall) {
        match call {
            BufferDirectoryCall::NextWrite(call) => self.drains = Some(call),
            BufferDirectoryCall::ExtendWrite(call) => {
                let next = self.slots.extend_write(call.entry().block);
                call.reply(held(next));
            }
            BufferDirectoryCall::Written(call) => {
                let entry = call.entry();
                let clean = self.slots.count(SlotState::Clean);
                for block in entry.first..entry.first + u64::from(entry.count) {
                    self.slots.written(block, entry.done);
                }
                let helped = entry.done || self.slots.count(SlotState::Clean) > clean;
                self.refusals = if helped { 0 } else { self.refusals + 1 };
                call.reply(Ok(()));
            }
            BufferDirectoryCall::NextEviction(call) => self.metadata_writeback = Some(call),
            BufferDirectoryCall::CountDirty(call) => {
                let count = self.slots.count(call.entry().class.into());
                call.reply(Ok(count as u32));
            }
            BufferDirectoryCall::NextMetadata(call) => {
                let next = self.slots.next_metadata();
                call.reply(held(next));
            }
            BufferDirectoryCall::EndTransaction(call) => {
                self.slots.end_transaction(call.entry().outcome);
                call.reply(Ok(()));
            }
            BufferDirectoryCall::Discard(call) => {
                let entry = call.entry();
                self.slots.discard(entry.first, entry.count.into());
                call.reply(Ok(()));
            }
            _ => unreachable!("passed on before"),
        }
    }

    /// Serves whoever waits, as far as that is possible now.
    fn serve_waiting(&mut self) {
        if let Some(call) = self.drains.take() {
            let state = SlotState::from(call.entry().class);
            match self.slots.next_write(state) {
                None if self.slots.is_writing(state) => self.drains = Some(call),
                next => call.reply(held(next)),
            }
        }
        if self.slots.is_crowded() {
            self.due.hurry(self.me.now_ns());
        }
        if self.waiting.is_some() && self.slots.count(SlotState::Clean) > 0 {
            let call = self.waiting.take();
            self.waiting = call.and_then(|call| self.pass_on(call));
        }
        if self.metadata_writeback.is_some() {
            self.clean();
        }
    }

    /// Gives the metadata writeback something to write, if that is needed. Metadata that no journal has only when
    /// nothing else could ever make room.
    fn clean(&mut self) {
        if self.waiting.is_some() && self.refusals >= REFUSALS_MAX {
            // The next who needs room tries again.
            self.refusals = 1;
            if let Some(call) = self.waiting.take() {
                refuse(call);
            }
        }
        if self.waiting.is_none() && (self.refusals > 0 || !self.slots.is_short()) {
            return;
        }
        let waits = self.waiting.is_some();
        let few = waits && self.slots.reserve() == 0;
        let stuck = few || (waits && self.slots.count(SlotState::Transaction) == 0);
        let states = [(SlotState::Direct, true), (SlotState::Journaled, true), (SlotState::Metadata, stuck)];
        for (state, allowed) in states.into_iter().chain([(SlotState::Transaction, few)]) {
            if self.slots.is_writing(state) {
                return;
            }
            if allowed && let Some(next) = self.slots.next_write(state) {
                if let Some(metadata_writeback) = self.metadata_writeback.take() {
                    metadata_writeback.reply(held(Some(next)));
                }
                return;
            }
        }
    }
}

fn held(next: Option<(u64, u16)>) -> Result<BufferedBlock, Errno> {
    next.map(|(block, buffer)| BufferedBlock { block, buffer }).ok_or(Errno::ENOENT)
}

/// Tells a call that no buffer can be made clean.
fn refuse(call: BufferDirectoryCall) {
    match call {
        BufferDirectoryCall::ReadBytes(call) => call.reply(Err(Errno::EIO)),
        BufferDirectoryCall::WriteBytes(call) => call.reply(Err(Errno::EIO)),
        BufferDirectoryCall::Overwrite(call) => call.reply(Err(Errno::EIO)),
        BufferDirectoryCall::FindEntry(call) => call.reply(Err(Errno::EIO)),
        BufferDirectoryCall::AddEntry(call) => call.reply(Err(Errno::EIO)),
        BufferDirectoryCall::RemoveEntry(call) => call.reply(Err(Errno::EIO)),
        BufferDirectoryCall::RepointEntry(call) => call.reply(Err(Errno::EIO)),
        BufferDirectoryCall::ListEntries(call) => call.reply(Err(Errno::EIO)),
        BufferDirectoryCall::HasEntries(call) => call.reply(Err(Errno::EIO)),
        BufferDirectoryCall::NameOfEntry(call) => call.reply(Err(Errno::EIO)),
        BufferDirectoryCall::TakeBit(call) => call.reply(Err(Errno::EIO)),
        BufferDirectoryCall::ClearBits(call) => call.reply(Err(Errno::EIO)),
        _ => unreachable!("only work waits for a buffer"),
    }
}

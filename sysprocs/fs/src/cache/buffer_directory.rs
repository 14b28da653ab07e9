//! The directory of buffers: forwards each call to the buffer that caches its block, or is to cache it.
//!
//! Invariant: it calls no server, so the medium never delays it. A call that finds no clean buffer waits here, and
//! with it all later work, until one has been cleaned; the directory serves the writeback and the committer
//! meanwhile. Not here: its state (`slots.rs`), writing (`metadata_writeback.rs`).

use crate::cache::slots::{BlockAccess, BufferSlot, BufferSlots, SlotState};
use crate::commit_due::CommitDue;
use renga_proto::buffer::directory::{BufferDirectory, BufferDirectoryCall, NextEviction, NextWrite, Written};
use renga_proto::buffer::page::Buffer;
use renga_proto::buffer::{BufferedBlock, page};
use renga_rt::{Call, Errno, ForwardFamily, Me, Never, Port, Protocol, reply};

/// The entries that are passed on.
const WORK: u32 = 0x1fff;

/// Block numbers of ext2 are of 32 bits.
const BLOCK_MAX: u64 = u32::MAX as u64;

/// Writes refused one after the other until the call that waits for room fails.
const REFUSALS_MAX: u32 = 16;

renga_rt::with_defaults! {
    struct BufferDirectoryState {
        me: Me = me,
        buffers: ForwardFamily<Buffer> = buffers,
        board: u8 = board,
        slots: BufferSlots = slots,
        due: &'static CommitDue = due,
        waiting: Option<BufferDirectoryCall> = None,
        /// Waits until no other process writes.
        drains: Option<Call<NextWrite>> = None,
        /// The metadata writeback, while there is nothing to clean.
        metadata_writeback: Option<Call<NextEviction>> = None,
        /// Writes that the medium has refused, one after the other.
        refusals: u32 = 0,
        /// A call that finds no clean buffer fails.
        refuses: bool = false,
    }
    fn new(me: Me, buffers: ForwardFamily<Buffer>, board: u8, slots: BufferSlots, due: &'static CommitDue);
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
    let mut server = BufferDirectoryState::new(me, buffers, board, slots, due);
    loop {
        let closed = if server.waiting.is_some() { WORK } else { 0 };
        let closed = closed | if server.drains.is_some() { NextWrite::BIT } else { 0 };
        let call = port.accept_only(BufferDirectory::ENTRIES & !closed).await;
        if let Some(call) = server.serve(call) {
            server.waiting = Some(call);
        }
        server.serve_waiting();
    }
}

/// Passes a call on to the buffer of its block; gives it back while no buffer is clean.
macro_rules! pass_on {
    ($server:expr, $call:expr, $access:expr, $Entry:ident { $($field:ident),* }) => {{
        let entry = $call.entry();
        match $server.slots.place(entry.block, $access) {
            None if $server.refuses => $call.reply(Err(Errno::EIO)),
            None => return Some(BufferDirectoryCall::$Entry($call)),
            Some(number) => match $server.buffers.at($server.board, usize::from(number)) {
                Some(buffer) => $call.forward(&buffer, page::$Entry { $($field: entry.$field),* }),
                None => $call.reply(Err(Errno::EIO)),
            },
        }
    }};
}

const READ: BlockAccess = BlockAccess::Read;
const METADATA: BlockAccess = change(true);

const fn change(metadata: bool) -> BlockAccess {
    BlockAccess::Change { metadata }
}

impl BufferDirectoryState {
    /// Serves a call, or gives it back while no buffer is clean.
    fn serve(&mut self, call: BufferDirectoryCall) -> Option<BufferDirectoryCall> {
        use BufferDirectoryCall as Incoming;
        match call {
            // Other boards may name any number.
            Incoming::ReadBytes(call) if call.entry().block > BLOCK_MAX => call.reply(Err(Errno::EINVAL)),
            Incoming::ReadBytes(call) => pass_on!(self, call, READ, ReadBytes { block, offset }),
            Incoming::WriteBytes(call) => {
                pass_on!(self, call, change(call.entry().metadata), WriteBytes { block, offset, metadata });
            }
            Incoming::Overwrite(call) => {
                pass_on!(self, call, change(call.entry().metadata), Overwrite { block, offset, metadata });
            }
            Incoming::FindEntry(call) => pass_on!(self, call, READ, FindEntry { block }),
            Incoming::AddEntry(call) => pass_on!(self, call, METADATA, AddEntry { block, ino, kind }),
            Incoming::RemoveEntry(call) => pass_on!(self, call, METADATA, RemoveEntry { block }),
            Incoming::RepointEntry(call) => pass_on!(self, call, METADATA, RepointEntry { block, ino, kind }),
            Incoming::ListEntries(call) => pass_on!(self, call, READ, ListEntries { block, position }),
            Incoming::HasEntries(call) => pass_on!(self, call, READ, HasEntries { block }),
            Incoming::NameOfEntry(call) => pass_on!(self, call, READ, NameOfEntry { block, ino }),
            Incoming::TakeBit(call) => pass_on!(self, call, METADATA, TakeBit { block, from, below }),
            Incoming::ClearBits(call) => pass_on!(self, call, METADATA, ClearBits { block, first, count }),
            Incoming::NextWrite(call) => self.drains = Some(call),
            Incoming::ExtendWrite(call) => reply!(call, buffered(self.slots.extend_write(call.entry().block))),
            Incoming::Written(call) => {
                self.written(call.entry());
                call.reply(Ok(()));
            }
            Incoming::NextEviction(call) => self.metadata_writeback = Some(call),
            Incoming::CountDirty(call) => reply!(call, Ok(self.slots.count(call.entry().class.into()) as u32)),
            Incoming::NextMetadata(call) => reply!(call, buffered(self.slots.next_metadata())),
            Incoming::EndTransaction(call) => {
                self.slots.end_transaction(call.entry().outcome);
                call.reply(Ok(()));
            }
            Incoming::Discard(call) => {
                self.slots.discard(call.entry().first, call.entry().count.into());
                call.reply(Ok(()));
            }
        }
        None
    }

    /// A run of blocks has been written, or refused.
    fn written(&mut self, Written { first, count, done }: Written) {
        let clean = self.slots.count(SlotState::Clean);
        (first..first + u64::from(count)).for_each(|block| self.slots.written(block, done));
        let helped = done || self.slots.count(SlotState::Clean) > clean;
        self.refusals = if helped { 0 } else { self.refusals + 1 };
    }

    /// Serves the waiting calls, as far as that is possible now.
    fn retry(&mut self) {
        let call = self.waiting.take();
        self.waiting = call.and_then(|call| self.serve(call));
    }

    fn serve_waiting(&mut self) {
        if let Some(call) = self.drains.take() {
            let state = SlotState::from(call.entry().class);
            match self.slots.next_write(state) {
                None if self.slots.is_writing(state) => self.drains = Some(call),
                next => call.reply(buffered(next)),
            }
        }
        if self.slots.is_crowded() {
            self.due.hurry(self.me.now_ns());
        }
        if self.waiting.is_some() && self.slots.count(SlotState::Clean) > 0 {
            self.retry();
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
            self.refuses = true;
            self.retry();
            self.refuses = false;
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
                    metadata_writeback.reply(buffered(Some(next)));
                }
                return;
            }
        }
    }
}

fn buffered(next: Option<(u64, u16)>) -> Result<BufferedBlock, Errno> {
    next.map(|(block, buffer)| BufferedBlock { block, buffer }).ok_or(Errno::ENOENT)
}

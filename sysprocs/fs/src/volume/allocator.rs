//! The allocator: gives out free blocks and inodes, and keeps the file system's metadata.
//!
//! Invariants: an allocated block is set in the bitmaps before the reply; a freed one is reused only after the next
//! commit, so that data on the disk survive while a power cut could still bring their file back. The counts live here
//! and go to their buffers at a commit. It never waits for a commit, and while one is closed it serves what that
//! needs, and callers that only read. Files grow contiguously, as the search for each block starts behind the one
//! before (the caller's goal). Not here: mounting (`mount.rs`), its part in commits (`transaction.rs`).

use crate::commit_due::CommitDue;
use crate::volume::allocator_state::AllocatorState;
use crate::volume::members::TransactionPhase;
use renga_proto::allocator::{Allocator, AllocatorCall, FreeInode, JoinTransaction, Mount, TakeInode};
use renga_proto::buffer::directory::BufferDirectory;
use renga_rt::{Client, Errno, Me, Never, Port, Protocol, reply};

/// Serves the allocator, once the committer has recovered the journal. `epoch_ns`: time of boot, ns since 1970.
pub async fn allocator(
    me: Me,
    mut port: Port<Allocator>,
    cache: Client<BufferDirectory>,
    due: &'static CommitDue,
    epoch_ns: u64,
) -> Never {
    let mut state = AllocatorState::new(me, cache, due, epoch_ns);
    loop {
        let open = match state.phase {
            TransactionPhase::Unmounted => Mount::BIT,
            TransactionPhase::Open => Allocator::ENTRIES,
            TransactionPhase::Closed => Allocator::ENTRIES & !(JoinTransaction::BIT | TakeInode::BIT | FreeInode::BIT),
        };
        serve(&mut state, port.accept_only(open).await).await;
    }
}

async fn serve(state: &mut AllocatorState, call: AllocatorCall) {
    match call {
        AllocatorCall::TakeBlock(call) => {
            reply!(call, if state.may_take_unreserved() => state.take_block(call.entry().goal).await)
        }
        AllocatorCall::LocateInode(call) => reply!(call, state.locate(call.entry().ino)),
        AllocatorCall::JoinTransaction(call) => reply!(call, state.join(call.entry().slot)),
        AllocatorCall::FreeBlocks(call) => {
            let entry = call.entry();
            reply!(call, state.free_blocks(entry.first, entry.count, entry.metadata).await);
        }
        AllocatorCall::TakeInode(call) => {
            reply!(call, state.take_inode(call.entry().parent, call.entry().directory).await)
        }
        AllocatorCall::FreeInode(call) => {
            reply!(call, state.free_inode(call.entry().ino, call.entry().directory).await)
        }
        AllocatorCall::FillStatus(mut call) => reply!(call, state.fill_status(call.lent())),
        AllocatorCall::NextOrphan(call) => reply!(call, state.next_orphan(call.entry().from).await),
        AllocatorCall::Reserve(call) => reply!(call, state.reserve(call.entry())),
        AllocatorCall::EndReserve(call) => {
            state.end_reserve(call.entry().slot, call.entry().blocks);
            call.reply(Ok(()));
        }
        AllocatorCall::TakeReserved(call) => reply!(call, state.take_reserved(call.entry().goal).await),
        // From the committer.
        AllocatorCall::Mount(call) => reply!(call, state.mount(call.entry().journaled, call.entry().usable).await),
        AllocatorCall::Pending(call) => reply!(call, state.may_change().map(|()| state.pending())),
        AllocatorCall::CloseTransaction(call) => reply!(call, state.close()),
        AllocatorCall::NextMember(call) => call.reply(state.members.take_first().ok_or(Errno::ENOENT)),
        AllocatorCall::SaveMetadata(call) => reply!(call, state.save_metadata(call.entry().broken).await),
        AllocatorCall::EndFreeze(call) => {
            state.phase = TransactionPhase::Open;
            call.reply(Ok(()));
        }
        AllocatorCall::EndTransaction(call) => reply!(call, state.end(call.entry())),
        AllocatorCall::MarkClean(call) => reply!(call, state.mark_clean().await),
    }
}

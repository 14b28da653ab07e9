//! The allocator: gives out free blocks and inodes, and keeps the file system's books.
//!
//! Invariants: what it gave out is set in the bitmaps before the reply; what it got back is given out again only
//! after the next commit, so that content on the disk is not overwritten while a cut could still bring its
//! file back. The counts live here and go to their buffers at a commit. It never waits for a commit, and while one
//! is closed it serves what that needs, and whoever only reads.
//! Files grow contiguously, as each block is looked for behind the one before (the caller's goal).
//! Not here: the first look at the disk (`mount.rs`), its part in commits (`transaction.rs`).

use crate::cache::client::CacheClients;
use crate::commit_due::CommitDue;
use crate::volume::allocator_state::AllocatorState;
use crate::volume::members::TransactionPhase;
use renga_proto::allocator::{Allocator, AllocatorCall, FreeInode, JoinTransaction, Mount, TakeInode};
use renga_rt::{Me, Never, Port, Protocol};

/// Serves the allocator, once the committer has recovered the journal. `epoch_ns`: time of boot, ns since 1970.
pub async fn allocator(
    me: Me,
    mut port: Port<Allocator>,
    cache: CacheClients,
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
        match port.accept_only(open).await {
            AllocatorCall::TakeBlock(call) => {
                let reply = match state.may_take_unreserved() {
                    Ok(()) => state.take_block(call.entry().goal).await,
                    Err(errno) => Err(errno),
                };
                call.reply(reply);
            }
            AllocatorCall::LocateInode(call) => {
                let reply = state.locate(call.entry().ino);
                call.reply(reply);
            }
            AllocatorCall::JoinTransaction(call) => {
                let reply = state.join(call.entry().slot);
                call.reply(reply);
            }
            other => serve(&mut state, other).await,
        }
    }
}

async fn serve(state: &mut AllocatorState, call: AllocatorCall) {
    match call {
        AllocatorCall::FreeBlocks(call) => {
            let entry = call.entry();
            let reply = state.free_blocks(entry.first, entry.count, entry.books).await;
            call.reply(reply);
        }
        AllocatorCall::TakeInode(call) => {
            let reply = state.take_inode(call.entry().parent, call.entry().directory).await;
            call.reply(reply);
        }
        AllocatorCall::FreeInode(call) => {
            let reply = state.free_inode(call.entry().ino, call.entry().directory).await;
            call.reply(reply);
        }
        AllocatorCall::FillStatus(mut call) => {
            let reply = state.fill_status(call.lent());
            call.reply(reply);
        }
        AllocatorCall::NextOrphan(call) => {
            let reply = state.next_orphan(call.entry().from).await;
            call.reply(reply);
        }
        other => serve_lent(state, other).await,
    }
}

async fn serve_lent(state: &mut AllocatorState, call: AllocatorCall) {
    match call {
        AllocatorCall::Reserve(call) => {
            let reply = state.reserve(call.entry());
            call.reply(reply);
        }
        AllocatorCall::EndReserve(call) => {
            state.end_reserve(call.entry().slot, call.entry().blocks);
            call.reply(Ok(()));
        }
        AllocatorCall::TakeReserved(call) => {
            let reply = state.take_reserved(call.entry().goal).await;
            call.reply(reply);
        }
        other => state.serve_committer(other).await,
    }
}

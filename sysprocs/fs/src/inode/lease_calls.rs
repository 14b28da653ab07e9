//! What an inode's process does with a call before it serves it: whether it may come now, and whether the inode, if it
//! is leased, is to be flushed first.
//!
//! Not here: what a call demands (`lease_demand.rs`), calls that are kept (`kept_call.rs`).

use crate::inode::active_inode::ActiveInode;
use crate::inode::lease_demand::LeaseNeed;
use renga_proto::inode::{
    AddLinks, FLUSH_LEASE, Facts, FillPage, Find, Freeze, Inode, InodeCall, Lease, LeaseStatus, LeaseWrite, Links,
    Load, NameOf, ONLY_OLD, ONLY_WATCHED, OpenKnown, ReadDirectory, ReadLink, ReportError, Size, Status, Thaw,
};
use renga_rt::{Call, Errno, Protocol};

/// Leases that are refused after one that another board's reading or writing has ended.
const REFUSALS: u8 = 2;

/// Entries of an inode that stands still.
const STILL: u32 = Facts::BIT
    | FillPage::BIT
    | Find::BIT
    | Freeze::BIT
    | LeaseStatus::BIT
    | Links::BIT
    | Load::BIT
    | NameOf::BIT
    | OpenKnown::BIT
    | ReadDirectory::BIT
    | ReadLink::BIT
    | ReportError::BIT
    | Size::BIT
    | Status::BIT
    | Thaw::BIT;

/// What of that may change an inode which is leased.
const NOT_LEASED: u32 = FillPage::BIT | OpenKnown::BIT | Size::BIT | Status::BIT;

/// The open entries; `kept`: another call is kept.
pub(super) fn entries(inode: &ActiveInode, frozen: bool, kept: bool) -> u32 {
    if !frozen && !kept {
        return Inode::ENTRIES;
    }
    let still = if inode.leased.is_some() { STILL & !NOT_LEASED } else { STILL };
    // A caller that counts links has the lock of names, which the commit takes that a kept call waits for.
    if frozen { still } else { still | LeaseWrite::BIT | AddLinks::BIT }
}

/// While another call is kept: it may wait for a commit, and the flush of files may be the committer.s.
pub(super) fn refuse_lease(inode: &ActiveInode, call: InodeCall, kept: bool) -> Option<InodeCall> {
    match call {
        InodeCall::LeaseWrite(call) if kept => {
            let is_flush = call.entry().page == FLUSH_LEASE && inode.leased.is_some();
            call.reply(if is_flush { Err(Errno::EAGAIN) } else { Ok(Lease::NONE) });
            None
        }
        call => Some(call),
    }
}

/// Before a call to an inode that is leased is served. `EAGAIN`: not before the next commit.
pub(super) async fn prepare(inode: &mut ActiveInode, call: &InodeCall, last: bool) -> Result<(), Errno> {
    let Some(lease) = inode.leased else { return Ok(()) };
    let demand = inode.demand(call, lease);
    let ask = demand.is_worth_asking(lease, inode.is_orphaned());
    match demand.need {
        LeaseNeed::Nothing => {}
        LeaseNeed::Facts if ask => inode.refresh_facts().await,
        LeaseNeed::Facts => {}
        LeaseNeed::Home => {
            if demand.is_alternation(lease) {
                inode.refusals = REFUSALS;
            }
            // The inode reclaimer cannot wait for a commit; it gives up nothing that is leased, unless the board stops.
            let last = last || matches!(call, InodeCall::Unload(_));
            let home = if ask { inode.flush_lease(last).await } else { Err(Errno::EHOSTDOWN) };
            if home != Err(Errno::EHOSTDOWN) {
                return home;
            }
            if demand.changes {
                inode.drop_orphan().await;
            }
        }
        LeaseNeed::End => {
            let aware = if let InodeCall::Unload(call) = call { call.entry().aware } else { 0 };
            inode.discard_lease(aware).await;
        }
    }
    if demand.need != LeaseNeed::Nothing && inode.is_orphaned() {
        inode.note_stale();
    }
    if demand.sets && inode.is_orphaned() {
        inode.supersede();
    }
    Ok(())
}

pub(super) async fn serve_lease(inode: &mut ActiveInode, call: Call<LeaseWrite>) {
    let LeaseWrite { ino, board, page } = call.entry();
    if page == FLUSH_LEASE {
        let left = match board {
            ONLY_OLD => inode.is_lease_young(),
            ONLY_WATCHED => !inode.is_watched(),
            _ => false,
        };
        let more = if (ino == 0 || ino == inode.ino) && !left { inode.flush_some(false).await } else { Ok(false) };
        return call.reply(more.map(|more| Lease { below: more.into(), ..Lease::NONE }));
    }
    let lease = match (inode.admit(&call), inode.deferred_error) {
        // A writer whose writes are released early gets no other report.
        (Ok(()), Some(errno)) => {
            inode.deferred_error = None;
            return call.reply(Err(errno));
        }
        (Ok(()), None) => inode.lease_write(inode.lessee(call.board(), board), ino, page).await,
        (Err(errno), _) => Err(errno),
    };
    // For what is no file, the reply is that of the write.
    call.reply(lease.or_else(|errno| if errno == Errno::ESTALE { Err(errno) } else { Ok(Lease::NONE) }));
}

//! What a call to a leased inode demands of the lease before it is served.
//!
//! Not here: how that is met (`lease_calls.rs`).

use crate::inode::active_inode::ActiveInode;
use crate::leases::write_lease::WriteLease;
use renga_proto::inode::{FLUSH_LEASE, InodeCall};
use renga_proto::pages::NO_PAGE;

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum LeaseNeed {
    /// Nothing.
    Nothing,
    /// Size, mode, owner and times.
    Facts,
    /// All of it, here.
    Home,
    /// That nothing be left of it.
    End,
}

pub(super) struct LeaseDemand {
    pub(super) need: LeaseNeed,
    /// The calling board, unless it is the system's own call.
    asker: Option<u8>,
    /// It shows that boards alternate, if it is of another one than that with the lease.
    alternates: bool,
    pub(super) changes: bool,
    pub(super) sets: bool,
}

impl LeaseDemand {
    const NOTHING: LeaseDemand =
        LeaseDemand { need: LeaseNeed::Nothing, asker: None, alternates: false, changes: false, sets: false };

    fn by(asker: u8, need: LeaseNeed) -> LeaseDemand {
        LeaseDemand { need, asker: Some(asker), ..LeaseDemand::NOTHING }
    }

    fn to_write(asker: u8) -> LeaseDemand {
        LeaseDemand { alternates: true, changes: true, ..LeaseDemand::by(asker, LeaseNeed::Home) }
    }

    /// Whether to call the board with the lease, though the lease is `orphaned`: that board's own call shows that it
    /// is reachable.
    pub(super) fn is_worth_asking(&self, lease: WriteLease, orphaned: bool) -> bool {
        !orphaned || self.asker == Some(lease.board)
    }

    /// Whether another board than that which has the lease wants to read or write.
    pub(super) fn is_alternation(&self, lease: WriteLease) -> bool {
        self.alternates && self.asker.is_some_and(|board| board != lease.board)
    }
}

impl ActiveInode {
    /// What `call` demands of this inode, which is leased under `lease`.
    pub(super) fn demand(&self, call: &InodeCall, lease: WriteLease) -> LeaseDemand {
        let (orphaned, gone) = (self.is_orphaned(), self.record.links() == 0);
        // Changes of an orphaned lease count once they are at the owner.
        let facts = if orphaned { LeaseNeed::Home } else { LeaseNeed::Facts };
        match call {
            InodeCall::FillPage(call) => {
                let need = if call.board() == lease.board && !orphaned { LeaseNeed::Nothing } else { LeaseNeed::Home };
                LeaseDemand { alternates: true, ..LeaseDemand::by(call.board(), need) }
            }
            InodeCall::LeaseWrite(call) if call.entry().page == FLUSH_LEASE => LeaseDemand::NOTHING,
            InodeCall::LeaseWrite(call) => {
                let board = self.lessee(call.board(), call.entry().board);
                let goes_on = board == lease.board && !lease.closed && !orphaned;
                let need = if goes_on { LeaseNeed::Nothing } else { LeaseNeed::Home };
                LeaseDemand { alternates: board == call.board(), ..LeaseDemand::by(board, need) }
            }
            InodeCall::Status(call) => LeaseDemand::by(call.board(), facts),
            InodeCall::Size(call) => LeaseDemand::by(call.board(), facts),
            InodeCall::OpenKnown(call) => LeaseDemand::by(call.board(), facts),
            // The board with the lease would report its own changes again.
            InodeCall::SetAccess(call) => LeaseDemand { sets: true, ..LeaseDemand::by(call.board(), LeaseNeed::Home) },
            InodeCall::SetTimes(call) => LeaseDemand { sets: true, ..LeaseDemand::by(call.board(), LeaseNeed::Home) },
            InodeCall::Sync(call) => LeaseDemand::by(call.board(), LeaseNeed::Home),
            InodeCall::WriteAt(call) => LeaseDemand::to_write(call.board()),
            InodeCall::Append(call) => LeaseDemand::to_write(call.board()),
            InodeCall::ReserveAppend(call) => LeaseDemand::to_write(call.board()),
            InodeCall::DirtyPage(call) if call.entry().page == NO_PAGE => LeaseDemand::NOTHING,
            InodeCall::DirtyPage(call) => {
                let goes_on = call.board() == lease.board && !lease.closed && !orphaned;
                let need = if goes_on { LeaseNeed::Nothing } else { LeaseNeed::Home };
                LeaseDemand { changes: true, ..LeaseDemand::by(call.board(), need) }
            }
            InodeCall::Truncate(call) => {
                let ends = call.entry().bytes == 0 && self.admit(call).is_ok();
                let need = if ends { LeaseNeed::End } else { LeaseNeed::Home };
                LeaseDemand { changes: true, ..LeaseDemand::by(call.board(), need) }
            }
            InodeCall::OpenCut(_) => LeaseDemand { need: LeaseNeed::End, changes: true, ..LeaseDemand::NOTHING },
            InodeCall::Unload(_) => LeaseDemand {
                need: if gone { LeaseNeed::End } else { LeaseNeed::Home },
                changes: true,
                ..LeaseDemand::NOTHING
            },
            _ => LeaseDemand::NOTHING,
        }
    }
}

//! What a call to an inode that is leased demands of it before it is served.
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
    /// The board that asks, if it is somebody's call and not the system's own.
    asker: Option<u8>,
    /// It shows that boards take turns, if it is of another one than that which has the lease.
    turn: bool,
    pub(super) changes: bool,
    pub(super) sets: bool,
}

impl LeaseDemand {
    const NOTHING: LeaseDemand =
        LeaseDemand { need: LeaseNeed::Nothing, asker: None, turn: false, changes: false, sets: false };

    fn by(asker: u8, need: LeaseNeed) -> LeaseDemand {
        LeaseDemand { need, asker: Some(asker), ..LeaseDemand::NOTHING }
    }

    fn to_write(asker: u8) -> LeaseDemand {
        LeaseDemand { turn: true, changes: true, ..LeaseDemand::by(asker, LeaseNeed::Home) }
    }

    /// Whether the board that has the lease is to be asked, though `away`: its own call shows that it is there.
    pub(super) fn is_worth_asking(&self, lease: WriteLease, away: bool) -> bool {
        !away || self.asker == Some(lease.board)
    }

    /// Whether another board than that which has the lease wants to read or write.
    pub(super) fn is_turn(&self, lease: WriteLease) -> bool {
        self.turn && self.asker.is_some_and(|board| board != lease.board)
    }
}

impl ActiveInode {
    /// What `call` demands of this inode, which is leased under `lease`.
    pub(super) fn demand(&self, call: &InodeCall, lease: WriteLease) -> LeaseDemand {
        let (away, gone) = (self.is_orphaned(), self.record.links() == 0);
        // What a board has that was orphaned counts once it is at the owner.
        let facts = if away { LeaseNeed::Home } else { LeaseNeed::Facts };
        match call {
            InodeCall::FillPage(call) => {
                let need = if call.board() == lease.board && !away { LeaseNeed::Nothing } else { LeaseNeed::Home };
                LeaseDemand { turn: true, ..LeaseDemand::by(call.board(), need) }
            }
            InodeCall::LeaseWrite(call) if call.entry().page == FLUSH_LEASE => LeaseDemand::NOTHING,
            InodeCall::LeaseWrite(call) => {
                let board = self.lessee(call.board(), call.entry().board);
                let goes_on = board == lease.board && !lease.closed && !away;
                let need = if goes_on { LeaseNeed::Nothing } else { LeaseNeed::Home };
                LeaseDemand { turn: board == call.board(), ..LeaseDemand::by(board, need) }
            }
            InodeCall::Status(call) => LeaseDemand::by(call.board(), facts),
            InodeCall::Size(call) => LeaseDemand::by(call.board(), facts),
            InodeCall::OpenKnown(call) => LeaseDemand::by(call.board(), facts),
            InodeCall::SetAccess(call) => LeaseDemand { sets: true, ..LeaseDemand::by(call.board(), LeaseNeed::Facts) },
            InodeCall::SetTimes(call) => LeaseDemand { sets: true, ..LeaseDemand::by(call.board(), LeaseNeed::Facts) },
            InodeCall::Sync(call) => LeaseDemand::by(call.board(), LeaseNeed::Home),
            InodeCall::WriteAt(call) => LeaseDemand::to_write(call.board()),
            InodeCall::Append(call) => LeaseDemand::to_write(call.board()),
            InodeCall::ReserveAppend(call) => LeaseDemand::to_write(call.board()),
            InodeCall::DirtyPage(call) if call.entry().page == NO_PAGE => LeaseDemand::NOTHING,
            InodeCall::DirtyPage(call) => {
                let goes_on = call.board() == lease.board && !lease.closed && !away;
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

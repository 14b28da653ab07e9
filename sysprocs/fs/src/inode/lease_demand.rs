//! What a call to an inode that is lent demands of it before it is served.
//!
//! Not here: how that is met (`call.rs`).

use crate::inode::active_inode::ActiveInode;
use crate::leases::write_lease::WriteLease;
use renga_proto::inode::{InodeCall, TAKE_HOME};
use renga_proto::pages::NO_PAGE;

/// What a call needs of an inode that is lent.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Need {
    /// Nothing.
    Nothing,
    /// Size, mode, owner and times.
    Facts,
    /// All of it, here.
    Home,
    /// That nothing be left of it.
    End,
}

/// What a call demands.
pub(super) struct Demand {
    pub(super) need: Need,
    /// The board that asks, if it is somebody's call and not the system's own.
    asker: Option<u8>,
    /// It shows that boards take turns, if it is of another one than that which has the lease.
    turn: bool,
    /// It changes what is lent.
    pub(super) changes: bool,
    /// It sets mode, owner or times.
    pub(super) sets: bool,
}

impl Demand {
    const NOTHING: Demand = Demand { need: Need::Nothing, asker: None, turn: false, changes: false, sets: false };

    fn by(asker: u8, need: Need) -> Demand {
        Demand { need, asker: Some(asker), ..Demand::NOTHING }
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
    /// What `call` demands of this inode, which is lent under `lease`.
    pub(super) fn demand(&self, call: &InodeCall, lease: WriteLease) -> Demand {
        let (away, gone) = (self.is_away(), self.record.links() == 0);
        // What a board has that was away counts once it is at home.
        let facts = if away { Need::Home } else { Need::Facts };
        match call {
            InodeCall::FillPage(call) => {
                let need = if call.board() == lease.board && !away { Need::Nothing } else { Need::Home };
                Demand { turn: true, ..Demand::by(call.board(), need) }
            }
            InodeCall::LeaseWrite(call) if call.entry().page == TAKE_HOME => Demand::NOTHING,
            InodeCall::LeaseWrite(call) => {
                let board = self.lessee(call.board(), call.entry().board);
                let goes_on = board == lease.board && !lease.closed && !away;
                let need = if goes_on { Need::Nothing } else { Need::Home };
                Demand { turn: board == call.board(), ..Demand::by(board, need) }
            }
            InodeCall::Status(call) => Demand::by(call.board(), facts),
            InodeCall::Size(call) => Demand::by(call.board(), facts),
            InodeCall::OpenKnown(call) => Demand::by(call.board(), facts),
            InodeCall::SetAccess(call) => Demand { sets: true, ..Demand::by(call.board(), Need::Facts) },
            InodeCall::SetTimes(call) => Demand { sets: true, ..Demand::by(call.board(), Need::Facts) },
            InodeCall::Sync(call) => Demand::by(call.board(), Need::Home),
            InodeCall::WriteAt(call) => Demand { turn: true, changes: true, ..Demand::by(call.board(), Need::Home) },
            InodeCall::Append(call) => Demand { turn: true, changes: true, ..Demand::by(call.board(), Need::Home) },
            InodeCall::ReserveAppend(call) => {
                Demand { turn: true, changes: true, ..Demand::by(call.board(), Need::Home) }
            }
            InodeCall::DirtyPage(call) if call.entry().page == NO_PAGE => Demand::NOTHING,
            InodeCall::DirtyPage(call) => {
                let goes_on = call.board() == lease.board && !lease.closed && !away;
                let need = if goes_on { Need::Nothing } else { Need::Home };
                Demand { changes: true, ..Demand::by(call.board(), need) }
            }
            InodeCall::Truncate(call) => {
                let ends = call.entry().bytes == 0 && self.admit(call).is_ok();
                let need = if ends { Need::End } else { Need::Home };
                Demand { changes: true, ..Demand::by(call.board(), need) }
            }
            InodeCall::OpenCut(_) => Demand { need: Need::End, changes: true, ..Demand::NOTHING },
            InodeCall::Unload(_) => {
                Demand { need: if gone { Need::End } else { Need::Home }, changes: true, ..Demand::NOTHING }
            }
            _ => Demand::NOTHING,
        }
    }
}

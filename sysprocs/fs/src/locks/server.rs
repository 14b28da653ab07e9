//! The locks of all files: a caller that wants another's lock waits here, first come first served.
//!
//! Invariant: a waiting call wants what others have; it is answered by the call that changes that, by its own
//! interruption, or at once if the others wait for it (`EDEADLK`). Boards that have locks are watched, as others may
//! wait for them. Not here: the rules (`table.rs`), when a program lets go (its slot, its open files).

use crate::locks::table::{LockPlace, LockTable};
use renga_proto::locks::{AwaitLock, LockRequest, Locks, LocksCall, Owner};
use renga_rt::{BOARDS_MAX, Call, CallQueue, Errno, Me, Never, Port, Protocol, Watch, reply, unless_cancelled};

/// Most processes in a detected circle of waits: larger circles are not found, as on Linux.
const CIRCLE_MAX: usize = 10;

struct LockState {
    table: LockTable,
    waiting: CallQueue<AwaitLock>,
    /// Boards that have locks, a bit each, as the router knows.
    watched: u8,
    watch: &'static Watch,
    board: u8,
}

/// Keeps the locks, of which there can be as many as `places`.
pub async fn locks(me: Me, mut port: Port<Locks>, places: &'static mut [LockPlace], watch: &'static Watch) -> Never {
    let board = me.id().board.0;
    let table = LockTable::new(places, board);
    let mut state = LockState { table, waiting: CallQueue::new(), watched: 0, watch, board };
    loop {
        if let Some(call) = port.accept_or_notified(Locks::ENTRIES).await {
            state.serve(call);
        }
        // Also after a call: its caller may have been interrupted before it was kept.
        state.waiting.retain(unless_cancelled);
        let boards = state.table.boards();
        state.watch.change(core::mem::replace(&mut state.watched, boards), boards);
    }
}

impl LockState {
    fn serve(&mut self, call: LocksCall) {
        match call {
            LocksCall::SetLock(call) => {
                let wanted = call.entry().wanted;
                let set = self.check(wanted.owner, call.board()).and_then(|()| self.table.set(wanted));
                call.reply(set);
                self.grant_waiting();
            }
            LocksCall::AwaitLock(call) => self.wait(call),
            LocksCall::FindLock(call) => reply!(call, Ok(self.table.conflict(&call.entry().wanted))),
            LocksCall::ReleaseLocks(call) => {
                let (owner, ino) = (call.entry().owner, call.entry().ino);
                let own = owner.board(self.board) == call.board();
                match ino {
                    _ if !own => return call.reply(Err(Errno::EINVAL)),
                    0 => self.table.release_all(owner),
                    ino => self.table.release(owner, ino),
                }
                self.refuse(owner, ino);
                call.reply(Ok(()));
                self.grant_waiting();
            }
            LocksCall::BoardDied(call) => {
                self.table.drop_board(call.entry().board);
                call.reply(Ok(()));
                self.grant_waiting();
            }
        }
    }

    /// `EINVAL`: `board` speaks for a process of another one, or for an open file of none. An open file may be used on
    /// every board.
    fn check(&self, owner: Owner, board: u8) -> Result<(), Errno> {
        let at = owner.board(self.board);
        let own = if owner.pid().is_some() { at == board } else { usize::from(at) < BOARDS_MAX };
        if own { Ok(()) } else { Err(Errno::EINVAL) }
    }

    fn wait(&mut self, call: Call<AwaitLock>) {
        let wanted = call.entry().wanted;
        let set = self.check(wanted.owner, call.board()).and_then(|()| self.table.set(wanted));
        match set {
            Err(Errno::EAGAIN) if self.is_circle(wanted) => call.reply(Err(Errno::EDEADLK)),
            Err(Errno::EAGAIN) => self.waiting.push_back(call),
            set => {
                call.reply(set);
                self.grant_waiting(); // it may have given some of its bytes to others
            }
        }
    }

    /// Whether who is in the way waits, by way of others, for the owner itself: a process, as an open file does not
    /// wait.
    fn is_circle(&mut self, wanted: LockRequest) -> bool {
        let mut next = wanted;
        for _ in 0..CIRCLE_MAX {
            let Some(blocker) = self.table.in_the_way(&next).map(|lock| lock.owner) else { return false };
            if blocker.pid().is_none() || wanted.owner.pid().is_none() {
                return false;
            }
            if blocker == wanted.owner {
                return true;
            }
            let mut waits = None;
            self.waiting.retain(|call| {
                waits = waits.or(Some(call.entry().wanted).filter(|wanted| wanted.owner == blocker));
                Some(call)
            });
            let Some(waits) = waits else { return false };
            next = waits;
        }
        false
    }

    /// A caller that still waits on behalf of `owner` for a lock of `ino` (0: of any file) gets nothing, as no process
    /// would unlock it: an open file was closed for good, because its board took the waiting one for dead, which this
    /// board may do later.
    fn refuse(&mut self, owner: Owner, ino: u32) {
        self.waiting.retain(|call| {
            let wanted = call.entry().wanted;
            if !wanted.owner.is_that_of(owner) || ino != 0 && wanted.ino != ino {
                return Some(call);
            }
            call.reply(Err(Errno::ESTALE));
            None
        });
    }

    /// Something was unlocked: waiting calls are tried again.
    fn grant_waiting(&mut self) {
        let table = &mut self.table;
        self.waiting.retain(|call| match table.set(call.entry().wanted) {
            Err(Errno::EAGAIN) => Some(call),
            set => {
                call.reply(set);
                None
            }
        });
    }
}

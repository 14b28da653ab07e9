//! The lock of names: shared by lookups, exclusive for changes of names.
//!
//! Invariant: given out in the order of asking. Boards own it, so that what a dead one had is given back.

use renga_proto::inode::LockNames;
use renga_rt::{BoardReferences, Call, Errno};

#[derive(Default)]
pub(crate) struct NamesLock {
    /// The boards of the lookups, and of the change.
    shared: BoardReferences,
    exclusive: Option<u8>,
    /// The next owner; until it has the lock no other call comes in.
    waiting: Option<Call<LockNames>>,
}

impl NamesLock {
    /// Whether a caller waits, so that no other may come in.
    pub(crate) fn is_awaited(&self) -> bool {
        self.waiting.is_some()
    }

    pub(crate) fn lock(&mut self, call: Call<LockNames>) {
        let exclusive = call.entry().exclusive;
        if self.exclusive.is_some() || (exclusive && !self.shared.is_empty()) {
            self.waiting = Some(call);
            return;
        }
        let board = call.board();
        if exclusive {
            self.exclusive = Some(board);
            call.reply(Ok(()));
        } else {
            let counted = self.shared.add(board);
            call.reply(if counted { Ok(()) } else { Err(Errno::EAGAIN) });
        }
    }

    pub(crate) fn unlock(&mut self, board: u8) {
        if self.exclusive.take().is_none() {
            self.shared.remove(board);
        }
        self.let_next_in();
    }

    /// No process of a dead board releases anything.
    pub(crate) fn drop_board(&mut self, board: u8) {
        self.exclusive = self.exclusive.filter(|holder| *holder != board);
        self.shared.drop_board(board);
        self.let_next_in();
    }

    fn let_next_in(&mut self) {
        if let Some(call) = self.waiting.take() {
            self.lock(call);
        }
    }
}

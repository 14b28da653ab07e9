//! The lock of names: shared by those who look up, exclusive for who changes what names stand for.
//!
//! Invariant: given out in the order of asking. Boards own it, so that what a dead one had is given back.

use renga_proto::inode::LockNames;
use renga_rt::{BoardReferences, Call, Errno};

#[derive(Default)]
pub(crate) struct NamesLock {
    /// The boards of those who look up, and of who changes.
    shared: BoardReferences,
    exclusive: Option<u8>,
    /// Who is to have it next; until then nobody else asks.
    waiting: Option<Call<LockNames>>,
}

impl NamesLock {
    /// Whether somebody waits, so that nobody else may ask.
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

    /// Nobody of a dead board gives anything back.
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

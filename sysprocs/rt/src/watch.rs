//! Boards whose failure matters here though no call to them is under way.
//!
//! Invariant: a server counts a board in exactly while that board's failure would have to be reported to a waiter here
//! (a parent of a child there, a reader of a pipe with writers there). The router probes such boards only. It also
//! gives up a board that is alive but does not answer a question which delays others.

use crate::BOARDS_MAX;
use core::cell::Cell;
use renga_core::Notifier;

/// How many reasons there are to watch each board.
pub struct Watch {
    router: Option<Notifier>,
    reasons: [Cell<u16>; BOARDS_MAX],
    /// Since when each board owes a reply that its servers give at once.
    asked_ns: [Cell<Option<u64>>; BOARDS_MAX],
}

impl Watch {
    /// No board; a change notifies `router`.
    pub const fn new(router: Option<Notifier>) -> Watch {
        Watch {
            router,
            reasons: [const { Cell::new(0) }; BOARDS_MAX],
            asked_ns: [const { Cell::new(None) }; BOARDS_MAX],
        }
    }
    /// One reason more.
    pub fn add(&self, board: u8) {
        let Some(reasons) = self.reasons.get(usize::from(board)) else { return };
        reasons.set(reasons.get().saturating_add(1));
        if let Some(router) = self.router.filter(|_| reasons.get() == 1) {
            router.notify();
        }
    }
    /// One reason less.
    pub fn remove(&self, board: u8) {
        if let Some(reasons) = self.reasons.get(usize::from(board)) {
            reasons.set(reasons.get().saturating_sub(1));
        }
    }
    /// One reason more for each board that is in `now` and was not in `before`, one less for each that was
    /// in `before` only; a bit each.
    pub fn change(&self, before: u8, now: u8) {
        if before == now {
            return;
        }
        for board in 0..BOARDS_MAX as u8 {
            match (before >> board & 1, now >> board & 1) {
                (0, 1) => self.add(board),
                (1, 0) => self.remove(board),
                _ => {}
            }
        }
    }
    /// The caller is about to call `board` for a reply that no server there may defer. Its session ends if it does
    /// not reply for long, though it is there. By one process at a time.
    pub fn begin_question(&self, board: u8, now_ns: u64) {
        self.set_asked(board, Some(now_ns));
    }
    /// It has answered, or its session has ended.
    pub fn end_question(&self, board: u8) {
        self.set_asked(board, None);
    }
    fn set_asked(&self, board: u8, at_ns: Option<u64>) {
        if let Some(asked_ns) = self.asked_ns.get(usize::from(board)) {
            asked_ns.set(at_ns);
        }
    }
    /// Since when an answer of `board` is awaited, if one is.
    pub fn asked_ns(&self, board: u8) -> Option<u64> {
        self.asked_ns.get(usize::from(board))?.get()
    }
    /// Whether there is a reason.
    pub fn contains(&self, board: u8) -> bool {
        self.reasons.get(usize::from(board)).is_some_and(|reasons| reasons.get() > 0)
    }
}

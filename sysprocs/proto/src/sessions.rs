//! Sessions of this board with the others, and the origin of a reference to an inode, which ends with its session.
//!
//! Invariant: a reference is valid in the session in which it was granted, and in no other: it ends with that, here
//! and at the directory of inodes. The router reports the end of a session once to each caller, with the caller's
//! first call after it (`ESTALE`); by then the caller's references may be of the present session, and only their
//! origin says which. Not here: the end of a session (`renga_router`), the counting of references (the directory of
//! inodes, and [`crate::names`]).

use core::sync::atomic::{AtomicU32, Ordering};
use renga_abi::BOARDS_MAX;
use renga_core::in_word;

/// How many sessions with each board have ended, which identifies the current one; and how much has arrived from it.
/// Only the router writes, at once; each count is a word of its own. A core that a call notifies of an end sees it;
/// before that its reads may be stale.
pub struct Sessions {
    ended: [AtomicU32; BOARDS_MAX],
    arrivals: [AtomicU32; BOARDS_MAX],
}

/// By who alone writes it.
fn count_up(count: Option<&AtomicU32>) {
    if let Some(count) = count {
        count.store(count.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }
}

impl Sessions {
    /// None has ended.
    pub const fn new() -> Sessions {
        Sessions {
            ended: [const { AtomicU32::new(0) }; BOARDS_MAX],
            arrivals: [const { AtomicU32::new(0) }; BOARDS_MAX],
        }
    }
    /// That with `board` has ended.
    pub fn end(&self, board: u8) {
        count_up(self.ended.get(usize::from(board)));
    }
    /// Which one with `board` it is; that of a board with itself never ends.
    pub fn now(&self, board: u8) -> u32 {
        self.ended.get(usize::from(board)).map_or(0, |ended| ended.load(Ordering::Relaxed))
    }
    /// Something has come from `board` in this session.
    pub fn note_arrival(&self, board: u8) {
        count_up(self.arrivals.get(usize::from(board)));
    }
    /// A number that is another one when something has come from `board` meanwhile.
    pub fn arrivals(&self, board: u8) -> u32 {
        self.arrivals.get(usize::from(board)).map_or(0, |arrivals| arrivals.load(Ordering::Relaxed))
    }
    /// For a reference about to be requested from `board`: a reply to that call proves that it was made in this
    /// session.
    pub fn origin(&self, board: u8) -> ReferenceOrigin {
        ReferenceOrigin { session: self.now(board), kept: false }
    }
    /// Whether a reference to an inode of `board` has not ended.
    pub fn is_good(&self, board: u8, origin: ReferenceOrigin) -> bool {
        self.now(board) == origin.session
    }
}

impl Default for Sessions {
    fn default() -> Self {
        Sessions::new()
    }
}

in_word! {
    /// Of a reference to an inode: when it was got, and who counts it. In one word.
    pub struct ReferenceOrigin {
        /// In which session with the board of the inodes.
        session: u32 = 1..=32,
        /// It is a use of the reference that the name cache of this board keeps; otherwise the directory of inodes
        /// counts it.
        kept: bool = 0..=0,
    }
}

impl ReferenceOrigin {
    /// Of no reference.
    pub const NONE: ReferenceOrigin = ReferenceOrigin { session: 0, kept: false };
}

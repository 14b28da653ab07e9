//! Copies of asynchronous calls: of this board's until they are done, of other boards' until they are made.
//!
//! Invariant: copy `i` of a board travels to copy `i` there, so a free copy is the credit to send one.
//! Called by: `asynchronous.rs`, `transmit.rs`. Not here: in which order calls are made (`asynchronous.rs`).

use crate::calls::fragment::{Fragments, put};
use renga_rt::PAGE_BYTES;
use renga_wire::{Head, Request};

/// A copied call of this board, from its release until it is done.
pub struct OutCopy {
    pub(crate) used: bool,
    pub(crate) request: Request,
    pub(crate) fragments: Fragments,
    pub(crate) released_ns: u64,
    pub(crate) given: &'static mut [u8; PAGE_BYTES],
}

impl OutCopy {
    /// A free copy.
    pub fn new(given: &'static mut [u8; PAGE_BYTES]) -> OutCopy {
        let (request, fragments) = (Request::default(), Fragments::default());
        OutCopy { used: false, request, fragments, released_ns: 0, given }
    }

    /// Writes its next fragment into `room`: its length, bytes, and whether more follow.
    pub(crate) fn build(&mut self, slot: u16, room: &mut [u8]) -> (usize, bool) {
        let given = &self.given[..usize::from(self.request.given_bytes)];
        let first = || Head::Async { slot, request: self.request };
        self.fragments.build(first, Head::AsyncMore { slot }, given, room)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) enum CopyStage {
    #[default]
    Free,
    Receiving,
    Queued,
    Running,
    Finished {
        errno: u16,
    },
}

/// A copied call of another board.
#[derive(Default)]
pub struct InCopy {
    pub(crate) stage: CopyStage,
    /// Its session has ended: it is still made, but its end is not reported.
    pub(crate) stale: bool,
    pub(crate) request: Request,
    pub(crate) received: usize,
    pub(crate) arrival: u64,
    pub(crate) given: Option<&'static mut [u8]>,
}

impl InCopy {
    /// A free copy.
    pub fn new(given: &'static mut [u8; PAGE_BYTES]) -> InCopy {
        InCopy { given: Some(given), ..InCopy::default() }
    }

    /// Writes the news of its end into `room`, and is free.
    pub(crate) fn build_done(&mut self, slot: u16, room: &mut [u8]) -> (usize, bool) {
        let CopyStage::Finished { errno } = self.stage else { return (0, false) };
        self.stage = CopyStage::Free;
        (put(Head::Done { slot, errno }, &[], room).0, false)
    }

    pub(crate) fn waits(&self) -> bool {
        matches!(self.stage, CopyStage::Receiving | CopyStage::Queued | CopyStage::Running)
    }
}

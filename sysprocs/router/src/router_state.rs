//! The router's state between two iterations of its loop.
//!
//! Called by: the router's modules. Not here: the loop (`router.rs`), memory made at boot (`router_memory.rs`).

use crate::calls::caller_index::CallerIndex;
use crate::number_set::NumberSet;
use crate::router_memory::{Peer, RouterMemory};
use renga_phy::Phy;
use renga_rt::Me;

renga_rt::with_defaults! {
    pub(crate) struct Router[D: Phy + 'static] D {
        pub(crate) me: Me = me,
        pub(crate) device: &'static mut D = device,
        /// This board, as the device says.
        pub(crate) board: u8 = board,
        pub(crate) memory: &'static mut RouterMemory = memory,
        pub(crate) now_ns: u64 = now_ns,
        /// Local callers that wait.
        pub(crate) out_active: NumberSet = NumberSet::default(),
        /// Where the local callers have their places.
        pub(crate) places: CallerIndex = CallerIndex::default(),
        /// CallerIndex whose calls are complete and not started.
        pub(crate) queued: NumberSet = NumberSet::default(),
        /// Asynchronous calls of other boards that are not done.
        pub(crate) copies_waiting: usize = 0,
        pub(crate) arrivals: u64 = 0,
        pub(crate) alarm_ns: Option<u64> = None,
        /// A session has a deadline that may be before the alarm, though that is soon.
        pub(crate) unsettled: bool = true,
        /// Something is left of an ended session.
        pub(crate) closing: bool = false,
        pub(crate) transmit_full: bool = false,
        pub(crate) transmit_interrupt: bool = false,
        /// The board that is sent to first: the one that found the device full.
        pub(crate) first_board: u8 = 0,
    }
    pub(crate) fn new(now_ns: u64, board: u8, me: Me, device: &'static mut D, memory: &'static mut RouterMemory);
}

impl<D: Phy + 'static> Router<D> {
    pub(crate) fn next_arrival(&mut self) -> u64 {
        self.arrivals += 1;
        self.arrivals
    }

    pub(crate) fn peers(&self) -> impl Iterator<Item = u8> + use<D> {
        let me = self.board;
        (0..self.memory.peers.len() as u8).filter(move |board| *board != me)
    }

    pub(crate) fn peer(&mut self, board: u8) -> &mut Peer {
        &mut self.memory.peers[usize::from(board)]
    }

    /// As [`Router::note_awaited`], when something more is awaited of `board` than before.
    #[inline(always)]
    pub(crate) fn note_awaited_now(&mut self, board: u8) {
        let now_ns = self.now_ns;
        self.peer(board).session.set_watched(now_ns, true);
    }

    /// Notes in the session with `board` whether the router awaits more than acknowledgements of that board.
    pub(crate) fn note_awaited(&mut self, board: u8) {
        let (now_ns, watched) = (self.now_ns, self.memory.watch.contains(board));
        let peer = self.peer(board);
        peer.session.set_watched(now_ns, watched || peer.waiting > 0 || peer.serving > 0);
    }
}

//! What a router keeps: of each other board, of each call under way, of each proxy.
//!
//! Invariant: boot makes all of it from the placement; nothing that arrives can ask for more.
//! Called by: the router's modules. Not here: what moves between loops (`router_state.rs`), how it is made
//! (`wiring.rs`).

use crate::calls::copies::{InCopy, OutCopy};
use crate::calls::edge_rules::EdgeRule;
use crate::calls::in_call::{CallStage, InCall};
use crate::calls::out_call::OutCall;
use crate::calls::permits::Permits;
use crate::calls::remote_callers::{CallerSlots, Served};
use crate::calls::send_queue::SendQueue;
use crate::membership::SessionEnds;
use crate::packing::Packer;
use crate::proxies::mailbox::{ProxyHandle, ProxyResults};
use crate::proxies::pool::Pool;
use crate::session::link_session::Session;
use crate::stats::LinkStats;
use core::cell::Cell;
use renga_proto::sessions::Sessions;
use renga_rt::Watch;

/// What is left of the last session with a board.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SessionClosing {
    /// Nothing.
    Done,
    /// Its calls are still being made, or its end is being reported; the board may have said hello meanwhile.
    Open {
        /// `membership` has its call.
        reported: bool,
        /// The board has greeted, and not been answered.
        hello_waits: bool,
    },
}

impl SessionClosing {
    /// Notes a greeting if it cannot be answered yet, and says so.
    pub(crate) fn defer_hello(&mut self) -> bool {
        match self {
            SessionClosing::Done => false,
            SessionClosing::Open { hello_waits, .. } => {
                *hello_waits = true;
                true
            }
        }
    }
}

/// What the router keeps of another board.
pub struct Peer {
    /// Frames to and from it.
    pub session: Session,
    /// What is to be sent to it.
    pub send_queue: SendQueue,
    /// Local callers that wait for it.
    pub waiting: u16,
    /// Calls from there that are being made here.
    pub serving: u16,
    /// What is left of its last session.
    pub closing: SessionClosing,
    /// What the placement says of the calls to it.
    pub rules: &'static [EdgeRule],
}

/// All memory and all tables of a router, made at boot from the placement.
pub struct RouterMemory {
    /// By board number; that of this board is not used.
    pub peers: &'static mut [Peer],
    /// One for each local process that calls other boards, in the order of their indices.
    pub out_calls: &'static mut [OutCall],
    /// Calls that share proxies on other boards.
    pub(crate) pools: &'static mut [Pool],
    /// The processes of other boards that call here, by kind, in the order of their identities.
    pub(crate) caller_slots: &'static [CallerSlots],
    /// Their places, in the same order.
    pub in_calls: &'static mut [InCall],
    /// The processes here, by kind, in the order of their indices.
    pub(crate) served: &'static [Served],
    /// The proxies: of `in_calls` in their order, then those of asynchronous calls.
    pub workers: &'static mut [ProxyHandle],
    /// Proxies that have a result.
    pub proxy_results: &'static ProxyResults,
    /// Copies, `slots` for each board.
    pub out_copies: &'static mut [OutCopy],
    /// Likewise, of the other boards' calls.
    pub in_copies: &'static mut [InCopy],
    /// Copies for each board.
    pub slots: usize,
    /// Whether the two rendezvous of a call in paired form are awaited to their ends.
    pub(crate) ends_awaited: bool,
    /// No session's deadline comes sooner than this after what it follows from, but those of greetings, ns.
    pub(crate) wait_min_ns: u64,
    /// The last entries found in `caller_slots`, and among the servers.
    pub(crate) callers_hint: Cell<u16>,
    pub(crate) served_hint: Cell<u16>,
    /// What processes of other boards may call here.
    pub permits: Permits,
    /// Ends of sessions, for the servers here.
    pub ends: &'static SessionEnds,
    /// Boards that the servers here wait for.
    pub watch: &'static Watch,
    /// Which session with each board it is.
    pub sessions: &'static Sessions,
    /// Packs and unpacks answers.
    pub packer: &'static mut Packer,
    /// What it counts.
    pub stats: &'static LinkStats,
}

impl RouterMemory {
    /// The kind of callers that `caller` of `board` belongs to.
    pub(crate) fn caller_slots(&self, board: u8, caller: u16) -> Option<&'static CallerSlots> {
        let covers = |caller_slots: &&CallerSlots| {
            caller_slots.of.board == board && (caller_slots.of.callers.0..=caller_slots.of.callers.1).contains(&caller)
        };
        if let Some(caller_slots) = self.caller_slots.get(usize::from(self.callers_hint.get())).filter(covers) {
            return Some(caller_slots);
        }
        let behind = self
            .caller_slots
            .partition_point(|caller_slots| (caller_slots.of.board, caller_slots.of.callers.0) <= (board, caller));
        let at = behind.checked_sub(1)?;
        let caller_slots = Some(&self.caller_slots[at]).filter(covers)?;
        self.callers_hint.set(at as u16);
        Some(caller_slots)
    }

    /// The place for a new call of `caller`, whose kind has `caller_slots`, that may wait or not; none if it has a call
    /// under way already or its board too many.
    pub(crate) fn free_place(&self, caller_slots: &CallerSlots, caller: u16, may_wait: bool) -> Option<usize> {
        let is_free = |place: &usize| self.in_calls[*place].stage == CallStage::Fresh;
        if may_wait {
            return caller_slots.own(caller).filter(is_free);
        }
        let mut free = None;
        for (place, call) in self.in_calls[caller_slots.shared()].iter().enumerate() {
            match call.stage {
                CallStage::Fresh if free.is_none() => free = Some(caller_slots.first + place),
                CallStage::Fresh => {}
                _ if call.caller == caller => return None,
                _ => {}
            }
        }
        free
    }

    /// The place of the call of `caller` that is under way.
    pub(crate) fn busy_place(&self, board: u8, caller: u16) -> Option<usize> {
        let caller_slots = self.caller_slots(board, caller)?;
        let mut places = caller_slots.own(caller).into_iter().chain(caller_slots.shared());
        places.find(|place| caller_slots.is_busy(self.in_calls, *place, caller))
    }

    /// What the placement says of `server`, a process here.
    pub(crate) fn served(&self, server: u16) -> Option<&'static Served> {
        let covers = |served: &&Served| (served.servers.0..=served.servers.1).contains(&server);
        if let Some(served) = self.served.get(usize::from(self.served_hint.get())).filter(covers) {
            return Some(served);
        }
        let behind = self.served.partition_point(|served| served.servers.0 <= server);
        let at = behind.checked_sub(1)?;
        self.served_hint.set(at as u16);
        Some(&self.served[at]).filter(covers)
    }
}

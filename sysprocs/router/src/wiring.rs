//! From the placement's figures to the router's memory, at boot.
//!
//! Invariant: all of it is allocated here, once; its size follows from the plan alone.

use crate::calls::copies::{InCopy, OutCopy};
use crate::calls::edge_rules::EdgeRule;
use crate::calls::in_call::InCall;
use crate::calls::out_call::OutCall;
use crate::calls::permits::Permits;
use crate::calls::remote_callers::{CallerSlots, RemoteCallers, Served};
use crate::calls::send_queue::{SendItem, SendQueue};
use crate::membership::SessionEnds;
use crate::number_set::NUMBERS_MAX;
use crate::packing::Packer;
use crate::proxies::mailbox::{ProxyHandle, ProxyMailbox, ProxyResults};
use crate::proxies::pool::{Pool, PoolPlan};
use crate::router_memory::{Peer, RouterMemory, SessionClosing};
use crate::session::link_session::Session;
use crate::session::timing::LinkTiming;
use crate::stats::LinkStats;
use core::cell::Cell;
use renga_core::{Arena, Process};
use renga_core::{Notifier, WaitCanceller};
use renga_phy::FRAME_BYTES_MAX;
use renga_proto::sessions::Sessions;
use renga_rt::{PAGE_BYTES, Watch};

/// Between the first epochs of two incarnations of a board, which are numbered one after the other. Each session takes
/// the next epoch, so another board may still know one a little behind the first: the next incarnation must not begin
/// with that. With 157, which is 0.61 of 256, the first epochs of any few incarnations in a row are far apart. It is
/// odd, so that 256 incarnations have 256 epochs.
const EPOCH_STEP: u8 = 157;

/// What the placement says of one board's link.
#[derive(Clone, Copy)]
pub struct LinkPlan {
    /// This board.
    pub board: u8,
    /// Boards in the cluster.
    pub boards: u8,
    /// How many times the board has started, or any number that is another one than before its last reset: then
    /// even a frame sent before that and still on its way is known as such.
    pub incarnation: u8,
    /// Local processes that call other boards: their indices, ascending.
    pub callers: &'static [u16],
    /// Proxies on other boards that processes here share.
    pub pools: &'static [PoolPlan],
    /// The rules for calls to each board, by its number.
    pub rules: &'static [&'static [EdgeRule]],
    /// Processes of other boards that call here, by board and index.
    pub remotes: &'static [RemoteCallers],
    /// What processes of other boards may call here.
    pub permits: Permits,
    /// The servers here, by kind, in the order of their indices.
    pub served: &'static [Served],
    /// The proxies: of `remotes` in their order, then those of asynchronous calls; without any of these,
    /// asynchronous calls from other boards are only made when a synchronous one waits for them.
    pub proxies: &'static [&'static Process],
    /// Copies of asynchronous calls under way, for each board, each way.
    pub slots: usize,
    /// Of which boards something is awaited by servers here, beside replies.
    pub watch: &'static Watch,
    /// Where it notes the ends of sessions at once.
    pub sessions: &'static Sessions,
    /// Reports ends of sessions to the servers here, if the placement has it.
    pub membership: Option<&'static Process>,
    /// Whether the two rendezvous of a call in paired form are awaited to their ends.
    pub ends_awaited: bool,
    /// How long to wait for what.
    pub timing: LinkTiming,
}

/// What the link's processes are given.
pub struct Link {
    /// For `router`.
    pub memory: &'static mut RouterMemory,
    /// For `router`.
    pub frame: &'static mut [u8; FRAME_BYTES_MAX],
    /// For each of the plan's proxies, in their order.
    pub mailboxes: &'static [ProxyMailbox],
    /// For each proxy.
    pub proxy_results: &'static ProxyResults,
    /// For `membership`.
    pub ends: &'static SessionEnds,
    /// For `link_status`.
    pub stats: &'static LinkStats,
}

/// What messages between boards need beside the bytes of their slices: all that is made for them at boot. Bytes.
pub mod message_memory {
    use super::{Cell, InCall, InCopy, OutCall, OutCopy, Packer, Peer, Process, ProxyHandle, ProxyMailbox, SendItem};
    use crate::calls::send_queue::{JOBS_PER_CALL, JOBS_PER_PROXY};

    /// For a proxy, without its future: its header and what the router keeps of it and of the call that it makes.
    pub const PROXY: usize = size_of::<Process>()
        + size_of::<&Process>()
        + size_of::<InCall>()
        + size_of::<ProxyMailbox>()
        + size_of::<Cell<u16>>()
        + size_of::<ProxyHandle>()
        + JOBS_PER_PROXY * size_of::<SendItem>();
    /// For a process here that calls other boards.
    pub const CALLER: usize = size_of::<OutCall>();
    /// For a call to another board that may be under way.
    pub const CALL: usize = JOBS_PER_CALL * size_of::<SendItem>();
    /// For a board: its session with the window of frames.
    pub const PEER: usize = size_of::<Peer>();
    /// For packing and unpacking answers, once.
    pub const PACKER: usize = size_of::<Packer>();
    /// For a copy of an asynchronous call, on either side.
    pub const COPY: usize =
        if size_of::<OutCopy>() > size_of::<InCopy>() { size_of::<OutCopy>() } else { size_of::<InCopy>() }
            + size_of::<SendItem>();
}

impl Link {
    /// Allocates the memory of `plan`; `router` is the router's process.
    ///
    /// # Panics
    /// If the arena is too small or the plan contradicts itself.
    pub fn new(arena: &Arena, plan: &LinkPlan, router: &'static Process) -> Link {
        assert!(plan.callers.is_sorted(), "the plan is not in order");
        assert!(plan.remotes.is_sorted_by_key(|remotes| (remotes.board, remotes.callers)), "the plan is not in order");
        assert!(plan.callers.len().max(plan.proxies.len()) <= NUMBERS_MAX, "more callers than a router takes");
        let places: usize = plan.remotes.iter().map(RemoteCallers::proxies).sum();
        assert!(plan.proxies.len() >= places, "the plan has too few proxies");
        let (boards, workers) = (usize::from(plan.boards), plan.proxies.len());
        let mailboxes: &'static [ProxyMailbox] = arena.put_slice(workers, |i| ProxyMailbox::new(i as u16));
        let numbers: &'static [Cell<u16>] = arena.put_slice(workers, |_| Cell::new(0));
        let proxy_results: &'static ProxyResults = arena.put(|| ProxyResults::new(Notifier::new(router), numbers));
        let stats: &'static LinkStats = arena.put(LinkStats::default);
        let ends: &'static SessionEnds =
            arena.put(|| SessionEnds::new(Notifier::new(router), plan.membership.map(Notifier::new)));
        let memory = RouterMemory {
            peers: arena.put_slice(boards, |board| peer(arena, plan, board as u8)),
            out_calls: arena.put_slice(plan.callers.len(), |i| OutCall::new(plan.callers[i])),
            pools: arena.put_slice(plan.pools.len(), |i| Pool::new(plan.pools[i])),
            caller_slots: caller_slots(arena, plan),
            in_calls: in_calls(arena, plan, places),
            served: plan.served,
            workers: arena.put_slice(workers, |i| {
                let process = plan.proxies[i];
                ProxyHandle::new(&mailboxes[i], Notifier::new(process), WaitCanceller::new(process))
            }),
            proxy_results,
            out_copies: arena.put_slice(boards * plan.slots, |_| OutCopy::new(arena.put(|| [0; PAGE_BYTES]))),
            in_copies: arena.put_slice(boards * plan.slots, |_| InCopy::new(arena.put(|| [0; PAGE_BYTES]))),
            slots: plan.slots,
            ends_awaited: plan.ends_awaited,
            wait_min_ns: plan.timing.wait_min_ns(),
            callers_hint: Cell::new(0),
            served_hint: Cell::new(0),
            permits: plan.permits,
            ends,
            watch: plan.watch,
            sessions: plan.sessions,
            packer: arena.put(|| Packer::new(plan.timing.page_ns)),
            stats,
        };
        Link {
            memory: arena.put(|| memory),
            frame: arena.put(|| [0; FRAME_BYTES_MAX]),
            mailboxes,
            proxy_results,
            ends,
            stats,
        }
    }
}

fn caller_slots(arena: &Arena, plan: &LinkPlan) -> &'static [CallerSlots] {
    let mut first = 0;
    arena.put_slice(plan.remotes.len(), |i| {
        let of = plan.remotes[i];
        let caller_slots = CallerSlots { of, first };
        first += of.proxies();
        caller_slots
    })
}

/// The places of all callers, in their order.
fn in_calls(arena: &Arena, plan: &LinkPlan, places: usize) -> &'static mut [InCall] {
    let mut kinds = plan.remotes.iter().flat_map(|remotes| {
        let (shared, all) = (usize::from(remotes.shared), remotes.proxies());
        (0..all).map(move |i| (remotes.board, if i < shared { remotes.shared_pages } else { remotes.own_pages }))
    });
    arena.put_slice(places, |_| {
        let (board, pages) = kinds.next().unwrap_or_default();
        let slices: &'static mut [[u8; PAGE_BYTES]] = arena.put_slice(usize::from(pages), |_| [0; PAGE_BYTES]);
        InCall::new(board, slices.as_flattened_mut())
    })
}

fn peer(arena: &Arena, plan: &LinkPlan, board: u8) -> Peer {
    let proxies = plan.remotes.iter().filter(|remotes| remotes.board == board).map(RemoteCallers::proxies).sum();
    let calls = plan.pools.iter().filter(|pool| pool.board == board).map(PoolPlan::calls).sum();
    let places = SendQueue::places(calls, proxies, plan.slots);
    Peer {
        session: Session::new(plan.board, board, plan.incarnation.wrapping_mul(EPOCH_STEP), plan.timing),
        send_queue: SendQueue::new(arena.put_slice(places, |_| SendItem::Done(0))),
        waiting: 0,
        serving: 0,
        closing: SessionClosing::Done,
        rules: plan.rules.get(usize::from(board)).copied().unwrap_or(&[]),
    }
}

#[cfg(test)]
mod tests {
    use super::EPOCH_STEP;

    /// Holds: epoch-distance.
    #[test]
    fn link_epoch_of_each_boot_is_far_from_earlier_ones() {
        /// Sessions of one incarnation until its epochs reach the first of one of the three next.
        const APART: u8 = 41;
        let first = |incarnation: u8| incarnation.wrapping_mul(EPOCH_STEP);
        let mut seen = [false; 256];
        for incarnation in 0..=u8::MAX {
            assert!(!core::mem::replace(&mut seen[usize::from(first(incarnation))], true), "incarnation {incarnation}");
            for later in 1..=3 {
                let further = first(incarnation.wrapping_add(later)).wrapping_sub(first(incarnation));
                assert!(
                    further >= APART && further.wrapping_neg() >= APART,
                    "incarnations {incarnation} and {later} more"
                );
            }
        }
    }
}

//! From the placement's figures to the router's memory, at boot.
//!
//! Invariant: all of it is allocated here, once; its size follows from the plan alone.

use crate::asynchronous::{InCopy, OutCopy};
use crate::ending::Closing;
use crate::incoming::{InCall, SliceMemory};
use crate::jobs::{Job, Jobs};
use crate::membership::Ends;
use crate::outgoing::OutCall;
use crate::permits::Permits;
use crate::post::{Bell, Post, Worker};
use crate::router::{Peer, RouterMemory};
use crate::rules::EdgeRule;
use crate::session::Session;
use crate::set::NUMBERS_MAX;
use crate::stats::Stats;
use crate::timing::LinkTiming;
use core::cell::Cell;
use renga_core::notify::{Interruptor, Notifier};
use renga_core::{Arena, Process};
use renga_phy::FRAME_BYTES_MAX;
use renga_rt::account::AccountNumber;
use renga_rt::{PAGE_BYTES, ProcId, Watch};

/// Between the first epochs of two lives, which are numbered one after the other. Each session of a life has the
/// next epoch, so the other boards may still know one a little behind the first: that must not be the next life's
/// first. With 157, which is 0.61 of 256, those of any few lives in a row are far apart; it is odd, so that 256
/// lives have 256 epochs.
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
    pub life: u8,
    /// Local processes that call other boards: their indices, ascending.
    pub callers: &'static [u16],
    /// Processes of other boards that call here, ascending.
    pub remotes: &'static [ProcId],
    /// The accounts of `remotes`, in their order: of those that are slots of programs.
    pub accounts: &'static [AccountNumber],
    /// What processes of other boards may call here.
    pub permits: Permits,
    /// The rows there of `remotes`, in their order; 0 of those that it does not reach.
    pub permit_rows: &'static [u16],
    /// The proxies: of `remotes` in their order, then those of asynchronous calls; without any of these,
    /// asynchronous calls from other boards are only made when a synchronous one waits for them.
    pub proxies: &'static [&'static Process],
    /// Copies of asynchronous calls under way, for each board, each way; at least one.
    pub slots: usize,
    /// Which calls may be asynchronous.
    pub rules: &'static [EdgeRule],
    /// Of which boards something is awaited by servers here, beside replies.
    pub watch: &'static Watch,
    /// Who tells the servers here of ends of sessions; without it nobody is told.
    pub membership: Option<&'static Process>,
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
    pub posts: &'static [Post],
    /// For each proxy.
    pub bell: &'static Bell,
    /// For `membership`.
    pub ends: &'static Ends,
    /// For `link_status`.
    pub stats: &'static Stats,
}

/// Bytes for messages that a board's router needs: this is the bound, and it is never exceeded.
pub const fn message_bytes(boards: usize, remotes: usize, slots: usize) -> usize {
    boards * size_of::<Session>() + remotes * size_of::<SliceMemory>() + 2 * boards * slots * PAGE_BYTES
}

impl Link {
    /// Makes the memory that `plan` asks for; `router` is the process that it is for.
    ///
    /// # Panics
    /// If the arena is too small or the plan contradicts itself.
    pub fn new(arena: &Arena, plan: &LinkPlan, router: &'static Process) -> Link {
        assert!(plan.callers.is_sorted() && plan.remotes.is_sorted(), "the plan is not in order");
        assert!(plan.callers.len().max(plan.proxies.len()) <= NUMBERS_MAX, "more callers than a router takes");
        assert!(plan.proxies.len() >= plan.remotes.len() && plan.slots > 0, "the plan has too few proxies or slots");
        let (boards, workers) = (usize::from(plan.boards), plan.proxies.len());
        let posts: &'static [Post] = arena.put_slice(workers, |i| Post::new(i as u16));
        let numbers: &'static [Cell<u16>] = arena.put_slice(workers, |_| Cell::new(0));
        let bell: &'static Bell = arena.put(|| Bell::new(Notifier::new(router), numbers));
        let stats: &'static Stats = arena.put(Stats::default);
        let ends: &'static Ends = arena.put(|| Ends::new(Notifier::new(router), plan.membership.map(Notifier::new)));
        let memory = RouterMemory {
            peers: arena.put_slice(boards, |board| peer(arena, plan, board as u8)),
            out_calls: arena.put_slice(plan.callers.len(), |i| OutCall::new(plan.callers[i])),
            in_calls: arena.put_slice(plan.remotes.len(), |i| {
                let slices = arena.put(|| SliceMemory { given: [0; PAGE_BYTES], taken: [0; PAGE_BYTES] });
                let (account, row) = (plan.accounts.get(i), plan.permit_rows.get(i));
                InCall::new(plan.remotes[i], (account.copied().unwrap_or_default(), *row.unwrap_or(&0)), slices)
            }),
            workers: arena.put_slice(workers, |i| {
                let process = plan.proxies[i];
                Worker::new(&posts[i], Notifier::new(process), Interruptor::new(process))
            }),
            bell,
            out_copies: arena.put_slice(boards * plan.slots, |_| OutCopy::new(arena.put(|| [0; PAGE_BYTES]))),
            in_copies: arena.put_slice(boards * plan.slots, |_| InCopy::new(arena.put(|| [0; PAGE_BYTES]))),
            slots: plan.slots,
            rules: plan.rules,
            permits: plan.permits,
            ends,
            watch: plan.watch,
            stats,
        };
        Link { memory: arena.put(|| memory), frame: arena.put(|| [0; FRAME_BYTES_MAX]), posts, bell, ends, stats }
    }
}

fn peer(arena: &Arena, plan: &LinkPlan, board: u8) -> Peer {
    let remotes = plan.remotes.iter().filter(|remote| remote.board.0 == board).count();
    let places = Jobs::places(plan.callers.len(), remotes, plan.slots);
    Peer {
        session: Session::new(plan.board, board, plan.life.wrapping_mul(EPOCH_STEP), plan.timing),
        jobs: Jobs::new(arena.put_slice(places, |_| Job::Call(0))),
        waiting: 0,
        serving: 0,
        closing: Closing::Done,
    }
}

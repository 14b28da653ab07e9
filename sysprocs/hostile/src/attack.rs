//! The hostile board's processes.
//!
//! Invariant: an honest router sends every call they make. Each process has one call under way; unanswered calls are
//! cancelled now and then. Not here: which calls (`call_choice.rs`).

use crate::call_choice::{ASTRAY, HostileCall, Knowledge, next};
use crate::scripted_call::{ScriptedCall, doer};
use crate::slices::fill;
use core::cell::Cell;
use renga_proto::procs::Spawn;
use renga_random::Random;
use renga_router::{MembershipClients, membership};
use renga_rt::given::Servers;
use renga_rt::raw::RawClient;
use renga_rt::{Entry, Errno, Me, Members, Never, PAGE_BYTES, ProcId, WaitCanceller};
use renga_systems::tables::Board;
use renga_systems::{Directory, FACTS, Kind, Machine, Started, start_those};

/// How long a call may go unanswered before its caller is interrupted, ns.
const PATIENCE_NS: u64 = 3_000_000;

/// After so many interrupts the attack is logged.
const ROUNDS_PER_REPORT: u32 = 1_000;

/// How long it leaves a board in peace that has ended the session, ns.
const PAUSE_NS: u64 = 1_000_000;

/// What is known of an attack, and shared by those who make it.
pub struct Attack {
    /// The seed of its calls.
    seed: u64,
    /// Calls made so far.
    pub calls: Cell<u64>,
    /// Of these, those that were answered, but with an error.
    pub refused: Cell<u64>,
    /// Those that were not answered because the session had ended.
    pub cut: Cell<u64>,
    knowledge: Knowledge,
    /// The only call, in place of random ones.
    deed: Option<&'static ScriptedCall>,
}

impl Attack {
    /// An attack whose calls follow from `seed`.
    pub const fn new(seed: u64) -> Attack {
        let [calls, refused, cut] = [const { Cell::new(0) }; 3];
        Attack { seed, calls, refused, cut, knowledge: Knowledge::new(), deed: None }
    }
    /// One of a single call.
    pub const fn of(deed: &'static ScriptedCall) -> Attack {
        Attack { deed: Some(deed), ..Attack::new(0) }
    }
}

/// Starts the board of `directory` as a hostile one; `attack` says how.
///
/// # Panics
/// As [`renga_systems::start_all`]; if it is the only board.
pub fn start_hostile<M: Machine>(machine: &M, directory: &'static Directory, attack: &'static Attack) -> Started {
    let link = |kind| matches!(kind, Kind::Router | Kind::LinkStatus | Kind::Proxy | Kind::AsyncProxy);
    let started = start_those(machine, directory, link);
    let Some(ends) = started.ends else { panic!("a board alone has no target") };
    for process in directory.of_kind(Kind::Membership) {
        machine.start(process, |me| {
            let clients = MembershipClients::none(&me);
            membership(me, clients, ends)
        });
    }
    if let Some(deed) = attack.deed {
        start_doer(machine, directory, deed);
        return started;
    }
    for kind in FACTS.iter().map(|facts| facts.kind) {
        start_attackers(machine, directory, kind, attack);
    }
    if let Some(process) = directory.of_kind(Kind::Clock).first() {
        let all = directory.own();
        let wait_cancellers = directory.arena().put_slice(all.len(), |at| WaitCanceller::new(all[at]));
        machine.start(process, |me| prodder(me, wait_cancellers, attack));
    }
    started
}

/// Of all that could attack board 0, one does, once.
fn start_doer<M: Machine>(machine: &M, directory: &'static Directory, deed: &'static ScriptedCall) {
    if let Some(process) = directory.of_kind(deed.caller).first() {
        let victim = (directory, &directory.system().boards[0]);
        machine.start(process, |me| doer(me, everybody(directory, 0), victim, deed));
    }
}

/// Each process of `kind` has one call under way at a time, so it attacks one of the boards that let it call.
fn start_attackers<M: Machine>(machine: &M, directory: &'static Directory, kind: Kind, attack: &'static Attack) {
    let (boards, me) = (directory.system().boards, directory.board());
    let lets = |board: &Board<'_>| board.proxies.iter().any(|row| (row.caller_board, row.caller_kind) == (me, kind));
    let victims = || (0u8..).zip(boards).filter(|(_, board)| lets(board)).map(|(number, _)| number);
    let count = victims().count();
    if count == 0 {
        return;
    }
    for (number, process) in directory.of_kind(kind).iter().enumerate() {
        let victim = victims().nth(number % count).unwrap_or(0);
        machine.start(process, |me| {
            let client = RawClient::new(&me, everybody(directory, victim));
            attacker(me, client, (kind, directory, victim), attack)
        });
    }
}

/// All processes of board `victim`.
fn everybody(directory: &'static Directory, victim: u8) -> Members {
    let Some(router) = directory.of_kind(Kind::Router).first() else { return Members::NONE };
    let count = directory.system().boards[usize::from(victim)].processes;
    Members::Elsewhere { router, first: ProcId::new(victim, 0), count }
}

/// Calls, and calls again.
async fn attacker(
    mut me: Me,
    mut client: RawClient,
    (kind, directory, victim): (Kind, &'static Directory, u8),
    attack: &'static Attack,
) -> Never {
    let own = directory.board();
    let mut random = Random::new(attack.seed ^ u64::from(me.id().to_word()) << 32);
    let (mut given, mut taken) = ([0; PAGE_BYTES], [0; PAGE_BYTES]);
    loop {
        let board = &directory.system().boards[usize::from(victim)];
        let HostileCall { destination, kind: server, op, words } =
            next(&mut random, &attack.knowledge, (kind, own), (board, victim));
        let spawns = server == Kind::Procs && op == Spawn::OP;
        let most =
            if random.once_in(ASTRAY) { 2 * PAGE_BYTES } else { slice_bytes_max(board, (kind, own), (server, op)) };
        let bytes = fill(&mut random, &attack.knowledge, (own, victim), spawns, &mut given).min(most);
        let room = random.one(&[0, 0, 8, 128, 128, 1000, PAGE_BYTES, PAGE_BYTES]).min(most - bytes);
        let answer = client.call(own, (destination, op), words, &given[..bytes], &mut taken[..room]).await;
        attack.calls.set(attack.calls.get() + 1);
        let Ok(answer) = answer else { continue };
        let counter = match answer.words[0] {
            0 => None,
            errno if errno == u64::from(Errno::EHOSTDOWN.0) => Some(&attack.cut),
            _ => Some(&attack.refused),
        };
        if let Some(counter) = counter {
            counter.set(counter.get() + 1);
        }
        attack.knowledge.learn(&answer.words);
        if answer.words[0] == u64::from(Errno::EHOSTDOWN.0) {
            let until_ns = me.now_ns() + PAUSE_NS;
            me.sleep_until(until_ns).await;
        }
    }
}

/// Most bytes of slices that a call has room for on `board`: a call with more ends the session and reaches no server.
fn slice_bytes_max(board: &Board<'_>, caller: (Kind, u8), (server, op): (Kind, u32)) -> usize {
    let may_wait = board.placed.iter().any(|row| row.kind == server && row.may_wait >> op & 1 != 0);
    let row = board.proxies.iter().find(|row| (row.caller_kind, row.caller_board) == caller);
    row.map_or(0, |row| usize::from(if may_wait { row.own_pages } else { row.shared_pages }) * PAGE_BYTES)
}

/// Interrupts everybody now and then, and logs how far the attack is.
async fn prodder(mut me: Me, wait_cancellers: &'static [WaitCanceller], attack: &'static Attack) -> Never {
    loop {
        for _ in 0..ROUNDS_PER_REPORT {
            let until_ns = me.now_ns() + PATIENCE_NS;
            me.sleep_until(until_ns).await;
            wait_cancellers.iter().for_each(WaitCanceller::cancel_wait);
        }
        me.log(
            "hostile calls, and how many of them were refused or cut off",
            [attack.calls.get(), attack.refused.get() + attack.cut.get()],
        );
    }
}

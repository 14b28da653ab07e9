//! The link's processes of a board: their plan from the placement, and their shared memory.
//!
//! Invariant: the placement says which calls exist and which may be asynchronous; nothing is decided here. Not here:
//! the processes (`sysprocs/router`).

use crate::directory::Directory;
use crate::kinds::Kind;
use crate::permits;
use crate::tables::{Placed, Proxies, System};
use core::cell::Cell;
use renga_core::Arena;
use renga_phy::FRAME_BYTES_MAX;
use renga_proto::sessions::Sessions;
use renga_router::{
    EdgeRule, Link, LinkPlan, LinkStats, LinkTiming, Permits, PoolPlan, ProxyMailbox, ProxyResults, RemoteCallers,
    RouterMemory, Served, SessionEnds,
};
use renga_rt::given::Servers;
use renga_rt::{Watch, WordCounts};

/// What a board's router sends to others.
#[derive(Clone, Copy)]
pub(crate) enum Reach {
    /// Calls to what is called from here.
    Called,
    /// Calls to everybody, to be refused there.
    All,
}

/// What router, proxies and the others share.
pub(crate) struct LinkParts {
    memory: Cell<Option<&'static mut RouterMemory>>,
    frame: Cell<Option<&'static mut [u8; FRAME_BYTES_MAX]>>,
    mailboxes: &'static [ProxyMailbox],
    proxies: usize,
    /// What the router lets in.
    pub permits: Permits,
    pub proxy_results: &'static ProxyResults,
    pub ends: &'static SessionEnds,
    pub stats: &'static LinkStats,
}

impl LinkParts {
    /// Those of the board of `directory`; none in a system of one board.
    pub fn new(
        directory: &'static Directory,
        reach: Reach,
        (watch, sessions): (&'static Watch, &'static Sessions),
        timing: LinkTiming,
        incarnation: u8,
    ) -> Option<Self> {
        let router = directory.of_kind(Kind::Router).first()?;
        let plan = plan(directory, reach, (watch, sessions), timing, incarnation);
        let Link { memory, frame, mailboxes, proxy_results, ends, stats } = Link::new(directory.arena(), &plan, router);
        let (memory, frame) = (Cell::new(Some(memory)), Cell::new(Some(frame)));
        let proxies = directory.table().range(Kind::Proxy).len();
        let permits = plan.permits;
        Some(LinkParts { memory, frame, mailboxes, proxies, permits, proxy_results, ends, stats })
    }
    /// The router's tables and buffers.
    pub fn memory(&self) -> &'static mut RouterMemory {
        once(&self.memory)
    }
    /// Room for a frame.
    pub fn frame(&self) -> &'static mut [u8; FRAME_BYTES_MAX] {
        once(&self.frame)
    }
    /// The post of proxy `number`.
    pub fn mailbox(&self, number: u16) -> &'static ProxyMailbox {
        &self.mailboxes[usize::from(number)]
    }
    /// The post of asynchronous proxy `number`.
    pub fn async_mailbox(&self, number: u16) -> &'static ProxyMailbox {
        &self.mailboxes[self.proxies + usize::from(number)]
    }
}

fn once<T>(place: &Cell<Option<T>>) -> T {
    match place.take() {
        Some(thing) => thing,
        None => panic!("two routers on a board"),
    }
}

fn plan(
    directory: &'static Directory,
    reach: Reach,
    (watch, sessions): (&'static Watch, &'static Sessions),
    timing: LinkTiming,
    incarnation: u8,
) -> LinkPlan {
    let (arena, system, board) = (directory.arena(), directory.system(), directory.table());
    let own = directory.own();
    // Of the processes the proxies are the last, in the order of their callers; behind them the asynchronous ones.
    let (proxies, async_proxies) = (board.range(Kind::Proxy), board.range(Kind::AsyncProxy));
    let all = proxies.len() + async_proxies.len();
    let slots = board.peers.iter().map(|peer| usize::from(peer.slots_out.max(peer.slots_in)));
    let pool = |(board, row): (u8, &Proxies)| PoolPlan { board, proxies: row.shared, own: row.own };
    let pools = collect(arena, || pool_rows(system, directory.board()).map(pool));
    LinkPlan {
        board: directory.board(),
        boards: directory.boards(),
        incarnation,
        callers: callers_of(arena, system, directory.board()),
        pools,
        rules: arena
            .put_slice(system.boards.len(), |to| edge_rules(arena, (system, reach), directory.board(), to as u8)),
        remotes: collect(arena, || {
            // Behind the rows of the boards' asynchronous calls.
            let rows = (directory.boards().into()..).zip(board.proxies);
            rows.map(|(permits, row)| remotes(system, row, permits))
        }),
        permits: permits::table(directory),
        served: collect(arena, || board.placed.iter().map(|row| served(system, row))),
        proxies: &own[own.len() - all..],
        slots: slots.max().unwrap_or(0),
        watch,
        sessions,
        membership: directory.of_kind(Kind::Membership).first().copied(),
        ends_awaited: system.ends_awaited,
        timing,
    }
}

fn remotes(system: &System<'_>, row: &Proxies, permits: u16) -> RemoteCallers {
    RemoteCallers {
        board: row.caller_board,
        callers: (row.caller_first, row.caller_first + row.callers - 1),
        slots: row.caller_kind == Kind::User,
        patient: matches!(row.caller_kind, Kind::User | Kind::File),
        background: goes_behind(system, row.caller_kind),
        permits,
        shared: row.shared,
        own: row.own > 0,
        shared_pages: row.shared_pages,
        own_pages: row.own_pages,
    }
}

/// Whether long messages of processes of `kind` let others go first: these processes write back or flush what programs
/// have written. Where the ends of rendezvous are sent, too, all keeps its order.
fn goes_behind(system: &System<'_>, kind: Kind) -> bool {
    let writes_back = matches!(
        kind,
        Kind::Revocations | Kind::LeaseFlusher | Kind::DataWriteback | Kind::MetadataWriteback | Kind::Committer
    );
    writes_back && !(system.paired && system.ends_awaited)
}

fn served(system: &System<'_>, row: &Placed) -> Served {
    Served {
        servers: (row.first, row.first + row.count - 1),
        may_wait: row.may_wait,
        paired: paired(system, row),
        word_counts: word_counts(row),
    }
}

/// The entries of `servers` that travel as two rendezvous.
fn paired(system: &System<'_>, servers: &Placed) -> u32 {
    let protocol = servers.kind.facts().serves().filter(|_| system.paired);
    protocol.map_or(0, |protocol| protocol.returns_data())
}

fn word_counts(servers: &Placed) -> &'static WordCounts {
    servers.kind.facts().serves().map_or(&WordCounts::UNKNOWN, |protocol| protocol.word_counts)
}

/// The proxies that processes of board `number` have on others, with these, in the order of the pools.
fn pool_rows(system: &'static System<'static>, number: u8) -> impl Iterator<Item = (u8, &'static Proxies)> {
    let boards = (0u8..).zip(system.boards);
    let rows = boards.flat_map(|(board, table)| table.proxies.iter().map(move |row| (board, row)));
    rows.filter(move |(_, row)| row.caller_board == number)
}

/// What `items` gives, in boot memory.
fn collect<T: 'static, I: Iterator<Item = T>>(arena: &Arena, items: impl Fn() -> I) -> &'static [T] {
    let mut next = items();
    arena.put_slice(items().count(), |_| match next.next() {
        Some(item) => item,
        None => unreachable!("counted"),
    })
}

/// The rules for calls from processes of board `number` to board `to`, row by row.
fn edge_rules(
    arena: &Arena,
    (system, reach): (&'static System<'static>, Reach),
    number: u8,
    to: u8,
) -> &'static [EdgeRule] {
    let pools = move || (0u16..).zip(pool_rows(system, number)).filter(move |(_, (board, _))| *board == to);
    let rows = match reach {
        Reach::Called => system.boards[usize::from(number)].elsewhere,
        Reach::All => system.boards[usize::from(to)].placed,
    };
    let called = rows.iter().filter(move |row| row.board == to);
    collect(arena, || {
        let called = called.clone();
        called.flat_map(move |row| pools().map(move |(pool, (_, callers))| edge_rule(system, row, callers, pool)))
    })
}

fn edge_rule(system: &System<'_>, servers: &Placed, callers: &Proxies, pool: u16) -> EdgeRule {
    EdgeRule {
        callers: (callers.caller_first, callers.caller_first + callers.callers - 1),
        servers: (servers.first, servers.first + servers.count - 1),
        releases: servers.kind.facts().serves().map_or(0, |protocol| protocol.releases),
        asynchronous: system.released(callers.caller_kind, servers.kind),
        paired: paired(system, servers),
        may_wait: servers.may_wait,
        background: goes_behind(system, callers.caller_kind),
        word_counts: word_counts(servers),
        pool,
    }
}

/// The processes of board `number` that have proxies on other boards: those that call them.
fn callers_of(arena: &Arena, system: &'static System<'static>, number: u8) -> &'static [u16] {
    let rows = || system.boards.iter().flat_map(|board| board.proxies).filter(|row| row.caller_board == number);
    let calls = |index: &u16| rows().any(|row| (row.caller_first..row.caller_first + row.callers).contains(index));
    let processes = system.boards[usize::from(number)].processes;
    collect(arena, || (0..processes).filter(|index| calls(index)))
}

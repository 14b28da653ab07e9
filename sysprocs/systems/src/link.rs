//! The link's processes of a board: their plan from the placement, and what they share.
//!
//! Invariant: who may call whom, and what may be asynchronous, is the placement's; nothing is decided
//! here. Not here: what they do (`sysprocs/router`).

use crate::Kind;
use crate::directory::Directory;
use crate::permits;
use crate::tables::{AsyncEdge, Placed, Proxies, System};
use core::cell::Cell;
use renga_core::Arena;
use renga_phy::FRAME_BYTES_MAX;
use renga_router::{Bell, EdgeRule, Ends, Link, LinkPlan, LinkTiming, Post, RouterMemory, Stats};
use renga_rt::account::AccountNumber;
use renga_rt::given::Servers;
use renga_rt::{ProcId, Watch};

/// What router, proxies and the others share.
pub(crate) struct LinkParts {
    memory: Cell<Option<&'static mut RouterMemory>>,
    frame: Cell<Option<&'static mut [u8; FRAME_BYTES_MAX]>>,
    posts: &'static [Post],
    remotes: usize,
    pub bell: &'static Bell,
    pub ends: &'static Ends,
    pub stats: &'static Stats,
}

impl LinkParts {
    /// Those of the board of `directory`; none in a system of one board.
    pub fn new(directory: &'static Directory, watch: &'static Watch, timing: LinkTiming, life: u8) -> Option<Self> {
        let router = directory.of_kind(Kind::Router).first()?;
        let plan = plan(directory, watch, timing, life);
        let Link { memory, frame, posts, bell, ends, stats } = Link::new(directory.arena(), &plan, router);
        let (memory, frame) = (Cell::new(Some(memory)), Cell::new(Some(frame)));
        Some(LinkParts { memory, frame, posts, remotes: plan.remotes.len(), bell, ends, stats })
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
    pub fn post(&self, number: u16) -> &'static Post {
        &self.posts[usize::from(number)]
    }
    /// The post of asynchronous proxy `number`.
    pub fn async_post(&self, number: u16) -> &'static Post {
        &self.posts[self.remotes + usize::from(number)]
    }
}

fn once<T>(place: &Cell<Option<T>>) -> T {
    match place.take() {
        Some(thing) => thing,
        None => panic!("two routers on a board"),
    }
}

fn plan(directory: &'static Directory, watch: &'static Watch, timing: LinkTiming, life: u8) -> LinkPlan {
    let (arena, system, board) = (directory.arena(), directory.system(), directory.table());
    let rows = || board.proxies.iter();
    let callers = |row: &Proxies| {
        let (board, first) = (row.caller_board, row.caller_first);
        (first..first + row.count).map(move |index| ProcId::new(board, index))
    };
    let own = directory.own();
    // Of the processes the proxies are the last, in the order of their callers; behind them the asynchronous ones.
    let (proxies, async_proxies) = (board.range(Kind::Proxy), board.range(Kind::AsyncProxy));
    let all = proxies.len() + async_proxies.len();
    let slots = board.peers.iter().map(|peer| usize::from(peer.slots_out.max(peer.slots_in)));
    LinkPlan {
        board: directory.board(),
        boards: directory.boards(),
        life,
        callers: callers_of(arena, system, directory.board()),
        remotes: collect(arena, || rows().flat_map(callers)),
        accounts: collect(arena, || rows().flat_map(|row| callers(row).map(|id| account(system, row, id)))),
        permits: permits::table(directory),
        permit_rows: collect(arena, || {
            (u16::from(directory.boards())..).zip(rows()).flat_map(|(at, row)| callers(row).map(move |_| at))
        }),
        proxies: &own[own.len() - all..],
        slots: slots.max().unwrap_or(0).max(1),
        rules: edge_rules(arena, system, directory.board()),
        watch,
        membership: directory.of_kind(Kind::Membership).first().copied(),
        timing,
    }
}

/// The account of a process of another board that calls here, if it is the slot of a program.
fn account(system: &System, row: &Proxies, caller: ProcId) -> AccountNumber {
    match row.caller_kind {
        Kind::User => {
            let first = system.boards[usize::from(caller.board.0)].range(Kind::User).start;
            AccountNumber::of_slot(caller.board.0, caller.index - first)
        }
        _ => AccountNumber::SYSTEM,
    }
}

/// What `items` gives, in boot memory.
fn collect<T: 'static, I: Iterator<Item = T>>(arena: &Arena, items: impl Fn() -> I) -> &'static [T] {
    let mut next = items();
    arena.put_slice(items().count(), |_| match next.next() {
        Some(item) => item,
        None => unreachable!("counted"),
    })
}

/// The asynchronous edges from processes of board `number` to others', row by row.
fn edge_rules(arena: &Arena, system: &'static System<'static>, number: u8) -> &'static [EdgeRule] {
    let callers_at =
        |board: u8| system.boards[usize::from(board)].proxies.iter().filter(move |row| row.caller_board == number);
    let stubs = system.boards[usize::from(number)].stubs;
    collect(arena, || {
        stubs.iter().flat_map(move |stub| callers_at(stub.board).map(move |caller| edge_rule(system, stub, caller)))
    })
}

fn edge_rule(system: &System<'_>, servers: &Placed, callers: &Proxies) -> EdgeRule {
    let edge = |edge: &&AsyncEdge| edge.caller == callers.caller_kind && edge.server == servers.kind;
    EdgeRule {
        callers: (callers.caller_first, callers.caller_first + callers.count - 1),
        board: servers.board,
        servers: (servers.first, servers.first + servers.count - 1),
        releases: servers.kind.facts().serves().map_or(0, |protocol| protocol.releases),
        asynchronous: system.async_edges.iter().find(edge).map_or(0, |edge| edge.entries),
    }
}

/// The processes of board `number` that have proxies on other boards: those that call them.
fn callers_of(arena: &Arena, system: &'static System<'static>, number: u8) -> &'static [u16] {
    let rows = || system.boards.iter().flat_map(|board| board.proxies).filter(|row| row.caller_board == number);
    let calls = |index: &u16| rows().any(|row| (row.caller_first..row.caller_first + row.count).contains(index));
    let processes = system.boards[usize::from(number)].processes;
    collect(arena, || (0..processes).filter(|index| calls(index)))
}

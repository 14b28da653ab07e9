//! The processes of one board of a random run, and their numbers.
//!
//! Invariant: every board has the same: the router, membership, proxies, servers, clients, and one process that
//! tries everything in the end, in this order. Not here: what they do.

use super::client::{CallsMade, SimClient};
use super::oracle::Oracle;
use super::plan::{CallsPlan, ClientStep};
use super::protocol::{Note, Trial, Wait, Work, named};
use super::server::server;
use crate::cluster::SimSite;
use renga_core::Notifier;
use renga_core::raw::{ExchangePort, RawClient};
use renga_core::{Address, Client as RawTyped, Me, Members, Port, Process, Protocol};
use renga_router::{
    EdgeRule, Link, LinkPlan, LinkStats, LinkTiming, MembershipClients, Permits, PoolPlan, RemoteCallers, Served,
    membership, proxy, router,
};
use renga_rt::{ProcId, Watch};
use std::cell::Cell;
use std::rc::Rc;

/// Where everyone is.
#[derive(Clone, Copy, Debug)]
pub struct CallsLayout {
    /// Boards.
    pub boards: u8,
    /// Servers and clients of each.
    pub servers: usize,
    pub clients: usize,
    /// Proxies that the clients of one board share on another.
    pub shared: usize,
    /// Proxies for asynchronous calls.
    pub async_proxies: usize,
}

impl CallsLayout {
    /// That of a plan.
    pub fn of(plan: &CallsPlan) -> CallsLayout {
        let (boards, async_proxies) = (plan.boards, plan.async_proxies);
        let (servers, clients, shared) = (usize::from(plan.servers), plan.clients(), plan.shared_proxies());
        CallsLayout { boards, servers, clients, shared, async_proxies }
    }
    /// Processes of a board that call others: servers, clients, the last one.
    fn callers(&self) -> usize {
        self.servers + self.clients + 1
    }
    /// Proxies for the processes of one other board: one for each server, which calls only servers with higher numbers
    /// and waits for no other; the shared ones of the clients; one for each client and the last.
    fn proxies_for_one(&self) -> usize {
        self.servers + self.shared + self.clients + 1
    }
    fn proxies(&self) -> usize {
        (usize::from(self.boards) - 1) * self.proxies_for_one()
    }
    fn first_proxy(&self) -> usize {
        2
    }
    fn first_server(&self) -> usize {
        self.first_proxy() + self.proxies() + self.async_proxies
    }
    fn count(&self) -> usize {
        self.first_server() + self.callers()
    }
    /// The callers by kind. Servers are a kind each, since those with lower numbers call those with higher ones: did
    /// they share proxies, they could wait for each other in a circle.
    fn kinds(&self) -> Vec<RemoteCallers> {
        let first = self.first_server() as u16;
        let kind = |callers: (u16, u16), shared: usize, own: bool| {
            let shared = shared as u16;
            RemoteCallers {
                board: 0,
                callers,
                slots: false,
                patient: false,
                background: false,
                permits: 0,
                shared,
                own,
                shared_pages: 2,
                own_pages: 0,
            }
        };
        let mut kinds: Vec<RemoteCallers> =
            (0..self.servers as u16).map(|server| kind((first + server, first + server), 1, false)).collect();
        let clients = first + self.servers as u16;
        kinds.push(kind((clients, clients + self.clients as u16), self.shared, true));
        kinds
    }
    fn server(&self, board: u8, number: usize) -> ProcId {
        ProcId::new(board, (self.first_server() + number) as u16)
    }

    /// What a process is called in reports.
    pub fn name(&self, id: ProcId) -> String {
        let (board, index) = (id.board.0, usize::from(id.index));
        let Some(place) = index.checked_sub(self.first_server()) else {
            return match index.checked_sub(self.first_proxy()) {
                None => named(board, ["router", "membership"][index], 0),
                Some(proxy) if proxy < self.proxies() => {
                    let other = (proxy / self.proxies_for_one()) as u8;
                    let (other, place) = (other + u8::from(other >= board), proxy % self.proxies_for_one());
                    let clients = self.servers..self.servers + self.shared;
                    let caller = if place < self.servers { place } else { place.saturating_sub(self.shared) };
                    let caller = ProcId::new(other, (self.first_server() + caller) as u16);
                    let whose = if clients.contains(&place) { named(other, "clients", 0) } else { self.name(caller) };
                    format!("{} for {whose}", named(board, "proxy", proxy))
                }
                Some(proxy) => named(board, "async_proxy", proxy - self.proxies()),
            };
        };
        match place.checked_sub(self.servers) {
            None => named(board, "server", place),
            Some(client) if client < self.clients => named(board, "client", client),
            Some(client) => named(board, "last", client - self.clients),
        }
    }
}

/// The servers that a process can call, by board and number.
#[derive(Clone)]
pub struct CallsServers(Rc<Vec<Vec<Address<Trial>>>>);

impl CallsServers {
    /// The right of `me` to call one.
    pub fn at(&self, me: &Me, board: u8, number: u8) -> RawTyped<Trial> {
        RawTyped::new(me, self.0[usize::from(board)][usize::from(number)])
    }
}

/// What is seen of a board from outside.
pub struct BoardProcesses {
    /// Its processes, by index.
    pub processes: &'static [&'static Process],
    /// The router's counters.
    pub stats: &'static LinkStats,
    /// Which boot it is.
    pub boot: u8,
    /// The clients.
    pub clients: &'static [&'static Process],
    /// The process that tries everything when notified.
    pub last: &'static Process,
}

/// A client's calls, and how far it has come.
pub type Script = (Rc<Vec<ClientStep>>, CallsMade);

/// The common data of every board's processes.
#[derive(Clone)]
pub struct Cast {
    /// The random plan.
    pub plan: Rc<CallsPlan>,
    /// The scripts, by board and client, and how far they have come.
    pub scripts: Rc<Vec<Vec<Script>>>,
    /// The oracle.
    pub oracle: Oracle,
    /// Boards that have tried everything, and servers that did not answer then.
    pub last: Rc<Cell<(usize, usize)>>,
}

impl Cast {
    /// Makes the processes of one board.
    pub fn board_processes(&self, site: &mut SimSite) -> BoardProcesses {
        let layout = CallsLayout::of(&self.plan);
        let (board, number, arena) = (site.board, site.number, site.board.arena);
        self.oracle.set_boot(number, site.boots);
        let all: &'static [&'static Process] = arena.put_slice(layout.count(), |_| board.declare(1));
        let stats = self.start_link(site, layout, all);
        let router = all[0];
        let own = &all[layout.first_server()..];
        let address = |other: u8, server: usize| match other == number {
            true => Address::new(own[server]),
            false => Address::elsewhere(router, layout.server(other, server)),
        };
        let addresses = (0..layout.boards).map(|other| (0..layout.servers).map(|s| address(other, s)).collect());
        let servers = CallsServers(Rc::new(addresses.collect()));
        for process in &own[..layout.servers] {
            let (servers, oracle) = (servers.clone(), self.oracle.clone());
            board.start(process, |me| {
                let (port, _) = Port::new(&me);
                server(me, port, servers, oracle)
            });
        }
        let (clients, last) = (&own[layout.servers..][..layout.clients], own[layout.servers + layout.clients]);
        for (process, (script, progress)) in clients.iter().zip(&self.scripts[usize::from(number)]) {
            let (servers, oracle) = (servers.clone(), self.oracle.clone());
            let (script, progress) = (script.clone(), progress.clone());
            board.start(process, |me| async move {
                SimClient { me, servers, oracle }.follow(script, progress).await;
                std::future::pending().await
            });
        }
        self.start_last(site, last, servers);
        arena.seal();
        BoardProcesses { processes: all, stats, boot: site.boots, clients, last }
    }

    fn start_last(&self, site: &mut SimSite, process: &'static Process, servers: CallsServers) {
        let (oracle, count, plan) = (self.oracle.clone(), self.last.clone(), self.plan.clone());
        site.board.start(process, |mut me| async move {
            me.notified().await;
            let silent = SimClient { me, servers, oracle }.call_all(plan.boards, plan.servers).await;
            count.set((count.get().0 + 1, count.get().1 + silent));
            std::future::pending().await
        });
    }

    fn start_link(
        &self,
        site: &mut SimSite,
        layout: CallsLayout,
        all: &'static [&'static Process],
    ) -> &'static LinkStats {
        let (board, number, arena) = (site.board, site.number, site.board.arena);
        let others = || (0..layout.boards).filter(move |other| *other != number);
        let first = layout.first_server() as u16;
        let callers: Vec<u16> = (first..first + layout.callers() as u16).collect();
        let servers = (first, first + layout.servers as u16 - 1);
        let kinds = layout.kinds();
        let remotes: Vec<RemoteCallers> =
            others().flat_map(|board| kinds.iter().map(move |kind| RemoteCallers { board, ..*kind })).collect();
        let own = |kind: &RemoteCallers| if kind.own { kind.callers.1 - kind.callers.0 + 1 } else { 0 };
        let pool =
            |remotes: &RemoteCallers| PoolPlan { board: remotes.board, proxies: remotes.shared, own: own(remotes) };
        let pools: Vec<PoolPlan> = remotes.iter().map(pool).collect();
        let asynchronous = if self.plan.asynchronous { Note::BIT } else { 0 };
        let paired = if self.plan.paired { Work::BIT | Wait::BIT } else { 0 };
        let served = Served { servers, may_wait: Trial::DEFERS, paired, word_counts: Trial::WORD_COUNTS };
        let rule = |(pool, remotes): (usize, &RemoteCallers)| EdgeRule {
            callers: remotes.callers,
            servers,
            releases: Trial::RELEASES,
            asynchronous,
            paired,
            may_wait: Trial::DEFERS,
            background: false,
            word_counts: Trial::WORD_COUNTS,
            pool: pool as u16,
        };
        let rules: Vec<(u8, EdgeRule)> = (0..).zip(&remotes).map(|at| (at.1.board, rule(at))).collect();
        let rules_to = |board: usize| -> &'static [EdgeRule] {
            let rules: Vec<EdgeRule> =
                rules.iter().filter(|(to, _)| usize::from(*to) == board).map(|(_, rule)| *rule).collect();
            arena.put_slice(rules.len(), |at| rules[at])
        };
        let plan = LinkPlan {
            board: number,
            boards: layout.boards,
            incarnation: site.boots,
            callers: arena.put_slice(callers.len(), |at| callers[at]),
            pools: arena.put_slice(pools.len(), |at| pools[at]),
            rules: arena.put_slice(usize::from(layout.boards), rules_to),
            remotes: arena.put_slice(remotes.len(), |at| remotes[at]),
            permits: Permits::same(arena, all.len(), layout.boards, u32::MAX),
            served: arena.put_slice(1, |_| served),
            proxies: &all[layout.first_proxy()..layout.first_server()],
            slots: self.plan.slots,
            watch: arena.put(|| Watch::new(Some(Notifier::new(all[0])))),
            sessions: arena.put(renga_proto::sessions::Sessions::new),
            membership: Some(all[1]),
            ends_awaited: !self.plan.asynchronous,
            timing: LinkTiming::PI3,
        };
        let link = Link::new(arena, &plan, all[0]);
        let stats = link.stats;
        let device = arena.put(|| site.device());
        board.start(all[0], |me| {
            let exchange = ExchangePort::new(&me);
            router(me, exchange, device, link.memory, link.frame)
        });
        site.serve_link(all[0]);
        board.start(all[1], |me| {
            let clients = MembershipClients::none(&me);
            membership(me, clients, link.ends)
        });
        for (process, post) in plan.proxies.iter().zip(link.mailboxes) {
            board.start(process, |me| {
                let client = RawClient::new(&me, Members::Here(all));
                proxy(me, client, post, link.proxy_results)
            });
        }
        stats
    }
}

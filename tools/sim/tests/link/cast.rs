//! Boards that each have a router, its proxies, a few servers and a few clients.

use crate::record::{self, Noted as NotedDevice};
use renga_core::raw::{ExchangePort, RawClient};
use renga_core::{Address, Arena, Call, Client, Me, Members, Port, Process, Protocol};
use renga_random::Random;
use renga_router::{
    EdgeRule, Link, LinkPlan, LinkStats, LinkTiming, Permits, PoolPlan, RemoteCallers, Served, proxy, router,
};
use renga_rt::{Errno, Never, ProcId, Watch};
use renga_sim::{ClusterSetup, SimCluster, SimSite};
use std::cell::{Cell, RefCell};
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

renga_core::protocol! {
    /// A server for tests.
    pub Store = 50, StoreCall {
        /// Nothing.
        0 Null {} (()) -> Result<(), Errno>;
        /// All words both ways.
        1 Add { a: u64, b: u64, c: u64, d: i64, e: u64, f: u32 } (()) -> Result<u64, Errno>;
        /// Fills the slice from `seed` on; only `used` bytes.
        2 Fetch { seed: u64, used: u32 } (&'a mut [u8]) -> Result<u32, Errno>;
        /// A checksum of the slice.
        3 Check {} (&'a [u8]) -> Result<u64, Errno>;
        /// Each byte and one.
        4 Increment {} ((&'a [u8], &'a mut [u8])) -> Result<(), Errno>;
        /// Waits for `Open`, or for an interruption.
        5 Pass {} (()) -> Result<u64, Errno> [defers];
        /// Lets one waiter pass.
        6 Open { value: u64 } (()) -> Result<(), Errno>;
        /// Notes `value` in the server's list; `fail`: does not, and says so.
        /// Or, for [`STUCK`], answers only after `Open`.
        7 Note { value: u64, fail: bool } (&'a [u8]) -> Result<(), Errno> [releases];
        /// How many notes there are.
        8 Notes {} (()) -> Result<u64, Errno>;
    }
}

/// The value of a note that takes long.
pub const STUCK: u64 = u64::MAX;

/// In a seed: the bytes repeat, so that they can be packed.
pub const SHRINKS: u64 = 1 << 63;

/// Bytes that depend on `seed`.
pub fn fill(bytes: &mut [u8], seed: u64) {
    let mut random = Random::new(seed);
    match seed & SHRINKS {
        0 => random.fill(bytes),
        _ => bytes.fill(random.draw() as u8),
    }
}

/// A checksum.
pub fn sum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(bytes.len() as u64, |sum, byte| sum.wrapping_mul(131).wrapping_add(u64::from(*byte)))
}

/// A server's notes: the client, the value, the checksum of its slice.
pub type Noted = Rc<RefCell<Vec<(ProcId, u64, u64)>>>;

async fn store(mut port: Port<Store>, noted: Noted, calls: Rc<Cell<u64>>) -> Never {
    let (mut waiting, mut stuck) = (Vec::new(), None);
    loop {
        let call = port.accept_or_notified(Store::ENTRIES).await;
        calls.set(calls.get() + u64::from(call.is_some()));
        match call {
            None => {}
            Some(StoreCall::Null(call)) => call.reply(Ok(())),
            Some(StoreCall::Add(call)) => {
                let Add { a, b, c, d, e, f } = call.entry();
                call.reply(Ok(a.wrapping_add(b.wrapping_mul(c)).wrapping_add(d as u64).wrapping_add(e ^ u64::from(f))));
            }
            Some(StoreCall::Fetch(mut call)) => {
                let Fetch { seed, used } = call.entry();
                let used = call.lent().len().min(used as usize);
                fill(&mut call.lent()[..used], seed);
                call.set_taken_used(used);
                call.reply(Ok(used as u32));
            }
            Some(StoreCall::Check(mut call)) => {
                let sum = sum(call.lent());
                call.reply(Ok(sum));
            }
            Some(StoreCall::Increment(mut call)) => {
                let (given, taken) = call.lent();
                given.iter().zip(taken).for_each(|(from, to)| *to = from.wrapping_add(1));
                call.reply(Ok(()));
            }
            Some(StoreCall::Pass(call)) => waiting.push(call),
            Some(StoreCall::Open(call)) => {
                let value = call.entry().value;
                call.reply(Ok(()));
                if let Some(stuck) = stuck.take() {
                    Call::<Note>::reply(stuck, Ok(()));
                }
                if !waiting.is_empty() {
                    waiting.remove(0).reply(Ok(value));
                }
            }
            Some(StoreCall::Note(mut call)) => {
                let Note { value, fail } = call.entry();
                let sum = sum(call.lent());
                if value == STUCK {
                    stuck = Some(call);
                    continue;
                }
                if !fail {
                    noted.borrow_mut().push((call.caller(), value, sum));
                }
                call.reply(if fail { Err(Errno::ENOSPC) } else { Ok(()) });
            }
            Some(StoreCall::Notes(call)) => {
                let count = noted.borrow().len() as u64;
                call.reply(Ok(count));
            }
        }
        for at in (0..waiting.len()).rev() {
            if waiting[at].wait_cancelled() {
                waiting.remove(at).reply(Err(Errno::EINTR));
            }
        }
    }
}

/// How many of what there are on each board. Indices: router, proxies, servers, clients.
#[derive(Clone, Copy)]
pub struct Cast {
    pub boards: u8,
    pub servers: usize,
    pub clients: usize,
    /// Proxies that the clients of one board share on another.
    pub shared: usize,
    pub async_proxies: usize,
    pub slots: usize,
    /// Whether `Note` is asynchronous.
    pub asynchronous: bool,
    /// Whether what returns data travels in paired form.
    pub paired: bool,
    /// Whether the clients' long messages go in the background.
    pub background: bool,
    /// What boards let each other call.
    pub permitted: u32,
}

impl Cast {
    pub const fn pair(clients: usize) -> Cast {
        Cast {
            boards: 2,
            servers: 2,
            clients,
            shared: 2,
            async_proxies: 2,
            slots: 4,
            asynchronous: false,
            paired: false,
            background: false,
            permitted: Store::ENTRIES,
        }
    }
    /// Of these what returns data.
    fn paired_entries(&self) -> u32 {
        let data = Add::BIT | Fetch::BIT | Check::BIT | Increment::BIT | Pass::BIT | Notes::BIT;
        if self.paired { data } else { 0 }
    }
    /// For each other board those that its clients share, and one for each.
    fn proxies(&self) -> usize {
        (usize::from(self.boards) - 1) * (self.shared + self.clients)
    }
    fn first_server(&self) -> usize {
        1 + self.proxies() + self.async_proxies
    }
    pub fn server(&self, board: u8, number: usize) -> ProcId {
        ProcId::new(board, (self.first_server() + number) as u16)
    }
    pub fn client(&self, board: u8, number: usize) -> ProcId {
        ProcId::new(board, (self.first_server() + self.servers + number) as u16)
    }
}

/// The servers that a client sees, by board and number.
pub struct Stores {
    me: Me,
    addresses: Rc<Vec<Vec<Address<Store>>>>,
    /// The router, and server 0 of board 0.
    far: (&'static Process, ProcId),
    watch: &'static Watch,
}

impl Stores {
    pub fn at(&mut self, board: u8, number: usize) -> Client<Store> {
        Client::new(&self.me, self.addresses[usize::from(board)][number])
    }
    /// The server of board 0 taken for one of another protocol.
    pub fn wrong<P: Protocol>(&mut self) -> Client<P> {
        Client::new(&self.me, Address::elsewhere(self.far.0, self.far.1))
    }
    /// The watch that its board's router reports to.
    pub fn watch(&self) -> &'static Watch {
        self.watch
    }
    pub fn now_ns(&self) -> u64 {
        self.me.now_ns()
    }
    pub fn me(&mut self) -> &mut Me {
        &mut self.me
    }
}

/// What a client does.
pub type Body = Box<dyn Fn(Stores) -> Pin<Box<dyn Future<Output = ()>>>>;

/// What a test sees of a board.
#[derive(Clone)]
pub struct Seen {
    pub stats: &'static LinkStats,
    pub clients: Vec<&'static Process>,
    pub noted: Vec<Noted>,
    /// Calls that came to servers.
    pub calls: Rc<Cell<u64>>,
}

/// What the router of such a board is given.
fn plan(site: &SimSite, cast: Cast, all: &'static [&'static Process]) -> LinkPlan {
    let (arena, number): (&'static Arena, u8) = (site.board.arena, site.number);
    let clients = &all[cast.first_server() + cast.servers..];
    let others = || (0..cast.boards).filter(move |other| *other != number);
    let (first, last) = (cast.client(0, 0).index, cast.client(0, cast.clients - 1).index);
    let remotes = |board| RemoteCallers {
        board,
        callers: (first, last),
        slots: false,
        patient: false,
        background: cast.background,
        permits: 0,
        shared: cast.shared as u16,
        own: true,
        shared_pages: 2,
        own_pages: 0,
    };
    let remotes: Vec<RemoteCallers> = others().map(remotes).collect();
    let pool = |board| PoolPlan { board, proxies: cast.shared as u16, own: cast.clients as u16 };
    let pools: Vec<PoolPlan> = others().map(pool).collect();
    let servers_at = |board| (cast.server(board, 0).index, cast.server(board, cast.servers - 1).index);
    let rules_to = |board: usize| -> &'static [EdgeRule] {
        let pool = others().position(|other| usize::from(other) == board).unwrap_or(0) as u16;
        arena.put_slice(1, |_| EdgeRule {
            callers: (0, u16::MAX),
            servers: servers_at(board as u8),
            releases: Store::RELEASES,
            asynchronous: if cast.asynchronous { Note::BIT } else { 0 },
            paired: cast.paired_entries(),
            may_wait: Store::DEFERS,
            background: cast.background,
            word_counts: Store::WORD_COUNTS,
            pool,
        })
    };
    LinkPlan {
        board: number,
        boards: cast.boards,
        incarnation: 1, // also after a reset: the worst case
        callers: arena.put_slice(cast.clients, |i| clients[i].id().index),
        pools: arena.put_slice(pools.len(), |i| pools[i]),
        rules: arena.put_slice(usize::from(cast.boards), rules_to),
        remotes: arena.put_slice(remotes.len(), |i| remotes[i]),
        permits: Permits::same(arena, all.len(), cast.boards, cast.permitted),
        served: arena.put_slice(1, |_| Served {
            servers: servers_at(number),
            may_wait: Store::DEFERS,
            paired: cast.paired_entries(),
            word_counts: Store::WORD_COUNTS,
        }),
        proxies: &all[1..cast.first_server()],
        slots: cast.slots,
        watch: arena.put(|| Watch::new(None)),
        sessions: arena.put(renga_proto::sessions::Sessions::new),
        membership: None,
        ends_awaited: !cast.asynchronous,
        timing: LinkTiming::PI3,
    }
}

/// Starts the clients, which know all servers.
fn start_clients(
    site: &SimSite,
    cast: Cast,
    (router_process, watch): (&'static Process, &'static Watch),
    (servers, clients): (&[&'static Process], &[&'static Process]),
    body: impl Fn(u8, usize) -> Option<Body>,
) {
    let (board, number) = (site.board, site.number);
    let addresses = (0..cast.boards).map(|b| {
        (0..cast.servers).map(move |s| match b == number {
            true => Address::new(servers[s]),
            false => Address::elsewhere(router_process, cast.server(b, s)),
        })
    });
    let addresses = Rc::new(addresses.map(Iterator::collect).collect::<Vec<Vec<_>>>());
    let far = (router_process, cast.server(0, 0));
    for (i, process) in clients.iter().enumerate() {
        let Some(body) = body(number, i) else { continue };
        let addresses = addresses.clone();
        board.start(process, |me| async move {
            body(Stores { me, addresses, far, watch }).await;
            std::future::pending().await
        });
    }
}

/// Makes the processes of one board; `body(board, client)` says what its clients do.
pub fn build(site: &mut SimSite, cast: Cast, body: impl Fn(u8, usize) -> Option<Body>) -> Seen {
    let (board, number) = (site.board, site.number);
    let arena: &'static Arena = board.arena;
    let count = cast.first_server() + cast.servers + cast.clients;
    let all: &'static [&'static Process] = arena.put_slice(count, |_| board.declare(1));
    let (router_process, servers) = (all[0], &all[cast.first_server()..][..cast.servers]);
    let clients = &all[cast.first_server() + cast.servers..];

    let plan = plan(site, cast, all);
    let link = Link::new(arena, &plan, router_process);
    let stats = link.stats;
    let device = arena.put(|| NotedDevice(site.device()));
    record::started(number);
    board.start(router_process, |me| {
        let exchange = ExchangePort::new(&me);
        router(me, exchange, device, link.memory, link.frame)
    });
    site.serve_link(router_process);
    for (i, process) in plan.proxies.iter().enumerate() {
        board.start(process, |me| {
            let client = RawClient::new(&me, Members::Here(all));
            proxy(me, client, &link.mailboxes[i], link.proxy_results)
        });
    }
    let calls = Rc::new(Cell::new(0));
    let noted: Vec<Noted> = servers.iter().map(|_| Noted::default()).collect();
    for (i, process) in servers.iter().enumerate() {
        let (noted, calls) = (noted[i].clone(), calls.clone());
        board.start(process, |me| store(Port::new(&me).0, noted, calls));
    }
    start_clients(site, cast, (router_process, plan.watch), (servers, clients), body);
    Seen { stats, clients: clients.to_vec(), noted, calls }
}

/// A cluster of such boards.
pub fn cluster(setup: ClusterSetup, cast: Cast, body: impl Fn(u8, usize) -> Option<Body>) -> (SimCluster, Vec<Seen>) {
    let mut seen = Vec::new();
    let cluster = SimCluster::new(setup, |site| seen.push(build(site, cast, &body)));
    (cluster, seen)
}

/// Boxes the body of a client.
pub fn body<F: Future<Output = ()> + 'static>(make: impl Fn(Stores) -> F + 'static) -> Option<Body> {
    Some(Box::new(move |stores| Box::pin(make(stores))))
}

//! What a rendezvous costs, in instructions, on the booted system.
//!
//! Under the emulator one instruction is one tick of the counter, so that differences of the counter
//! are exact counts. Each figure is the smallest and the largest of many rounds: the largest is the
//! one in 65 that passes the ready queue. What reading the counter costs is taken off.
//!
//! Not here: the null system call, which a program measures from user mode (`userland`).

mod pins;
mod remote_call;
pub mod tables;

use crate::hardware;
use core::cell::Cell;
use core::fmt::Write;
use pins::Room;
use remote_call::CorePair;
use renga_arch_aarch64::cpu::ThisCore;
use renga_core::{Address, Arena, Client, Core, Me, Port, Process, Protocol, protocol};
use renga_rt::given::Servers as _;
use renga_rt::{Errno, Never, PAGE_BYTES, ProcId};
use renga_systems::Directory;

protocol! {
    /// Answers at once.
    pub Null = 62, NullCall {
        /// Six words.
        0 Six { a: u64, b: u64, c: u64, d: u64, e: u64, f: u64 } (()) -> Result<u64, Errno>;
        /// One word and a slice given.
        1 Give { a: u64 } (&'a [u8]) -> Result<u64, Errno>;
        /// One word and a slice taken.
        2 Take { a: u64 } (&'a mut [u8]) -> Result<u64, Errno>;
        /// Nothing at all.
        3 Nothing {} (()) -> Result<(), Errno>;
        /// The counter, as the server has the call.
        4 Stamp {} (()) -> Result<u64, Errno>;
    }
}

/// Rounds of each measurement.
const ROUNDS: u64 = 1000;
/// Servers in the chain.
const CHAIN: usize = 5;
/// After this the system's own processes wait for calls, ns.
const SETTLED_NS: u64 = 200_000_000;
/// How far ahead the alarm of the interrupt measurement is set, ns.
const ALARM_AHEAD_NS: u64 = 5_000;

async fn null(mut port: Port<Null>) -> Never {
    loop {
        match port.accept().await {
            NullCall::Six(call) => {
                let six = call.entry();
                call.reply(Ok(six.a + six.b + six.c + six.d + six.e + six.f));
            }
            NullCall::Give(mut call) => {
                let bytes = core::hint::black_box(call.lent()).len();
                call.reply(Ok(bytes as u64));
            }
            NullCall::Take(mut call) => {
                let bytes = core::hint::black_box(call.lent()).len();
                call.reply(Ok(bytes as u64));
            }
            NullCall::Nothing(call) => call.reply(Ok(())),
            NullCall::Stamp(call) => {
                let now = ticks();
                call.reply(Ok(now));
            }
        }
    }
}

async fn relay(mut port: Port<Null>, mut next: Client<Null>) -> Never {
    loop {
        match port.accept().await {
            NullCall::Six(call) => {
                let reply = next.call(call.entry(), ()).await;
                call.reply(reply);
            }
            NullCall::Give(mut call) => {
                let reply = next.call(call.entry(), call.lent()).await;
                call.reply(reply);
            }
            NullCall::Take(mut call) => {
                let reply = next.call(call.entry(), call.lent()).await;
                call.reply(reply);
            }
            NullCall::Nothing(call) => {
                let reply = next.call(Nothing {}, ()).await;
                call.reply(reply);
            }
            NullCall::Stamp(call) => {
                let reply = next.call(Stamp {}, ()).await;
                call.reply(reply);
            }
        }
    }
}

/// Smallest and largest of some rounds.
struct Spread {
    rounds: Cell<u64>,
    least: Cell<u64>,
    most: Cell<u64>,
    sum: Cell<u64>,
}

impl Spread {
    const fn new() -> Spread {
        Spread { rounds: Cell::new(0), least: Cell::new(0), most: Cell::new(0), sum: Cell::new(0) }
    }
    #[inline(always)]
    fn add(&self, count: u64) {
        if self.rounds.get() == 0 || count < self.least.get() {
            self.least.set(count);
        }
        self.most.set(self.most.get().max(count));
        self.sum.set(self.sum.get() + count);
        self.rounds.set(self.rounds.get() + 1);
    }
    fn take_line(&self, out: &mut impl Write, name: &str) {
        let mean = self.sum.get() * 10 / self.rounds.get().max(1);
        // The line's form is what `renga bench rendezvous` reads.
        let _ = write!(out, "bench {name} = {} {} {}.{}\r\n", self.least.get(), self.most.get(), mean / 10, mean % 10);
        (self.rounds.set(0), self.most.set(0), self.sum.set(0));
    }
}

#[inline(always)]
fn ticks() -> u64 {
    ThisCore.cycles()
}

/// What two readings of the counter are apart with nothing between them.
fn reading_cost() -> u64 {
    let start = ticks();
    ticks() - start
}

struct BenchServers {
    null: Address<Null>,
    chain: Address<Null>,
    pair: CorePair,
}

async fn measure(
    mut me: Me,
    servers: BenchServers,
    page: &'static mut [u8; PAGE_BYTES],
    room: &'static mut Room,
) -> Never {
    me.sleep_until(me.now_ns() + SETTLED_NS).await;
    let mut out = crate::fault::ConsoleText::open();
    pins::measure(&mut out, room);
    let (cost, spread) = (reading_cost(), Spread::new());
    let mut null = Client::new(&me, servers.null);
    macro_rules! rounds {
        ($name:literal, $client:ident, $entry:expr, $lent:expr) => {
            for _ in 0..ROUNDS {
                let start = ticks();
                let reply = $client.call(core::hint::black_box($entry), $lent).await;
                spread.add(ticks() - start - cost);
                let _ = core::hint::black_box(reply);
            }
            spread.take_line(&mut out, $name);
        };
    }
    rounds!("nothing", null, Nothing {}, ());
    rounds!("six-words", null, Six { a: 1, b: 2, c: 3, d: 4, e: 5, f: 6 }, ());
    rounds!("word-and-page-given", null, Give { a: 1 }, &page[..]);
    rounds!("word-and-page-taken", null, Take { a: 1 }, &mut page[..]);
    let back = Spread::new();
    for _ in 0..ROUNDS {
        let start = ticks();
        let stamp = null.call(Stamp {}, ()).await.unwrap_or(start);
        let end = ticks();
        spread.add(stamp - start - cost);
        back.add(end - stamp - cost);
    }
    spread.take_line(&mut out, "until-served");
    back.take_line(&mut out, "until-back");
    servers.pair.measure(&mut out, cost);
    let mut chain = Client::new(&me, servers.chain);
    rounds!("chain-of-five-page-taken", chain, Take { a: 1 }, &mut page[..]);
    for _ in 0..ROUNDS / 10 {
        let at_ns = me.now_ns() + ALARM_AHEAD_NS;
        me.notify_at(Some(at_ns));
        me.notified().await;
        // Under the emulator a tick of the counter is a nanosecond.
        spread.add(ticks().saturating_sub(at_ns));
    }
    spread.take_line(&mut out, "interrupt-to-process");
    for _ in 0..ROUNDS {
        let start = ticks();
        me.yield_now().await;
        spread.add(ticks() - start - cost);
    }
    spread.take_line(&mut out, "yield-alone");
    tables::say(&mut out);
    let _ = write!(out, "bench end = {} 0 0.0\r\n", cost);
    crate::fault::end(0)
}

/// Makes the processes of the measurement beside the system's own.
pub fn start(core: &'static Core, arena: &'static Arena, directory: &Directory) {
    if directory.board() != 0 {
        return; // one board measures, the others are there as always
    }
    let null_server = Address::new(server(core, arena, |_, port| null(port)));
    let mut chain = null_server;
    for _ in 1..CHAIN {
        let next = chain;
        chain = Address::new(server(core, arena, |me, port| relay(port, Client::new(&me, next))));
    }
    let page = arena.put(|| [0; PAGE_BYTES]);
    let process: &'static Process = arena.put(|| Process::new(core, 1, ProcId::new(directory.board(), u16::MAX)));
    let room = arena.put(|| Room::EMPTY);
    let servers = BenchServers { null: null_server, chain, pair: CorePair::make(arena) };
    begin(process, arena, |me| measure(me, servers, page, room));
    defmt::info!("measuring at {=u64} ns", hardware::now_ns());
}

fn server<P: Protocol, F: Future<Output = Never> + 'static>(
    core: &'static Core,
    arena: &'static Arena,
    make: impl FnOnce(Me, Port<P>) -> F,
) -> &'static Process {
    let process: &'static Process = arena.put(|| Process::new(core, 1, ProcId::default()));
    begin(process, arena, |me| {
        let (port, _) = Port::new(&me);
        make(me, port)
    });
    process
}

fn begin<F: Future<Output = Never> + 'static>(
    process: &'static Process,
    arena: &'static Arena,
    make: impl FnOnce(Me) -> F,
) {
    // SAFETY: `Process::start` refuses a second time, so this is the process's only `Me`; it is used in its future
    // only.
    let me = unsafe { Me::new(process) };
    let future = make(me);
    process.start(arena.put(|| future));
}

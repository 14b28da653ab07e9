//! A hostile board on the link: whatever frames it sends, the router goes on, and so do those it serves.
//!
//! The bytes are steps of board 1, which knows what board 0 sends: it greets as the protocol has it, sends
//! fragments in order or not, acknowledges what it likes, lets time pass; and steps of a program on board 0
//! that calls board 1. In the end board 1 is silent: every call of board 0 must come back.

use renga_core::Process;
use renga_core::raw::{ExchangePort, RawClient};
use renga_phy::{FRAME_BYTES_MAX, Phy, TransmitFull};
use renga_router::{EdgeRule, Link, LinkPlan, LinkTiming, Permits, PoolPlan, RemoteCallers, Served, proxy, router};
use renga_rt::host::HostBoard;
use renga_rt::{Address, Client, Errno, Members, Never, Port, ProcId, Protocol, Watch};
use renga_wire::frame::Hello;
use renga_wire::{FrameKind, Header, LinkFrame, PAYLOAD_BYTES_MAX};
use std::cell::{Cell, RefCell};

renga_core::protocol! {
    /// A server on each board.
    pub Store = 50, StoreCall {
        /// Nothing.
        0 Null {} (()) -> Result<(), Errno>;
        /// Fills the slice.
        1 Fetch { used: u32 } (&'a mut [u8]) -> Result<u32, Errno>;
        /// Notes the slice.
        2 Note {} (&'a [u8]) -> Result<(), Errno> [releases];
        /// Both.
        3 Copy {} ((&'a [u8], &'a mut [u8])) -> Result<(), Errno>;
        /// Answered when the next such call comes, or when its caller is interrupted.
        4 Park {} (()) -> Result<(), Errno> [defers];
    }
}

/// Boot memory of the board, 16-byte words.
const BOOT_WORDS: usize = 24 << 10;
/// Processes of board 1 that may call here, from index 10 on; they share a proxy, and have one each.
const REMOTES: u16 = 2;
const FIRST_REMOTE: u16 = 10;
const SHARED: u16 = 1;
const PROXIES: usize = SHARED as usize + REMOTES as usize + 1;
const SLOTS: usize = 2;
/// Most steps of an input.
const STEPS_MAX: usize = 64;
/// Dispatches after which the board must be at rest.
const DISPATCHES_MAX: u32 = 2_000;
const NS_PER_MS: u64 = 1_000_000;
/// After this long without a frame every call has come back, ns.
const SILENCE_NS: u64 = 3_000 * NS_PER_MS;

thread_local! {
    static BOOT: RefCell<Vec<u128>> = RefCell::new(vec![0; BOOT_WORDS]);
}

/// Board 0's device, whose other end is board 1.
struct RouterWire {
    frame: Cell<[u8; FRAME_BYTES_MAX]>,
    arriving: Cell<usize>,
    full: Cell<bool>,
    /// What board 0 sent last.
    epoch: Cell<u8>,
    sequence: Cell<u8>,
    expects: Cell<u8>,
}

impl Phy for &'static RouterWire {
    fn board(&self) -> u8 {
        0
    }
    fn receive(&mut self, out: &mut [u8; FRAME_BYTES_MAX]) -> Option<usize> {
        *out = self.frame.get();
        Some(self.arriving.take()).filter(|bytes| *bytes > 0)
    }
    fn has_room(&self) -> bool {
        !self.full.get()
    }
    fn send(&mut self, destination: u8, frame: &[u8]) -> Result<(), TransmitFull> {
        if self.full.get() {
            return Err(TransmitFull);
        }
        let Ok(frame) = LinkFrame::parse(frame) else { panic!("the router sends what is no frame") };
        assert_eq!((frame.header.source, frame.header.destination, destination), (0, 1, 1));
        self.epoch.set(frame.header.epoch);
        match frame.header.kind {
            FrameKind::Data => self.sequence.set(frame.header.sequence),
            _ => self.expects.set(frame.header.sequence),
        }
        Ok(())
    }
    fn enable_receive_interrupt(&mut self, _: bool) {}
    fn enable_transmit_interrupt(&mut self, _: bool) {}
    fn take_overrun(&mut self) -> bool {
        false
    }
}

/// Tries `bytes`.
pub fn run(bytes: &[u8]) {
    BOOT.with_borrow_mut(|memory| {
        HostBoard::within(0, memory, |board| {
            let mut attack = RouterAttack::begin(board);
            attack.steps(bytes);
            attack.end();
        });
    });
}

const RULE: EdgeRule = EdgeRule {
    callers: (0, u16::MAX),
    servers: (0, u16::MAX),
    releases: Store::RELEASES,
    asynchronous: Note::BIT,
    paired: PAIRED,
    may_wait: Store::DEFERS,
    background: false,
    word_counts: Store::WORD_COUNTS,
    pool: 0,
};
const SERVED: Served =
    Served { servers: (0, u16::MAX), may_wait: Store::DEFERS, paired: PAIRED, word_counts: Store::WORD_COUNTS };
/// Entries in paired form.
const PAIRED: u32 = Fetch::BIT | Copy::BIT;

struct RouterAttack {
    board: HostBoard,
    router: &'static Process,
    caller: &'static Process,
    wire: &'static RouterWire,
    /// Calls of the program begun and come back.
    calls: &'static Cell<(u32, u32)>,
    epoch: u8,
    sequence: u8,
}

impl RouterAttack {
    fn begin(board: HostBoard) -> RouterAttack {
        let arena = board.arena;
        let all: &'static [&'static Process] = arena.put_slice(1 + PROXIES + 2, |_| board.declare(1));
        let (router_process, server, caller) = (all[0], all[1 + PROXIES], all[2 + PROXIES]);
        let wire: &'static RouterWire = arena.put(|| RouterWire {
            frame: Cell::new([0; FRAME_BYTES_MAX]),
            arriving: Cell::new(0),
            full: Cell::new(false),
            epoch: Cell::new(1),
            sequence: Cell::new(0),
            expects: Cell::new(0),
        });
        let rules: &'static [EdgeRule] = arena.put_slice(1, |_| RULE);
        let remotes = RemoteCallers {
            board: 1,
            callers: (FIRST_REMOTE, FIRST_REMOTE + REMOTES - 1),
            slots: false,
            patient: false,
            background: false,
            permits: 0,
            shared: SHARED,
            own: true,
            shared_pages: 2,
            own_pages: 0,
        };
        let plan = LinkPlan {
            board: 0,
            boards: 2,
            incarnation: 1,
            callers: arena.put_slice(1, |_| caller.id().index),
            pools: arena.put_slice(1, |_| PoolPlan { board: 1, proxies: SHARED, own: 1 }),
            rules: arena.put_slice(2, |board| if board == 1 { rules } else { &[] }),
            remotes: arena.put_slice(1, |_| remotes),
            permits: Permits::same(arena, all.len(), 2, u32::MAX),
            served: arena.put_slice(1, |_| SERVED),
            proxies: &all[1..=PROXIES],
            slots: SLOTS,
            watch: arena.put(|| Watch::new(None)),
            sessions: arena.put(renga_proto::sessions::Sessions::new),
            membership: None,
            ends_awaited: true,
            timing: LinkTiming::PI3,
        };
        let link = Link::new(arena, &plan, router_process);
        let device = arena.put(|| wire);
        board.start(router_process, |me| {
            let exchange = ExchangePort::new(&me);
            router(me, exchange, device, link.memory, link.frame)
        });
        for (i, process) in plan.proxies.iter().enumerate() {
            board.start(process, |me| {
                let client = RawClient::new(&me, Members::Here(all));
                proxy(me, client, &link.mailboxes[i], link.proxy_results)
            });
        }
        board.start(server, |me| store(Port::new(&me).0));
        let far = Address::elsewhere(router_process, ProcId::new(1, 4));
        let calls: &'static Cell<(u32, u32)> = arena.put(|| Cell::new((0, 0)));
        board.start(caller, |me| program(me, far, calls));
        let attack = RouterAttack { board, router: router_process, caller, wire, calls, epoch: 200, sequence: 0 };
        attack.settle();
        attack
    }

    fn settle(&self) {
        for _ in 0..DISPATCHES_MAX {
            if !self.board.core.dispatch() {
                return;
            }
        }
        panic!("the board never comes to rest");
    }

    fn pass(&self, ns: u64) {
        let core = self.board.core;
        let until_ns = core.now_ns() + ns;
        // Bounded: each alarm is later than the last.
        while let Some(at_ns) = core.next_alarm_ns().filter(|at_ns| *at_ns <= until_ns) {
            core.set_now_ns(at_ns.max(core.now_ns()));
            core.expire_alarms(core.now_ns());
            self.settle();
        }
        core.set_now_ns(until_ns);
    }

    fn send(&self, header: Header, payload: &[u8]) {
        let mut frame = [0; FRAME_BYTES_MAX];
        if let Ok(bytes) = header.emit(payload, &mut frame) {
            self.wire.frame.set(frame);
            self.wire.arriving.set(bytes);
            self.router.notify();
            self.settle();
        }
    }

    fn header(&self, kind: FrameKind, sequence: u8) -> Header {
        Header { kind, destination: 0, source: 1, epoch: self.epoch, sequence }
    }

    fn steps(&mut self, mut rest: &[u8]) {
        for _ in 0..STEPS_MAX {
            let Some((&[step, figure, length], more)) = rest.split_first_chunk::<3>() else { return };
            // The upper half: as many bytes that are all the same, and take no room in the input.
            let long = [figure; PAYLOAD_BYTES_MAX];
            let (given, after) = more.split_at(usize::from(length & 0x7f).min(more.len()));
            let payload = [given, if length & 0x80 != 0 { &long[given.len() + 1..] } else { &[] }].concat();
            rest = after;
            self.step(step, figure, &payload);
        }
    }

    fn step(&mut self, step: u8, figure: u8, payload: &[u8]) {
        let acknowledged = self.wire.sequence.get().wrapping_add(1);
        match step % 8 {
            0 => {
                (self.epoch, self.sequence) = (figure, 0);
                let known = Some(self.wire.epoch.get());
                let hello = Hello { known, asks: step & 8 != 0, question: step >> 5, answers: step >> 4 & 7 };
                self.send(self.header(FrameKind::Hello, 0), &hello.to_bytes());
            }
            1 | 2 => {
                let header = self.header(FrameKind::Data, self.sequence);
                self.sequence = self.sequence.wrapping_add(1);
                self.send(header, &[&[acknowledged], payload].concat());
            }
            3 => {
                let header = self.header(FrameKind::Data, self.sequence.wrapping_add(step >> 3).wrapping_sub(16));
                self.send(header, &[&[figure], payload].concat());
            }
            4 => {
                let kind = if step & 8 != 0 { FrameKind::Ack } else { FrameKind::Nak };
                self.send(self.header(kind, acknowledged.wrapping_add(figure)), payload);
            }
            5 => {
                let header = Header { epoch: figure, ..self.header(FrameKind::Hello, step >> 3) };
                self.send(header, payload);
            }
            6 => {
                self.wire.full.set(step & 8 != 0);
                self.router.notify();
                self.settle();
                self.pass(u64::from(figure) * NS_PER_MS);
            }
            _ => {
                if step & 8 != 0 {
                    self.caller.cancel_wait();
                }
                self.caller.notify();
                self.settle();
            }
        }
    }

    /// Board 1 says nothing more.
    fn end(&self) {
        self.wire.full.set(false);
        self.router.notify();
        self.settle();
        self.pass(SILENCE_NS);
        let (begun, back) = self.calls.get();
        assert_eq!(begun, back, "a call to a silent board never comes back");
    }
}

async fn program(mut me: renga_rt::Me, far: Address<Store>, calls: &'static Cell<(u32, u32)>) -> Never {
    let mut client = Client::<Store>::new(&me, far);
    for round in 0.. {
        me.notified().await;
        me.clear_cancellation();
        calls.set((calls.get().0 + 1, calls.get().1));
        let mut page = [0; 3000];
        let _ = match round % 5 {
            0 => client.call(Null {}, ()).await,
            1 => client.call(Fetch { used: 7 }, &mut page[..]).await.map(drop),
            2 => client.call(Note {}, &page[..1500]).await,
            3 => client.call(Copy {}, (&[1; 2500][..], &mut page[..])).await,
            _ => client.call(Park {}, ()).await,
        };
        calls.set((calls.get().0, calls.get().1 + 1));
    }
    std::future::pending().await
}

async fn store(mut port: Port<Store>) -> Never {
    let mut parked: Option<renga_rt::Call<Park>> = None;
    loop {
        match port.accept_or_notified(Store::ENTRIES).await {
            None => {}
            Some(StoreCall::Null(call)) => call.reply(Ok(())),
            Some(StoreCall::Fetch(mut call)) => {
                let used = (call.entry().used as usize).min(call.lent().len());
                call.lent()[..used].fill(1);
                call.set_taken_used(used);
                call.reply(Ok(used as u32));
            }
            Some(StoreCall::Note(call)) => call.reply(Ok(())),
            Some(StoreCall::Copy(mut call)) => {
                let (given, taken) = call.lent();
                assert!(taken.iter().all(|byte| *byte == 0), "a server sees bytes of another message");
                given.iter().zip(taken).for_each(|(from, to)| *to = from.wrapping_add(1));
                call.reply(Ok(()));
            }
            Some(StoreCall::Park(call)) => {
                if let Some(former) = parked.replace(call) {
                    former.reply(Ok(()));
                }
            }
        }
        if parked.as_ref().is_some_and(renga_rt::Call::wait_cancelled)
            && let Some(call) = parked.take()
        {
            call.reply(Err(Errno::EINTR));
        }
    }
}

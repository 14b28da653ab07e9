//! The router's loop: calls in, frames out, frames in, replies out.
//!
//! Invariant: the router waits only for calls to other boards and for notifications, and calls nobody, so no
//! circle of waits passes through it. All its memory comes from the placement; nothing that arrives
//! can ask for more.

use crate::asynchronous::{InCopy, OutCopy};
use crate::ending::Closing;
use crate::incoming::InCall;
use crate::jobs::Jobs;
use crate::membership::Ends;
use crate::outgoing::OutCall;
use crate::permits::Permits;
use crate::places::Places;
use crate::pool::Pool;
use crate::post::{Busy, Completions, Worker};
use crate::remotes::{Seats, Served};
use crate::rules::EdgeRule;
use crate::session::{Session, State, Verdict};
use crate::set::NumberSet;
use crate::stats::{Stats, add};
use crate::timing::ANSWER_FACTOR;
use core::cell::Cell;
use renga_phy::{FRAME_BYTES_MAX, Phy};
use renga_proto::sessions::Sessions;
use renga_rt::raw::ExchangePort;
use renga_rt::{Me, Never, Watch};
use renga_wire::frame::Hello;
use renga_wire::{Frame, Head, Header, Kind};

/// Frames that one turn of the loop takes from the device; it interrupts again if there are more.
const RECEIVE_FRAMES_PER_TURN: usize = 32;

/// What the router keeps of another board.
pub struct Peer {
    /// Frames to and from it.
    pub session: Session,
    /// What is to be sent to it.
    pub jobs: Jobs,
    /// Local callers that wait for it.
    pub waiting: u16,
    /// Calls from there that are being made here.
    pub serving: u16,
    /// What is left of its last session.
    pub closing: Closing,
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
    pub(crate) seats: &'static [Seats],
    /// Their places, in the same order.
    pub in_calls: &'static mut [InCall],
    /// Which entries of the servers here may wait, by the servers' indices.
    pub(crate) served: &'static [Served],
    /// The proxies: of `in_calls` in their order, then those of asynchronous calls.
    pub workers: &'static mut [Worker],
    /// Proxies that have a result.
    pub completions: &'static Completions,
    /// Copies for each board in turn, `slots` of each.
    pub out_copies: &'static mut [OutCopy],
    /// Likewise, of the other boards' calls.
    pub in_copies: &'static mut [InCopy],
    /// Copies for each board.
    pub slots: usize,
    /// No session's deadline comes sooner than this after what it follows from, but those of greetings, ns.
    pub(crate) least_wait_ns: u64,
    /// Among the seats, and among the servers, the one that was looked for last.
    pub(crate) seats_hint: Cell<u16>,
    pub(crate) served_hint: Cell<u16>,
    /// What processes of other boards may call here.
    pub permits: Permits,
    /// Ends of sessions that the servers here are to know of.
    pub ends: &'static Ends,
    /// Boards that the servers here wait for.
    pub watch: &'static Watch,
    /// Which session with each board it is.
    pub sessions: &'static Sessions,
    /// What it counts.
    pub stats: &'static Stats,
}

pub(crate) struct Router<D: Phy + 'static> {
    pub(crate) me: Me,
    pub(crate) device: &'static mut D,
    /// This board, as the device says.
    pub(crate) board: u8,
    pub(crate) memory: &'static mut RouterMemory,
    pub(crate) now_ns: u64,
    /// Local callers that wait.
    pub(crate) out_active: NumberSet,
    /// Where the local callers have their places.
    pub(crate) places: Places,
    /// Places whose calls are complete and not started.
    pub(crate) held: NumberSet,
    /// Asynchronous calls of other boards that are not done.
    pub(crate) copies_waiting: usize,
    arrivals: u64,
    alarm_ns: Option<u64>,
    /// A session has a deadline that may be before the alarm, though that is soon.
    pub(crate) unsettled: bool,
    /// Something is left of an ended session.
    pub(crate) closing: bool,
    pub(crate) transmit_full: bool,
    pub(crate) transmit_interrupt: bool,
    /// The board that is sent to first: the one that found the device full.
    pub(crate) first_board: u8,
}

/// Carries the calls of this board's processes to other boards, and theirs to proxies here; `frame` is
/// memory for what arrives.
pub async fn router<D: Phy + 'static>(
    me: Me,
    mut exchange: ExchangePort,
    device: &'static mut D,
    memory: &'static mut RouterMemory,
    frame: &'static mut [u8; FRAME_BYTES_MAX],
) -> Never {
    device.enable_receive_interrupt(true);
    let mut router = Router {
        now_ns: me.now_ns(),
        me,
        board: device.board(),
        device,
        memory,
        out_active: NumberSet::default(),
        places: Places::default(),
        held: NumberSet::default(),
        copies_waiting: 0,
        arrivals: 0,
        alarm_ns: None,
        unsettled: true,
        closing: false,
        transmit_full: false,
        transmit_interrupt: false,
        first_board: 0,
    };
    router.expire();
    router.transmit();
    router.device.attend(router.now_ns);
    router.set_alarm();
    loop {
        let call = exchange.accept_or_notified().await;
        router.now_ns = router.me.now_ns();
        match call {
            Some(call) => router.take_call(call),
            None => router.attend(frame),
        }
        if router.has_news() {
            router.transmit();
        }
        router.device.attend(router.now_ns);
        router.set_alarm();
    }
}

impl<D: Phy + 'static> Router<D> {
    /// Looks at everything that may have notified the router.
    fn attend(&mut self, frame: &mut [u8; FRAME_BYTES_MAX]) {
        self.transmit_full = false;
        self.device.attend(self.now_ns);
        for _ in 0..RECEIVE_FRAMES_PER_TURN {
            let Some(bytes) = self.device.receive(frame) else { break };
            self.receive(&frame[..bytes.min(FRAME_BYTES_MAX)]);
        }
        // Bounded by the proxies: each has at most one result, and is given new work only here.
        for _ in 0..self.memory.workers.len() {
            let Some(worker) = self.memory.completions.next() else { break };
            match self.memory.workers[usize::from(worker)].take_done() {
                Some((Busy::Call(place), done)) => self.finish_call(usize::from(place), done),
                Some((Busy::Copy(place), done)) => {
                    self.finish_copy(usize::from(place), done);
                    self.start_work();
                }
                None => {}
            }
        }
        self.tell_interrupts();
        self.continue_closing();
        if self.alarm_ns.is_some_and(|at_ns| at_ns <= self.now_ns) {
            self.alarm_ns = None;
            self.expire();
        }
    }

    pub(crate) fn next_arrival(&mut self) -> u64 {
        self.arrivals += 1;
        self.arrivals
    }

    pub(crate) fn peers(&self) -> impl Iterator<Item = u8> + use<D> {
        let me = self.board;
        (0..self.memory.peers.len() as u8).filter(move |board| *board != me)
    }

    pub(crate) fn peer(&mut self, board: u8) -> &mut Peer {
        &mut self.memory.peers[usize::from(board)]
    }

    /// Does what the sessions have put off until now.
    fn expire(&mut self) {
        self.unsettled = true;
        for board in self.peers() {
            let now_ns = self.now_ns;
            self.look_after(board);
            if !self.peer(board).session.expire(now_ns) {
                self.end_session(board, State::Dead);
            } else if self.answer_due_ns(board).is_some_and(|at_ns| at_ns <= now_ns) {
                self.me.log("a board does not answer a recall: board", [u64::from(board), 0]);
                self.end_session(board, State::Dead);
            }
        }
    }

    /// When the session with `board` ends, though that is there, as it does not answer what holds up others.
    fn answer_due_ns(&mut self, board: u8) -> Option<u64> {
        let asked_ns = self.memory.watch.asked_ns(board)?;
        let session = &self.peer(board).session;
        (session.state() == State::Up).then_some(asked_ns + session.timing.dead_ns * ANSWER_FACTOR)
    }

    /// Tells the session with `board` whether more than acknowledgements is awaited of that.
    pub(crate) fn look_after(&mut self, board: u8) {
        let (now_ns, watched) = (self.now_ns, self.memory.watch.holds(board));
        let peer = self.peer(board);
        peer.session.set_watched(now_ns, watched || peer.waiting > 0 || peer.serving > 0);
    }

    /// Asks to be notified when a session has something to do. An alarm that is too early is left:
    /// mostly frames are acknowledged long before, and then it is not worth moving. While it is sooner than the
    /// shortest of the sessions' waits, what carries data cannot bring a deadline before it: the sessions are not asked.
    fn set_alarm(&mut self) {
        let mut first_ns = self.device.deadline_ns();
        let soon = self.alarm_ns.is_some_and(|at_ns| at_ns <= self.now_ns + self.memory.least_wait_ns);
        if self.unsettled || !soon {
            self.unsettled = false;
            for board in self.peers() {
                self.look_after(board);
                let due_ns = self.answer_due_ns(board);
                first_ns = [first_ns, self.peer(board).session.deadline_ns(), due_ns].into_iter().flatten().min();
            }
        }
        let Some(at_ns) = first_ns else { return };
        if self.alarm_ns.is_none_or(|set_ns| at_ns < set_ns) {
            self.alarm_ns = Some(at_ns);
            self.me.notify_at(Some(at_ns));
        }
    }

    /// Takes a frame.
    fn receive(&mut self, bytes: &[u8]) {
        let Ok(frame) = Frame::parse(bytes) else {
            return add(&self.memory.stats.damaged, 1);
        };
        let (header, now_ns) = (frame.header, self.now_ns);
        let board = header.source;
        if header.destination != self.board || board == header.destination {
            return;
        }
        let Some(peer) = self.memory.peers.get_mut(usize::from(board)) else { return };
        add(&self.memory.stats.frames_received, 1);
        match header.kind {
            Kind::Hello => {
                if let Ok(hello) = Hello::parse(frame.payload) {
                    self.receive_hello(header, hello);
                }
            }
            Kind::Ack | Kind::Nak => {
                let again = peer.session.receive_acknowledgement(now_ns, header, header.kind == Kind::Nak);
                self.count_again(again);
            }
            Kind::Data => {
                let Some((acknowledged, fragment)) = frame.payload.split_first() else { return };
                match peer.session.receive_data(now_ns, header, *acknowledged) {
                    Verdict::Next => {
                        self.memory.sessions.note_arrival(board);
                        self.receive_fragment(board, fragment);
                    }
                    Verdict::Duplicate => add(&self.memory.stats.duplicates, 1),
                    Verdict::Stray => {}
                }
            }
            // The device's own affair.
            Kind::Token | Kind::Map | Kind::Poll | Kind::Join | Kind::Test => {}
        }
    }

    fn count_again(&mut self, frames: u8) {
        if frames > 0 {
            add(&self.memory.stats.retransmissions, u64::from(frames));
            add(&self.memory.stats.overruns, u64::from(self.device.take_overrun()));
        }
    }

    fn receive_hello(&mut self, header: Header, hello: Hello) {
        self.unsettled = true;
        let (board, now_ns) = (header.source, self.now_ns);
        let session = &self.peer(board).session;
        if session.state() == State::Up && !session.continues(header.epoch, hello) {
            self.end_session(board, State::Greeting);
        }
        let peer = self.peer(board);
        if peer.closing.put_off() {
            // It is greeted when that is over. It is not waited for longer: what is not over may be the call of a
            // server that itself waits for this board.
            return;
        }
        let again = peer.session.receive_hello(now_ns, header.epoch, header.sequence, hello);
        self.count_again(again);
    }

    fn receive_fragment(&mut self, board: u8, fragment: &[u8]) {
        let Ok((head, data)) = Head::parse(fragment) else {
            return self.refuse(board);
        };
        match head {
            Head::Call { caller, number, request } => self.receive_call(board, caller, number, request, data),
            Head::CallMore { caller } => self.receive_call_more(board, caller, data),
            Head::Reply { caller, number, words, used_bytes, cost } => {
                self.receive_reply(board, (caller, number), (words, used_bytes), cost, data);
            }
            Head::ReplyMore { caller } => self.receive_reply_more(board, caller, data),
            Head::Interrupt { caller, number } => self.receive_interrupt(board, caller, number),
            Head::Async { slot, request } => self.receive_copy(board, slot, request, data),
            Head::AsyncMore { slot } => self.receive_copy_more(board, slot, data),
            Head::Done { slot, errno } => self.receive_done(board, slot, errno),
        }
    }
}

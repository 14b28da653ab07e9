//! The router's loop: calls in, frames out, frames in, replies out.
//!
//! Invariant: the router waits only for calls to other boards and for notifications. Calls: no server, so no circle
//! of waits passes through it. The placement bounds its memory; nothing that arrives can ask for more.

use crate::packing::AnswerBytes;
use crate::proxies::mailbox::ProxyTask;
use crate::router_memory::RouterMemory;
use crate::router_state::Router;
use crate::session::link_session::{FrameOrder, SessionState};
use crate::session::timing::ANSWER_FACTOR;
use crate::stats::add;
use crate::transmit::checksum;
use renga_phy::{FRAME_BYTES_MAX, Phy};
use renga_rt::account::AccountNumber;
use renga_rt::raw::ExchangePort;
use renga_rt::{Me, Never};
use renga_wire::frame::Hello;
use renga_wire::{FrameKind, Head, Header, LinkFrame};

/// Frames that one pass of the loop takes from the device; it interrupts again if there are more.
const RECEIVE_FRAMES_PER_TURN: usize = 32;

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
    let mut router = Router::new(me.now_ns(), device.board(), me, device, memory);
    router.expire();
    let news = router.news();
    router.transmit(news);
    router.device.attend(router.now_ns);
    router.set_alarm();
    loop {
        let call = exchange.accept_or_notified().await;
        router.now_ns = router.me.now_ns();
        let news = match call {
            Some(call) => {
                let board = call.destination().board.0;
                router.take_call(call);
                // For other boards there is nothing to send, or the device is full.
                router.news_for(board)
            }
            None => {
                router.attend(frame);
                router.news()
            }
        };
        if news != 0 || router.transmit_interrupt != router.transmit_full {
            router.transmit(news);
        }
        router.device.attend(router.now_ns);
        router.set_alarm();
    }
}

impl<D: Phy + 'static> Router<D> {
    /// Polls everything that may have notified the router.
    fn attend(&mut self, frame: &mut [u8; FRAME_BYTES_MAX]) {
        // What it did for a caller is over.
        self.me.charge_for(AccountNumber::SYSTEM);
        self.memory.proxy_results.attend();
        self.transmit_full = false;
        self.device.attend(self.now_ns);
        for _ in 0..RECEIVE_FRAMES_PER_TURN {
            let Some(bytes) = self.device.receive(frame) else { break };
            self.receive(&frame[..bytes.min(FRAME_BYTES_MAX)]);
        }
        // Bounded by the proxies: each has at most one result, and no work in place until that is taken.
        for _ in 0..self.memory.workers.len() {
            let Some(worker) = self.memory.proxy_results.next() else { break };
            match self.memory.workers[usize::from(worker)].take_done() {
                Some((ProxyTask::Call(place), done)) => self.finish_call(usize::from(place), done),
                Some((ProxyTask::Copy(place), done)) => {
                    self.finish_copy(usize::from(place), done);
                    self.start_work();
                }
                None => {}
            }
        }
        self.memory.proxy_results.leave();
        if !self.out_active.is_empty() {
            self.send_interrupts();
        }
        if self.closing {
            self.continue_closing();
        }
        if self.alarm_ns.is_some_and(|at_ns| at_ns <= self.now_ns) {
            self.alarm_ns = None;
            self.expire();
        }
    }

    /// Does what the sessions have put off until now.
    fn expire(&mut self) {
        self.unsettled = true;
        for board in self.peers() {
            let now_ns = self.now_ns;
            self.note_awaited(board);
            if !self.peer(board).session.expire(now_ns) {
                self.end_session(board, SessionState::Dead);
            } else if self.answer_due_ns(board).is_some_and(|at_ns| at_ns <= now_ns) {
                self.me.log("a board does not answer a revocation: board", [u64::from(board), 0]);
                self.end_session(board, SessionState::Dead);
            }
        }
    }

    /// When the session with a living `board` ends because that board does not answer a revocation.
    fn answer_due_ns(&mut self, board: u8) -> Option<u64> {
        let asked_ns = self.memory.watch.asked_ns(board)?;
        let session = &self.peer(board).session;
        (session.state() == SessionState::Up).then_some(asked_ns + session.timing.dead_ns * ANSWER_FACTOR)
    }

    /// Sets the alarm for the first deadline of a session. An alarm that is too early stays: mostly frames are
    /// acknowledged long before, and moving it costs more. While it is sooner than the shortest of the sessions'
    /// waits, no data frame brings a deadline before it, so the sessions are not searched.
    #[inline(always)]
    fn set_alarm(&mut self) {
        let device_ns = self.device.deadline_ns();
        let soon = self.alarm_ns.is_some_and(|at_ns| at_ns <= self.now_ns + self.memory.wait_min_ns);
        if self.unsettled || !soon || device_ns.is_some() {
            self.find_deadline(device_ns, self.unsettled || !soon);
        }
    }

    /// Sets the alarm for `device_ns`, or a deadline of a session, if the `sessions` are to be searched.
    #[inline(never)]
    fn find_deadline(&mut self, device_ns: Option<u64>, sessions: bool) {
        let mut first_ns = device_ns;
        if sessions {
            self.unsettled = false;
            for board in self.peers() {
                self.note_awaited(board);
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

    fn receive(&mut self, bytes: &[u8]) {
        let Ok(frame) = LinkFrame::parse_by(bytes, checksum::<D>) else {
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
            FrameKind::Hello => {
                if let Ok(hello) = Hello::parse(frame.payload) {
                    self.receive_hello(header, hello);
                }
            }
            FrameKind::Ack | FrameKind::Nak => {
                let again = peer.session.receive_acknowledgement(now_ns, header, header.kind == FrameKind::Nak);
                self.count_again(again);
            }
            FrameKind::Data => {
                let Some((acknowledged, fragment)) = frame.payload.split_first() else { return };
                match peer.session.receive_data(now_ns, header, *acknowledged) {
                    FrameOrder::Next => {
                        self.memory.sessions.note_arrival(board);
                        self.receive_fragment(board, fragment);
                    }
                    FrameOrder::Duplicate => add(&self.memory.stats.duplicates, 1),
                    FrameOrder::Stray => {}
                }
            }
            // The device's own affair.
            FrameKind::Token | FrameKind::Map | FrameKind::Poll | FrameKind::Join | FrameKind::Test => {}
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
        if session.state() == SessionState::Up && !session.continues(header.epoch, hello) {
            self.end_session(board, SessionState::Hello);
        }
        let peer = self.peer(board);
        if peer.closing.defer_hello() {
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
            Head::Reply { caller, number, words, used_bytes, plain_bytes, cost } => {
                let answer = AnswerBytes { sent: used_bytes, plain: plain_bytes };
                self.receive_reply(board, (caller, number), (words, answer), cost, data);
            }
            Head::ReplyMore { caller } => self.receive_reply_more(board, caller, data),
            Head::Interrupt { caller, number } => self.receive_interrupt(board, caller, number),
            Head::Received { caller, number } => self.receive_received(board, caller, number),
            Head::Accepted { caller, number } => self.receive_accepted(board, caller, number),
            Head::Async { slot, request } => self.receive_copy(board, slot, request, data),
            Head::AsyncMore { slot } => self.receive_copy_more(board, slot, data),
            Head::Done { slot, errno } => self.receive_done(board, slot, errno),
        }
    }
}

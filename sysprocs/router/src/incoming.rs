//! Calls of other boards' processes to this board's servers.
//!
//! Invariant: a call has a place, and that place's proxy, from its first fragment until the last of its reply is sent.
//! The placement computes the places (`remote_callers.rs`), so each arriving call finds one. The session hands frames
//! on once and in order, so a call is made once.

use crate::calls::fragment::Fragments;
use crate::calls::in_call::CallStage;
use crate::calls::send_queue::{Lane, SendItem};
use crate::proxies::mailbox::{ProxyCall, ProxyReply, ProxyTask};
use crate::router_state::Router;
use crate::stats::add;
use renga_phy::Phy;
use renga_rt::WordCounts;
use renga_rt::account::AccountNumber;
use renga_rt::policy::Policy;
use renga_wire::{Cost, Request};

const NS_PER_US: u32 = 1_000;

/// When a proxy makes its call.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum ProxyStart {
    /// In the router's poll, if it may run there.
    InPlace,
    /// When it is dispatched.
    Later,
}

impl<D: Phy + 'static> Router<D> {
    /// Takes the first fragment of a call; one that no placement knows, or that has no place, breaks the protocol. A
    /// caller has one call at a time: it has seen the reply to the last one before it makes the next.
    pub(crate) fn receive_call(&mut self, board: u8, caller: u16, number: u8, request: Request, data: &[u8]) {
        let Some(caller_slots) = self.memory.caller_slots(board, caller) else { return self.refuse(board) };
        let of = caller_slots.of;
        let (own_account, patient, permits) = (of.account(caller), of.patient, of.permits);
        if !self.admit(board, permits, &request) {
            return;
        }
        let served = self.memory.served(request.destination);
        let may_wait = served.is_some_and(|served| served.may_wait >> request.op & 1 != 0);
        let place = self.memory.free_place(caller_slots, caller, may_wait);
        let Some(place) = place else { return self.refuse(board) };
        let arrival = self.next_arrival();
        let call = &mut self.memory.in_calls[place];
        let slices_bytes = usize::from(request.given_bytes) + usize::from(request.taken_bytes);
        if call.slices.as_ref().is_none_or(|slices| slices_bytes > slices.len()) {
            return self.refuse(board);
        }
        (call.stage, call.number, call.request, call.arrival) = (CallStage::Receiving, number, request, arrival);
        (call.caller, call.own_account, call.received, call.interrupted) = (caller, own_account, 0, false);
        (call.patient, call.background) = (patient, of.background);
        let paired = served.map_or(0, |served| served.paired);
        call.ends_awaited = self.memory.ends_awaited && paired >> request.op & 1 != 0;
        let counts = served.map_or(&WordCounts::UNKNOWN, |served| served.word_counts);
        call.reply_words = counts.replied(request.op.into());
        self.receive_given(place, data);
    }

    /// Takes a further fragment of a call.
    pub(crate) fn receive_call_more(&mut self, board: u8, caller: u16, data: &[u8]) {
        let place = self.memory.busy_place(board, caller);
        let receiving = place.filter(|place| self.memory.in_calls[*place].stage == CallStage::Receiving);
        let Some(place) = receiving.filter(|_| !data.is_empty()) else { return self.refuse(board) };
        self.receive_given(place, data);
    }

    /// Whether a caller of `board` that has `row` may make the call; ends the session if not.
    pub(crate) fn admit(&mut self, board: u8, row: u16, request: &Request) -> bool {
        let allowed = self.memory.permits.allow(row, request);
        if !allowed {
            add(&self.memory.stats.forbidden, 1);
            self.me.log(
                "a board makes a call that the placement does not let in: process, entry",
                [u64::from(request.destination), u64::from(request.op)],
            );
            self.refuse(board);
        }
        allowed
    }

    fn receive_given(&mut self, place: usize, data: &[u8]) {
        let call = &mut self.memory.in_calls[place];
        let (board, given_bytes) = (call.board, usize::from(call.request.given_bytes));
        let room = call.slices.as_mut().and_then(|slices| slices.get_mut(call.received..given_bytes));
        let Some(room) = room.filter(|room| data.len() <= room.len()) else { return self.refuse(board) };
        if !data.is_empty() {
            room[..data.len()].copy_from_slice(data);
        }
        call.received += data.len();
        if call.received == given_bytes {
            add(&self.memory.stats.calls_served, 1);
            call.stage = CallStage::Queued;
            self.peer(board).serving += 1;
            self.note_awaited_now(board);
            if self.copies_waiting == 0 && self.memory.workers[place].busy().is_none() {
                // There is nothing that it would have to wait for. The results are taken behind the frames.
                return self.start_call(place, ProxyStart::InPlace);
            }
            self.queued.insert(place);
            self.start_work();
        }
    }

    /// Takes the news that a caller was interrupted.
    pub(crate) fn receive_interrupt(&mut self, board: u8, caller: u16, number: u8) {
        if self.memory.caller_slots(board, caller).is_none() {
            return self.refuse(board);
        }
        let Some(place) = self.memory.busy_place(board, caller) else { return };
        let call = &mut self.memory.in_calls[place];
        if call.number != number {
            return;
        }
        match call.stage {
            CallStage::Receiving | CallStage::Queued => call.interrupted = true,
            CallStage::Running => self.memory.workers[place].cancel_wait(),
            CallStage::Fresh | CallStage::Stale | CallStage::Answered | CallStage::Unacknowledged => {} // the reply is on its way
        }
    }

    /// Takes the news that a caller has the answer in paired form: its second rendezvous is over.
    pub(crate) fn receive_received(&mut self, board: u8, caller: u16, number: u8) {
        let place = self.memory.caller_slots(board, caller).and_then(|_| self.memory.busy_place(board, caller));
        let call = place.map(|place| &mut self.memory.in_calls[place]);
        match call.filter(|call| call.number == number && call.stage == CallStage::Unacknowledged) {
            Some(call) => call.stage = CallStage::Fresh,
            None => self.refuse(board),
        }
    }

    /// Gives the call to the proxy of its place, which must not be busy.
    pub(crate) fn start_call(&mut self, place: usize, start: ProxyStart) {
        let call = &self.memory.in_calls[place];
        let own_account = call.own_account;
        let account = self.account(own_account, call.request.account);
        let call = &mut self.memory.in_calls[place];
        let Some(slices) = call.slices.take() else { return };
        let request = call.request;
        let (given_bytes, taken_bytes) = (usize::from(request.given_bytes), usize::from(request.taken_bytes));
        // A server sees zeros, not bytes of another message.
        let taken = &mut slices[given_bytes..][..taken_bytes];
        if taken_bytes > 0 {
            taken.fill(0);
        }
        call.stage = CallStage::Running;
        let accepted = call.ends_awaited.then_some(SendItem::Accepted(place as u16));
        let (op, words, board) = (u32::from(request.op), request.words, call.board);
        call.account = account;
        // A program's slot, and its open files, keep nothing that other programs need. Other servers may.
        let patient = call.patient && account != AccountNumber::SYSTEM;
        let destination = request.destination;
        let work = ProxyCall { board, account, patient, destination, op, words, given_bytes, taken_bytes, slices };
        let (task, interrupted) = (ProxyTask::Call(place as u16), call.interrupted);
        if let Some(accepted) = accepted {
            self.peer(board).send_queue.push(accepted);
        }
        match start {
            ProxyStart::Later => self.memory.workers[place].start(task, work, interrupted),
            ProxyStart::InPlace => {
                self.me.charge_for(account);
                self.memory.workers[place].run(task, work, interrupted);
                self.me.charge_for(AccountNumber::SYSTEM);
                self.now_ns = self.me.now_ns();
            }
        }
    }

    /// The account that a request names, or that of its caller.
    pub(crate) fn account(&self, own: AccountNumber, named: u32) -> AccountNumber {
        let (number, policy) = if named == 0 { (own, Policy::DEFAULT) } else { AccountNumber::from_wire(named) };
        self.me.note_policy(number, policy);
        number
    }

    /// Takes the result of a call from its proxy.
    pub(crate) fn finish_call(&mut self, place: usize, done: ProxyReply) {
        let call = &mut self.memory.in_calls[place];
        let slices = call.slices.insert(done.slices);
        if call.stage == CallStage::Stale {
            call.stage = CallStage::Fresh;
            return;
        }
        (call.stage, call.reply) = (CallStage::Answered, done.words);
        self.me.act_for(call.account);
        let answer = &mut slices[usize::from(call.request.given_bytes)..][..done.used_bytes];
        call.answer = self.memory.packer.pack(answer, &self.memory.stats.replies_packed, || self.me.now_ns());
        let [ns, read, written] =
            self.me.take_unreported(call.account).map(|part| u32::try_from(part).unwrap_or(u32::MAX));
        call.cost = Cost { time_us: ns / NS_PER_US, blocks_read: read, blocks_written: written };
        call.fragments = Fragments::default();
        let (board, lane) = (call.board, Lane::of(call.background, usize::from(call.answer.sent)));
        let peer = self.peer(board);
        peer.serving -= 1;
        peer.send_queue.push(SendItem::Reply(place as u16, lane));
        self.note_awaited(board);
    }

    /// Drops the calls of `board`, whose session has ended; the replies of those under way are dropped.
    pub(crate) fn forget_calls(&mut self, board: u8) {
        self.peer(board).serving = 0;
        self.note_awaited(board);
        for place in 0..self.memory.in_calls.len() {
            let call = &mut self.memory.in_calls[place];
            if call.board != board {
                continue;
            }
            self.queued.remove(place);
            if matches!(call.stage, CallStage::Running | CallStage::Stale) {
                call.stage = CallStage::Stale;
                if self.memory.workers[place].busy() == Some(ProxyTask::Call(place as u16)) {
                    self.memory.workers[place].cancel_wait();
                }
            } else {
                call.stage = CallStage::Fresh;
            }
        }
    }
}

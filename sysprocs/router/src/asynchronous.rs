//! Asynchronous calls: copied, their callers released, made in order on the other board.
//!
//! Each other board has a pool of copies. Copy `i` there travels to copy `i` here, so a free copy is the credit to send
//! one.
//! Invariant: the calls of a board to one server are made one at a time, in the order of their release, and before any
//! later synchronous call of that board to that server. Without a free copy the call is synchronous.
//!
//! No call waits for a free proxy: a synchronous call behind asynchronous ones makes them with its own proxy. So no
//! circle of waits passes through the few proxies of asynchronous calls.

use crate::calls::copies::{CopyStage, OutCopy};
use crate::calls::fragment::{Fragments, first_words};
use crate::calls::in_call::CallStage;
use crate::calls::send_queue::SendItem;
use crate::incoming::ProxyStart;
use crate::proxies::mailbox::{ProxyCall, ProxyReply, ProxyTask};
use crate::router_state::Router;
use crate::stats::add;
use renga_core::rendezvous::RawCall;
use renga_phy::Phy;
use renga_rt::ProcId;
use renga_rt::account::AccountNumber;
use renga_rt::policy::Policy;
use renga_rt::raw::Message;
use renga_wire::Request;

impl<D: Phy + 'static> Router<D> {
    fn out_copies(&mut self, board: u8) -> &mut [OutCopy] {
        let slots = self.memory.slots;
        &mut self.memory.out_copies[usize::from(board) * slots..][..slots]
    }

    /// The place of copy `slot` of `board`, if it is at `stage`.
    fn in_copy(&self, board: u8, slot: u16, stage: CopyStage) -> Option<usize> {
        let (slot, slots) = (usize::from(slot), self.memory.slots);
        let place = usize::from(board) * slots + slot;
        (slot < slots && self.memory.in_copies[place].stage == stage).then_some(place)
    }

    /// Copies a call of `count` words and releases its caller; gives the call back if no copy is free.
    pub(crate) fn copy(&mut self, mut call: RawCall, server: ProcId, count: u8) -> Option<RawCall> {
        let (board, now_ns) = (server.board.0, self.now_ns);
        let copies = self.out_copies(board);
        let used = copies.iter().filter(|copy| copy.used).count();
        let Some(slot) = copies.iter().position(|copy| !copy.used) else { return Some(call) };
        let (op, words) = (call.op() as u8, first_words(call.message(), count));
        let copy = &mut copies[slot];
        let given = call.lent().0;
        copy.given[..given.len()].copy_from_slice(given);
        let given_bytes = given.len() as u16;
        // A copy does not name its caller.
        let account = call.account().to_wire(Policy::DEFAULT);
        copy.request = Request { destination: server.index, op, words, given_bytes, taken_bytes: 0, account };
        (copy.used, copy.fragments, copy.released_ns) = (true, Fragments::default(), now_ns);
        call.reply_message(Message::default());
        let stats = self.memory.stats;
        add(&stats.calls_async, 1);
        stats.pool_high_water.set(stats.pool_high_water.get().max(used as u64 + 1));
        self.memory.peers[usize::from(board)].send_queue.push(SendItem::Copy(slot as u16));
        None
    }

    /// Takes a credit back.
    pub(crate) fn receive_done(&mut self, board: u8, slot: u16, errno: u16) {
        let now_ns = self.now_ns;
        let copy = self.out_copies(board).get_mut(usize::from(slot));
        let Some(copy) = copy.filter(|copy| copy.used && copy.fragments.complete) else { return self.refuse(board) };
        copy.used = false;
        let (waited_ns, server) = (now_ns - copy.released_ns, ProcId::new(board, copy.request.destination));
        add(&self.memory.stats.waits_avoided_ns, waited_ns);
        if errno != 0 {
            add(&self.memory.stats.async_failed, 1);
            self.me.log("asynchronous call failed: server, errno", [u64::from(server.to_word()), u64::from(errno)]);
        }
    }

    /// Takes the first fragment of an asynchronous call.
    pub(crate) fn receive_copy(&mut self, board: u8, slot: u16, request: Request, data: &[u8]) {
        let arrival = self.next_arrival();
        let Some(place) = self.in_copy(board, slot, CopyStage::Free) else { return self.refuse(board) };
        if !self.admit(board, board.into(), &request) {
            return;
        }
        let copy = &mut self.memory.in_copies[place];
        (copy.stage, copy.request, copy.arrival, copy.received) = (CopyStage::Receiving, request, arrival, 0);
        copy.stale = false;
        self.copies_waiting += 1;
        self.receive_copy_given(place, data);
    }

    /// Takes a further fragment.
    pub(crate) fn receive_copy_more(&mut self, board: u8, slot: u16, data: &[u8]) {
        let receiving = self.in_copy(board, slot, CopyStage::Receiving);
        let Some(place) = receiving.filter(|_| !data.is_empty()) else { return self.refuse(board) };
        self.receive_copy_given(place, data);
    }

    fn receive_copy_given(&mut self, place: usize, data: &[u8]) {
        let board = (place / self.memory.slots) as u8;
        let copy = &mut self.memory.in_copies[place];
        let given_bytes = usize::from(copy.request.given_bytes);
        let room = copy.given.as_mut().and_then(|given| given.get_mut(copy.received..given_bytes));
        let Some(room) = room.filter(|room| data.len() <= room.len()) else { return self.refuse(board) };
        room[..data.len()].copy_from_slice(data);
        copy.received += data.len();
        if copy.received == given_bytes {
            add(&self.memory.stats.calls_served, 1);
            copy.stage = CopyStage::Queued;
            self.start_work();
        }
    }

    /// The first asynchronous call of `board` to server `destination` that is not done.
    fn first_copy(&self, board: usize, destination: u16) -> Option<usize> {
        let slots = self.memory.slots;
        let copies = self.memory.in_copies[board * slots..][..slots].iter().enumerate();
        let waiting = copies.filter(|(_, copy)| copy.waits() && copy.request.destination == destination);
        waiting.min_by_key(|(_, copy)| copy.arrival).map(|(slot, _)| board * slots + slot)
    }

    /// Starts every call that may start and has a proxy.
    pub(crate) fn start_work(&mut self) {
        let mut from = 0;
        // Bounded by the places.
        while let Some(place) = self.queued.first_from(from) {
            from = place + 1;
            self.start_queued(place);
        }
        if self.copies_waiting == 0 {
            return;
        }
        for worker in self.memory.in_calls.len()..self.memory.workers.len() {
            if self.memory.workers[worker].busy().is_some() {
                continue;
            }
            let Some(place) = self.first_startable() else { return };
            self.start_copy(place, worker);
        }
    }

    /// Starts a queued call, or with its proxy an asynchronous one that it waits for.
    fn start_queued(&mut self, place: usize) {
        if self.memory.workers[place].busy().is_some() {
            return;
        }
        let call = &self.memory.in_calls[place];
        let (board, destination, arrival) = (call.board, call.request.destination, call.arrival);
        let earlier = if self.copies_waiting == 0 { None } else { self.first_copy(usize::from(board), destination) };
        match earlier.filter(|copy| self.memory.in_copies[*copy].arrival < arrival) {
            None => {
                self.queued.remove(place);
                self.start_call(place, ProxyStart::Later);
            }
            Some(copy) if self.memory.in_copies[copy].stage == CopyStage::Queued => self.start_copy(copy, place),
            Some(_) => {} // under way; its end calls this again
        }
    }

    /// The asynchronous call that came first among those that may start.
    fn first_startable(&self) -> Option<usize> {
        let slots = self.memory.slots;
        let copies = self.memory.in_copies.iter().enumerate();
        let startable = copies.filter(|(place, copy)| {
            copy.stage == CopyStage::Queued && self.first_copy(place / slots, copy.request.destination) == Some(*place)
        });
        startable.min_by_key(|(_, copy)| copy.arrival).map(|(place, _)| place)
    }

    fn start_copy(&mut self, place: usize, worker: usize) {
        let board = (place / self.memory.slots) as u8;
        let copy = &mut self.memory.in_copies[place];
        let Some(given) = copy.given.take() else { return };
        copy.stage = CopyStage::Running;
        let Request { destination, op, words, given_bytes, account, .. } = copy.request;
        let account = self.account(AccountNumber::SYSTEM, account);
        let work = ProxyCall {
            board,
            account,
            patient: false,
            destination,
            op: u32::from(op),
            words,
            given_bytes: usize::from(given_bytes),
            taken_bytes: 0,
            slices: given,
        };
        self.memory.workers[worker].start(ProxyTask::Copy(place as u16), work, false);
    }

    /// Takes the result of an asynchronous call from a proxy.
    pub(crate) fn finish_copy(&mut self, place: usize, done: ProxyReply) {
        let (board, slot) = (place / self.memory.slots, place % self.memory.slots);
        let copy = &mut self.memory.in_copies[place];
        copy.given = Some(done.slices);
        self.copies_waiting -= 1;
        if copy.stale {
            copy.stage = CopyStage::Free;
            return;
        }
        copy.stage = CopyStage::Finished { errno: done.words[0].min(u64::from(u16::MAX)) as u16 };
        self.memory.peers[board].send_queue.push(SendItem::Done(slot as u16));
    }

    /// Forgets what was on its way to or from `board`, whose session has ended. Calls that have arrived
    /// whole are still made: their callers went on believing so.
    pub(crate) fn forget_copies(&mut self, board: u8) {
        let mut lost = 0;
        for copy in self.out_copies(board) {
            lost += u64::from(core::mem::replace(&mut copy.used, false));
        }
        add(&self.memory.stats.async_lost, lost);
        let own_proxies = self.memory.workers.len() > self.memory.in_calls.len();
        let slots = self.memory.slots;
        for copy in &mut self.memory.in_copies[usize::from(board) * slots..][..slots] {
            match copy.stage {
                CopyStage::Running => copy.stale = true,
                CopyStage::Queued if own_proxies => copy.stale = true,
                CopyStage::Receiving | CopyStage::Queued => {
                    copy.stage = CopyStage::Free;
                    self.copies_waiting -= 1;
                }
                CopyStage::Free | CopyStage::Finished { .. } => copy.stage = CopyStage::Free,
            }
        }
    }

    /// Whether calls of an ended session with `board` are still being made.
    pub(crate) fn has_stale(&self, board: u8) -> bool {
        let slots = self.memory.slots;
        let copies = &self.memory.in_copies[usize::from(board) * slots..][..slots];
        let mut calls = self.memory.in_calls.iter().filter(|call| call.board == board);
        calls.any(|call| call.stage == CallStage::Stale) || copies.iter().any(|copy| copy.stale && copy.waits())
    }
}

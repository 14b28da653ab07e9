//! Calls of other boards' processes to this board's servers.
//!
//! Invariant: each process of another board that may call here has one place and one proxy, which
//! makes its calls and nobody else's, so there is always room for what arrives. The last call's number
//! and reply are kept until the next call: a repeated call is answered again, not made again.

use crate::jobs::Job;
use crate::outgoing::put;
use crate::post::{Busy, Done, Work};
use crate::router::Router;
use crate::stats::add;
use renga_phy::Phy;
use renga_rt::account::AccountNumber;
use renga_rt::policy::Policy;
use renga_rt::raw::Message;
use renga_rt::{PAGE_BYTES, ProcId};
use renga_wire::{Cost, Head, Request};

const NS_PER_US: u32 = 1_000;

/// Memory of the slices of one message.
pub struct SliceMemory {
    /// Of the slice given.
    pub given: [u8; PAGE_BYTES],
    /// Of the slice taken.
    pub taken: [u8; PAGE_BYTES],
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    /// It has not called in this session.
    Fresh,
    /// Fragments of its call are missing.
    Receiving,
    /// Its call is complete, and waits for asynchronous calls that came before it.
    Held,
    /// Its proxy makes the call.
    Running,
    /// As `Running`, for a session that has ended: nobody wants the reply.
    Stale,
    /// Its reply is being sent, or sent.
    Answered,
}

/// The place of one remote caller.
pub struct InCall {
    pub(crate) caller: ProcId,
    pub(crate) stage: Stage,
    pub(crate) number: u8,
    pub(crate) request: Request,
    /// The account of the caller, if it is the slot of a program: unless the request names another.
    own_account: AccountNumber,
    /// Its row of the permits.
    permits: u16,
    pub(crate) account: AccountNumber,
    /// What its reply tells of the work for the account.
    cost: Cost,
    pub(crate) received: usize,
    /// When it came, among all calls from other boards.
    pub(crate) arrival: u64,
    interrupted: bool,
    reply: Message,
    used_bytes: usize,
    begun: bool,
    used_built: usize,
    /// Its reply is among the jobs.
    reply_queued: bool,
    /// The memory of its slices; with the proxy while that works.
    pub(crate) slices: Option<(&'static mut [u8], &'static mut [u8])>,
}

/// A request that asks nothing.
pub(crate) const NO_REQUEST: Request =
    Request { destination: 0, op: 0, words: [0; renga_wire::WORDS], given_bytes: 0, taken_bytes: 0, account: 0 };

impl InCall {
    /// The place of `caller`, whose account is `own_account` if it is the slot of a program, and which may call what
    /// row `permits` says.
    pub fn new(
        caller: ProcId,
        (own_account, permits): (AccountNumber, u16),
        memory: &'static mut SliceMemory,
    ) -> InCall {
        InCall {
            caller,
            stage: Stage::Fresh,
            number: 0,
            request: NO_REQUEST,
            own_account,
            permits,
            account: own_account,
            cost: Cost::NONE,
            received: 0,
            arrival: 0,
            interrupted: false,
            reply: Message::default(),
            used_bytes: 0,
            begun: false,
            used_built: 0,
            reply_queued: false,
            slices: Some((&mut memory.given, &mut memory.taken)),
        }
    }

    /// Writes the next fragment of the reply into `room`: its length, bytes, and whether more follow.
    pub(crate) fn build(&mut self, room: &mut [u8]) -> (usize, bool) {
        self.reply_queued = false;
        let (Stage::Answered, Some((_, taken))) = (self.stage, &self.slices) else { return (0, false) };
        let caller = self.caller.index;
        let head = if self.begun {
            Head::ReplyMore { caller }
        } else {
            let (number, words, used_bytes) = (self.number, self.reply, self.used_bytes as u16);
            Head::Reply { caller, number, words, used_bytes, cost: self.cost }
        };
        self.begun = true;
        let (bytes, built) = put(head, &taken[self.used_built..self.used_bytes], room);
        self.used_built += built;
        self.reply_queued = self.used_built < self.used_bytes;
        (bytes, self.reply_queued)
    }
}

impl<D: Phy + 'static> Router<D> {
    /// The place of a remote caller; one that no placement knows breaks the protocol.
    fn in_place(&mut self, board: u8, caller: u16) -> Option<usize> {
        let id = ProcId::new(board, caller);
        let found = self.memory.in_calls.binary_search_by_key(&id, |call| call.caller).ok();
        if found.is_none() {
            self.refuse(board);
        }
        found
    }

    /// Takes the first fragment of a call. A caller has one call at a time: it has seen the reply to the
    /// last one before it makes the next.
    pub(crate) fn receive_call(&mut self, board: u8, caller: u16, number: u8, request: Request, data: &[u8]) {
        let Some(place) = self.in_place(board, caller) else { return };
        if !self.admit(board, self.memory.in_calls[place].permits, &request) {
            return;
        }
        let arrival = self.next_arrival();
        let call = &mut self.memory.in_calls[place];
        let free = match call.stage {
            Stage::Fresh => true,
            Stage::Answered => !call.reply_queued && call.number != number,
            Stage::Receiving | Stage::Held | Stage::Running | Stage::Stale => false,
        };
        if !free {
            return self.refuse(board);
        }
        (call.stage, call.number, call.request, call.arrival) = (Stage::Receiving, number, request, arrival);
        (call.received, call.interrupted) = (0, false);
        self.receive_given(place, data);
    }

    /// Takes a further fragment of a call.
    pub(crate) fn receive_call_more(&mut self, board: u8, caller: u16, data: &[u8]) {
        let Some(place) = self.in_place(board, caller) else { return };
        if self.memory.in_calls[place].stage != Stage::Receiving || data.is_empty() {
            return self.refuse(board);
        }
        self.receive_given(place, data);
    }

    fn receive_given(&mut self, place: usize, data: &[u8]) {
        let call = &mut self.memory.in_calls[place];
        let (board, given_bytes) = (call.caller.board.0, usize::from(call.request.given_bytes));
        let room = call.slices.as_mut().and_then(|(given, _)| given.get_mut(call.received..given_bytes));
        let Some(room) = room.filter(|room| data.len() <= room.len()) else { return self.refuse(board) };
        room[..data.len()].copy_from_slice(data);
        call.received += data.len();
        if call.received == given_bytes {
            add(&self.memory.stats.calls_served, 1);
            call.stage = Stage::Held;
            self.peer(board).serving += 1;
            self.held.insert(place);
            self.start_work();
        }
    }

    /// Takes the news that a caller was interrupted.
    pub(crate) fn receive_interrupt(&mut self, board: u8, caller: u16, number: u8) {
        let Some(place) = self.in_place(board, caller) else { return };
        let call = &mut self.memory.in_calls[place];
        if call.number != number {
            return;
        }
        match call.stage {
            Stage::Receiving | Stage::Held => call.interrupted = true,
            Stage::Running => self.memory.workers[place].interrupt(),
            Stage::Fresh | Stage::Stale | Stage::Answered => {} // the reply is on its way
        }
    }

    /// Gives the call to its proxy, which must not be busy.
    pub(crate) fn start_call(&mut self, place: usize) {
        let call = &self.memory.in_calls[place];
        let own_account = call.own_account;
        let account = self.account(own_account, call.request.account);
        let call = &mut self.memory.in_calls[place];
        let Some((given, taken)) = call.slices.take() else { return };
        let request = call.request;
        let taken_bytes = usize::from(request.taken_bytes);
        // A server sees zeros, not bytes of another message.
        taken[..taken_bytes].fill(0);
        call.stage = Stage::Running;
        self.held.remove(place);
        let (op, words, given_bytes) = (u32::from(request.op), request.words, usize::from(request.given_bytes));
        let board = call.caller.board.0;
        call.account = account;
        // Whoever calls from a slot holds nothing that others wait for: it waits for its share. Servers do not.
        let patient = own_account != AccountNumber::SYSTEM;
        let destination = request.destination;
        let work = Work { board, account, patient, destination, op, words, given_bytes, taken_bytes, given, taken };
        self.memory.workers[place].start(Busy::Call(place as u16), work, call.interrupted);
    }

    /// The account that a request names, or that of its caller.
    pub(crate) fn account(&self, own: AccountNumber, named: u32) -> AccountNumber {
        let (number, policy) = if named == 0 { (own, Policy::DEFAULT) } else { AccountNumber::from_wire(named) };
        self.me.note_policy(number, policy);
        number
    }

    /// Takes the result of a call from its proxy.
    pub(crate) fn finish_call(&mut self, place: usize, done: Done) {
        let call = &mut self.memory.in_calls[place];
        call.slices = Some((done.given, done.taken));
        if call.stage == Stage::Stale {
            call.stage = Stage::Fresh;
            return;
        }
        (call.stage, call.reply, call.used_bytes) = (Stage::Answered, done.words, done.used_bytes);
        self.me.act_for(call.account);
        let [ns, read, written] = self.me.take_untold(call.account).map(|part| u32::try_from(part).unwrap_or(u32::MAX));
        call.cost = Cost { time_us: ns / NS_PER_US, blocks_read: read, blocks_written: written };
        (call.begun, call.used_built, call.reply_queued) = (false, 0, true);
        let peer = &mut self.memory.peers[usize::from(call.caller.board.0)];
        peer.serving -= 1;
        peer.jobs.push(Job::Reply(place as u16));
    }

    /// Forgets the calls of `board`, whose session has ended; those under way end for nobody.
    pub(crate) fn forget_calls(&mut self, board: u8) {
        self.peer(board).serving = 0;
        for place in 0..self.memory.in_calls.len() {
            let call = &mut self.memory.in_calls[place];
            if call.caller.board.0 != board {
                continue;
            }
            self.held.remove(place);
            call.reply_queued = false;
            if matches!(call.stage, Stage::Running | Stage::Stale) {
                call.stage = Stage::Stale;
                if self.memory.workers[place].busy() == Some(Busy::Call(place as u16)) {
                    self.memory.workers[place].interrupt();
                }
            } else {
                call.stage = Stage::Fresh;
            }
        }
    }
}

//! Calls of other boards' processes to this board's servers.
//!
//! Invariant: a call has a place, and the proxy of that place, from its first fragment until the last of its reply is
//! on its way; there are as many as calls can be under way (`remotes.rs`), so there is always room for what arrives.
//! Frames are handed on once and in order, so a call is made once.

use crate::jobs::Job;
use crate::outgoing::put;
use crate::post::{Busy, Done, Work};
use crate::router::Router;
use crate::stats::add;
use renga_phy::Phy;
use renga_rt::account::AccountNumber;
use renga_rt::policy::Policy;
use renga_rt::raw::Message;
use renga_wire::{Cost, Head, Request};

const NS_PER_US: u32 = 1_000;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Stage {
    /// There is no call.
    Fresh,
    /// Fragments of its call are missing.
    Receiving,
    /// Its call is complete, and waits for asynchronous calls that came before it.
    Held,
    /// Its proxy makes the call.
    Running,
    /// As `Running`, for a session that has ended: nobody wants the reply.
    Stale,
    /// Its reply is being sent.
    Answered,
}

/// The place of one call.
pub struct InCall {
    /// Whose processes have it.
    pub(crate) board: u8,
    pub(crate) stage: Stage,
    number: u8,
    /// Who calls.
    pub(crate) caller: u16,
    pub(crate) request: Request,
    /// The account of the caller, if it is the slot of a program: unless the request names another.
    own_account: AccountNumber,
    /// Whether it waits for the share of the program for which it is made.
    patient: bool,
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
    /// The memory of its slices, the one given and behind it the one taken; with the proxy while that works.
    slices: Option<&'static mut [u8]>,
}

/// A request that asks nothing.
pub(crate) const NO_REQUEST: Request =
    Request { destination: 0, op: 0, words: [0; renga_wire::WORDS], given_bytes: 0, taken_bytes: 0, account: 0 };

impl InCall {
    /// A place for calls of processes of `board`, without one.
    pub(crate) fn new(board: u8, slices: &'static mut [u8]) -> InCall {
        InCall {
            board,
            stage: Stage::Fresh,
            number: 0,
            caller: 0,
            request: NO_REQUEST,
            own_account: AccountNumber::SYSTEM,
            patient: false,
            account: AccountNumber::SYSTEM,
            cost: Cost::NONE,
            received: 0,
            arrival: 0,
            interrupted: false,
            reply: Message::default(),
            used_bytes: 0,
            begun: false,
            used_built: 0,
            slices: Some(slices),
        }
    }

    /// Writes the next fragment of the reply into `room`: its length, bytes, and whether more follow.
    pub(crate) fn build(&mut self, room: &mut [u8]) -> (usize, bool) {
        let (Stage::Answered, Some(slices)) = (self.stage, &self.slices) else { return (0, false) };
        let caller = self.caller;
        let head = if self.begun {
            Head::ReplyMore { caller }
        } else {
            let (number, words, used_bytes) = (self.number, self.reply, self.used_bytes as u16);
            Head::Reply { caller, number, words, used_bytes, cost: self.cost }
        };
        self.begun = true;
        let answer = &slices[usize::from(self.request.given_bytes)..][..self.used_bytes];
        let (bytes, built) = put(head, &answer[self.used_built..], room);
        self.used_built += built;
        let more = self.used_built < self.used_bytes;
        if !more {
            self.stage = Stage::Fresh;
        }
        (bytes, more)
    }
}

impl<D: Phy + 'static> Router<D> {
    /// Takes the first fragment of a call; one that no placement knows, or that has no place, breaks the protocol. A
    /// caller has one call at a time: it has seen the reply to the last one before it makes the next.
    pub(crate) fn receive_call(&mut self, board: u8, caller: u16, number: u8, request: Request, data: &[u8]) {
        let Some(seats) = self.memory.seats(board, caller) else { return self.refuse(board) };
        let (own_account, patient, permits) = (seats.of.account(caller), seats.of.patient, seats.of.permits);
        if !self.admit(board, permits, &request) {
            return;
        }
        let place = self.memory.free_place(seats, caller, (request.destination, request.op));
        let Some(place) = place else { return self.refuse(board) };
        let arrival = self.next_arrival();
        let call = &mut self.memory.in_calls[place];
        let lent = usize::from(request.given_bytes) + usize::from(request.taken_bytes);
        if call.slices.as_ref().is_none_or(|slices| lent > slices.len()) {
            return self.refuse(board);
        }
        (call.stage, call.number, call.request, call.arrival) = (Stage::Receiving, number, request, arrival);
        (call.caller, call.own_account, call.received, call.interrupted) = (caller, own_account, 0, false);
        call.patient = patient;
        self.receive_given(place, data);
    }

    /// Takes a further fragment of a call.
    pub(crate) fn receive_call_more(&mut self, board: u8, caller: u16, data: &[u8]) {
        let place = self.memory.busy_place(board, caller);
        let receiving = place.filter(|place| self.memory.in_calls[*place].stage == Stage::Receiving);
        let Some(place) = receiving.filter(|_| !data.is_empty()) else { return self.refuse(board) };
        self.receive_given(place, data);
    }

    fn receive_given(&mut self, place: usize, data: &[u8]) {
        let call = &mut self.memory.in_calls[place];
        let (board, given_bytes) = (call.board, usize::from(call.request.given_bytes));
        let room = call.slices.as_mut().and_then(|slices| slices.get_mut(call.received..given_bytes));
        let Some(room) = room.filter(|room| data.len() <= room.len()) else { return self.refuse(board) };
        room[..data.len()].copy_from_slice(data);
        call.received += data.len();
        if call.received == given_bytes {
            add(&self.memory.stats.calls_served, 1);
            call.stage = Stage::Held;
            self.peer(board).serving += 1;
            self.look_after(board);
            if self.copies_waiting == 0 && self.memory.workers[place].busy().is_none() {
                return self.start_call(place); // there is nothing that it would have to wait for
            }
            self.held.insert(place);
            self.start_work();
        }
    }

    /// Takes the news that a caller was interrupted.
    pub(crate) fn receive_interrupt(&mut self, board: u8, caller: u16, number: u8) {
        if self.memory.seats(board, caller).is_none() {
            return self.refuse(board);
        }
        let Some(place) = self.memory.busy_place(board, caller) else { return };
        let call = &mut self.memory.in_calls[place];
        if call.number != number {
            return;
        }
        match call.stage {
            Stage::Receiving | Stage::Held => call.interrupted = true,
            Stage::Running => self.memory.workers[place].cancel_wait(),
            Stage::Fresh | Stage::Stale | Stage::Answered => {} // the reply is on its way
        }
    }

    /// Gives the call to the proxy of its place, which must not be busy.
    pub(crate) fn start_call(&mut self, place: usize) {
        let call = &self.memory.in_calls[place];
        let own_account = call.own_account;
        let account = self.account(own_account, call.request.account);
        let call = &mut self.memory.in_calls[place];
        let Some(slices) = call.slices.take() else { return };
        let request = call.request;
        let (given_bytes, taken_bytes) = (usize::from(request.given_bytes), usize::from(request.taken_bytes));
        // A server sees zeros, not bytes of another message.
        slices[given_bytes..][..taken_bytes].fill(0);
        call.stage = Stage::Running;
        let (op, words, board) = (u32::from(request.op), request.words, call.board);
        call.account = account;
        // A program's slot, and its open files, hold nothing that other programs need. Other servers may.
        let patient = call.patient && account != AccountNumber::SYSTEM;
        let destination = request.destination;
        let work = Work { board, account, patient, destination, op, words, given_bytes, taken_bytes, slices };
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
        call.slices = Some(done.slices);
        if call.stage == Stage::Stale {
            call.stage = Stage::Fresh;
            return;
        }
        (call.stage, call.reply, call.used_bytes) = (Stage::Answered, done.words, done.used_bytes);
        self.me.act_for(call.account);
        let [ns, read, written] =
            self.me.take_unreported(call.account).map(|part| u32::try_from(part).unwrap_or(u32::MAX));
        call.cost = Cost { time_us: ns / NS_PER_US, blocks_read: read, blocks_written: written };
        (call.begun, call.used_built) = (false, 0);
        let board = call.board;
        let peer = self.peer(board);
        peer.serving -= 1;
        peer.jobs.push(Job::Reply(place as u16));
        self.look_after(board);
    }

    /// Forgets the calls of `board`, whose session has ended; those under way end for nobody.
    pub(crate) fn forget_calls(&mut self, board: u8) {
        self.peer(board).serving = 0;
        self.look_after(board);
        for place in 0..self.memory.in_calls.len() {
            let call = &mut self.memory.in_calls[place];
            if call.board != board {
                continue;
            }
            self.held.remove(place);
            if matches!(call.stage, Stage::Running | Stage::Stale) {
                call.stage = Stage::Stale;
                if self.memory.workers[place].busy() == Some(Busy::Call(place as u16)) {
                    self.memory.workers[place].cancel_wait();
                }
            } else {
                call.stage = Stage::Fresh;
            }
        }
    }
}

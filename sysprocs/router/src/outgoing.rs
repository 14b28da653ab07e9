//! Calls of this board's processes to other boards: accepted, sent, answered.
//!
//! Invariant: a call is kept from its accept to its reply in the one place of its caller, so the
//! table is as long as there are processes that call other boards. The slices stay with the caller:
//! fragments are read from the one given and written into the one taken. What is sent finds a free proxy: a call that
//! shares them waits here until there is one (`pool.rs`).

use crate::jobs::Job;
use crate::pool::Pool;
use crate::proxy::failure;
use crate::router::{Router, RouterMemory};
use crate::rules::{self, EdgeRule};
use crate::session::State;
use crate::stats::add;
use renga_core::rendezvous::RawCall;
use renga_phy::Phy;
use renga_rt::account::{AccountNumber, Count};
use renga_rt::raw::Message;
use renga_rt::{BOARDS_MAX, Errno};
use renga_wire::fragment::SLICE_BYTES_MAX;
use renga_wire::{Cost, Head, Request};

const NS_PER_US: i64 = 1_000;

/// The place of one local caller.
pub struct OutCall {
    caller: u16,
    /// The place of the rule of its last call among those of that call's board.
    rule: u16,
    /// The number of the session that it has last called in, or was told of, by board.
    sessions: [u32; BOARDS_MAX],
    /// Number of its present or last call.
    number: u8,
    call: Option<RawCall>,
    /// For whom it calls, and as that is told to the other board.
    pub(crate) account: AccountNumber,
    account_word: u32,
    board: u8,
    /// The pool whose proxies make it; without one the caller has a proxy of its own there.
    pool: Option<u16>,
    /// Who is next in the pool's line.
    pub(crate) next: Option<u16>,
    /// It is on its way: not in line.
    sent: bool,
    /// Whether the first fragment is built, and how many bytes of the slice given are.
    begun: bool,
    given_built: usize,
    /// All of it is built.
    complete: bool,
    interrupt_told: bool,
    /// The reply, once it has begun.
    reply: Option<Message>,
    used_bytes: usize,
    used_received: usize,
}

impl OutCall {
    /// The place of the process with index `caller`.
    pub const fn new(caller: u16) -> OutCall {
        OutCall {
            caller,
            rule: 0,
            sessions: [0; BOARDS_MAX],
            number: 0,
            call: None,
            account: AccountNumber::SYSTEM,
            account_word: 0,
            board: 0,
            pool: None,
            next: None,
            sent: false,
            begun: false,
            given_built: 0,
            complete: false,
            interrupt_told: false,
            reply: None,
            used_bytes: 0,
            used_received: 0,
        }
    }

    pub(crate) fn caller(&self) -> u16 {
        self.caller
    }

    /// Which of `rules`, those of one board, holds for calls to `server`.
    fn rule(&mut self, server: u16, rules: &'static [EdgeRule]) -> Option<&'static EdgeRule> {
        // A server is of one kind, and so is the caller: no other rule holds for the two.
        if let Some(last) = rules.get(usize::from(self.rule)).filter(|rule| rule.holds(self.caller, server)) {
            return Some(last);
        }
        let place = rules::find(rules, self.caller, server)?;
        self.rule = place as u16;
        rules.get(place)
    }

    /// Takes a new call.
    fn begin(&mut self, call: RawCall, board: u8, pool: Option<u16>) {
        (self.account, self.account_word) = (call.account(), call.account_word());
        (self.number, self.board, self.pool, self.next) = (self.number.wrapping_add(1), board, pool, None);
        (self.sent, self.begun, self.complete, self.interrupt_told) = (false, false, false, false);
        (self.given_built, self.used_received, self.used_bytes, self.reply) = (0, 0, 0, None);
        self.call = Some(call);
    }

    /// Writes the next fragment of the call into `room`: its length, bytes, and whether more follow.
    pub(crate) fn build(&mut self, room: &mut [u8]) -> (usize, bool) {
        let Some(call) = &mut self.call else { return (0, false) };
        let (op, words, destination) = (call.op() as u8, call.message(), call.destination().index);
        let (given, taken) = call.lent();
        let head = if self.begun {
            Head::CallMore { caller: self.caller }
        } else {
            let (given_bytes, taken_bytes) = (given.len() as u16, taken.len() as u16);
            let account = self.account_word;
            let request = Request { destination, op, words, given_bytes, taken_bytes, account };
            Head::Call { caller: self.caller, number: self.number, request }
        };
        self.begun = true;
        let (bytes, built) = put(head, &given[self.given_built..], room);
        self.given_built += built;
        self.complete = self.given_built == given.len();
        (bytes, !self.complete)
    }

    /// Writes the news that call `number` was interrupted into `room`, as `build` does.
    pub(crate) fn build_interrupt(&mut self, board: u8, number: u8, room: &mut [u8]) -> (usize, bool) {
        if self.call.is_none() || (self.board, self.number) != (board, number) {
            return (0, false); // it was answered meanwhile
        }
        (put(Head::Interrupt { caller: self.caller, number: self.number }, &[], room).0, false)
    }
}

impl<D: Phy + 'static> Router<D> {
    /// Takes a call to a process of another board.
    pub(crate) fn take_call(&mut self, mut call: RawCall) {
        let (caller, server, op) = (call.caller().index, call.destination(), call.op());
        let (given, taken) = call.lent();
        let (given_bytes, taken_bytes) = (given.len(), taken.len());
        let found = self.places.find(self.memory.out_calls, caller);
        let Some(peer) = self.memory.peers.get_mut(usize::from(server.board.0)) else {
            return call.reply_message(failure(Errno::EHOSTDOWN));
        };
        if peer.session.state() == State::Dead {
            peer.session.knock(self.now_ns);
            self.unsettled = true;
            return call.reply_message(failure(Errno::EHOSTDOWN));
        }
        let (Some(place), true) = (found, given_bytes <= SLICE_BYTES_MAX && taken_bytes <= SLICE_BYTES_MAX) else {
            add(&self.memory.stats.refused_here, 1);
            return call.reply_message(failure(Errno::EINVAL));
        };
        let out = &mut self.memory.out_calls[place];
        let session = &mut out.sessions[usize::from(server.board.0)];
        if core::mem::replace(session, peer.session.number()) != peer.session.number() {
            // What the caller knows of that board is of an earlier life.
            add(&self.memory.stats.told_stale, 1);
            call.note_reboot(server.board.0);
            return call.reply_message(failure(Errno::ESTALE));
        }
        let Some(rule) = out.rule(server.index, peer.rules) else {
            add(&self.memory.stats.refused_here, 1);
            return call.reply_message(failure(Errno::EINVAL));
        };
        add(&self.memory.stats.could_be_async, u64::from(rule.releases(op)));
        let up = peer.session.state() == State::Up;
        if rule.is_asynchronous(op) && taken_bytes == 0 {
            // A board that has not answered yet may never do so, and its caller should know.
            match if up { self.copy(call, server) } else { Some(call) } {
                None => return,
                Some(back) => call = back,
            }
            add(&self.memory.stats.fallbacks, 1);
        }
        self.me.act_for(AccountNumber::SYSTEM); // that of its last caller
        add(&self.memory.stats.calls_sync, 1);
        let (board, pool) = (server.board.0, rule.pool(op));
        self.memory.out_calls[place].begin(call, board, pool);
        self.out_active.insert(place);
        self.peer(board).waiting += 1;
        self.look_after(board);
        let RouterMemory { pools, out_calls, .. } = &mut *self.memory;
        if pool.is_none_or(|pool| pools[usize::from(pool)].take(place as u16, out_calls)) {
            self.send(place);
        }
    }

    /// Sends the call at `place`, for which there is a free proxy.
    fn send(&mut self, place: usize) {
        let out = &mut self.memory.out_calls[place];
        out.sent = true;
        out.interrupt_told = out.call.as_ref().is_some_and(RawCall::wait_cancelled);
        let (interrupted, number) = (out.interrupt_told, out.number);
        let jobs = &mut self.memory.peers[usize::from(out.board)].jobs;
        jobs.push(Job::Call(place as u16));
        if interrupted {
            jobs.push(Job::Interrupt(place as u16, number));
        }
    }

    /// Tells the other boards of callers that were interrupted since the last look.
    pub(crate) fn tell_interrupts(&mut self) {
        let mut from = 0;
        // Bounded by the places.
        while let Some(place) = self.out_active.first_from(from) {
            from = place + 1;
            let out = &mut self.memory.out_calls[place];
            let interrupted = out.call.as_ref().is_some_and(RawCall::wait_cancelled);
            // Told once; a reply that is coming in needs no telling, a call in line is sent with the news.
            if interrupted && out.sent && !out.interrupt_told && out.reply.is_none() {
                out.interrupt_told = true;
                self.memory.peers[usize::from(out.board)].jobs.push(Job::Interrupt(place as u16, out.number));
            }
        }
    }

    /// Takes the first fragment of a reply.
    pub(crate) fn receive_reply(
        &mut self,
        board: u8,
        (caller, number): (u16, u8),
        reply: (Message, u16),
        cost: Cost,
        data: &[u8],
    ) {
        let Some(place) = self.waiting(board, caller) else { return self.refuse(board) };
        let out = &mut self.memory.out_calls[place];
        if out.number != number || !out.complete || out.reply.is_some() {
            return self.refuse(board);
        }
        (out.reply, out.used_bytes) = (Some(reply.0), usize::from(reply.1));
        let account = out.account;
        self.take_cost(account, cost);
        self.receive_answer(place, data);
    }

    /// Adds what the other board has done for `account`.
    fn take_cost(&mut self, account: AccountNumber, cost: Cost) {
        self.me.act_for(account);
        if cost != Cost::NONE {
            self.me.count_for(account, Count::ElsewhereNs, i64::from(cost.time_us) * NS_PER_US);
            self.me.count_for(account, Count::BlocksRead, cost.blocks_read.into());
            self.me.count_for(account, Count::BlocksWritten, cost.blocks_written.into());
        }
    }

    /// Takes a further fragment of a reply.
    pub(crate) fn receive_reply_more(&mut self, board: u8, caller: u16, data: &[u8]) {
        let Some(place) = self.waiting(board, caller) else { return self.refuse(board) };
        if self.memory.out_calls[place].reply.is_none() || data.is_empty() {
            return self.refuse(board);
        }
        self.receive_answer(place, data);
    }

    /// The place of `caller`, if it waits for `board`.
    fn waiting(&mut self, board: u8, caller: u16) -> Option<usize> {
        let found = self.places.find(self.memory.out_calls, caller);
        found.filter(|place| {
            let out = &self.memory.out_calls[*place];
            out.call.is_some() && out.board == board
        })
    }

    /// Puts bytes of the answer where the caller wants them; the last let the caller go on.
    fn receive_answer(&mut self, place: usize, data: &[u8]) {
        let out = &mut self.memory.out_calls[place];
        let Some(call) = &mut out.call else { return };
        let (from, all) = (out.used_received, out.used_bytes);
        let room = call.lent().1.get_mut(from..all).filter(|room| data.len() <= room.len());
        let Some(room) = room else {
            let board = out.board;
            return self.refuse(board); // more than it announced, or than the caller has room for
        };
        room[..data.len()].copy_from_slice(data);
        out.used_received += data.len();
        if out.used_received == all {
            call.set_taken_used(all);
            let (words, pool) = (out.reply.take(), out.pool);
            self.answer(place, words.unwrap_or_default());
            let RouterMemory { pools, out_calls, .. } = &mut *self.memory;
            if let Some(next) = pool.and_then(|pool| pools[usize::from(pool)].give_back(out_calls)) {
                self.send(usize::from(next));
            }
        }
    }

    fn answer(&mut self, place: usize, words: Message) {
        self.out_active.remove(place);
        let out = &mut self.memory.out_calls[place];
        if let Some(call) = out.call.take() {
            let board = out.board;
            self.peer(board).waiting -= 1;
            self.look_after(board);
            call.reply_message(words);
        }
    }

    /// Answers every caller that waits for `board`, which is dead.
    pub(crate) fn fail_calls(&mut self, board: u8) {
        self.memory.pools.iter_mut().filter(|pool| pool.board() == board).for_each(Pool::reset);
        let mut from = 0;
        // Bounded by the places.
        while let Some(place) = self.out_active.first_from(from) {
            from = place + 1;
            if self.memory.out_calls[place].board == board {
                self.answer(place, failure(Errno::EHOSTDOWN));
            }
        }
    }
}

/// Writes a head and as many of the bytes of `data` as fit behind it: the fragment's length, and how
/// many of the bytes.
pub(crate) fn put(head: Head, data: &[u8], room: &mut [u8]) -> (usize, usize) {
    let Ok(bytes) = head.emit(room) else { unreachable!("a head fits into a fragment") };
    let fits = data.len().min(room.len() - bytes);
    room[bytes..bytes + fits].copy_from_slice(&data[..fits]);
    (bytes + fits, fits)
}

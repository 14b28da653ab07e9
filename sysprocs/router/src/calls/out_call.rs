//! One call of this board to another: from its accept to its reply.
//!
//! Invariant: the slices stay with the caller; fragments are read from the one given and written into the one taken.
//! Called by: `outgoing.rs`, `transmit.rs`, `pool.rs`. Not here: when it may be sent (`pool.rs`).

use crate::calls::edge_rules::{self, EdgeRule};
use crate::calls::fragment::{Fragments, first_words, put};
use crate::calls::send_queue::Lane;
use crate::packing::AnswerBytes;
use renga_core::rendezvous::RawCall;
use renga_rt::BOARDS_MAX;
use renga_rt::account::AccountNumber;
use renga_rt::raw::Message;
use renga_wire::{Head, Request};

/// The place of one local caller.
#[derive(Default)]
pub struct OutCall {
    caller: u16,
    /// The place of the rule of its last call among those of that call's board.
    rule: u16,
    /// The number of the session of its last call, or that it has learnt of, by board.
    pub(crate) sessions: [u32; BOARDS_MAX],
    /// Number of its present or last call.
    pub(crate) number: u8,
    pub(crate) call: Option<RawCall>,
    /// The account that it calls for, and that account as a request carries it.
    pub(crate) account: AccountNumber,
    account_word: u32,
    /// Words of the call.
    words: u8,
    pub(crate) board: u8,
    /// The pool whose proxies make it; without one the caller has a proxy of its own there.
    pub(crate) pool: Option<u16>,
    /// The next place in the pool's line.
    pub(crate) next: Option<u16>,
    /// The lane in which it goes.
    pub(crate) lane: Lane,
    /// It is on its way: not in line.
    pub(crate) sent: bool,
    pub(crate) fragments: Fragments,
    pub(crate) interrupt_sent: bool,
    /// In paired form: each of its two rendezvous is awaited to its end, and whether the first has ended.
    pub(crate) ends_awaited: bool,
    pub(crate) accepted: bool,
    /// The reply, once it has begun.
    pub(crate) reply: Option<Message>,
    pub(crate) answer: AnswerBytes,
    pub(crate) answer_received: usize,
}

impl OutCall {
    /// The place of the process with index `caller`.
    pub fn new(caller: u16) -> OutCall {
        OutCall { caller, ..OutCall::default() }
    }

    pub(crate) fn caller(&self) -> u16 {
        self.caller
    }

    /// Finds the rule of `rules`, those of one board, that covers calls to `server`.
    pub(crate) fn rule(&mut self, server: u16, rules: &'static [EdgeRule]) -> Option<&'static EdgeRule> {
        // A server is of one kind, and so is the caller: no other rule covers the two.
        if let Some(last) = rules.get(usize::from(self.rule)).filter(|rule| rule.covers(self.caller, server)) {
            return Some(last);
        }
        let place = edge_rules::find(rules, self.caller, server)?;
        self.rule = place as u16;
        rules.get(place)
    }

    pub(crate) fn begin(&mut self, mut call: RawCall, board: u8, rule: &EdgeRule, ends_awaited: bool) {
        let (op, pool) = (call.op(), rule.pool(call.op()));
        self.words = rule.word_counts.sent(op);
        self.lane = Lane::of(rule.background, call.lent().0.len());
        (self.account, self.account_word) = (call.account(), call.account_word());
        (self.number, self.board, self.pool, self.next) = (self.number.wrapping_add(1), board, pool, None);
        (self.ends_awaited, self.accepted) = (ends_awaited, false);
        (self.sent, self.interrupt_sent, self.fragments) = (false, false, Fragments::default());
        (self.answer_received, self.answer, self.reply) = (0, AnswerBytes::default(), None);
        self.call = Some(call);
    }

    /// Writes the next fragment of the call into `room`: its length, bytes, and whether more follow.
    pub(crate) fn build(&mut self, room: &mut [u8]) -> (usize, bool) {
        let Some(call) = &mut self.call else { return (0, false) };
        let (op, words, destination) =
            (call.op() as u8, first_words(call.message(), self.words), call.destination().index);
        let (given, taken) = call.lent();
        let (caller, number, account) = (self.caller, self.number, self.account_word);
        let (given_bytes, taken_bytes) = (given.len() as u16, taken.len() as u16);
        let request = Request { destination, op, words, given_bytes, taken_bytes, account };
        self.fragments.build(|| Head::Call { caller, number, request }, Head::CallMore { caller }, given, room)
    }

    /// Writes the news that the answer to call `number` has come into `room`, as `build` does.
    pub(crate) fn build_received(&self, number: u8, room: &mut [u8]) -> (usize, bool) {
        (put(Head::Received { caller: self.caller, number }, &[], room).0, false)
    }

    /// Writes the news that call `number` was interrupted into `room`, as `build` does.
    pub(crate) fn build_interrupt(&mut self, board: u8, number: u8, room: &mut [u8]) -> (usize, bool) {
        if self.call.is_none() || (self.board, self.number) != (board, number) {
            return (0, false); // it was answered meanwhile
        }
        (put(Head::Interrupt { caller: self.caller, number: self.number }, &[], room).0, false)
    }
}

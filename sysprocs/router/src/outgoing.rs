//! Calls of this board's processes to other boards: accepted, sent, answered.
//!
//! Invariant: a call stays in its caller's one place from accept to reply, so the table is as long as the list of
//! callers. A call that is sent finds a free proxy: one that shares proxies waits here until one is free (`pool.rs`).

use crate::calls::send_queue::SendItem;
use crate::packing::AnswerBytes;
use crate::proxies::pool::Pool;
use crate::proxies::proxy::failure;
use crate::router_memory::RouterMemory;
use crate::router_state::Router;
use crate::session::link_session::SessionState;
use crate::stats::add;
use renga_core::rendezvous::RawCall;
use renga_phy::Phy;
use renga_rt::Errno;
use renga_rt::account::{AccountNumber, Count};
use renga_rt::raw::Message;
use renga_wire::Cost;
use renga_wire::fragment::SLICE_BYTES_MAX;

const NS_PER_US: i64 = 1_000;

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
        if peer.session.state() == SessionState::Dead {
            peer.session.offer_hello(self.now_ns);
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
            // The caller's handles are of the board's earlier incarnation.
            add(&self.memory.stats.refused_stale, 1);
            call.note_reboot(server.board.0);
            return call.reply_message(failure(Errno::ESTALE));
        }
        let Some(rule) = out.rule(server.index, peer.rules) else {
            add(&self.memory.stats.refused_here, 1);
            return call.reply_message(failure(Errno::EINVAL));
        };
        add(&self.memory.stats.could_be_async, rule.returning_nothing(op).into());
        let up = peer.session.state() == SessionState::Up;
        if rule.is_asynchronous(op) && taken_bytes == 0 {
            // A board that has not answered yet may never do so, and its caller should know.
            match if up { self.copy(call, server, rule.word_counts.sent(op)) } else { Some(call) } {
                None => return,
                Some(back) => call = back,
            }
            add(&self.memory.stats.fallbacks, 1);
        }
        self.me.act_for(AccountNumber::SYSTEM); // that of its last caller
        let (paired, ends_awaited) = (rule.is_paired(op), self.memory.ends_awaited);
        match paired && !ends_awaited {
            true => add(&self.memory.stats.calls_async, 2),
            false => add(&self.memory.stats.calls_sync, 1 + u64::from(paired)),
        }
        let (board, pool) = (server.board.0, rule.pool(op));
        self.memory.out_calls[place].begin(call, board, rule, paired && ends_awaited);
        self.out_active.insert(place);
        self.peer(board).waiting += 1;
        self.note_awaited_now(board);
        let RouterMemory { pools, out_calls, .. } = &mut *self.memory;
        if pool.is_none_or(|pool| pools[usize::from(pool)].take(place as u16, out_calls)) {
            self.send(place);
        }
    }

    /// Sends the call at `place`, for which there is a free proxy.
    fn send(&mut self, place: usize) {
        let out = &mut self.memory.out_calls[place];
        out.sent = true;
        out.interrupt_sent = out.call.as_ref().is_some_and(RawCall::wait_cancelled);
        let (interrupted, number, lane) = (out.interrupt_sent, out.number, out.lane);
        let send_queue = &mut self.memory.peers[usize::from(out.board)].send_queue;
        send_queue.push(SendItem::Call(place as u16, lane));
        if interrupted {
            send_queue.push(SendItem::Interrupt(place as u16, number));
        }
    }

    /// Reports callers that were interrupted since the last pass to the boards that they call.
    pub(crate) fn send_interrupts(&mut self) {
        let mut from = 0;
        // Bounded by the places.
        while let Some(place) = self.out_active.first_from(from) {
            from = place + 1;
            let out = &mut self.memory.out_calls[place];
            let interrupted = out.call.as_ref().is_some_and(RawCall::wait_cancelled);
            // Sent once. A reply that is arriving needs no cancellation; a queued call carries it.
            if interrupted && out.sent && !out.interrupt_sent && out.reply.is_none() {
                out.interrupt_sent = true;
                self.memory.peers[usize::from(out.board)]
                    .send_queue
                    .push(SendItem::Interrupt(place as u16, out.number));
            }
        }
    }

    /// Takes the first fragment of a reply.
    pub(crate) fn receive_reply(
        &mut self,
        board: u8,
        (caller, number): (u16, u8),
        reply: (Message, AnswerBytes),
        cost: Cost,
        data: &[u8],
    ) {
        let Some(place) = self.waiting(board, caller) else { return self.refuse(board) };
        let out = &mut self.memory.out_calls[place];
        if out.number != number || !out.fragments.complete || out.reply.is_some() || out.accepted != out.ends_awaited {
            return self.refuse(board);
        }
        (out.reply, out.answer) = (Some(reply.0), reply.1);
        let account = out.account;
        self.take_cost(account, cost);
        self.receive_answer(place, data);
    }

    /// Takes the news that a call in paired form is passed on: its first rendezvous is over.
    pub(crate) fn receive_accepted(&mut self, board: u8, caller: u16, number: u8) {
        let place = self.waiting(board, caller);
        let out = place.map(|place| &mut self.memory.out_calls[place]);
        match out.filter(|out| out.number == number && out.fragments.complete && out.ends_awaited && !out.accepted) {
            Some(out) => out.accepted = true,
            None => self.refuse(board),
        }
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
        let (board, answer) = (out.board, out.answer);
        let (from, all, room) = (out.answer_received, usize::from(answer.sent), &mut *call.lent().1);
        let Some(part) = room.get_mut(from..all).and_then(|left| left.get_mut(..data.len())) else {
            return self.refuse(board); // more than it announced, or than the caller has room for
        };
        if !data.is_empty() {
            part.copy_from_slice(data);
        }
        out.answer_received += data.len();
        if out.answer_received == all {
            self.me.act_for(out.account);
            if answer.plain > 0 && !self.memory.packer.unpack(room, answer) {
                return self.refuse(board);
            }
            call.set_taken_used(answer.used());
            let (words, pool, board) = (out.reply.take(), out.pool, usize::from(board));
            if out.ends_awaited {
                let received = SendItem::Received(place as u16, out.number);
                self.memory.peers[board].send_queue.push(received);
            }
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
            self.note_awaited(board);
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

//! Calls whose protocol is known only by number: a router accepts them and a proxy makes them.
//!
//! Invariant: a raw call is checked against the entries that the server's port declared, so others are out of reach.

use super::address::Members;
use super::rendezvous::{ANY_ENTRY, ENTRIES, RawAccept, RawCall, RawCallFuture};
use crate::types::state::{CallTarget, Me, Process, WORDS};
use core::future::poll_fn;
use renga_abi::account::AccountNumber;
use renga_abi::policy::Policy;
use renga_abi::{Errno, ProcId};

/// The words of a message or a reply, as they cross boards.
pub type Message = [u64; WORDS];

/// The router's port: takes the calls to all processes of other boards.
pub struct ExchangePort(&'static Process);

impl ExchangePort {
    /// The port of `me`.
    pub fn new(me: &Me) -> Self {
        ExchangePort(me.0)
    }
    /// Waits for a call to another board; `None`: for a notification.
    pub async fn accept_or_notified(&mut self) -> Option<RawCall> {
        let raw = RawAccept::new(self.0, ANY_ENTRY, true);
        poll_fn(|_| raw.poll()).await
    }
}

impl RawCall {
    /// The caller.
    pub fn caller(&self) -> ProcId {
        self.0.id()
    }
    /// The server; of a call that a router takes, the process of another board.
    pub fn destination(&self) -> ProcId {
        ProcId::from_word(self.0.destination.get())
    }
    /// The account that it works for.
    pub fn account(&self) -> AccountNumber {
        match self.0.local() {
            Some(caller) => caller.core.account_of(caller).number(),
            None => AccountNumber::from_wire(self.0.remote_part().account.get()).0,
        }
    }
    /// As above, as one word for another board; 0 where the caller makes it plain.
    pub fn account_word(&self) -> u32 {
        let Some(caller) = self.0.local() else { return self.0.remote_part().account.get() };
        let account = caller.core.account_of(caller);
        let plain = account.number() == caller.account.get().number() && account.policy() == Policy::DEFAULT;
        if plain { 0 } else { account.number().to_wire(account.policy()) }
    }
    /// The words sent.
    pub fn message(&self) -> Message {
        core::array::from_fn(|i| self.0.words[i].get())
    }
    /// Notes for the caller that `board` has rebooted ([`Me::take_rebooted`]).
    pub fn note_reboot(&self, board: u8) {
        let rebooted = &self.0.rebooted;
        rebooted.set(rebooted.get() | 1u8.checked_shl(board.into()).unwrap_or(0));
    }
    /// Answers with the words of a reply.
    pub fn reply_message(self, message: Message) {
        self.reply(|words| words.iter().zip(message).for_each(|(word, value)| word.set(value)));
    }
}

/// The right to call any process of a board, as one process: a proxy's, or a hostile process's of another board.
pub struct RawClient {
    me: &'static Process,
    directory: Members,
}

/// A reply.
pub struct RawReply {
    /// The reply's words.
    pub words: Message,
    /// How many bytes of the slice taken carry the answer.
    pub taken_used: usize,
}

impl RawClient {
    /// The right of `me` to call all processes of a board, by their index there.
    pub fn new(me: &Me, directory: Members) -> Self {
        RawClient { me: me.0, directory }
    }

    /// Process `index`, if it serves entry `op`; of one of another board its router knows that.
    fn serving(&self, index: u16, op: u32) -> Option<CallTarget> {
        let serves = |place: &CallTarget| match self.directory {
            Members::Here(_) => place.process.entries.get() >> op & 1 != 0,
            Members::Elsewhere { .. } => true,
        };
        self.directory.place(usize::from(index)).filter(|place| op < ENTRIES && serves(place))
    }

    /// Calls entry `op` of process `index` for a process of `board`.
    ///
    /// # Errors
    /// `EINVAL` if there is no such process, or it is here and does not serve that entry.
    pub async fn call(
        &mut self,
        board: u8,
        (index, op): (u16, u32),
        words: Message,
        given: &[u8],
        taken: &mut [u8],
    ) -> Result<RawReply, Errno> {
        let Some(server) = self.serving(index, op) else { return Err(Errno::EINVAL) };
        let taken_bytes = taken.len();
        self.me.taken_used.set(usize::MAX);
        self.me.calls_for.set(board);
        let put = |to: &[core::cell::Cell<u64>; WORDS]| to.iter().zip(words).for_each(|(word, value)| word.set(value));
        let call = RawCallFuture::new(self.me, server, op, (given, taken), put);
        let call = core::pin::pin!(call);
        let reply = poll_fn(|cx| call.poll(cx)).await;
        let words = core::array::from_fn(|i| reply[i].get());
        Ok(RawReply { words, taken_used: self.me.taken_used.get().min(taken_bytes) })
    }
}

//! Typed ports, clients and calls: safe code over the rendezvous core.
//!
//! Invariant: a client names one server and one protocol, a call one entry; all of it is checked
//! when compiled. Not here: calls whose types only arrive at run time (`raw.rs`).

use super::address::{Address, Members};
use super::protocol::{Entry, Lends, Protocol};
use super::rendezvous::{RawAccept, RawCall, RawCallFuture};
use crate::types::state::{CallTarget, Me, Process, Wait, WaitingProcess};
use core::future::{Future, poll_fn};
use core::marker::PhantomData;
use core::pin::Pin;
use core::task::{Context, Poll};
use renga_abi::account::AccountNumber;
use renga_abi::{InWords, ProcId};

/// Of a right to call: all entries that the protocol has.
pub const ALL_ENTRIES: u32 = u32::MAX;

/// The right to call the entries in the set `ENTRIES` of one server, as one process.
///
/// An entry outside the set does not compile (`host/refusals.rs`), so a process calls no other servers and no other
/// entries than its signature says: what the placement lets in from other boards is computed from that.
pub struct Client<P, const ENTRIES: u32 = ALL_ENTRIES>(&'static Process, CallTarget, PhantomData<P>);
impl<P: Protocol> Client<P> {
    /// The right of `me` to call `server`.
    pub fn new(me: &Me, server: Address<P>) -> Self {
        Client(me.0, server.0, PhantomData)
    }
}
impl<P: Protocol, const ENTRIES: u32> Client<P, ENTRIES> {
    /// The right to call only `FEWER` of the entries.
    pub fn narrowed<const FEWER: u32>(self) -> Client<P, FEWER> {
        const { assert!(FEWER & !ENTRIES == 0, "a right grows by no narrowing") };
        Client(self.0, self.1, PhantomData)
    }
    /// The server.
    pub fn server(&self) -> ProcId {
        self.1.id()
    }
    /// Whether the server is on another board.
    pub fn is_elsewhere(&self) -> bool {
        self.1.id().board != self.0.id().board
    }
    /// Sends the message and waits for the reply.
    #[inline(always)]
    pub fn call<'a, E: Entry<Protocol: Protocol<Incoming = P::Incoming>>>(
        &'a mut self,
        entry: E,
        lends: E::Lends<'a>,
    ) -> CallFuture<'a, E> {
        const { assert!(ENTRIES >> E::OP & 1 != 0, "an entry that this client has no right to call") };
        CallFuture(RawCallFuture::new(self.0, self.1, E::OP, lends, |w| entry.put(&w[..])), PhantomData)
    }
    /// As [`Client::call`], by a client that is not used again: the caller keeps none while it waits.
    #[inline(always)]
    pub fn call_once<'a, E: Entry<Protocol = P>>(self, entry: E, lends: E::Lends<'a>) -> CallFuture<'a, E> {
        const { assert!(ENTRIES >> E::OP & 1 != 0, "an entry that this client has no right to call") };
        CallFuture(RawCallFuture::new(self.0, self.1, E::OP, lends, |w| entry.put(&w[..])), PhantomData)
    }
}

/// The right to call the entries in the set `ENTRIES` of all servers of `P`, by board and number, as one process.
pub struct Family<P, const ENTRIES: u32 = ALL_ENTRIES>(&'static Process, &'static [Members], PhantomData<P>);
impl<P: Protocol> Family<P> {
    /// By board the servers there, which the placement says serve `P`.
    pub fn new(me: &Me, members: &'static [Members]) -> Self {
        Family(me.0, members, PhantomData)
    }
}
impl<P: Protocol, const ENTRIES: u32> Family<P, ENTRIES> {
    /// The right to call only `FEWER` of the entries.
    pub fn narrowed<const FEWER: u32>(self) -> Family<P, FEWER> {
        const { assert!(FEWER & !ENTRIES == 0, "a right grows by no narrowing") };
        Family(self.0, self.1, PhantomData)
    }
    /// The server `number` of `board`, if there is one.
    #[inline(always)]
    pub fn at(&mut self, board: u8, number: usize) -> Option<Client<P, ENTRIES>> {
        let server = self.1.get(usize::from(board))?.place(number)?;
        Some(Client(self.0, server, PhantomData))
    }
    /// How many servers `board` has.
    pub fn count(&self, board: u8) -> usize {
        self.1.get(usize::from(board)).map_or(0, |servers| servers.count())
    }
    /// How many boards there are.
    pub fn boards(&self) -> u8 {
        self.1.len() as u8
    }
}

/// The right to call the entries in the set `ENTRIES` of any servers of `P` on the own board, as one process.
pub struct Local<P, const ENTRIES: u32 = ALL_ENTRIES>(&'static Process, &'static Members, PhantomData<P>);
impl<P: Protocol> Local<P> {
    /// The servers there, which the placement says serve `P`.
    pub fn new(me: &Me, members: &'static Members) -> Self {
        Local(me.0, members, PhantomData)
    }
}
impl<P: Protocol, const ENTRIES: u32> Local<P, ENTRIES> {
    /// The right to call only `FEWER` of the entries.
    pub fn narrowed<const FEWER: u32>(self) -> Local<P, FEWER> {
        const { assert!(FEWER & !ENTRIES == 0, "a right grows by no narrowing") };
        Local(self.0, self.1, PhantomData)
    }
    /// The server `number`, if there is one.
    pub fn at(&mut self, number: usize) -> Option<Client<P, ENTRIES>> {
        Some(Client(self.0, self.1.place(number)?, PhantomData))
    }
    /// How many there are.
    pub fn count(&self) -> usize {
        self.1.count()
    }
}

/// A call on its way.
#[must_use = "a call does nothing until awaited"]
pub struct CallFuture<'a, E>(RawCallFuture<'a>, PhantomData<E>);
impl<E: Entry> Future for CallFuture<'_, E> {
    type Output = E::Reply;
    #[inline(always)]
    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<E::Reply> {
        self.0.poll(cx).map(|words| E::Reply::get(&words[..]))
    }
}

/// The right to serve `P`, as one process.
pub struct Port<P>(&'static Process, PhantomData<P>);
impl<P: Protocol> Port<P> {
    /// The port of `me`, and where clients find it.
    pub fn new(me: &Me) -> (Self, Address<P>) {
        me.0.entries.set(P::ENTRIES);
        (Port(me.0, PhantomData), Address::new(me.0))
    }
    /// Waits for a call.
    #[inline(always)]
    pub fn accept(&mut self) -> Accept<'_, P> {
        self.accept_only(P::ENTRIES)
    }
    /// Guard: waits for a call to an entry in the set `A::BIT | B::BIT`.
    #[inline(always)]
    pub fn accept_only(&mut self, entries: u32) -> Accept<'_, P> {
        Accept(RawAccept::new(self.0, entries, false), PhantomData)
    }
    /// A call to an entry in the set that waits here already, if any.
    pub fn accept_waiting(&mut self, entries: u32) -> Option<P::Incoming> {
        self.0.take_waiting(entries).map(P::incoming)
    }
    /// As `accept_only`, or `None` on a notification (interrupt, alarm, caller whose wait was cancelled).
    #[inline(always)]
    pub fn accept_or_notified(&mut self, entries: u32) -> impl Future<Output = Option<P::Incoming>> {
        let raw = RawAccept::new(self.0, entries, true);
        poll_fn(move |_| raw.poll().map(|call| call.map(P::incoming)))
    }
}

/// A wait for a call.
#[must_use = "accept does nothing until awaited"]
pub struct Accept<'a, P>(RawAccept<'a>, PhantomData<P>);
impl<P: Protocol> Future for Accept<'_, P> {
    type Output = P::Incoming;
    #[inline(always)]
    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<P::Incoming> {
        self.0.poll().map(|raw| match raw {
            Some(raw) => P::incoming(raw),
            None => unreachable!("notification not asked for"),
        })
    }
}

/// The caller of a call, answered or not, on this board: its present state, unknown of one on another core.
#[derive(Clone, Copy)]
pub struct Caller(Option<&'static Process>);
impl Caller {
    /// What it waits for.
    pub fn wait(&self) -> Wait {
        self.0.map_or(Wait::ReplyElsewhere, Process::wait)
    }
    /// The process whose reply it waits for, if it does.
    pub fn waits_for(&self) -> Option<ProcId> {
        self.0.and_then(Process::waits_for)
    }
}

/// An accepted call to `E`; may be kept, must be replied to.
#[must_use = "reply to the call"]
pub struct Call<E>(RawCall, PhantomData<E>);
impl<E: Entry> Call<E> {
    #[doc(hidden)]
    #[inline(always)]
    pub fn new(raw: RawCall) -> Self {
        debug_assert_eq!(raw.op(), E::OP);
        Call(raw, PhantomData)
    }
    /// The arguments.
    #[inline(always)]
    pub fn entry(&self) -> E {
        E::get(&self.0.words()[..])
    }
    /// The slices of the call; a server may pass them on in a further call. The borrow ends before the reply.
    #[inline(always)]
    pub fn lent(&mut self) -> E::Lends<'_> {
        E::Lends::join(self.0.lent())
    }
    /// Says that only the first `bytes` of the slice taken carry the answer: no more crosses boards.
    #[inline(always)]
    pub fn set_taken_used(&mut self, bytes: usize) {
        self.0.set_taken_used(bytes);
    }
    /// Whether the caller's wait was cancelled: the server replies early (`EINTR`).
    pub fn wait_cancelled(&self) -> bool {
        self.0.wait_cancelled()
    }
    /// The caller.
    pub fn caller(&self) -> ProcId {
        self.0.0.id()
    }
    /// The caller, as its server may observe it later.
    pub fn made_by(&self) -> Caller {
        Caller(self.0.0.local())
    }
    /// The caller's board; for a call of a proxy, the board of the proxy's caller.
    pub fn board(&self) -> u8 {
        self.0.0.calls_for.get()
    }
    /// A word of the server that keeps the call; at first it is that of an earlier call.
    pub fn note(&self) -> &core::cell::Cell<u64> {
        &self.0.0.note
    }
    pub(crate) fn process(&self) -> WaitingProcess {
        self.0.0
    }
    pub(crate) fn account(&self) -> AccountNumber {
        self.0.account()
    }
    pub(crate) fn into_raw(self) -> RawCall {
        self.0
    }
    /// Replies, and makes the caller ready.
    #[inline(always)]
    pub fn reply(self, reply: E::Reply) {
        self.0.reply(|w| reply.put(&w[..]));
    }
}

//! Passing an accepted call on to another server, which answers the caller itself.
//!
//! Invariant: a server that forwards a call is done with it: it neither waits for the reply nor sees it. The caller's
//! message stays in the caller's header, and so do the slices that it lends; only operation and words are replaced. The
//! caller waits for the server that has the call, and its header names that server. Not here: allowed forwards.

use super::address::{Address, Members};
use super::protocol::{Entry, Protocol};
use super::rendezvous::RawCall;
use super::typed::Call;
use crate::types::probe;
use crate::types::state::{CallTarget, MessageCells, Process, Wait, WaitingProcess};
use core::marker::PhantomData;
use core::task::{Context, Waker};
use renga_abi::ProcId;

/// The right to pass calls on to one server of `P`, but not to call it.
pub struct Forward<P>(Address<P>);
impl<P: Protocol> Forward<P> {
    /// The right to forward to `server`.
    pub fn new(server: Address<P>) -> Self {
        Forward(server)
    }
    /// The server.
    pub fn server(&self) -> ProcId {
        self.0.id()
    }
}

/// The right to pass calls on to all servers of `P`, by board and by their number on it.
pub struct ForwardFamily<P>(&'static [Members], PhantomData<P>);
impl<P: Protocol> ForwardFamily<P> {
    /// By board the servers there, which the placement says serve `P`.
    pub fn new(members: &'static [Members]) -> Self {
        ForwardFamily(members, PhantomData)
    }
    /// The server `number` of `board`, if there is one.
    #[inline(always)]
    pub fn at(&self, board: u8, number: usize) -> Option<Forward<P>> {
        self.0.get(usize::from(board))?.address(number).map(Forward)
    }
}

impl<E: Entry> Call<E> {
    /// Calls `to` with `entry` on the caller's behalf: `to` has the call from now on, with the caller's slices, and
    /// replies to the caller. Slices and reply must be of the same types.
    #[inline(always)]
    pub fn forward<F>(self, to: &Forward<F::Protocol>, entry: F)
    where
        F: for<'a> Entry<Reply = E::Reply, Lends<'a> = E::Lends<'a>>,
    {
        self.into_raw().forward(to.0.0, F::OP, |words| entry.put(&words[..]));
    }

    /// As `forward`, as it is: `Q` has the entries of the protocol that this one is of.
    #[doc(hidden)]
    #[inline(always)]
    pub fn pass_on<Q: Protocol>(self, to: &Forward<Q>) {
        const { assert!(Q::ENTRIES == <E::Protocol as Protocol>::ENTRIES, "a protocol of other entries") };
        self.into_raw().forward(to.0.0, E::OP, |_| ());
    }
}

impl RawCall {
    /// Hands the call on to `server` as one for its entry `op`.
    #[inline(always)]
    pub(crate) fn forward(self, to: CallTarget, op: u32, put: impl FnOnce(&MessageCells)) {
        let (caller, server) = (self.hand_on(), to.process);
        caller.op.set(op);
        caller.destination.set(to.word);
        put(&caller.words);
        caller.server.set(Some(server));
        if let Some(caller) = caller.in_place() {
            caller.wait.set(Wait::Forwarded);
        }
        probe::forward(caller.any());
        deliver(caller, server);
    }
}

/// Delivers the call of `caller` to `server`, in place if that waits for it. Below it on the stack are the forwarding
/// servers and perhaps the caller, and none of them is polled before it returns.
fn deliver(caller: WaitingProcess, server: &'static Process) {
    if server.open.get() >> caller.op.get() & 1 == 0 {
        return match server.stands_for.get() {
            Some(server) => caller.send_call(server),
            None => server.callers.push(caller.any()),
        };
    }
    let core = server.core;
    server.take(caller.any());
    server.work_for(caller);
    let left = core.in_place_left.get();
    if left == 0 || core.bitmap.get() >> server.priority > 1 {
        return core.make_ready(server);
    }
    core.in_place_left.set(left - 1);
    server.poll(&mut Context::from_waker(Waker::noop()));
}

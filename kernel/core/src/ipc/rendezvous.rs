//! Rendezvous: call, accept and reply, by reference.
//!
//! I1 A `Process` and its future live in an arena that is never freed.
//! I2 A process waits for one thing at a time and is polled only when that has happened, so
//!    its caller is not executing while a server holds a `RawCall`.
//! I3 A process is in at most one queue: a ready queue, a run queue, one server's `callers`
//!    or one of its kept calls.
//! I4 A `RawCall` exists once, from accept to reply or to the next server's accept (`forward.rs`); for that time the
//!    slices are that server's.
//! I5 A pending `RawCallFuture` is neither dropped (it panics) nor leaked: it is `!Unpin`, and code
//!    without `unsafe` and `alloc` leaks a pinned borrowing future only with its whole process.
//!
//! Not here: types of messages (`protocol.rs`, `typed.rs`), other cores (`smp/remote_call.rs`), the router.

use crate::types::probe;
use crate::types::state::{CallTarget, MessageCells, Process, ProcessRef, Wait, WaitingProcess};
use core::convert::Infallible as Never;
use core::future::Future;
use core::marker::{PhantomData, PhantomPinned};
use core::mem::forget;
use core::pin::Pin;
use core::task::{Context, Poll};
use renga_abi::lends::Lends;

/// Bit in an entry set that stands for the process's notification.
pub(crate) const NOTIFIED: u32 = 1 << 31;
/// Entries that a protocol may have.
pub(crate) const ENTRIES: u32 = 31;
/// All of them.
pub(crate) const ANY_ENTRY: u32 = !NOTIFIED;

impl Process {
    /// Gives the process its future and makes it ready.
    ///
    /// # Panics
    /// If it was started before.
    pub fn start<F: Future<Output = Never> + 'static>(&'static self, future: &'static mut F) {
        unsafe fn body<F: Future<Output = Never>>(future: *mut (), cx: &mut Context<'_>) {
            // SAFETY: from `start`'s `&'static mut F`, kept nowhere else, so it never moves (I1).
            let future = unsafe { &mut *future.cast::<F>() };
            // SAFETY: as above, so pinning it holds for ever; I2 keeps it from being polled twice at once.
            let Poll::Pending = unsafe { Pin::new_unchecked(future) }.poll(cx);
        }
        assert!(self.body.get().1.is_null(), "process started twice");
        // A future without state has size 0 and a dangling, yet not null, address.
        self.body.set((body::<F>, core::ptr::from_mut(future).cast()));
        self.core.make_ready(self);
    }

    #[inline(always)]
    pub(crate) fn begin(&self, wait: Wait) {
        assert!(self.wait.get() == Wait::Nothing, "process waits for two things");
        self.wait.set(wait);
    }

    /// Hands `caller`, whose message is written, to this process, which waits in accept.
    #[inline(always)]
    pub(crate) fn take(&'static self, caller: ProcessRef) {
        self.open.set(0);
        self.accepted.set(Some(caller));
        probe::accept(self, caller.part());
    }

    /// The first of the calls that wait for one of the entries in the set.
    #[inline(always)]
    pub(crate) fn take_waiting(&self, open: u32) -> Option<RawCall> {
        // Bounded by the clients placed: each has at most one call here.
        let caller = self.callers.pop_first(|caller| open >> caller.op.get() & 1 != 0)?;
        self.accepted.set(Some(caller));
        let caller = caller.calling();
        self.work_for(caller);
        probe::accept_waiting(self, &caller);
        Some(RawCall(caller))
    }
}

/// A call whose message is in the caller's header: prepared, sent, replied to.
pub(crate) struct RawCallFuture<'a>(&'static Process, &'static Process, PhantomData<&'a mut [u8]>, PhantomPinned);

impl<'a> RawCallFuture<'a> {
    #[inline(always)]
    pub(crate) fn new<L: Lends<'a>>(
        me: &'static Process,
        server: CallTarget,
        op: u32,
        lends: L,
        put: impl FnOnce(&MessageCells),
    ) -> Self {
        // Another core's server is called by its remote handle; tests join boards without a link.
        debug_assert!(core::ptr::eq(me.core, server.process.core) || me.id().board != server.process.id().board);
        me.begin(Wait::Prepared);
        me.op.set(op);
        me.destination.set(server.word);
        let (given, taken) = lends.split();
        me.given_bytes.set(given.len());
        me.taken_bytes.set(taken.len());
        if L::GIVES {
            me.given.set(given.as_ptr());
        }
        if L::TAKES {
            me.taken.set(taken.as_mut_ptr());
        }
        put(&me.words); // straight into the header, not through the future
        RawCallFuture(me, server.process, PhantomData, PhantomPinned)
    }

    #[inline(always)]
    pub(crate) fn poll(&self, cx: &mut Context<'_>) -> Poll<&'static MessageCells> {
        let (me, server, core) = (self.0, self.1, self.0.core);
        match me.wait.get() {
            Wait::Prepared => {}
            Wait::Replied => {
                me.wait.set(Wait::Nothing);
                return Poll::Ready(&me.words);
            }
            _ => panic!("process polled while its call is pending"),
        }
        probe::call(me.any());
        if server.open.get() >> me.op.get() & 1 == 0 {
            return wait_at_closed(me, server);
        }
        server.take(me.any());
        let left = core.in_place_left.get();
        if left == 0 || core.bitmap.get() >> server.priority > 1 {
            me.server.set(Some(server));
            me.wait.set(Wait::Reply);
            core.make_ready(server);
            return Poll::Pending;
        }
        // The server runs here, in the caller's poll (Habermann and Nassi's optimisation).
        core.in_place_left.set(left - 1);
        me.wait.set(Wait::ReplyInPlace);
        server.poll(cx);
        if me.wait.get() == Wait::Replied {
            me.wait.set(Wait::Nothing);
            return Poll::Ready(&me.words);
        }
        leave_call(me, server);
        Poll::Pending
    }
}

/// The server has kept the call of `me`, or passed it on.
#[inline(always)]
fn leave_call(me: &Process, server: &'static Process) {
    match me.wait.get() {
        Wait::ReplyInPlace => me.server.set(Some(server)),
        Wait::Forwarded => {} // the forwarding server has written the server that it waits for now
        _ => return,          // the call has moved to another core
    }
    me.wait.set(Wait::Reply);
}

/// The server's entry is not open: queue there, or it is a remote handle.
#[inline(never)]
fn wait_at_closed(me: &'static Process, server: &'static Process) -> Poll<&'static MessageCells> {
    if let Some(server) = server.stands_for.get() {
        me.any().calling().send_call(server);
        return Poll::Pending;
    }
    me.server.set(Some(server));
    me.wait.set(Wait::Reply);
    server.callers.push(me.any());
    Poll::Pending
}

impl Drop for RawCallFuture<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        match self.0.wait.get() {
            Wait::Nothing => {}
            Wait::Prepared => self.0.wait.set(Wait::Nothing),
            _ => assert!(self.0.core.failed.get(), "pending call dropped"), // I5
        }
    }
}

/// An accepted call (I4). Linear: dropping it is a bug of the server.
pub struct RawCall(pub(crate) WaitingProcess);

impl RawCall {
    /// The operation.
    #[inline(always)]
    pub fn op(&self) -> u32 {
        self.0.op.get()
    }
    /// The words sent; the reply's words take their place.
    #[inline(always)]
    pub fn words(&self) -> &MessageCells {
        &self.0.words
    }
    /// The slice given and the slice taken; empty where there is none.
    #[inline(always)]
    pub fn lent(&mut self) -> (&[u8], &mut [u8]) {
        // SAFETY: I4; it was a reference that the caller's pending future still borrows (I5), and the returned borrow
        // of `&mut self` ends before the reply. An absent slice has length 0 and a valid address.
        let given = unsafe { core::slice::from_raw_parts(self.0.given.get(), self.0.given_bytes.get()) };
        // SAFETY: as above; `&mut self` keeps it from being aliased.
        let taken = unsafe { core::slice::from_raw_parts_mut(self.0.taken.get(), self.0.taken_bytes.get()) };
        (given, taken)
    }
    /// Says that only the first `bytes` of the taken slice carry the answer.
    #[inline(always)]
    pub fn set_taken_used(&mut self, bytes: usize) {
        self.0.taken_used.set(bytes);
    }
    /// Whether the caller's wait was cancelled.
    pub fn wait_cancelled(&self) -> bool {
        match self.0.local() {
            Some(caller) => caller.cancelled.get(),
            None => self.0.shared().location.is_cancelled(),
        }
    }
    /// Gives the call up; whose it is.
    #[inline(always)]
    pub(crate) fn hand_on(self) -> WaitingProcess {
        let caller = self.0;
        forget(self);
        caller
    }
    /// Replies: writes the reply's words and makes the caller ready.
    #[inline(always)]
    pub fn reply(self, put: impl FnOnce(&MessageCells)) {
        let caller = self.hand_on();
        put(&caller.words);
        probe::reply(caller.any());
        if let Some(caller) = caller.in_place() {
            return caller.wait.set(Wait::Replied); // its poll sees that
        }
        let Some(caller) = caller.local() else { return caller.leave_reply() };
        caller.wait.set(Wait::Replied);
        caller.core.make_ready(caller);
    }
}

impl Drop for RawCall {
    fn drop(&mut self) {
        let core = self.0.local().map_or_else(|| self.0.remote_part().here.get(), |caller| caller.core);
        assert!(core.failed.get(), "call dropped without a reply");
    }
}

/// Waits for a call to an entry in the set (or for the notification: `None`).
pub(crate) struct RawAccept<'a>(&'static Process, u32, PhantomData<&'a mut ()>);

impl RawAccept<'_> {
    #[inline(always)]
    pub(crate) fn new(me: &'static Process, entries: u32, or_notified: bool) -> Self {
        RawAccept(me, entries | if or_notified { NOTIFIED } else { 0 }, PhantomData)
    }

    #[inline(always)]
    pub(crate) fn poll(&self) -> Poll<Option<RawCall>> {
        let (me, open) = (self.0, self.1);
        if me.wait.get() == Wait::Accept {
            assert!(me.open.get() == 0, "process polled while it waits in accept");
            me.wait.set(Wait::Nothing);
            return Poll::Ready(me.accepted.get().map(|caller| RawCall(caller.calling())));
        }
        if open & NOTIFIED != 0 && me.notified.replace(false) {
            me.accepted.set(None); // its work is not for its last caller now
            return Poll::Ready(None);
        }
        if let Some(call) = me.take_waiting(open) {
            return Poll::Ready(Some(call));
        }
        me.begin(Wait::Accept);
        probe::wait_for_call(me);
        me.open.set(open);
        Poll::Pending
    }
}

impl Drop for RawAccept<'_> {
    #[inline(always)]
    fn drop(&mut self) {
        assert!(self.0.wait.get() == Wait::Nothing || self.0.core.failed.get(), "pending accept dropped");
    }
}

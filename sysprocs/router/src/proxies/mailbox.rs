//! The mailbox of a proxy: the router leaves a call, the proxy its reply.
//!
//! Invariant: the memory of a message belongs to the router, the mailbox, or the proxy, and moves with the call and the
//! reply. So no process waits for memory, and the router only notifies.
//!
//! Router and proxies share a core, so cells suffice.

use core::cell::Cell;
use renga_core::Notifier;
use renga_rt::WaitCanceller;
use renga_rt::account::AccountNumber;
use renga_rt::raw::Message;

pub struct ProxyCall {
    /// The board whose process calls.
    pub board: u8,
    pub account: AccountNumber,
    /// Whether it is done only when that account is due for its share of the core.
    pub patient: bool,
    /// The server's index on this board.
    pub destination: u16,
    pub op: u32,
    pub words: Message,
    /// Bytes that the call gives: the first of `slices`.
    pub given_bytes: usize,
    /// Bytes that the call takes: those behind.
    pub taken_bytes: usize,
    /// Memory of the slice given, and behind it of the slice taken.
    pub slices: &'static mut [u8],
}

pub struct ProxyReply {
    pub words: Message,
    /// Bytes of the answer in the slice taken.
    pub used_bytes: usize,
    /// As in the work.
    pub slices: &'static mut [u8],
}

/// The letter box of one proxy.
pub struct ProxyMailbox {
    number: u16,
    work: Cell<Option<ProxyCall>>,
    done: Cell<Option<ProxyReply>>,
    /// The caller of the present work was interrupted.
    interrupted: Cell<bool>,
}

impl ProxyMailbox {
    /// The empty post of proxy `number`.
    pub const fn new(number: u16) -> ProxyMailbox {
        ProxyMailbox { number, work: Cell::new(None), done: Cell::new(None), interrupted: Cell::new(false) }
    }
    /// Takes the work there is, and whether its caller was interrupted.
    pub fn take_call(&self) -> Option<(ProxyCall, bool)> {
        self.work.take().map(|work| (work, self.interrupted.get()))
    }
    /// Leaves the result.
    pub fn finish(&self, done: ProxyReply, proxy_results: &ProxyResults) {
        self.done.set(Some(done));
        proxy_results.add(self.number);
    }
}

/// Numbers of the posts with results, in the order in which they came.
pub struct ProxyResults {
    router: Notifier,
    numbers: &'static [Cell<u16>],
    head: Cell<usize>,
    length: Cell<usize>,
    /// The router is about to take what comes, so that it need not be notified.
    attended: Cell<bool>,
}

impl ProxyResults {
    /// None yet, for `router`; with a place for each post.
    pub const fn new(router: Notifier, numbers: &'static [Cell<u16>]) -> ProxyResults {
        let (head, length, attended) = (Cell::new(0), Cell::new(0), Cell::new(false));
        ProxyResults { router, numbers, head, length, attended }
    }

    fn add(&self, number: u16) {
        // Each post has at most one result, so there is room.
        let at = (self.head.get() + self.length.get()) % self.numbers.len();
        self.numbers[at].set(number);
        self.length.set(self.length.get() + 1);
        if !self.attended.get() {
            self.router.notify();
        }
    }

    /// From now on the router takes what comes: it has to call [`ProxyResults::leave`] behind the last one in its poll.
    pub fn attend(&self) {
        self.attended.set(true);
    }

    /// The router has taken all: what comes from now on notifies it.
    pub fn leave(&self) {
        debug_assert!(self.length.get() == 0, "a result that nobody takes");
        self.attended.set(false);
    }

    /// The next post with a result.
    pub fn next(&self) -> Option<u16> {
        let length = self.length.get().checked_sub(1)?;
        self.length.set(length);
        let at = self.head.get();
        self.head.set((at + 1) % self.numbers.len());
        Some(self.numbers[at].get())
    }
}

/// What a proxy is busy with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ProxyTask {
    /// The call at this place.
    Call(u16),
    /// The asynchronous call with this number.
    Copy(u16),
}

/// A proxy, as the router sees it.
pub struct ProxyHandle {
    mailbox: &'static ProxyMailbox,
    process: Notifier,
    wait_canceller: WaitCanceller,
    busy: Option<ProxyTask>,
}

impl ProxyHandle {
    /// The proxy behind `post`, whose process is `process`.
    pub const fn new(mailbox: &'static ProxyMailbox, process: Notifier, wait_canceller: WaitCanceller) -> ProxyHandle {
        ProxyHandle { mailbox, process, wait_canceller, busy: None }
    }
    /// What it is busy with.
    pub fn busy(&self) -> Option<ProxyTask> {
        self.busy
    }
    /// Gives it work; it must not be busy.
    pub fn start(&mut self, busy: ProxyTask, work: ProxyCall, interrupted: bool) {
        self.give(busy, work, interrupted);
        self.process.notify();
    }
    /// As [`ProxyHandle::start`]: the proxy runs at once, in the router's poll, if it may.
    pub fn run(&mut self, busy: ProxyTask, work: ProxyCall, interrupted: bool) {
        self.give(busy, work, interrupted);
        self.process.notify_in_place();
    }
    #[inline(always)]
    fn give(&mut self, busy: ProxyTask, work: ProxyCall, interrupted: bool) {
        self.busy = Some(busy);
        self.mailbox.interrupted.set(interrupted);
        self.mailbox.work.set(Some(work));
        if interrupted {
            self.wait_canceller.cancel_wait();
        }
    }
    /// Notifies the proxy that its caller was interrupted.
    pub fn cancel_wait(&self) {
        self.mailbox.interrupted.set(true);
        self.wait_canceller.cancel_wait();
    }
    /// Takes its result.
    pub fn take_done(&mut self) -> Option<(ProxyTask, ProxyReply)> {
        let done = self.mailbox.done.take()?;
        Some((self.busy.take()?, done))
    }
}

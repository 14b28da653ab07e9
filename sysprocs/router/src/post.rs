//! Where the router leaves work for a proxy, and the proxy its result.
//!
//! Invariant: the memory of a message belongs to the router, to the post, or to the proxy, never to
//! two of them: it moves with the work and with the result. So nobody waits for memory, and the router
//! calls nobody: it only notifies.
//!
//! Both are on one core now, so cells suffice. On several cores the two places of a post become slots
//! with an atomic full flag (written before it is released, read after it is acquired), the completions a
//! queue of many producers, and the notifications cross by inter-processor interrupt.

use core::cell::Cell;
use renga_core::notification::Notifier;
use renga_rt::WaitCanceller;
use renga_rt::account::AccountNumber;
use renga_rt::raw::Message;

/// A call to make.
pub struct Work {
    /// The board whose process calls.
    pub board: u8,
    /// Whose work it is.
    pub account: AccountNumber,
    /// Whether it is done only when that account is due for its share of the core.
    pub patient: bool,
    /// The server's index on this board.
    pub destination: u16,
    /// The entry's number.
    pub op: u32,
    /// The words.
    pub words: Message,
    /// Bytes that the call gives: the first of `slices`.
    pub given_bytes: usize,
    /// Bytes that the call takes: those behind.
    pub taken_bytes: usize,
    /// Memory of the slice given, and behind it of the slice taken.
    pub slices: &'static mut [u8],
}

/// What came of it.
pub struct Done {
    /// The reply's words.
    pub words: Message,
    /// Bytes of the answer in the slice taken.
    pub used_bytes: usize,
    /// As in the work.
    pub slices: &'static mut [u8],
}

/// The letter box of one proxy.
pub struct Post {
    number: u16,
    work: Cell<Option<Work>>,
    done: Cell<Option<Done>>,
    /// The caller of the present work was interrupted.
    interrupted: Cell<bool>,
}

impl Post {
    /// The empty post of proxy `number`.
    pub const fn new(number: u16) -> Post {
        Post { number, work: Cell::new(None), done: Cell::new(None), interrupted: Cell::new(false) }
    }
    /// Takes the work there is, and whether its caller was interrupted.
    pub fn take_work(&self) -> Option<(Work, bool)> {
        self.work.take().map(|work| (work, self.interrupted.get()))
    }
    /// Leaves the result.
    pub fn finish(&self, done: Done, completions: &Completions) {
        self.done.set(Some(done));
        completions.add(self.number);
    }
}

/// Numbers of the posts with results, in the order in which they came.
pub struct Completions {
    router: Notifier,
    numbers: &'static [Cell<u16>],
    head: Cell<usize>,
    length: Cell<usize>,
}

impl Completions {
    /// None yet, for `router`; with a place for each post.
    pub const fn new(router: Notifier, numbers: &'static [Cell<u16>]) -> Completions {
        Completions { router, numbers, head: Cell::new(0), length: Cell::new(0) }
    }

    fn add(&self, number: u16) {
        // Each post has at most one result, so there is room.
        let at = (self.head.get() + self.length.get()) % self.numbers.len();
        self.numbers[at].set(number);
        self.length.set(self.length.get() + 1);
        self.router.notify();
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
pub enum Busy {
    /// The call at this place.
    Call(u16),
    /// The asynchronous call with this number.
    Copy(u16),
}

/// A proxy, as the router sees it.
pub struct Worker {
    post: &'static Post,
    process: Notifier,
    wait_canceller: WaitCanceller,
    busy: Option<Busy>,
}

impl Worker {
    /// The proxy behind `post`, whose process is `process`.
    pub const fn new(post: &'static Post, process: Notifier, wait_canceller: WaitCanceller) -> Worker {
        Worker { post, process, wait_canceller, busy: None }
    }
    /// What it is busy with.
    pub fn busy(&self) -> Option<Busy> {
        self.busy
    }
    /// Gives it work; it must not be busy.
    pub fn start(&mut self, busy: Busy, work: Work, interrupted: bool) {
        self.busy = Some(busy);
        self.post.interrupted.set(interrupted);
        self.post.work.set(Some(work));
        if interrupted {
            self.wait_canceller.cancel_wait();
        }
        self.process.notify();
    }
    /// Tells it that its caller was interrupted.
    pub fn cancel_wait(&self) {
        self.post.interrupted.set(true);
        self.wait_canceller.cancel_wait();
    }
    /// Takes its result.
    pub fn take_done(&mut self) -> Option<(Busy, Done)> {
        let done = self.post.done.take()?;
        Some((self.busy.take()?, done))
    }
}

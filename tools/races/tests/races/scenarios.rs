//! What cores do to each other, over whichever variant of the code this file is a module of.
//!
//! Invariant: a scenario ends in every interleaving, otherwise loom reports a deadlock; loom's cell in a message finds
//! two cores that reach its content at once. A scenario leaks a few words each time.

use super::{CallLocation, CoreMessage, EventFlags, Ipi, Mailbox, OwnedMessage};
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use loom::thread::{self, Thread};
use std::cell::{Cell, RefCell};

/// Wakes one thread. That it was pending is no order of anything else.
struct ThreadIpi {
    pending: AtomicBool,
    owner: Thread,
}

impl ThreadIpi {
    /// That of the thread that asks.
    fn own() -> &'static ThreadIpi {
        leak(ThreadIpi { pending: AtomicBool::new(false), owner: thread::current() })
    }
}

impl Ipi for ThreadIpi {
    fn send(&self) {
        self.pending.store(true, Ordering::Relaxed);
        self.owner.unpark();
    }
    fn acknowledge(&self) {
        self.pending.store(false, Ordering::Relaxed);
    }
    fn wait(&self) {
        while !self.pending.load(Ordering::Relaxed) {
            thread::park();
        }
    }
}

/// A core, as others see it.
#[derive(Clone, Copy)]
struct Core {
    mailbox: &'static Mailbox<Content>,
    ipi: &'static ThreadIpi,
}

impl Core {
    /// That of the thread that asks.
    fn own() -> Core {
        Core { mailbox: leak(Mailbox::new()), ipi: ThreadIpi::own() }
    }
    fn post(self, mut message: OwnedMessage<Content>) {
        touch(&mut message);
        self.mailbox.post(message, self.ipi);
    }
    /// Takes and sleeps alternately, until `deliver` has had enough.
    fn run(self, mut deliver: impl FnMut(OwnedMessage<Content>), enough: impl Fn() -> bool) {
        loop {
            self.mailbox.drain(&mut deliver);
            if enough() {
                return;
            }
            self.mailbox.sleep(self.ipi);
        }
    }
}

/// A message's content: its sender, and a cell for its owner alone.
struct Content {
    who: usize,
    answer_to: Option<Core>,
    own: UnsafeCell<()>,
}

impl Content {
    fn of(who: usize) -> Content {
        Content { who, answer_to: None, own: UnsafeCell::new(()) }
    }
}

/// Calls of the first caller in [`answer`].
const CALLS: u32 = 2;

fn leak<T>(value: T) -> &'static mut T {
    Box::leak(Box::new(value))
}

fn message(who: usize) -> OwnedMessage<Content> {
    leak(CoreMessage::new(Content::of(who))).own()
}

/// Reaches the content, as its only holder may.
fn touch(message: &mut OwnedMessage<Content>) -> usize {
    message.payload().own.with_mut(|_| ());
    message.payload().who
}

pub fn order() {
    let own = Core::own();
    let other = thread::spawn(move || (0..2).for_each(|who| own.post(message(who))));
    let mut seen = Vec::new();
    for _ in 0..2 {
        own.mailbox.drain(|mut message| seen.push(touch(&mut message)));
    }
    other.join().expect("no core fails");
    own.mailbox.drain(|mut message| seen.push(touch(&mut message)));
    assert_eq!(seen, [0, 1]);
}

pub fn two_post() {
    let own = Core::own();
    let others = [0, 1].map(|who| thread::spawn(move || own.post(message(who))));
    let mut seen = Vec::new();
    own.mailbox.drain(|mut message| seen.push(touch(&mut message)));
    others.map(|other| other.join().expect("no core fails"));
    own.mailbox.drain(|mut message| seen.push(touch(&mut message)));
    seen.sort_unstable();
    assert_eq!(seen, [0, 1]);
}

pub fn sleep() {
    let own = Core::own();
    let other = thread::spawn(move || (0..2).for_each(|who| own.post(message(who))));
    let seen = RefCell::new(Vec::new());
    own.run(|mut message| seen.borrow_mut().push(touch(&mut message)), || seen.borrow().len() == 2);
    other.join().expect("no core fails");
    assert_eq!(*seen.borrow(), [0, 1]);
}

/// A message goes to the server and comes back twice; another one is posted behind it meanwhile.
pub fn answer() {
    let server = Core::own();
    let client = thread::spawn(move || {
        let (caller, answers) = (Core::own(), Cell::new(0));
        let mut call = message(0);
        call.payload().answer_to = Some(caller);
        server.post(call);
        server.post(message(1));
        let again = |mut message: OwnedMessage<Content>| {
            touch(&mut message);
            answers.set(answers.get() + 1);
            if answers.get() < CALLS {
                server.post(message);
            }
        };
        caller.run(again, || answers.get() == CALLS);
    });
    let taken = Cell::new(0);
    let deliver = |mut message: OwnedMessage<Content>| {
        touch(&mut message);
        taken.set(taken.get() + 1);
        if let Some(caller) = message.payload().answer_to {
            caller.post(message);
        }
    };
    server.run(deliver, || taken.get() == CALLS + 1);
    client.join().expect("no core fails");
}

pub fn raise() {
    let own = Core::own();
    let signal: &'static EventFlags<Content> = leak(EventFlags::new(Content::of(0)));
    let written: &'static [AtomicU32; 2] = leak([AtomicU32::new(0), AtomicU32::new(0)]);
    let others = [0, 1].map(|who: usize| {
        thread::spawn(move || {
            written[who].store(1, Ordering::Relaxed);
            signal.set(1 << who, own.mailbox, own.ipi);
        })
    });
    let up = Cell::new(0);
    let deliver = |mut message: OwnedMessage<Content>| {
        touch(&mut message);
        let bits = signal.take(message);
        for who in (0..2).filter(|who| bits >> who & 1 != 0) {
            assert_eq!(written[who].load(Ordering::Relaxed), 1, "what was written before is not seen");
        }
        up.set(up.get() | bits);
    };
    own.run(deliver, || up.get() == 3);
    others.map(|other| other.join().expect("no core fails"));
}

pub fn raise_again() {
    let own = Core::own();
    let signal: &'static EventFlags<Content> = leak(EventFlags::new(Content::of(0)));
    let other = thread::spawn(move || (0..2).for_each(|bit| signal.set(1 << bit, own.mailbox, own.ipi)));
    let up = Cell::new(0);
    let deliver = |mut message: OwnedMessage<Content>| {
        touch(&mut message);
        up.set(up.get() | signal.take(message));
    };
    own.run(deliver, || up.get() == 3);
    other.join().expect("no core fails");
}

/// What the messages of [`cancel`] say, as numbers: the call; the signal after it; that no more come.
const CALL: usize = 0;
const CANCELLATION: usize = 1;
const END: usize = 2;
/// The cores of [`cancel`]: the caller's, the one that passes its call on, and the last.
const HOME: u8 = 0;
const FIRST: u8 = 1;
const LAST: u8 = 2;

/// A call goes by one core to another one, while its caller is interrupted: in the end the last core knows that.
pub fn cancel() {
    let last = Core::own();
    let location: &'static CallLocation = leak(CallLocation::new(HOME));
    let cancellation: &'static EventFlags<Content> = leak(EventFlags::new(Content::of(CANCELLATION)));
    let first = thread::spawn(move || {
        let own = Core::own();
        let home = thread::spawn(move || {
            location.begin(false);
            location.depart();
            own.post(message(CALL));
            match location.cancel() {
                Some(FIRST) => cancellation.set(1, own.mailbox, own.ipi),
                Some(core) => {
                    assert_eq!(core, LAST);
                    cancellation.set(1, last.mailbox, last.ipi);
                }
                None => {}
            }
            own.post(message(END));
        });
        let over = Cell::new(false);
        let deliver = |mut message: OwnedMessage<Content>| match touch(&mut message) {
            CALL => {
                location.arrive(FIRST);
                location.depart();
                last.post(message);
            }
            CANCELLATION => {
                cancellation.take(message);
                match location.core() {
                    Some(LAST) => cancellation.set(1, last.mailbox, last.ipi),
                    core => assert_eq!(core, None, "the call has gone"),
                }
            }
            _ => over.set(true),
        };
        own.run(deliver, || over.get());
        home.join().expect("no core fails");
    });
    let done = Cell::new(false);
    let deliver = |mut message: OwnedMessage<Content>| match touch(&mut message) {
        CALL => {
            location.arrive(LAST);
            done.set(done.get() | location.is_cancelled());
        }
        _ => {
            cancellation.take(message);
            done.set(true);
        }
    };
    last.run(deliver, || done.get());
    first.join().expect("no core fails");
}

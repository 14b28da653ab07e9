//! What cores do to each other, over whichever variant of the code this file is a module of.
//!
//! Invariant: a scenario ends in every interleaving, else loom says that nobody can go on; loom's cell in a letter finds
//! two cores that reach its content at once. A scenario leaks a few words each time.

use super::{Bell, Held, Inbox, Letter, Signal, Whereabouts};
use loom::cell::UnsafeCell;
use loom::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use loom::thread::{self, Thread};
use std::cell::{Cell, RefCell};

/// Wakes one thread. That it was rung is no order of anything else.
struct ThreadBell {
    rung: AtomicBool,
    owner: Thread,
}

impl ThreadBell {
    /// That of the thread that asks.
    fn own() -> &'static ThreadBell {
        leak(ThreadBell { rung: AtomicBool::new(false), owner: thread::current() })
    }
}

impl Bell for ThreadBell {
    fn ring(&self) {
        self.rung.store(true, Ordering::Relaxed);
        self.owner.unpark();
    }
    fn silence(&self) {
        self.rung.store(false, Ordering::Relaxed);
    }
    fn wait(&self) {
        while !self.rung.load(Ordering::Relaxed) {
            thread::park();
        }
    }
}

/// A core, as others see it.
#[derive(Clone, Copy)]
struct Core {
    inbox: &'static Inbox<Content>,
    bell: &'static ThreadBell,
}

impl Core {
    /// That of the thread that asks.
    fn own() -> Core {
        Core { inbox: leak(Inbox::new()), bell: ThreadBell::own() }
    }
    fn post(self, mut letter: Held<Content>) {
        touch(&mut letter);
        self.inbox.post(letter, self.bell);
    }
    /// Takes and sleeps in turn, until `deliver` has had enough.
    fn run(self, mut deliver: impl FnMut(Held<Content>), enough: impl Fn() -> bool) {
        loop {
            self.inbox.take(&mut deliver);
            if enough() {
                return;
            }
            self.inbox.rest(self.bell);
        }
    }
}

/// What a letter holds: who sent it, and what its holder alone may reach.
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

fn letter(who: usize) -> Held<Content> {
    leak(Letter::new(Content::of(who))).hold()
}

/// Reaches the content, as its only holder may.
fn touch(letter: &mut Held<Content>) -> usize {
    letter.content().own.with_mut(|_| ());
    letter.content().who
}

pub fn order() {
    let own = Core::own();
    let other = thread::spawn(move || (0..2).for_each(|who| own.post(letter(who))));
    let mut seen = Vec::new();
    for _ in 0..2 {
        own.inbox.take(|mut letter| seen.push(touch(&mut letter)));
    }
    other.join().expect("no core fails");
    own.inbox.take(|mut letter| seen.push(touch(&mut letter)));
    assert_eq!(seen, [0, 1]);
}

pub fn two_post() {
    let own = Core::own();
    let others = [0, 1].map(|who| thread::spawn(move || own.post(letter(who))));
    let mut seen = Vec::new();
    own.inbox.take(|mut letter| seen.push(touch(&mut letter)));
    others.map(|other| other.join().expect("no core fails"));
    own.inbox.take(|mut letter| seen.push(touch(&mut letter)));
    seen.sort_unstable();
    assert_eq!(seen, [0, 1]);
}

pub fn sleep() {
    let own = Core::own();
    let other = thread::spawn(move || (0..2).for_each(|who| own.post(letter(who))));
    let seen = RefCell::new(Vec::new());
    own.run(|mut letter| seen.borrow_mut().push(touch(&mut letter)), || seen.borrow().len() == 2);
    other.join().expect("no core fails");
    assert_eq!(*seen.borrow(), [0, 1]);
}

/// A letter goes to the server and comes back twice; another one is posted behind it meanwhile.
pub fn answer() {
    let server = Core::own();
    let client = thread::spawn(move || {
        let (caller, answers) = (Core::own(), Cell::new(0));
        let mut call = letter(0);
        call.content().answer_to = Some(caller);
        server.post(call);
        server.post(letter(1));
        let again = |mut letter: Held<Content>| {
            touch(&mut letter);
            answers.set(answers.get() + 1);
            if answers.get() < CALLS {
                server.post(letter);
            }
        };
        caller.run(again, || answers.get() == CALLS);
    });
    let taken = Cell::new(0);
    let deliver = |mut letter: Held<Content>| {
        touch(&mut letter);
        taken.set(taken.get() + 1);
        if let Some(caller) = letter.content().answer_to {
            caller.post(letter);
        }
    };
    server.run(deliver, || taken.get() == CALLS + 1);
    client.join().expect("no core fails");
}

pub fn raise() {
    let own = Core::own();
    let signal: &'static Signal<Content> = leak(Signal::new(Content::of(0)));
    let written: &'static [AtomicU32; 2] = leak([AtomicU32::new(0), AtomicU32::new(0)]);
    let others = [0, 1].map(|who: usize| {
        thread::spawn(move || {
            written[who].store(1, Ordering::Relaxed);
            signal.raise(1 << who, own.inbox, own.bell);
        })
    });
    let up = Cell::new(0);
    let deliver = |mut letter: Held<Content>| {
        touch(&mut letter);
        let bits = signal.lower(letter);
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
    let signal: &'static Signal<Content> = leak(Signal::new(Content::of(0)));
    let other = thread::spawn(move || (0..2).for_each(|bit| signal.raise(1 << bit, own.inbox, own.bell)));
    let up = Cell::new(0);
    let deliver = |mut letter: Held<Content>| {
        touch(&mut letter);
        up.set(up.get() | signal.lower(letter));
    };
    own.run(deliver, || up.get() == 3);
    other.join().expect("no core fails");
}

/// What the letters of [`pursue`] say, as numbers: the call; the signal after it; that no more come.
const CALL: usize = 0;
const PURSUIT: usize = 1;
const END: usize = 2;
/// The cores of [`pursue`]: the caller's, the one that passes its call on, and the last.
const HOME: u8 = 0;
const FIRST: u8 = 1;
const LAST: u8 = 2;

/// A call goes by one core to another one, while its caller is interrupted: in the end the last core knows that.
pub fn pursue() {
    let last = Core::own();
    let whereabouts: &'static Whereabouts = leak(Whereabouts::new(HOME));
    let pursuit: &'static Signal<Content> = leak(Signal::new(Content::of(PURSUIT)));
    let first = thread::spawn(move || {
        let own = Core::own();
        let home = thread::spawn(move || {
            whereabouts.begin(false);
            whereabouts.depart();
            own.post(letter(CALL));
            match whereabouts.interrupt() {
                Some(FIRST) => pursuit.raise(1, own.inbox, own.bell),
                Some(core) => {
                    assert_eq!(core, LAST);
                    pursuit.raise(1, last.inbox, last.bell);
                }
                None => {}
            }
            own.post(letter(END));
        });
        let over = Cell::new(false);
        let deliver = |mut letter: Held<Content>| match touch(&mut letter) {
            CALL => {
                whereabouts.arrive(FIRST);
                whereabouts.depart();
                last.post(letter);
            }
            PURSUIT => {
                pursuit.lower(letter);
                match whereabouts.core() {
                    Some(LAST) => pursuit.raise(1, last.inbox, last.bell),
                    core => assert_eq!(core, None, "the call has gone"),
                }
            }
            _ => over.set(true),
        };
        own.run(deliver, || over.get());
        home.join().expect("no core fails");
    });
    let told = Cell::new(false);
    let deliver = |mut letter: Held<Content>| match touch(&mut letter) {
        CALL => {
            whereabouts.arrive(LAST);
            told.set(told.get() | whereabouts.is_interrupted());
        }
        _ => {
            pursuit.lower(letter);
            told.set(true);
        }
    };
    last.run(deliver, || told.get());
    first.join().expect("no core fails");
}

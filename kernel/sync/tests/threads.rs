//! The same with real threads: what loom cannot do, many letters for a while.

use renga_sync::{Bell, Held, Inbox, Letter, Signal};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};

/// Posts of each caller.
const ROUNDS: u64 = 20_000;
const CALLERS: usize = 3;

struct ThreadBell {
    rung: AtomicBool,
    owner: Mutex<Option<Thread>>,
}

impl ThreadBell {
    const fn new() -> Self {
        ThreadBell { rung: AtomicBool::new(false), owner: Mutex::new(None) }
    }
    /// From now on it wakes the thread that says so.
    fn mine(&self) {
        *self.owner.lock().expect("nobody panics") = Some(thread::current());
    }
}

impl Bell for ThreadBell {
    fn ring(&self) {
        self.rung.store(true, Ordering::SeqCst);
        if let Some(owner) = &*self.owner.lock().expect("nobody panics") {
            owner.unpark();
        }
    }
    fn silence(&self) {
        self.rung.store(false, Ordering::SeqCst);
    }
    fn wait(&self) {
        while !self.rung.load(Ordering::SeqCst) {
            thread::park();
        }
    }
}

/// The caller, and what the server counts up.
type Call = (usize, u64);

static INBOXES: [Inbox<Call>; CALLERS + 1] = [const { Inbox::new() }; CALLERS + 1];
static BELLS: [ThreadBell; CALLERS + 1] = [const { ThreadBell::new() }; CALLERS + 1];

fn post(letter: Held<Call>, to: usize) {
    INBOXES[to].post(letter, &BELLS[to]);
}

fn caller(who: usize) -> u64 {
    BELLS[who].mine();
    let mut last = 0;
    post(Box::leak(Box::new(Letter::new((who, 0)))).hold(), CALLERS);
    loop {
        INBOXES[who].take(|mut letter| {
            last = letter.content().1;
            if last < ROUNDS {
                post(letter, CALLERS);
            }
        });
        if last == ROUNDS {
            return last;
        }
        INBOXES[who].rest(&BELLS[who]);
    }
}

#[test]
fn calls_of_three_threads_are_answered_each_time() {
    BELLS[CALLERS].mine();
    let callers: Vec<_> = (0..CALLERS).map(|who| thread::spawn(move || caller(who))).collect();
    let mut answered = 0;
    while answered < ROUNDS * CALLERS as u64 {
        INBOXES[CALLERS].take(|mut letter| {
            let call = letter.content();
            call.1 += 1;
            answered += 1;
            let who = call.0;
            post(letter, who);
        });
        if answered < ROUNDS * CALLERS as u64 {
            INBOXES[CALLERS].rest(&BELLS[CALLERS]);
        }
    }
    for caller in callers {
        assert_eq!(caller.join().expect("no thread panics"), ROUNDS);
    }
}

#[test]
#[should_panic(expected = "the letter of another signal")]
fn a_signal_takes_its_own_letter_only() {
    static SIGNALS: [Signal<u8>; 2] = [const { Signal::new(0) }; 2];
    let (inbox, bell) = (Inbox::new(), ThreadBell::new());
    SIGNALS[0].raise(1, &inbox, &bell);
    inbox.take(|letter| assert_eq!(SIGNALS[1].lower(letter), 1));
}

#[test]
#[should_panic(expected = "a signal of nothing")]
fn a_signal_without_bits_is_none() {
    static SIGNAL: Signal<u8> = Signal::new(0);
    SIGNAL.raise(0, &Inbox::new(), &ThreadBell::new());
}

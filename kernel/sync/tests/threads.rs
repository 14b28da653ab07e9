//! The same with real threads: what loom cannot do, many messages for a while.

use renga_sync::{CoreMessage, EventFlags, Ipi, Mailbox, OwnedMessage};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, Thread};

/// Posts of each caller.
const ROUNDS: u64 = 20_000;
const CALLERS: usize = 3;

struct ThreadIpi {
    pending: AtomicBool,
    owner: Mutex<Option<Thread>>,
}

impl ThreadIpi {
    const fn new() -> Self {
        ThreadIpi { pending: AtomicBool::new(false), owner: Mutex::new(None) }
    }
    /// From now on it wakes the thread that says so.
    fn mine(&self) {
        *self.owner.lock().expect("no thread panics") = Some(thread::current());
    }
}

impl Ipi for ThreadIpi {
    fn send(&self) {
        self.pending.store(true, Ordering::SeqCst);
        if let Some(owner) = &*self.owner.lock().expect("no thread panics") {
            owner.unpark();
        }
    }
    fn acknowledge(&self) {
        self.pending.store(false, Ordering::SeqCst);
    }
    fn wait(&self) {
        while !self.pending.load(Ordering::SeqCst) {
            thread::park();
        }
    }
}

/// The caller, and what the server counts up.
type Call = (usize, u64);

static MAILBOXES: [Mailbox<Call>; CALLERS + 1] = [const { Mailbox::new() }; CALLERS + 1];
static IPIS: [ThreadIpi; CALLERS + 1] = [const { ThreadIpi::new() }; CALLERS + 1];

fn post(message: OwnedMessage<Call>, to: usize) {
    MAILBOXES[to].post(message, &IPIS[to]);
}

fn caller(who: usize) -> u64 {
    IPIS[who].mine();
    let mut last = 0;
    post(Box::leak(Box::new(CoreMessage::new((who, 0)))).own(), CALLERS);
    loop {
        MAILBOXES[who].drain(|mut message| {
            last = message.payload().1;
            if last < ROUNDS {
                post(message, CALLERS);
            }
        });
        if last == ROUNDS {
            return last;
        }
        MAILBOXES[who].sleep(&IPIS[who]);
    }
}

#[test]
fn mailbox_three_threads_get_all_answers() {
    IPIS[CALLERS].mine();
    let callers: Vec<_> = (0..CALLERS).map(|who| thread::spawn(move || caller(who))).collect();
    let mut answered = 0;
    while answered < ROUNDS * CALLERS as u64 {
        MAILBOXES[CALLERS].drain(|mut message| {
            let call = message.payload();
            call.1 += 1;
            answered += 1;
            let who = call.0;
            post(message, who);
        });
        if answered < ROUNDS * CALLERS as u64 {
            MAILBOXES[CALLERS].sleep(&IPIS[CALLERS]);
        }
    }
    for caller in callers {
        assert_eq!(caller.join().expect("no thread panics"), ROUNDS);
    }
}

#[test]
#[should_panic(expected = "the message of other event flags")]
fn event_flags_foreign_message_panics() {
    static SIGNALS: [EventFlags<u8>; 2] = [const { EventFlags::new(0) }; 2];
    let (mailbox, ipi) = (Mailbox::new(), ThreadIpi::new());
    SIGNALS[0].set(1, &mailbox, &ipi);
    mailbox.drain(|message| assert_eq!(SIGNALS[1].take(message), 1));
}

#[test]
#[should_panic(expected = "no event flag")]
fn event_flags_without_bits_panic() {
    static SIGNAL: EventFlags<u8> = EventFlags::new(0);
    SIGNAL.set(0, &Mailbox::new(), &ThreadIpi::new());
}

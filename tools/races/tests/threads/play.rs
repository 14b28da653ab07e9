//! Messages between real threads, over whichever variant of the code this file is a module of.
//!
//! Invariant: nothing but the mailbox orders what is in a message; IPIs are relaxed, and no thread is joined before it
//! has had all answers.

use super::{CoreMessage, Ipi, Mailbox, OwnedMessage};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Calls of each caller.
const ROUNDS: u64 = 2_000;
const CALLERS: usize = 3;

struct ThreadIpi(AtomicBool);

impl Ipi for ThreadIpi {
    fn send(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
    fn acknowledge(&self) {
        self.0.store(false, Ordering::Relaxed);
    }
    fn wait(&self) {
        while !self.0.load(Ordering::Relaxed) {
            thread::yield_now();
        }
    }
}

/// The caller, and what the server counts up.
type Call = (usize, u64);

static MAILBOXES: [Mailbox<Call>; CALLERS + 1] = [const { Mailbox::new() }; CALLERS + 1];
static IPIS: [ThreadIpi; CALLERS + 1] = [const { ThreadIpi(AtomicBool::new(false)) }; CALLERS + 1];

fn post(message: OwnedMessage<Call>, to: usize) {
    MAILBOXES[to].post(message, &IPIS[to]);
}

fn caller(who: usize) {
    let mut last = 0;
    post(Box::leak(Box::new(CoreMessage::new((who, 0)))).own(), CALLERS);
    while last < ROUNDS {
        MAILBOXES[who].drain(|mut message| {
            last = message.payload().1;
            if last < ROUNDS {
                post(message, CALLERS);
            }
        });
        if last < ROUNDS {
            MAILBOXES[who].sleep(&IPIS[who]);
        }
    }
}

/// Has each call of three callers answered by a fourth thread.
pub fn play() {
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
    callers.into_iter().for_each(|caller| caller.join().expect("no thread panics"));
}

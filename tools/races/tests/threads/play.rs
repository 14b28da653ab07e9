//! Letters between real threads, over whichever variant of the code this file is a module of.
//!
//! Invariant: nothing but the inbox orders what is in a letter; bells are relaxed, and no thread is joined before it
//! has had all answers.

use super::{Bell, Held, Inbox, Letter};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

/// Calls of each caller.
const ROUNDS: u64 = 2_000;
const CALLERS: usize = 3;

struct ThreadBell(AtomicBool);

impl Bell for ThreadBell {
    fn ring(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
    fn silence(&self) {
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

static INBOXES: [Inbox<Call>; CALLERS + 1] = [const { Inbox::new() }; CALLERS + 1];
static BELLS: [ThreadBell; CALLERS + 1] = [const { ThreadBell(AtomicBool::new(false)) }; CALLERS + 1];

fn post(letter: Held<Call>, to: usize) {
    INBOXES[to].post(letter, &BELLS[to]);
}

fn caller(who: usize) {
    let mut last = 0;
    post(Box::leak(Box::new(Letter::new((who, 0)))).hold(), CALLERS);
    while last < ROUNDS {
        INBOXES[who].take(|mut letter| {
            last = letter.content().1;
            if last < ROUNDS {
                post(letter, CALLERS);
            }
        });
        if last < ROUNDS {
            INBOXES[who].rest(&BELLS[who]);
        }
    }
}

/// Has each call of three callers answered by a fourth thread.
pub fn play() {
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
    callers.into_iter().for_each(|caller| caller.join().expect("no thread panics"));
}

//! Calls that return data as two rendezvous, one in each direction: their frames, counts and order.

use crate::cast::{Add, Cast, Fetch, Null, Seen, body, cluster};
use crate::synchronous::LIMIT_NS;
use renga_rt::Errno;
use renga_sim::ClusterSetup;
use std::cell::Cell;
use std::rc::Rc;

/// Calls of each of the three kinds that the client makes.
const CALLS: u64 = 5;

/// A client on board 1 that makes [`CALLS`] calls for a status, a word and a page each of board 0.
fn made(cast: Cast) -> Vec<Seen> {
    let done = Rc::new(Cell::new(false));
    let progress = done.clone();
    let (mut cluster, seen) = cluster(ClusterSetup::new(2), cast, move |board, _| {
        let progress = progress.clone();
        let client = body(move |mut stores| {
            let progress = progress.clone();
            async move {
                let mut page = [0; 4096];
                for seed in 0..CALLS {
                    let mut far = stores.at(0, 0);
                    assert_eq!(far.call(Null {}, ()).await, Ok(()));
                    let add = Add { a: seed, b: 0, c: 0, d: 0, e: 0, f: 0 };
                    assert_eq!(far.call(add, ()).await, Ok::<_, Errno>(seed));
                    assert_eq!(far.call(Fetch { seed, used: 4096 }, &mut page).await, Ok(4096));
                }
                progress.set(true);
            }
        });
        client.filter(|_| board == 1)
    });
    assert!(cluster.run_while(LIMIT_NS, || !done.get()));
    cluster.run_until(cluster.now_ns() + 1_000_000_000);
    assert!(seen.iter().all(|seen| seen.stats.refused.get() == 0));
    seen
}

/// Frames with data of both boards.
fn frames(seen: &[Seen]) -> [u64; 2] {
    [0, 1].map(|board: usize| seen[board].stats.frames_sent.get() - seen[board].stats.control_sent.get())
}

/// Rendezvous of board 1: waited for, released, and those that return nothing.
fn rendezvous(seen: &[Seen]) -> [u64; 3] {
    let stats = seen[1].stats;
    [stats.calls_sync.get(), stats.calls_async.get(), stats.could_be_async.get()]
}

#[test]
fn paired_synchronous_call_sends_its_ends() {
    let (whole, paired) = (made(Cast::pair(1)), made(Cast { paired: true, ..Cast::pair(1) }));
    assert_eq!(rendezvous(&whole), [3 * CALLS, 0, 0]);
    // A status comes back in its call's own rendezvous; a word and a page take another.
    assert_eq!(rendezvous(&paired), [CALLS + 4 * CALLS, 0, 4 * CALLS]);
    let [a, b] = frames(&whole);
    assert_eq!(frames(&paired), [a + 2 * CALLS, b + 2 * CALLS], "that the call is passed on; that the answer is here");
}

#[test]
fn paired_asynchronous_call_awaits_no_end() {
    let whole = made(Cast::pair(1));
    let paired = made(Cast { paired: true, asynchronous: true, ..Cast::pair(1) });
    assert_eq!(rendezvous(&paired), [CALLS, 4 * CALLS, 4 * CALLS]);
    assert_eq!(frames(&paired), frames(&whole), "the same frames as calls that carry their answers back");
}

//! Has programs look again at what they wait for, on whichever board they are.
//!
//! Invariant: it calls the clocks, where programs wait, and nobody calls it: who has something to wake notes that and
//! notifies it. A board that cannot be reached has nobody who waits. Not here: who waits for what (its server).

use renga_proto::clock::{Clock, Wake};
use renga_rt::{Family, Me, Never, Wakes};

/// Passes on what is noted in `wakes`.
pub async fn waker(mut me: Me, mut clocks: Family<Clock, { Wake::BIT }>, wakes: &'static Wakes) -> Never {
    loop {
        me.notified().await;
        // Bounded by the slots of all boards, as each wakes others only when it has run.
        while let Some((board, [first, second, third, fourth])) = wakes.take() {
            if let Some(mut clock) = clocks.at(board, 0) {
                let _ = clock.call(Wake { first, second, third, fourth }, ()).await;
            }
        }
    }
}

//! Wakes programs that wait for objects of this board, on whichever board they are.
//!
//! Invariant: the waker calls the clocks, where programs wait, and no process calls the waker. A server notes the slots
//! to wake and notifies it. A board that cannot be reached has no waiters; one that has rebooted since the last call
//! may have. Called by: servers, through [`Wakes`]. Not here: which program waits for what (its server).

use renga_proto::clock::{Clock, Wake};
use renga_rt::{Family, Me, Never, Retry, Wakes};

/// Passes on what is noted in `wakes`.
pub async fn waker(mut me: Me, mut clocks: Family<Clock, { Wake::BIT }>, wakes: &'static Wakes) -> Never {
    loop {
        me.notified().await;
        // Bounded by the slots of all boards, as each wakes others only when it has run.
        while let Some((board, [first, second, third, fourth])) = wakes.take() {
            if let Some(mut clock) = clocks.at(board, 0) {
                let _ = clock.call_retrying(Wake { first, second, third, fourth }, ()).await;
            }
        }
    }
}

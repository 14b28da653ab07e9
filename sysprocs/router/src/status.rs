//! Serves the router's counters, so that the router itself serves only callers of other boards.

use crate::stats::LinkStats;
use renga_proto::router::{RouterStatus, RouterStatusCall};
use renga_rt::{Never, Port};

/// Serves the counters in `stats`.
pub async fn link_status(mut port: Port<RouterStatus>, stats: &'static LinkStats) -> Never {
    loop {
        match port.accept().await {
            RouterStatusCall::ReadCounters(mut call) => {
                let places = call.lent().as_chunks_mut::<8>().0.iter_mut().zip(stats.values());
                let count = places.map(|(place, value)| *place = value.to_le_bytes()).count();
                call.set_taken_used(count * 8);
                call.reply(Ok(count as u32));
            }
        }
    }
}

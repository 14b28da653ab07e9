//! Serves the router's counters, so that the router itself serves only callers of other boards.

use crate::stats::LinkStats;
use renga_proto::router::{RouterStatus, RouterStatusCall};
use renga_rt::{Never, Port};

/// Serves the counters in `stats`.
pub async fn link_status(mut port: Port<RouterStatus>, stats: &'static LinkStats) -> Never {
    loop {
        match port.accept().await {
            RouterStatusCall::ReadCounters(mut call) => {
                let values = stats.values();
                let mut count = 0;
                for (to, value) in call.lent().chunks_exact_mut(8).zip(values) {
                    to.copy_from_slice(&value.to_le_bytes());
                    count += 1;
                }
                call.set_taken_used(count * 8);
                call.reply(Ok(count as u32));
            }
        }
    }
}

//! From a trace that `renga run --trace` wrote to a record.

use super::Recorded;
use renga_trace::{BadTrace, TraceEvent, TraceReader};

/// Reads a trace; of what is in it, starts of boards and frames.
///
/// # Errors
/// Where it is wrong, and what is.
pub fn read(bytes: &[u8]) -> Result<Vec<Recorded>, BadTrace> {
    let mut timed: Vec<(u64, Recorded)> = Vec::new();
    for event in TraceReader::new(bytes)? {
        let event = event?;
        match event.event {
            TraceEvent::Started => timed.push((event.time_ns, Recorded::Started(event.board))),
            TraceEvent::Frame(frame) => {
                let to = frame.bytes.first().map_or(0, |byte| byte >> 4);
                let received_ns = event.time_ns.saturating_add(frame.arrives_after_ns);
                timed.push((received_ns, Recorded::Received(to, frame.bytes.clone())));
                let sent_ns = event.time_ns.saturating_sub(frame.token_wait_ns);
                timed.push((sent_ns, Recorded::Sent(event.board, frame.bytes)));
            }
            _ => {}
        }
    }
    // At the same time a frame is heard before the next is said.
    timed.sort_by_key(|(at_ns, part)| (*at_ns, matches!(part, Recorded::Sent(..))));
    Ok(timed.into_iter().map(|(_, part)| part).collect())
}

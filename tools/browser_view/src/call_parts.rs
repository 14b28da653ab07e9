//! Where the time of a call to another board goes: server, wire, token, and what is left, the software of both boards.
//!
//! Invariant: each nanosecond of the call is in one part. A frame of the call is on the wire until it arrives; while
//! the server has the call, its time is the server's.

use crate::call_index::CallIndex;
use crate::tables::{CallRow, FrameRow, RunTables};

/// Frames of one call that are looked at: those of a page and its replies many times over.
const FRAMES_OF_CALL_MAX: usize = 64;

/// The part to which an instant belongs, the first that applies.
pub const PART_NAMES: [&str; 4] = ["server", "wire", "token", "software"];

/// Fills the parts of all calls to other boards.
pub fn fill(tables: &mut RunTables) {
    let index = CallIndex::new(tables);
    for row in 0..tables.calls.len() as u32 {
        let (carriers, frames) = (index.carriers(tables, row), index.frames_of.of(row));
        if carriers.is_empty() && frames.is_empty() {
            continue;
        }
        let served = |row: &u32| (tables.calls[*row as usize].begin_ns, tables.calls[*row as usize].end_ns);
        let served: Vec<_> = carriers.iter().map(served).collect();
        let frames = frames.iter().take(FRAMES_OF_CALL_MAX).map(|frame| tables.frames[*frame as usize]);
        let parts_ns = parts(&tables.calls[row as usize], &served, &frames.collect::<Vec<_>>());
        tables.calls[row as usize].parts_ns = parts_ns;
    }
}

/// Server, wire and token time of a call, ns.
fn parts(call: &CallRow, served: &[(u64, u64)], frames: &[FrameRow]) -> [u64; 3] {
    let clip = |(begin_ns, end_ns): (u64, u64)| {
        (begin_ns.clamp(call.begin_ns, call.end_ns), end_ns.clamp(call.begin_ns, call.end_ns))
    };
    let server: Vec<_> = served.iter().copied().map(clip).collect();
    let wire: Vec<_> = frames.iter().map(on_wire).map(clip).collect();
    let token: Vec<_> = frames.iter().map(for_token).map(clip).collect();
    let all = [&server, &wire, &token];
    let mut cuts: Vec<u64> =
        all.iter().flat_map(|spans| spans.iter().flat_map(|(begin, end)| [*begin, *end])).collect();
    cuts.sort_unstable();
    let mut sums = [0; 3];
    for pair in cuts.windows(2) {
        let within = |spans: &&Vec<(u64, u64)>| spans.iter().any(|(begin, end)| *begin <= pair[0] && pair[1] <= *end);
        if let Some(part) = all.iter().position(within) {
            sums[part] += pair[1] - pair[0];
        }
    }
    sums
}

/// From when to when a frame is on the wire, ns.
pub fn on_wire(frame: &FrameRow) -> (u64, u64) {
    let ns = frame.wire_ns.max(frame.arrives_after_ns);
    (frame.time_ns, frame.time_ns.saturating_add(ns))
}

/// From when to when a frame waits for the token, ns.
pub fn for_token(frame: &FrameRow) -> (u64, u64) {
    (frame.time_ns.saturating_sub(frame.token_wait_ns), frame.time_ns)
}

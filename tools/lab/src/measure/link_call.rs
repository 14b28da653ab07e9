//! Where the time of a call between boards goes: software of both boards, wire, token.
//!
//! Invariant: each span of the call is in exactly one part, so the parts' sum is the round trip. Wire and token are the
//! emulator's record of each frame; the kernels' probes divide the software.

use super::link_parts::FrameParts;
use renga_emu::FrameEvent;
use renga_trace::{Timed, TraceEvent};

const CALLER: u8 = 1;
const SERVER: u8 = 0;
/// Parts of the software.
const PARTS: usize = 8;

/// One call, or the mean of several.
#[derive(Clone, Copy, Default)]
pub(super) struct CallParts {
    /// How many calls.
    pub(super) calls: u64,
    /// Of software, in the order of [`CallParts::tables`], ns.
    software_ns: [u64; PARTS],
    token_ns: u64,
    wire_ns: u64,
    frames: FrameParts,
}

impl CallParts {
    /// Of the call between `begin_ns` and `end_ns`: its request is the first frame from the caller's board, its reply
    /// the first one back after that.
    pub(super) fn of(frames: &[FrameEvent], events: &[Timed], (begin_ns, end_ns): (u64, u64)) -> Option<CallParts> {
        let inside = || frames.iter().filter(|frame| frame.sent_ns >= begin_ns && frame.delivered_ns <= end_ns);
        let request = inside().find(|frame| frame.source == CALLER)?;
        let reply = inside().find(|frame| frame.source == SERVER && frame.sent_ns >= request.delivered_ns)?;
        let after = |from_ns: u64, board: u8, is: fn(&TraceEvent) -> bool| {
            let found = events[events.partition_point(|event| event.time_ns < from_ns)..].iter();
            let found = found.take_while(|event| event.time_ns <= end_ns);
            found.clone().find(|event| event.board == board && is(&event.event)).map(|event| event.time_ns)
        };
        let dispatch = |event: &TraceEvent| matches!(event, TraceEvent::Dispatch { .. });
        let accepted_ns = after(begin_ns, CALLER, |event| matches!(event, TraceEvent::Accept { .. }))?;
        let called_ns = after(request.delivered_ns, SERVER, |event| matches!(event, TraceEvent::Call { .. }))?;
        let replied_ns = after(called_ns, SERVER, |event| matches!(event, TraceEvent::Reply { .. }))?;
        let answered_ns = after(reply.delivered_ns, CALLER, |event| matches!(event, TraceEvent::Reply { .. }))?;
        let resumed_ns = after(answered_ns, CALLER, dispatch)?;
        let mut all = FrameParts::of(request);
        all.add(FrameParts::of(reply));
        Some(CallParts {
            calls: 1,
            software_ns: [
                accepted_ns.checked_sub(begin_ns)?,
                request.sent_ns.checked_sub(accepted_ns)?,
                answered_ns.checked_sub(reply.delivered_ns)?,
                resumed_ns.checked_sub(answered_ns)?,
                end_ns.checked_sub(resumed_ns)?,
                called_ns.checked_sub(request.delivered_ns)?,
                replied_ns.checked_sub(called_ns)?,
                reply.sent_ns.checked_sub(replied_ns)?,
            ],
            token_ns: request.token_wait_ns + reply.token_wait_ns,
            wire_ns: request.wire_ns + reply.wire_ns,
            frames: all,
        })
    }

    /// The mean of `calls`, of which there is one at least; of frames, those of the last.
    pub(super) fn mean(calls: &[CallParts]) -> CallParts {
        let count = calls.len() as u64;
        let mean = |part: &dyn Fn(&CallParts) -> u64| calls.iter().map(part).sum::<u64>() / count;
        CallParts {
            calls: count,
            software_ns: core::array::from_fn(|part| mean(&|call| call.software_ns[part])),
            token_ns: mean(&|call| call.token_ns),
            wire_ns: mean(&|call| call.wire_ns),
            frames: calls.last().copied().unwrap_or_default().frames,
        }
    }

    /// Instructions of both boards take so long.
    pub(super) fn software_ns(&self) -> u64 {
        self.software_ns.iter().sum()
    }

    /// The whole call.
    pub(super) fn total_ns(&self) -> u64 {
        self.software_ns() + self.token_ns + self.wire_ns
    }

    /// The parts with their parts: names and ns.
    pub(super) fn tables(&self, rate_bps: u64) -> [(&'static str, Vec<(&'static str, u64)>); 4] {
        let [call, send, take, end, back, arrive, serve, answer] = self.software_ns;
        let [heads, checksums, payloads] = self.frames.times_ns(rate_bps);
        let caller = vec![
            ("system call until the router has the call", call),
            ("router sends the request", send),
            ("interrupt, and router takes the reply", take),
            ("router's loop until the caller has the core", end),
            ("system call returns", back),
        ];
        let server = vec![
            ("interrupt, router and proxy until the call", arrive),
            ("server", serve),
            ("proxy hands the reply over, and router sends it", answer),
        ];
        let wire = vec![
            ("heads of frames", heads),
            ("checksums of payloads", checksums),
            ("payloads", payloads),
            ("starts and poll words", self.wire_ns.saturating_sub(heads + checksums + payloads)),
        ];
        [
            ("software on the caller's board", caller),
            ("token wait, both frames", vec![("", self.token_ns)]),
            ("wire, both frames", wire),
            ("software on the server's board", server),
        ]
    }
}

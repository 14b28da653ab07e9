//! Calls between boards, counted from the frames that carry them.
//!
//! Invariant: a frame that is sent again counts once. Called by: `renga run --stats`. Not here: how long callers waited
//! (`renga-trace`).

use renga_abi::{BOARDS_MAX, ProcId};
use renga_emu::FrameEvent;
use renga_trace::TraceHeader;
use renga_wire::fragment::Head;
use renga_wire::{FrameKind, LinkFrame};

/// Numbers of frames up to so many behind are of frames sent again.
const BEHIND: u8 = 127;

/// Counts calls.
pub struct LinkCalls {
    header: TraceHeader,
    /// Epoch and number of the next data frame, by sender and receiver.
    next: [[Option<(u8, u8)>; BOARDS_MAX]; BOARDS_MAX],
    counted: CallCounts,
}

/// How many calls crossed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CallCounts {
    /// All.
    pub calls: u64,
    /// Of these, how many went to entries that may release their callers early.
    pub releasable: u64,
    /// Of these, how many did.
    pub released: u64,
}

impl LinkCalls {
    /// Of a run of a system with these names.
    pub fn new(header: TraceHeader) -> LinkCalls {
        LinkCalls { header, next: Default::default(), counted: CallCounts::default() }
    }

    /// Until now.
    pub fn counted(&self) -> CallCounts {
        self.counted
    }

    /// Takes a frame.
    pub fn take(&mut self, frame: &FrameEvent) {
        let Ok(LinkFrame { header, payload }) = LinkFrame::parse(&frame.bytes) else { return };
        // The first byte acknowledges.
        let Some(fragment) = payload.get(1..).filter(|_| header.kind == FrameKind::Data) else { return };
        let next = self.next.get_mut(usize::from(header.source));
        let Some(next) = next.and_then(|row| row.get_mut(usize::from(header.destination))) else { return };
        if next.is_some_and(|(epoch, number)| {
            epoch == header.epoch && (1..=BEHIND).contains(&number.wrapping_sub(header.sequence))
        }) {
            return;
        }
        *next = Some((header.epoch, header.sequence.wrapping_add(1)));
        let (request, released) = match Head::parse(fragment) {
            Ok((Head::Call { request, .. }, _)) => (request, false),
            Ok((Head::Async { request, .. }, _)) => (request, true),
            _ => return,
        };
        let server = ProcId::new(header.destination, request.destination);
        self.counted.calls += 1;
        self.counted.releasable += u64::from(self.header.is_releasable(server, request.op));
        self.counted.released += u64::from(released);
    }
}

#[cfg(test)]
mod tests {
    use super::{CallCounts, LinkCalls};
    use renga_emu::FrameEvent;
    use renga_trace::{ProcessKind, TraceBoard, TraceHeader, TracedProtocol};
    use renga_wire::fragment::{Head, Request};
    use renga_wire::{FRAME_BYTES_MAX, FrameKind, Header};

    const SLEEP: u8 = 0;
    const NOTIFY: u8 = 1;

    fn header() -> TraceHeader {
        let entries = vec![(SLEEP, "Sleep".into()), (NOTIFY, "Notify".into())];
        let mut board = TraceBoard { name: "a".into(), ..TraceBoard::default() };
        board.add(0, 0, 0);
        TraceHeader {
            boards: vec![board],
            kinds: vec![ProcessKind { name: "clock".into(), serves: Some(0) }],
            protocols: vec![TracedProtocol { name: "Clock".into(), entries, releasable: 1 << NOTIFY }],
            ..TraceHeader::default()
        }
    }

    fn frame(epoch: u8, sequence: u8, head: Head) -> FrameEvent {
        let mut payload = [0; 64];
        let bytes = 1 + head.emit(&mut payload[1..]).unwrap();
        let mut frame = [0; FRAME_BYTES_MAX];
        let header = Header { kind: FrameKind::Data, destination: 0, source: 1, epoch, sequence };
        let bytes = header.emit(&payload[..bytes], &mut frame).unwrap();
        let bytes = frame[..bytes].to_vec();
        FrameEvent { source: 1, destination: 0, sent_ns: 0, token_wait_ns: 0, wire_ns: 0, delivered_ns: 0, bytes }
    }

    #[test]
    fn link_calls_repeated_frames_count_once() {
        let mut calls = LinkCalls::new(header());
        let of = |op| Request { op, ..Request::default() };
        let call = |op| Head::Call { caller: 0, number: 1, request: of(op) };
        for (epoch, sequence, head) in [
            (7, 254, call(SLEEP)),
            (7, 255, call(NOTIFY)),
            (7, 254, call(SLEEP)),
            (7, 255, call(NOTIFY)),
            (7, 0, Head::Async { slot: 0, request: of(NOTIFY) }),
            (7, 1, Head::CallMore { caller: 0 }),
            (8, 0, call(SLEEP)),
        ] {
            calls.take(&frame(epoch, sequence, head));
        }
        assert_eq!(calls.counted(), CallCounts { calls: 4, releasable: 2, released: 1 });
    }
}

//! What is written is read, and what is not a trace is refused.

use renga_trace::event::ProbeEventKind;
use renga_trace::{Timed, TraceBoard, TraceEvent, TraceHeader, TraceReader, TraceWriter, TracedFrame};

/// Every kind of event, with small and large numbers, on several boards.
fn events() -> Vec<Timed> {
    let mut events = Vec::new();
    for (place, kind) in ProbeEventKind::ALL.iter().cycle().take(200).enumerate() {
        let number = [1, 0x7f, 0x80, 0x0001_0003, u64::from(u32::MAX)][place % 5];
        let mut event = TraceEvent::of(*kind, &[number; 4]);
        if let (TraceEvent::Fault { address, .. }, true) = (&mut event, place % 2 == 0) {
            *address = u64::MAX;
        }
        events.push(Timed {
            time_ns: (place * place) as u64,
            board: (place / 7 % 15) as u8,
            core: (place / 5 % 4) as u8,
            event,
        });
    }
    let frame =
        TracedFrame { destination: 15, token_wait_ns: 5_000, wire_ns: 0, arrives_after_ns: 300, bytes: vec![7; 300] };
    events.push(Timed { time_ns: u64::MAX - 1, board: 3, core: 0, event: TraceEvent::Frame(frame) });
    events.push(Timed { time_ns: u64::MAX, board: 0, core: 0, event: TraceEvent::Started });
    events
}

fn header() -> TraceHeader {
    TraceHeader {
        boards: vec![TraceBoard { name: "a".to_string(), ..TraceBoard::default() }; 15],
        ..TraceHeader::default()
    }
}

fn written(events: &[Timed]) -> Vec<u8> {
    let mut writer = TraceWriter::new(Vec::new(), &header()).unwrap();
    events.iter().for_each(|event| writer.write(event).unwrap());
    writer.finish().unwrap();
    writer.into_inner()
}

#[test]
fn format_round_trips() {
    let bytes = written(&events());
    let reader = TraceReader::new(&bytes).unwrap();
    assert_eq!(reader.header(), &header());
    assert_eq!(reader.collect::<Result<Vec<_>, _>>(), Ok(events()));
}

#[test]
fn format_event_takes_few_bytes() {
    let call = |time_ns: u64| {
        let numbers = [0x0001_0a00, 0x0001_1234, 3];
        Timed { time_ns, board: 1, core: 0, event: TraceEvent::of(ProbeEventKind::Call, &numbers) }
    };
    let bytes = |count: u64| written(&(0..count).map(|place| call(place * 100)).collect::<Vec<_>>()).len();
    assert_eq!(bytes(101) - bytes(1), 100 * 7, "kind, time, two processes of two bytes, entry");
}

/// Holds: trace-whole.
#[test]
fn format_truncated_file_is_noticed() {
    let bytes = written(&events());
    for length in 0..bytes.len() {
        let cut = &bytes[..length];
        let refused = TraceReader::new(cut).map_or(true, |mut reader| reader.any(|event| event.is_err()));
        assert!(refused, "{length} of {} bytes are taken for a whole trace", bytes.len());
    }
}

#[test]
fn format_changed_bytes_are_read_or_refused() {
    let bytes = written(&events());
    for place in 0..bytes.len() {
        for value in [0, 0x7f, 0x80, 0xff] {
            let mut changed = bytes.clone();
            changed[place] = value;
            if let Ok(reader) = TraceReader::new(&changed) {
                assert!(reader.count() <= bytes.len());
            }
        }
    }
}

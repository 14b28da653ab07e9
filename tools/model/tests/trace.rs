//! Records that keep the rules, and records that were changed so that they do not.

use renga_model::trace::read::read;
use renga_model::trace::{BrokenRule, Recorded, check};
use renga_trace::{Timed, TraceEvent, TraceWriter, TracedFrame};
use renga_wire::frame::Hello;
use renga_wire::{FRAME_BYTES_MAX, FrameKind, Head, Header};

fn frame(from: u8, kind: FrameKind, epoch: u8, sequence: u8, payload: &[u8]) -> Vec<u8> {
    let header = Header { kind, destination: 1 - from, source: from, epoch, sequence };
    let mut out = [0; FRAME_BYTES_MAX];
    let length = header.emit(payload, &mut out).unwrap();
    out[..length].to_vec()
}

fn hello(from: u8, epoch: u8, known: Option<u8>) -> Vec<u8> {
    let hello = Hello { known, asks: known.is_none(), question: 0, answers: 0 };
    frame(from, FrameKind::Hello, epoch, 0, &hello.to_bytes())
}

fn data(from: u8, epoch: u8, sequence: u8, acknowledged: u8, slot: u16) -> Vec<u8> {
    let mut payload = [acknowledged; 16];
    let length = Head::Done { slot, errno: 0 }.emit(&mut payload[1..]).unwrap();
    frame(from, FrameKind::Data, epoch, sequence, &payload[..1 + length])
}

/// Board `from` says a frame, and the other hears it.
fn carried(from: u8, bytes: Vec<u8>) -> [Recorded; 2] {
    [Recorded::Sent(from, bytes.clone()), Recorded::Received(1 - from, bytes)]
}

/// Two boards exchange hellos; board 0 sends two frames, the second is lost and sent again; board 1 one.
fn sound() -> Vec<Recorded> {
    let mut record = vec![Recorded::Started(0), Recorded::Started(1)];
    record.extend(carried(0, hello(0, 7, None)));
    record.extend(carried(1, hello(1, 90, Some(7))));
    record.extend(carried(0, hello(0, 7, Some(90))));
    record.extend(carried(0, data(0, 7, 0, 0, 5)));
    record.push(Recorded::Sent(0, data(0, 7, 1, 0, 6)));
    record.extend(carried(1, data(1, 90, 0, 1, 3)));
    record.extend(carried(0, data(0, 7, 1, 1, 6)));
    record.extend(carried(1, frame(1, FrameKind::Ack, 90, 2, &[])));
    record
}

#[test]
fn session_rules_accept_sound_record() {
    assert_eq!(check(&sound()), Ok(sound().len() - 2));
}

#[test]
fn session_rules_each_finds_its_violation() {
    let last = sound().len();
    let cases: [(BrokenRule, Recorded); 8] = [
        (BrokenRule::NoFrame, Recorded::Sent(0, vec![0; 30])),
        (BrokenRule::Epoch, Recorded::Sent(0, hello(0, 6, None))),
        (BrokenRule::Epoch, Recorded::Sent(0, data(0, 6, 2, 1, 1))),
        (BrokenRule::Sequence, Recorded::Sent(0, data(0, 7, 3, 1, 1))),
        (BrokenRule::Sequence, Recorded::Sent(0, data(0, 7, 200, 1, 1))),
        (BrokenRule::Changed, Recorded::Sent(0, data(0, 7, 1, 1, 9))),
        (BrokenRule::Acknowledged, Recorded::Sent(0, data(0, 7, 2, 2, 1))),
        (BrokenRule::Acknowledged, Recorded::Sent(1, frame(1, FrameKind::Nak, 90, 3, &[]))),
    ];
    for (broken, part) in cases {
        let record = [sound(), vec![part]].concat();
        assert_eq!(check(&record), Err((last, broken)));
    }
    let unnamed =
        [sound(), vec![Recorded::Sent(0, hello(0, 8, None)), Recorded::Sent(0, data(0, 8, 0, 0, 1))]].concat();
    assert_eq!(check(&unnamed), Err((last + 1, BrokenRule::DataBeforeGreeting)));
}

#[test]
fn session_rules_refuse_incomplete_record() {
    // Not heard: the answer to the greeting, the first frame of data; not said: the first frame of data.
    for gone in [5, 9, 8] {
        let mut record = sound();
        record.remove(gone);
        assert!(check(&record).is_err(), "part {gone} is not missed");
    }
}

#[test]
fn session_rules_read_frames_of_trace() {
    let bytes = hello(0, 7, None);
    let frame = TracedFrame { destination: 1, token_wait_ns: 2, wire_ns: 3, arrives_after_ns: 4, bytes: bytes.clone() };
    let events = [(5, TraceEvent::Frame(frame)), (20, TraceEvent::Started)];
    let mut out = TraceWriter::new(Vec::new(), &renga_trace::TraceHeader::default()).unwrap();
    for (time_ns, event) in events {
        out.write(&Timed { time_ns, board: 0, core: 0, event }).unwrap();
    }
    out.finish().unwrap();
    let written = out.into_inner();
    let wanted = vec![Recorded::Sent(0, bytes.clone()), Recorded::Received(1, bytes), Recorded::Started(0)];
    assert_eq!(read(&written), Ok(wanted));
    assert!(read(&written[..written.len() - 1]).is_err());
}

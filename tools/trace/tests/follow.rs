//! A trace that is read while it grows yields what it yields when it is whole; an error is reported with its place.

use renga_trace::follow::FollowError;
use renga_trace::{FollowStep, Follower, Timed, TraceEvent, TraceHeader, TraceReader, TraceWriter, TracedFrame};
use std::cell::RefCell;
use std::io::{self, Read};
use std::rc::Rc;

/// A file that grows.
#[derive(Clone, Default)]
struct Growing(Rc<RefCell<(Vec<u8>, usize)>>);

impl Growing {
    fn grow(&self, bytes: &[u8]) {
        self.0.borrow_mut().0.extend_from_slice(bytes);
    }
}

impl Read for Growing {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let (bytes, at) = &mut *self.0.borrow_mut();
        let count = out.len().min(bytes.len() - *at);
        out[..count].copy_from_slice(&bytes[*at..*at + count]);
        *at += count;
        Ok(count)
    }
}

fn written() -> Vec<u8> {
    let mut out = TraceWriter::new(Vec::new(), &TraceHeader::default()).unwrap();
    for place in 0..200u64 {
        let frame = |bytes| TracedFrame { destination: 1, token_wait_ns: 0, wire_ns: 9, arrives_after_ns: 9, bytes };
        let event =
            if place % 5 == 0 { TraceEvent::Frame(frame(vec![7; place as usize])) } else { TraceEvent::Idle {} };
        out.write(&Timed { time_ns: place * 1000, board: (place / 3 % 2) as u8, core: 0, event }).unwrap();
    }
    out.finish().unwrap();
    out.into_inner()
}

/// Holds: top-live.
#[test]
fn follow_partial_event_is_awaited() {
    let bytes = written();
    let whole: Vec<Timed> = TraceReader::new(&bytes).unwrap().map(Result::unwrap).collect();
    for piece in [1, 3, 100, bytes.len()] {
        let file = Growing::default();
        let (mut follower, mut found, mut ended) = (Follower::new(file.clone()), Vec::new(), false);
        for more in bytes.chunks(piece) {
            assert!(!ended);
            file.grow(more);
            loop {
                match follower.next_event().unwrap() {
                    FollowStep::Event(timed) => found.push(timed),
                    FollowStep::Later => break,
                    FollowStep::End => {
                        ended = true;
                        break;
                    }
                }
            }
        }
        assert!(ended && found == whole, "in pieces of {piece} bytes");
        assert_eq!(follower.read_bytes(), bytes.len() as u64);
    }
}

fn trouble(bytes: &[u8]) -> String {
    let mut follower = Follower::new(bytes);
    loop {
        match follower.next_event() {
            Ok(FollowStep::Event(_)) => {}
            Ok(other) => return format!("{other:?}"),
            Err(FollowError::Bad(bad)) => return bad.to_string(),
            Err(FollowError::Io(error)) => panic!("{error}"),
        }
    }
}

/// Holds: trace-whole.
#[test]
fn follow_damage_is_reported_with_offset() {
    let bytes = written();
    assert_eq!(trouble(&bytes), "End");
    assert_eq!(trouble(&bytes[..bytes.len() - 1]), "Later");
    assert_eq!(trouble(b"#!/bin/sh\n"), "byte 0 of the trace: this is no trace of Renga's");
    assert_eq!(trouble(b""), "Later");
    assert_eq!(trouble(b"RENGATR2"), "byte 0 of the trace: a trace of version 2; this renga reads version 1");
    let mut lost = bytes.clone();
    let events = lost.len() - 3;
    lost[events] = 100;
    assert!(trouble(&lost).contains("no such kind of event"), "{}", trouble(&lost));
    let mut large = bytes[..8].to_vec();
    large.extend(u32::MAX.to_le_bytes());
    assert_eq!(trouble(&large), "byte 12 of the trace: a header too large");
}

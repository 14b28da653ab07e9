//! Two sessions and the wire between them, frame by frame: what is said of a loss, and when.
//!
//! Time stands unless a test moves it: what waits for a deadline that a frame should have made needless is seen.

use renga_router::{CONTROL_BYTES_MAX, FrameOrder, LinkTiming, Session, SessionState, WINDOW_FRAMES};
use renga_wire::frame::{FrameKind, Hello, LinkFrame};

const TIMING: LinkTiming = LinkTiming::PI3;

/// A frame on the wire.
type Sent = Vec<u8>;

/// What `session` says next that is no data, if anything; `data_follows`: a frame of data will.
fn control(session: &mut Session, now_ns: u64, data_follows: bool) -> Option<Sent> {
    let mut out = [0; CONTROL_BYTES_MAX];
    let bytes = session.control(data_follows, &mut out)?;
    session.set_control_sent(now_ns);
    Some(out[..bytes].to_vec())
}

fn kind(sent: Option<&Sent>) -> Option<(FrameKind, u8)> {
    sent.map(|sent| LinkFrame::parse(sent).unwrap().header).map(|header| (header.kind, header.sequence))
}

/// Gives `sent` to `session`: what it makes of data, and how many frames it will send again.
fn give(session: &mut Session, now_ns: u64, sent: &Sent) -> (Option<FrameOrder>, u8) {
    let LinkFrame { header, payload } = LinkFrame::parse(sent).unwrap();
    match header.kind {
        FrameKind::Data => (Some(session.receive_data(now_ns, header, payload[0])), 0),
        FrameKind::Ack | FrameKind::Nak => {
            (None, session.receive_acknowledgement(now_ns, header, header.kind == FrameKind::Nak))
        }
        FrameKind::Hello => {
            let hello = Hello::parse(payload).unwrap();
            (None, session.receive_hello(now_ns, header.epoch, header.sequence, hello))
        }
        other => panic!("a session never sends {other:?}"),
    }
}

/// Two boards whose sessions are up, at 0.
fn greeted() -> [Session; 2] {
    let mut both = [Session::new(0, 1, 7, TIMING), Session::new(1, 0, 77, TIMING)];
    for _ in 0..2 {
        for from in [0, 1] {
            both[from].expire(0);
            if let Some(hello) = control(&mut both[from], 0, false) {
                give(&mut both[1 - from], 0, &hello);
            }
        }
    }
    for session in &mut both {
        // Answers that were due.
        control(session, 0, false);
        assert_eq!(session.state(), SessionState::Up);
    }
    both
}

/// Sends a frame with the fragment `content`.
fn send(session: &mut Session, now_ns: u64, content: u8) -> Sent {
    session.room().expect("the window has room")[0] = content;
    session.build(1);
    resend(session, now_ns)
}

/// Sends the next frame that has not been sent, or is to be sent again.
fn resend(session: &mut Session, now_ns: u64) -> Sent {
    let sent = session.unsent().expect("a frame waits").to_vec();
    session.set_sent(now_ns);
    sent
}

fn content(sent: &Sent) -> u8 {
    LinkFrame::parse(sent).unwrap().payload[1]
}

#[test]
fn session_gap_sends_one_nak_and_goes_back() {
    let [mut a, mut b] = greeted();
    let sent = [10, 11, 12, 13].map(|content| send(&mut a, 0, content));
    assert_eq!(give(&mut b, 0, &sent[0]).0, Some(FrameOrder::Next));
    assert_eq!(give(&mut b, 0, &sent[2]).0, Some(FrameOrder::Stray));
    let nak = control(&mut b, 0, false);
    assert_eq!(kind(nak.as_ref()), Some((FrameKind::Nak, 1)));
    assert_eq!(give(&mut b, 0, &sent[3]).0, Some(FrameOrder::Stray));
    assert_eq!(kind(control(&mut b, 0, false).as_ref()), None, "the gap is reported already");
    assert_eq!(give(&mut a, 0, &nak.unwrap()), (None, 3));
    for expected in [11, 12, 13] {
        let again = resend(&mut a, 0);
        assert_eq!((content(&again), give(&mut b, 0, &again).0), (expected, Some(FrameOrder::Next)));
    }
    assert!(!a.has_unsent());
    // The receiver reports the next gap, too.
    let lost = send(&mut a, 0, 14);
    let behind = send(&mut a, 0, 15);
    assert_eq!(give(&mut b, 0, &behind).0, Some(FrameOrder::Stray));
    assert_eq!(kind(control(&mut b, 0, false).as_ref()), Some((FrameKind::Nak, 4)));
    assert_eq!(content(&lost), 14);
}

#[test]
fn session_stale_nak_is_ignored() {
    let [mut a, mut b] = greeted();
    let sent = [20, 21].map(|content| send(&mut a, 0, content));
    assert_eq!(give(&mut b, 0, &sent[1]).0, Some(FrameOrder::Stray));
    let old = control(&mut b, 0, false).expect("a `Nak`");
    for frame in &sent {
        assert_eq!(give(&mut b, 0, frame).0, Some(FrameOrder::Next));
    }
    b.expire(TIMING.acknowledge_ns);
    let acknowledged = control(&mut b, TIMING.acknowledge_ns, false).expect("it is due");
    assert_eq!(give(&mut a, 0, &acknowledged), (None, 0));
    send(&mut a, 0, 22);
    assert_eq!(give(&mut a, 0, &old), (None, 0), "a late one");
    assert!(!a.has_unsent());
}

#[test]
fn session_duplicate_frame_is_acknowledged_at_once() {
    let [mut a, mut b] = greeted();
    let sent = send(&mut a, 0, 30);
    assert_eq!(give(&mut b, 0, &sent).0, Some(FrameOrder::Next));
    assert_eq!(kind(control(&mut b, 0, false).as_ref()), None, "a frame of data may take it along yet");
    b.expire(TIMING.acknowledge_ns);
    assert_eq!(kind(control(&mut b, TIMING.acknowledge_ns, false).as_ref()), Some((FrameKind::Ack, 1)));
    // That one was lost.
    assert_eq!(give(&mut b, TIMING.acknowledge_ns, &sent).0, Some(FrameOrder::Duplicate));
    assert_eq!(kind(control(&mut b, TIMING.acknowledge_ns, true).as_ref()), None, "data goes now and takes it along");
    let again = control(&mut b, TIMING.acknowledge_ns, false);
    assert_eq!(kind(again.as_ref()), Some((FrameKind::Ack, 1)));
    give(&mut a, TIMING.acknowledge_ns, &again.unwrap());
    assert_eq!(a.deadline_ns(), None, "nothing is awaited any more");
}

#[test]
fn session_six_frames_are_acknowledged_at_once() {
    let [mut a, mut b] = greeted();
    for number in 0..5 {
        let sent = send(&mut a, 0, number);
        give(&mut b, 0, &sent);
        assert_eq!(kind(control(&mut b, 0, false).as_ref()), None);
    }
    let sent = send(&mut a, 0, 5);
    give(&mut b, 0, &sent);
    assert_eq!(kind(control(&mut b, 0, false).as_ref()), Some((FrameKind::Ack, 6)));
}

#[test]
fn session_silence_asks_and_resends_only_lost_frames() {
    let [mut a, mut b] = greeted();
    let sent = [40, 41, 42].map(|content| send(&mut a, 0, content));
    give(&mut b, 0, &sent[0]);
    // The others are lost, and nothing behind them shows it.
    let at_ns = TIMING.retransmit_ns;
    assert_eq!(a.deadline_ns(), Some(at_ns));
    assert!(a.expire(at_ns - 1));
    assert_eq!(kind(control(&mut a, at_ns - 1, false).as_ref()), None);
    assert!(a.expire(at_ns));
    assert!(!a.has_unsent(), "silence alone makes nothing come again");
    let question = control(&mut a, at_ns, false).expect("a question");
    give(&mut b, at_ns, &question);
    let answer = control(&mut b, at_ns, false);
    assert_eq!(kind(answer.as_ref()), Some((FrameKind::Hello, 1)));
    assert_eq!(give(&mut a, at_ns, &answer.unwrap()), (None, 2));
    for expected in [41, 42] {
        let again = resend(&mut a, at_ns);
        assert_eq!((content(&again), give(&mut b, at_ns, &again).0), (expected, Some(FrameOrder::Next)));
    }
}

#[test]
fn session_unanswered_questions_end_at_dead_time() {
    let [mut a, _] = greeted();
    send(&mut a, 0, 50);
    let mut questions = 0;
    let dead_ns = loop {
        let now_ns = a.deadline_ns().expect("something is awaited");
        if !a.expire(now_ns) {
            break now_ns;
        }
        questions += u32::from(control(&mut a, now_ns, false).is_some());
        assert!(questions <= 100, "{now_ns}");
    };
    assert_eq!(dead_ns, TIMING.dead_ns);
    // One after 10 ms, then every 4 ms, as long as it is not dead.
    assert_eq!(u64::from(questions), (TIMING.dead_ns - TIMING.retransmit_ns).div_ceil(TIMING.ask_ns));
}

#[test]
fn session_missing_reply_asks_then_ends() {
    let [mut a, _] = greeted();
    assert_eq!(a.deadline_ns(), None);
    a.set_watched(0, true);
    assert_eq!(a.deadline_ns(), Some(TIMING.probe_ns));
    assert!(a.expire(TIMING.probe_ns));
    assert_eq!(kind(control(&mut a, TIMING.probe_ns, false).as_ref()), Some((FrameKind::Hello, 0)));
    assert!(!a.expire(TIMING.dead_ns), "nothing was heard for so long");
}

#[test]
fn session_board_lost_during_hello_ends_at_dead_time() {
    let [mut a, mut b] = [Session::new(0, 1, 7, TIMING), Session::new(1, 0, 77, TIMING)];
    let heard_ns = TIMING.hello_ns / 2;
    assert!(a.expire(0) && b.expire(0));
    let hello = control(&mut b, 0, false).expect("it greets");
    give(&mut a, heard_ns, &hello);
    assert_eq!(a.state(), SessionState::Hello, "the other has not named its epoch");
    assert!(a.expire(heard_ns + TIMING.dead_ns - 1));
    assert!(!a.expire(heard_ns + TIMING.dead_ns));
}

#[test]
fn session_full_window_waits_for_oldest_and_sequence_wraps() {
    let [mut a, mut b] = greeted();
    for number in 0..=u8::MAX {
        let sent = send(&mut a, 0, number);
        assert_eq!((give(&mut b, 0, &sent).0, content(&sent)), (Some(FrameOrder::Next), number));
        if let Some(acknowledged) = control(&mut b, 0, false) {
            give(&mut a, 0, &acknowledged);
        }
    }
    b.expire(TIMING.acknowledge_ns);
    let acknowledged = control(&mut b, 0, false).expect("the last are acknowledged");
    assert_eq!(kind(Some(&acknowledged)), Some((FrameKind::Ack, 0)));
    give(&mut a, 0, &acknowledged);
    for number in 0..WINDOW_FRAMES {
        send(&mut a, 0, number);
    }
    assert!(a.room().is_none());
    // An acknowledgement of what was never sent is of another time.
    let mut wrong = LinkFrame::parse(&acknowledged).unwrap().header;
    wrong.sequence = WINDOW_FRAMES + 1;
    assert_eq!(a.receive_acknowledgement(0, wrong, true), 0);
    assert!(a.room().is_none());
    wrong.sequence = 1;
    assert_eq!(a.receive_acknowledgement(0, wrong, false), 0);
    assert!(a.room().is_some());
}

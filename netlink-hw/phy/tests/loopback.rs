//! The loopback bus: times, lines, collisions, faults from a seed.
#![cfg(feature = "loopback")]

use renga_phy::FRAME_BYTES_MAX;
use renga_phy::loopback::{BusTiming, Faults, Loopback, LoopbackBus};
use renga_phy::token::{Arming, PhyEvent, SendError, TokenPhy};
use renga_wire::bus::{Answers, Drive, Poll, WatchedLines};
use renga_wire::{FrameKind, Header, LinkFrame};

const TIMING: BusTiming =
    BusTiming { bits_per_s: 8_000_000, frame_overhead_ns: 100, line_ns: 10, bid_ns: 50, latency_ns: 7 };
const RELEASED: Drive = Drive { busy: false, attention: false, token_out: false };
const BUSY: Drive = Drive { busy: true, ..RELEASED };
const OFFER: Drive = Drive { token_out: true, ..RELEASED };
const WATCH: WatchedLines = WatchedLines { busy: true, attention: true, token_in: true };

fn answers(board: u8) -> Answers {
    Answers { board, present: true, wants: board == 3, epoch: None, serial: u64::from(board) }
}

fn joined(boards: u8, faults: Faults, seed: u64) -> (LoopbackBus, Vec<Loopback>) {
    let bus = LoopbackBus::new(boards, TIMING, faults, seed);
    let mut ends: Vec<_> = (0..boards).map(|board| bus.end(board)).collect();
    ends.iter_mut().zip(0..).for_each(|(end, board)| end.set(0, RELEASED, WATCH, answers(board)));
    (bus, ends)
}

fn frame(source: u8, destination: u8) -> Vec<u8> {
    let mut bytes = vec![0; 40];
    let header = Header { kind: FrameKind::Data, destination, source, epoch: 1, sequence: 0 };
    let length = header.emit(&[source; 10], &mut bytes).unwrap();
    bytes.truncate(length);
    bytes
}

fn run(bus: &LoopbackBus) -> u64 {
    let mut last_ns = 0;
    while let Some(at_ns) = bus.next_event_ns() {
        bus.advance(at_ns);
        last_ns = at_ns;
    }
    last_ns
}

fn received(end: &mut Loopback) -> Vec<u8> {
    let mut room = [0; FRAME_BYTES_MAX];
    let mut sources = Vec::new();
    while let Some(bytes) = end.receive(&mut room) {
        sources.push(LinkFrame::parse(&room[..bytes]).map_or(0xff, |frame| frame.header.source));
    }
    sources
}

#[test]
fn loopback_frame_takes_time_and_all_answer() {
    let (bus, mut ends) = joined(4, Faults::NONE, 0);
    bus.advance(5_000);
    let frame = frame(1, 2);
    ends[1].transmit(5_000, &frame, Arming::Timed);
    assert_eq!(run(&bus), 5_000 + 100 + 7 + frame.len() as u64 * 1_000);
    assert!(bus.interrupts(1) && bus.interrupts(2) && !bus.interrupts(0) && !bus.interrupts(3));
    // Board 2 took it, board 3 wants the token.
    assert_eq!(ends[1].poll(0), Some(PhyEvent::Sent(Ok(Poll(1 << 2 | 1 << 11)))));
    assert_eq!((received(&mut ends[2]), received(&mut ends[0])), (vec![1], vec![]));
    assert!(ends[0].lines(0).received && !ends[0].lines(0).received && !ends[1].lines(0).received);
    assert!((0..4).all(|board| !bus.interrupts(board)));
}

#[test]
fn loopback_lines_are_seen_late() {
    let (bus, mut ends) = joined(3, Faults::NONE, 0);
    ends[2].set(0, OFFER, WATCH, answers(2));
    assert!(!ends[0].lines(0).token_in && !bus.interrupts(0));
    run(&bus);
    assert!(bus.interrupts(0) && !bus.interrupts(1));
    assert!(ends[0].lines(0).token_in && !ends[1].lines(0).token_in);
    ends[0].set(10, BUSY, WatchedLines::default(), answers(0));
    assert!(ends[0].lines(10).busy && !ends[1].lines(10).busy);
    run(&bus);
    assert!(ends[1].lines(20).busy && ends[2].lines(20).busy);
}

#[test]
fn loopback_two_talkers_collide() {
    let (bus, mut ends) = joined(3, Faults::NONE, 0);
    ends[0].transmit(0, &frame(0, 2), Arming::Timed);
    bus.advance(500);
    ends[1].transmit(500, &frame(1, 2), Arming::Timed);
    run(&bus);
    for end in &mut ends[..2] {
        assert_eq!(end.poll(0), Some(PhyEvent::Sent(Err(SendError::Collision))));
    }
    assert!(received(&mut ends[2]).is_empty() && bus.count().collisions == 1);
}

#[test]
fn loopback_bids_read_alike() {
    let (bus, mut ends) = joined(3, Faults::NONE, 0);
    ends[1].bid(0);
    ends[2].bid(0);
    run(&bus);
    assert_eq!([ends[1].poll(0), ends[2].poll(0)], [Some(PhyEvent::Bids(0b110)); 2]);
}

#[test]
fn loopback_cut_hung_and_reset_boards() {
    let (bus, mut ends) = joined(4, Faults::NONE, 0);
    bus.cut_off(3, true);
    bus.hang(2);
    ends[0].transmit(0, &frame(0, 0xf), Arming::Timed);
    run(&bus);
    assert_eq!(ends[0].poll(0), Some(PhyEvent::Sent(Ok(Poll(1 << 1)))));
    assert_eq!(ends.iter_mut().map(|end| received(end).len()).collect::<Vec<_>>(), [0, 1, 0, 0]);
    // No board is left to listen.
    bus.part(&[0, 1, 2, 3]);
    ends[0].transmit(0, &frame(0, 1), Arming::Timed);
    run(&bus);
    assert_eq!(ends[0].poll(0), Some(PhyEvent::Sent(Err(SendError::NoListener))));
    // A frame of a board that is reset never comes.
    bus.part(&[0; 4]);
    ends[1].transmit(0, &frame(1, 0), Arming::Timed);
    bus.advance(30_000);
    bus.reset(1);
    run(&bus);
    assert!(received(&mut ends[0]).is_empty() && ends[1].poll(0).is_none());
}

#[test]
fn loopback_tokens_lost_and_doubled() {
    let (bus, mut ends) = joined(3, Faults::NONE, 0);
    bus.lose_next_token();
    ends[0].set(0, OFFER, WATCH, answers(0));
    bus.advance(20);
    assert!(ends[0].lines(20).busy && !ends[1].lines(20).token_in);
    run(&bus);
    ends[0].set(0, RELEASED, WATCH, answers(0));
    bus.offer_token(2);
    run(&bus);
    assert!(!ends[0].lines(0).busy && !ends[2].lines(0).token_in && bus.count().token_faults == 2);
}

#[test]
fn loopback_faults_follow_seed() {
    let faults = Faults {
        lost_per_mille: 100,
        doubled_per_mille: 100,
        changed_per_mille: 100,
        unanswered_per_mille: 100,
        dropped_per_mille: 100,
        ..Faults::NONE
    };
    let fates = |seed| {
        let (bus, mut ends) = joined(2, faults, seed);
        (0..1000)
            .map(|_| {
                ends[0].transmit(0, &frame(0, 1), Arming::Timed);
                run(&bus);
                (ends[0].poll(0), received(&mut ends[1]))
            })
            .collect::<Vec<_>>()
    };
    let first = fates(1);
    assert_eq!(first, fates(1));
    assert_ne!(first, fates(2));
    let (taken, none) = (Some(PhyEvent::Sent(Ok(Poll(2)))), Some(PhyEvent::Sent(Ok(Poll(0)))));
    let count = |event, frames: &[u8]| first.iter().filter(|fate| fate.0 == event && fate.1 == frames).count();
    assert!((50..150).contains(&count(none, &[])), "lost");
    assert!((50..150).contains(&count(none, &[0xff])), "damaged");
    assert!((50..150).contains(&count(taken, &[])), "dropped");
    assert!((30..150).contains(&count(taken, &[0, 0])), "doubled");
    assert!((30..150).contains(&count(none, &[0])), "its answer was lost");
}

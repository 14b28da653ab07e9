//! The loopback bus: times, turns, faults from a seed.
#![cfg(feature = "host")]

use renga_phy::loopback::{BusTiming, Faults, LoopbackBus};
use renga_phy::{FRAME_BYTES_MAX, Phy};

const TIMING: BusTiming =
    BusTiming { bits_per_s: 8_000_000, frame_overhead_ns: 100, token_pass_ns: 10, latency_ns: 7, transmit_frames: 2 };

fn run(bus: &LoopbackBus) -> Vec<u64> {
    let mut times = Vec::new();
    while let Some(at_ns) = bus.next_event_ns() {
        bus.advance(at_ns);
        times.push(at_ns);
    }
    times
}

#[test]
fn a_frame_takes_its_time() {
    let bus = LoopbackBus::new(2, TIMING, Faults::default(), 0);
    let (mut a, mut b) = (bus.end(0), bus.end(1));
    b.enable_receive_interrupt(true);
    bus.advance(5_000);
    assert!(a.send(1, &[1, 2, 3, 4]).is_ok());
    // Two hops of the token back to board 0, the overhead, four bytes of a microsecond each.
    assert_eq!(run(&bus), [5_000 + 20 + 100 + 4_000, 5_000 + 20 + 100 + 4_000 + 7]);
    assert!(bus.interrupts(1) && !bus.interrupts(0));
    let mut frame = [0; FRAME_BYTES_MAX];
    assert_eq!((b.receive(&mut frame), frame[..4].to_vec()), (Some(4), vec![1, 2, 3, 4]));
    assert!(b.receive(&mut frame).is_none() && !bus.interrupts(1));
}

#[test]
fn boards_take_turns_and_transmitters_fill_up() {
    let bus = LoopbackBus::new(3, TIMING, Faults::default(), 0);
    let mut ends = [bus.end(0), bus.end(1), bus.end(2)];
    for (board, end) in ends.iter_mut().enumerate().take(2) {
        end.enable_transmit_interrupt(true);
        for i in 0..2 {
            assert!(end.send(2, &[board as u8, i]).is_ok());
        }
        assert!(end.send(2, &[9, 9]).is_err());
    }
    assert!(!bus.interrupts(0));
    run(&bus);
    assert!(bus.interrupts(0) && bus.interrupts(1));
    let mut frame = [0; FRAME_BYTES_MAX];
    let order: Vec<_> = std::iter::from_fn(|| ends[2].receive(&mut frame).map(|_| (frame[0], frame[1]))).collect();
    assert_eq!(order, [(0, 0), (1, 0), (0, 1), (1, 1)]);
}

#[test]
fn a_broadcast_reaches_all_others_that_are_joined() {
    let bus = LoopbackBus::new(4, TIMING, Faults::default(), 0);
    bus.cut_off(3, true);
    assert!(bus.end(1).send(0xff, &[5]).is_ok());
    run(&bus);
    let mut frame = [0; FRAME_BYTES_MAX];
    let got: Vec<_> = (0..4).map(|board| bus.end(board).receive(&mut frame).is_some()).collect();
    assert_eq!(got, [true, false, true, false]);
}

#[test]
fn faults_come_from_the_seed() {
    let arrived = |seed| {
        let faults = Faults { lost_per_mille: 300, doubled_per_mille: 300, changed_per_mille: 300 };
        let bus = LoopbackBus::new(2, TIMING, faults, seed);
        let mut frame = [0; FRAME_BYTES_MAX];
        let mut all = Vec::new();
        for i in 0..100 {
            assert!(bus.end(0).send(1, &[i; 8]).is_ok());
            run(&bus);
            while let Some(bytes) = bus.end(1).receive(&mut frame) {
                all.push(frame[..bytes].to_vec());
            }
        }
        all
    };
    assert_eq!(arrived(1), arrived(1));
    assert_ne!(arrived(1), arrived(2));
}

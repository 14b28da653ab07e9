//! Figures on a sound harness, beside those of frames that are sent by hand, as `renga bench bus` does it.

use crate::cluster::{pin_bus, round};
use renga_hal::gpio::PinBank;
use renga_phy::FRAME_BYTES_MAX;
use renga_phy::linkbench::{DATA_BYTES, Round};
use renga_phy::pins::model::{HarnessModel, ModelSetup, Serial, Speed, Tasks};
use renga_phy::pins::{Handshake, PinBus};
use renga_phy::token::Arming;
use renga_wire::bus::Answers;
use renga_wire::{FrameKind, Header};
use std::cell::Cell;
use std::rc::Rc;

/// Payload of frames from board 0 to the only other board that follow each other without a token, kbit/s.
fn by_hand_kbps(setup: &ModelSetup) -> u64 {
    const FRAMES: u64 = 8;
    let model = HarnessModel::new(setup);
    let mut tasks = Tasks::new(&model);
    for board in 1..setup.boards.len() as u8 {
        let setup = setup.clone();
        tasks.begin(board, move |pins| {
            let mut bus = pin_bus(pins, &setup, board);
            let answers = Answers { board, present: true, ..Answers::default() };
            let mut into = [0; FRAME_BYTES_MAX];
            loop {
                if PinBus::<renga_phy::pins::model::ModelPins<'_>>::frame_begins(bus.levels()) {
                    let _ = bus.listen(&mut into, true, &answers);
                }
            }
        });
    }
    let (took, own) = (Rc::new(Cell::new(0)), setup.clone());
    let seen = took.clone();
    tasks.begin(0, move |pins| {
        let mut bus = pin_bus(pins, &own, 0);
        let header = Header { kind: FrameKind::Data, destination: 1, source: 0, epoch: 0, sequence: 0 };
        let mut frame = [0; FRAME_BYTES_MAX];
        let bytes = header.emit(&[0x5a; DATA_BYTES], &mut frame).expect("it fits");
        bus.gpio().wait_until(200_000);
        let begin_ns = bus.gpio().now_ns();
        for _ in 0..FRAMES {
            bus.talk(&frame[..bytes], Arming::Interlocked).expect("it listens");
        }
        seen.set(bus.gpio().now_ns() - begin_ns);
    });
    tasks.run_until(50_000_000);
    drop(tasks);
    FRAMES * DATA_BYTES as u64 * 8 * 1_000_000 / took.get()
}

fn all_of(setup: &ModelSetup, rate_hz: Option<u32>) -> Round {
    let boards: Vec<u8> = (0..setup.boards.len() as u8).collect();
    let round = round(setup, rate_hz, &boards);
    println!("{round}");
    assert!(round.is_whole(), "{round}");
    round
}

/// Holds: linkbench-rates.
#[test]
fn linkbench_rates_are_frames_less_token() {
    for handshake in [Handshake::ThreeWire, Handshake::TwoEdge] {
        for speed in [Speed::PI3_1200, Speed::PI4_600] {
            let setup = ModelSetup { handshake, ..ModelSetup::of(2, speed) };
            let by_hand = by_hand_kbps(&setup);
            let pair = all_of(&setup, None).pairs[1].expect("it answers");
            println!("by hand {by_hand} kbit/s, there {}, back {}", pair.there.rate_kbps(), pair.back.rate_kbps());
            for flow in [pair.there, pair.back] {
                assert!((by_hand * 97 / 100..=by_hand * 101 / 100).contains(&flow.rate_kbps()), "{by_hand}: {flow:?}");
                assert_eq!((flow.missing, flow.double), (0, 0));
            }
        }
    }
}

/// Holds: linkbench-rates.
#[test]
fn linkbench_token_passes_once_per_round() {
    let setup = ModelSetup { handshake: Handshake::TwoEdge, ..ModelSetup::of(4, Speed::PI3_1200) };
    let round = all_of(&setup, None);
    let frame_us = 1_000_000 / round.pairs[1].expect("it answers").there.frames_per_s();
    for board in 0..4 {
        let rotation_us = u64::from(round.rotation_us(board).expect("it sends"));
        assert!((4 * frame_us..5 * frame_us).contains(&rotation_us), "{frame_us} and {rotation_us} us\n{round}");
    }
}

/// A board that receives the token sends at once: its predecessor learns of the arrival before the next frame.
/// Holds: linkbench-losses.
#[test]
fn linkbench_three_boards_lose_no_token() {
    for boards in [3, 4] {
        let round =
            all_of(&ModelSetup { handshake: Handshake::TwoEdge, ..ModelSetup::of(boards, Speed::PI3_1200) }, None);
        let tokens: u32 = round.shares.iter().flatten().map(|share| share.errors.tokens).sum();
        let slowest_us = round.pairs.iter().flatten().map(|pair| pair.trips.most_us).max();
        assert!(tokens == 1 && slowest_us < Some(1_000), "{round}");
    }
}

/// Holds: linkbench-rates.
#[test]
fn linkbench_spi_measures_all() {
    let setup = ModelSetup { serial: Some(Serial::REPORTED), ..ModelSetup::of(2, Speed::PI3_1200) };
    let pair = all_of(&setup, Some(4_000_000)).pairs[1].expect("it answers");
    // By hand 2.91 Mbit/s (`frames_long_rates_are_known`), without the token and with 50 us less of arming a frame.
    for flow in [pair.there, pair.back] {
        assert!((2_800..=2_910).contains(&flow.rate_kbps()), "{flow:?}");
    }
}

/// Each rate, both chips on one bus: the flows of every pair, and one token for all.
#[test]
fn linkbench_spi_measures_both_chips() {
    for (rate_hz, boards, least_kbps) in [(1_000_000, 2, 700), (8_000_000, 2, 4_700), (4_000_000, 3, 2_700)] {
        let mut setup = ModelSetup { serial: Some(Serial::REPORTED), ..ModelSetup::of(boards, Speed::PI3_1200) };
        setup.boards[1] = Speed::PI4_600;
        let round = all_of(&setup, Some(rate_hz));
        for pair in round.pairs.iter().flatten() {
            assert!(pair.there.rate_kbps().min(pair.back.rate_kbps()) > least_kbps, "{rate_hz} Hz\n{round}");
        }
        let tokens: u32 = round.shares.iter().flatten().map(|share| share.errors.tokens).sum();
        assert_eq!(tokens, 1, "{rate_hz} Hz\n{round}");
    }
}

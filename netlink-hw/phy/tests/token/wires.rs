//! Wires that are broken, touch each other, ground or the supply, or are exchanged, under the token protocol.
//!
//! Nothing wrong arrives, ever: each site compares what it gets with what was sent.

use crate::bus::Bus;
use crate::ring::{Ring, TIMING};
use renga_phy::pins::HarnessLine;
use renga_phy::pins::model::{HarnessFault, ModelSetup, Speed};
use renga_phy::spi::wiring::mask;

const BOARDS: u8 = 3;
const SELECT: u8 = 8;
const DATA: u8 = 10;
const CLOCK: u8 = 11;

/// The pins of the lines over SPI.
fn pin(line: HarnessLine) -> u8 {
    mask(line).trailing_zeros() as u8
}

/// Boards with a fault of the harness; each board has a frame for the next one.
fn with(speed: Speed, fault: HarnessFault) -> Ring {
    let cluster = ModelSetup { faults: vec![fault], ..Bus::SPI.cluster(BOARDS, speed) };
    let mut ring = Ring::new(Bus::SPI, &cluster);
    ring.send_around();
    ring.run_for(TIMING.listen_ns + 8 * TIMING.doubled_token_ns(BOARDS - 1, Bus::SPI.control_ns()));
    ring
}

/// The boards that got their frames, a bit each.
fn served(ring: &Ring) -> u8 {
    (0..BOARDS).fold(0, |all, place| all | u8::from(!ring.site(place).received.is_empty()) << place)
}

/// Where a pin is open: the boards that still get the frame from the board before.
fn open(speed: Speed, board: u8, pin: u8) -> u8 {
    served(&with(speed, HarnessFault::Open { board, pin }))
}

/// All boards but those whose frame `board` has to hear, or send.
fn but(board: u8, hears: bool, sends: bool) -> u8 {
    let receiver = |place: u8| 1 << place;
    0b111 & !(if hears { 0 } else { receiver(board) }) & !(if sends { 0 } else { receiver((board + 1) % BOARDS) })
}

#[test]
fn token_stuck_shared_wires_stop_bus_and_are_reported() {
    let lines = [HarnessLine::Busy, HarnessLine::Attention, HarnessLine::NotReady, HarnessLine::NotAccepted];
    for speed in [Speed::PI3_1200, Speed::PI4_600] {
        for line in [SELECT, DATA, CLOCK].into_iter().chain(lines.map(pin)) {
            for fault in [HarnessFault::StuckLow(line), HarnessFault::StuckHigh(line)] {
                let ring = with(speed, fault);
                // BUSY# need not be visible while one token travels in frames.
                let harmless = fault == HarnessFault::StuckHigh(pin(HarnessLine::Busy));
                assert_eq!(served(&ring), if harmless { 0b111 } else { 0 }, "{}, {fault:?}: {ring:?}", speed.name);
                for place in 0..BOARDS {
                    let site = ring.site(place);
                    // A board that no other hears is alone, or never takes part; its frame is given up, or waits.
                    let knows = !site.member || site.members == 1 << place || site.count.stuck > 0;
                    assert!(knows != harmless, "{}, {fault:?}: {ring:?}", speed.name);
                }
            }
        }
    }
}

/// The others continue without a board that hears nothing; one that cannot send still hears.
#[test]
fn token_open_pin_of_one_board_is_detected() {
    for board in 0..BOARDS {
        for speed in [Speed::PI3_1200, Speed::PI4_600] {
            // The token's wires and BUSY#: it goes round in frames.
            for pin in [2, 12, pin(HarnessLine::Busy)] {
                assert_eq!(open(speed, board, pin), 0b111, "{}, board {board}, GPIO{pin}", speed.name);
            }
            // Its own data output: it hears.
            assert_eq!(open(speed, board, DATA), but(board, true, false), "{}, board {board}", speed.name);
        }
        // A Pi 3 sends on other pins than those by which it hears.
        assert_eq!(open(Speed::PI3_1200, board, CLOCK), but(board, true, false), "board {board}");
        for pin in [20, 21] {
            assert_eq!(open(Speed::PI3_1200, board, pin), but(board, false, true), "board {board}, GPIO{pin}");
        }
        // A Pi 4 has the same clock for both.
        assert_eq!(open(Speed::PI4_600, board, 9), but(board, false, true), "board {board}");
    }
}

/// With wires swapped or shorted, arrivals are right, and the bus stops or continues, but no board waits for ever in a
/// frame.
#[test]
fn token_swapped_and_touching_wires_pass_nothing_wrong() {
    let wires = [
        pin(HarnessLine::Busy),
        pin(HarnessLine::Attention),
        pin(HarnessLine::NotReady),
        pin(HarnessLine::NotAccepted),
        SELECT,
        DATA,
        CLOCK,
    ];
    let pairs = || wires.iter().enumerate().flat_map(|(at, a)| wires[at + 1..].iter().map(move |b| (*a, *b)));
    for (number, (a, b)) in pairs().enumerate() {
        let speed = if number % 2 == 0 { Speed::PI3_1200 } else { Speed::PI4_600 };
        let mut ring = with(speed, HarnessFault::Shorted(a, b));
        println!("GPIO{a} and GPIO{b} touch: {:#05b} served", served(&ring));
        ends(&mut ring);
        let board = number as u8 % BOARDS;
        let mut ring = with(speed, HarnessFault::Swapped { board, pins: (a, b) });
        println!("GPIO{a} and GPIO{b} of board {board} exchanged: {:#05b} served", served(&ring));
        ends(&mut ring);
    }
}

/// Each board comes by within the bound of a frame: none is kept by the wires.
fn ends(ring: &mut Ring) {
    for place in 0..BOARDS {
        ring.at(place, |site| site.steps = 0);
    }
    ring.run_for(2 * Bus::SPI.frame_bound_ns());
    assert!((0..BOARDS).all(|place| ring.site(place).steps > 0), "a board is stuck: {ring:?}");
}

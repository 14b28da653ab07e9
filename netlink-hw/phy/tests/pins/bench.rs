//! A cluster whose boards send each other frames.

use renga_phy::FRAME_BYTES_MAX;
use renga_phy::pins::model::{Model, ModelPins, Setup, Tasks};
use renga_phy::pins::{BusError, Handshake, Heard, PinBus, PullUps, Timing, Width, Wiring};
use renga_wire::bus::{Answers, Poll};
use renga_wire::frame::BROADCAST;
use renga_wire::{Header, Kind};
use std::cell::RefCell;

pub const WIRING: Wiring = Wiring { width: Width::Sixteen, handshake: Handshake::ThreeWire, pulls: PullUps::Harness };

pub fn answers(board: u8) -> Answers {
    Answers { board, present: true, wants: false, epoch: Some(0), serial: u64::from(board) }
}

pub fn frame(destination: u8, source: u8, sequence: u8, payload: &[u8]) -> Vec<u8> {
    let header = Header { kind: Kind::Data, destination, source, epoch: 0, sequence };
    let mut bytes = [0; FRAME_BYTES_MAX];
    let length = header.emit(payload, &mut bytes).unwrap();
    bytes[..length].to_vec()
}

/// What a transfer of some frames from board 0 to all others showed.
#[derive(Default)]
pub struct Seen {
    pub polls: Vec<Result<Poll, BusError>>,
    pub heard: Vec<(u8, Vec<u8>)>,
    pub errors: Vec<(u8, BusError)>,
    /// When each frame began and ended.
    pub spans_ns: Vec<(u64, u64)>,
}

/// Listens for ever.
pub async fn listener(pins: ModelPins, wiring: Wiring, board: u8, seen: &RefCell<Seen>) {
    let mut bus = PinBus::begin(pins, board, wiring, Timing::for_width(wiring.width)).await;
    let mut into = [0; FRAME_BYTES_MAX];
    loop {
        let levels = bus.levels().await;
        if PinBus::<ModelPins>::frame_begins(levels) {
            match bus.listen(&mut into, true, &answers(board)).await {
                Ok(Heard::Frame(bytes)) => seen.borrow_mut().heard.push((board, into[..bytes].to_vec())),
                Ok(_) => {}
                Err(error) => seen.borrow_mut().errors.push((board, error)),
            }
        }
    }
}

/// Sends `frames` from board 0 to the others of `setup`.
pub fn send(setup: &Setup, wiring: Wiring, frames: &[Vec<u8>]) -> (Model, Seen) {
    let model = Model::new(setup);
    let seen = RefCell::new(Seen::default());
    let mut tasks = Tasks::new(&model);
    for board in 1..setup.boards.len() as u8 {
        tasks.begin(board, listener(model.pins(board), wiring, board, &seen));
    }
    tasks.begin(0, async {
        let mut bus = PinBus::begin(model.pins(0), 0, wiring, Timing::for_width(wiring.width)).await;
        // The others measure their pins meanwhile.
        let begin_ns = renga_hal::gpio::PinBank::now_ns(bus.gpio()) + 100_000;
        renga_hal::gpio::PinBank::wait_until(bus.gpio(), begin_ns).await;
        for frame in frames {
            let begin_ns = model.now_ns(0);
            let sent = bus.talk(frame).await;
            let mut seen = seen.borrow_mut();
            seen.polls.push(sent);
            seen.spans_ns.push((begin_ns, model.now_ns(0)));
        }
    });
    let mut until_ns = 0;
    while !tasks.is_done(0) {
        until_ns += 1_000_000;
        assert!(until_ns < 1_000_000_000, "the talker never ends");
        tasks.run_until(until_ns);
    }
    drop(tasks);
    (model, seen.into_inner())
}

/// The payload rate of a transfer, bit/s.
pub fn rate(seen: &Seen, payload_bytes: usize) -> u64 {
    let ns: u64 = seen.spans_ns.iter().map(|(begin, end)| end - begin).sum();
    seen.spans_ns.len() as u64 * payload_bytes as u64 * 8 * 1_000_000_000 / ns
}

pub const ALL: u8 = BROADCAST;

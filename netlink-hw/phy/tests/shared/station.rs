//! What a board does in the tests of the buses: it listens, and sends frames at given times.

use renga_hal::gpio::PinBank;
use renga_phy::FRAME_BYTES_MAX;
use renga_phy::bus_phy::TokenBus;
use renga_phy::pins::test::PatternReadings;
use renga_phy::pins::{BusError, Reception};
use renga_phy::token::Arming;
use renga_wire::bus::{Answers, Poll};
use renga_wire::{FrameKind, Header};
use std::cell::RefCell;

/// The destination of frames for all.
pub const ALL: u8 = renga_wire::frame::BROADCAST;
/// All boards have measured their pins by then.
pub const BEGIN_NS: u64 = 200_000;
/// Between two samples of an idle bus.
const IDLE_NS: u64 = 1_500;

pub fn answers(board: u8) -> Answers {
    Answers { board, present: true, wants: false, epoch: Some(0), serial: u64::from(board) }
}

pub fn frame(destination: u8, source: u8, payload: &[u8]) -> Vec<u8> {
    let header = Header { kind: FrameKind::Data, destination, source, epoch: 0, sequence: 0 };
    let mut bytes = [0; FRAME_BYTES_MAX];
    let length = header.emit(payload, &mut bytes).unwrap();
    bytes[..length].to_vec()
}

/// Bytes without a pattern.
pub fn payload(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|i| (i * i * 31 + i * 7 + 3) as u8).collect()
}

/// What a board sends when its time has come.
#[derive(Clone)]
pub enum Plan {
    Frame(Vec<u8>),
    /// To the only other board.
    #[allow(dead_code, reason = "SPI arms by time alone")]
    Interlocked(Vec<u8>),
    #[allow(dead_code, reason = "only the pins have a test frame")]
    Test,
}

/// A frame that was sent.
#[derive(Clone, Debug)]
pub struct Sent {
    pub board: u8,
    pub result: Result<Poll, BusError>,
    pub begin_ns: u64,
    pub end_ns: u64,
}

#[derive(Default, Debug)]
pub struct Seen {
    pub sent: Vec<Sent>,
    pub received: Vec<(u8, Vec<u8>)>,
    /// Failed receptions: the board, start and end, and why.
    pub errors: Vec<(u8, u64, u64, BusError)>,
    pub views: Vec<(u8, PatternReadings)>,
}

impl Seen {
    /// The payload rate of what was sent, bit/s.
    pub fn rate(&self, payload_bytes: usize) -> u64 {
        let ns: u64 = self.sent.iter().map(|sent| sent.end_ns - sent.begin_ns).sum();
        self.sent.len() as u64 * payload_bytes as u64 * 8 * 1_000_000_000 / ns
    }
}

/// Listens, and sends what is planned at or after its time; for ever. `test` sends a test frame.
pub fn stand<B: TokenBus>(
    mut bus: B,
    test: impl Fn(&mut B) -> Result<PatternReadings, BusError>,
    answers: Answers,
    mut plan: Vec<(u64, Plan)>,
    seen: &RefCell<Seen>,
) {
    let board = bus.board();
    let mut into = [0; FRAME_BYTES_MAX];
    plan.reverse();
    let mut awaits_change = false;
    loop {
        let begin_ns = bus.gpio().now_ns();
        if plan.last().is_some_and(|(at_ns, _)| *at_ns <= begin_ns) {
            let (_, what) = plan.pop().unwrap();
            let result = match what {
                Plan::Frame(frame) => bus.talk(&frame, Arming::Timed),
                Plan::Interlocked(frame) => bus.talk(&frame, Arming::Interlocked),
                Plan::Test => test(&mut bus).map(|view| {
                    seen.borrow_mut().views.push((board, view));
                    Poll(0)
                }),
            };
            let end_ns = bus.gpio().now_ns();
            seen.borrow_mut().sent.push(Sent { board, result, begin_ns, end_ns });
        }
        let levels = bus.levels();
        let begins = B::frame_begins(levels);
        if !begins || awaits_change {
            awaits_change &= begins;
            let next_ns = bus.gpio().now_ns() + IDLE_NS;
            bus.gpio().wait_until(next_ns);
            continue;
        }
        let received = bus.listen(&mut into, true, &answers);
        let end_ns = bus.gpio().now_ns();
        awaits_change = matches!(received, Err(BusError::NoAnswer(_)));
        let mut seen = seen.borrow_mut();
        match received {
            Ok(Reception::Frame(bytes)) => seen.received.push((board, into[..bytes].to_vec())),
            Ok(Reception::Test(view)) => seen.views.push((board, view)),
            Ok(Reception::Nothing) => {}
            Err(error) => seen.errors.push((board, begin_ns, end_ns, error)),
        }
    }
}

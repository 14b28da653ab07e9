//! What the driver of the pins costs, in instructions: the image's source, compiled for a script in their place.
//!
//! The other side is a script that always is ready, so that no reading is in vain; pauses to settle, which
//! are readings and stores for their time's sake, are left out. Not here: what follows for the rate of the
//! bus (`renga bench bus`).

use super::{reading_cost, ticks};
use core::fmt::Write;
use core::hint::black_box;
use renga_hal::gpio::PinBank;
use renga_phy::FRAME_BYTES_MAX;
use renga_phy::pins::script::{Ideal, READINGS_MAX, ScriptedPins};
use renga_phy::pins::{Handshake, PinBus, PinTiming, PullUps, Width, Wiring};
use renga_phy::token::Arming;
use renga_wire::bus::Answers;
use renga_wire::frame::BROADCAST;
use renga_wire::{FrameKind, Header};

/// Payload of the frame, bytes: as `renga bench bus` measures rates.
const PAYLOAD_BYTES: usize = 1024;
/// Rounds; the least counts.
const ROUNDS: usize = 8;
const TALKER: u8 = 0;
const LISTENER: u8 = 1;

/// Memory of the measurement.
pub struct Room {
    readings: [u32; READINGS_MAX],
    frame: [u8; FRAME_BYTES_MAX],
    into: [u8; FRAME_BYTES_MAX],
}

impl Room {
    pub const EMPTY: Room =
        Room { readings: [0; READINGS_MAX], frame: [0; FRAME_BYTES_MAX], into: [0; FRAME_BYTES_MAX] };
}

fn bus<G: PinBank>(pins: G, board: u8, handshake: Handshake) -> PinBus<G> {
    let wiring = Wiring { width: Width::Sixteen, handshake, pulls: PullUps::Harness };
    let timing = PinTiming { settle_ns: 0, hold_ns: 0, ..PinTiming::for_width(wiring.width) };
    PinBus::begin(pins, board, black_box(wiring), timing)
}

/// Counts `work` against the script in `readings`.
fn counted<T, E>(
    readings: &[u32; READINGS_MAX],
    board: u8,
    handshake: Handshake,
    mut work: impl FnMut(&mut PinBus<ScriptedPins<'_>>) -> Result<T, E>,
) -> u64 {
    let (mut bus, cost) = (bus(ScriptedPins::new(readings), board, handshake), reading_cost());
    let mut least = u64::MAX;
    for _ in 0..ROUNDS {
        bus.gpio().begin();
        let start = ticks();
        let done = black_box(work(black_box(&mut bus)));
        least = least.min(ticks() - start - cost);
        assert!(done.is_ok(), "the script is what the driver reads");
    }
    least
}

/// Prints the four figures.
pub fn measure(out: &mut impl Write, room: &mut Room) {
    let Room { readings, frame, into } = room;
    let header = Header { kind: FrameKind::Data, destination: BROADCAST, source: TALKER, epoch: 0, sequence: 0 };
    let Ok(bytes) = header.emit(&[0x5a; PAYLOAD_BYTES], frame) else {
        unreachable!("a frame has room for its payload")
    };
    let frame = &frame[..bytes];
    for (handshake, name) in [(Handshake::ThreeWire, "three-wire"), (Handshake::TwoEdge, "two-edge")] {
        let mut ideal = bus(Ideal::listeners(readings), TALKER, handshake);
        ideal.gpio().begin();
        let sent = ideal.talk(frame, Arming::Timed);
        assert!(sent.is_ok(), "the script's listeners take the frame");
        let accesses = ideal.gpio().accesses();
        let instructions = counted(readings, TALKER, handshake, |bus| bus.talk(black_box(frame), Arming::Timed));
        line(out, "talker", name, accesses, instructions);

        let answers = Answers { board: LISTENER, present: true, epoch: Some(0), ..Answers::default() };
        let mut ideal = bus(Ideal::talker(frame, handshake, readings), LISTENER, handshake);
        ideal.gpio().begin();
        let received = ideal.listen(into, true, &answers);
        assert!(received.is_ok(), "the script's talker sends a frame");
        let accesses = ideal.gpio().accesses();
        let instructions = counted(readings, LISTENER, handshake, |bus| bus.listen(into, true, black_box(&answers)));
        line(out, "listener", name, accesses, instructions);
    }
}

fn line(out: &mut impl Write, part: &str, handshake: &str, (read, stored): (usize, usize), instructions: u64) {
    let accesses = (read + stored) as u64;
    let tenths = (instructions * 10).div_ceil(accesses);
    // The line's form is what `renga bench pins` reads.
    let _ = write!(out, "bench {part}-{handshake} = {accesses} {instructions} {}.{}\r\n", tenths / 10, tenths % 10);
}

//! The script of the other side: what the driver's work is counted against is a whole frame.

use crate::bench::{ALL, WIRING, answers, frame, payload};
use renga_hal::gpio::PinBank;
use renga_phy::FRAME_BYTES_MAX;
use renga_phy::pins::script::{Ideal, READINGS_MAX, ScriptedPins};
use renga_phy::pins::{Handshake, PinBus, PinTiming, Reception, Width, Wiring};
use renga_phy::token::Arming;
use renga_wire::bus::Poll;

const TIMING: PinTiming = PinTiming { settle_ns: 0, hold_ns: 0, ..PinTiming::for_width(Width::Sixteen) };

fn begun<G: PinBank>(pins: G, board: u8, handshake: Handshake) -> PinBus<G> {
    PinBus::begin(pins, board, Wiring { handshake, ..WIRING }, TIMING)
}

#[test]
fn script_replay_repeats_driver() {
    for handshake in [Handshake::ThreeWire, Handshake::TwoEdge] {
        for bytes in [0, 2, 62, 1024] {
            let sent = frame(ALL, 0, &payload(bytes));
            let mut readings = Box::new([0; READINGS_MAX]);
            let mut bus = begun(Ideal::listeners(&mut readings), 0, handshake);
            bus.gpio().begin();
            assert_eq!(bus.talk(&sent, Arming::Timed), Ok(Poll(2)), "{handshake:?}, {bytes} bytes");
            let (read, _) = bus.gpio().accesses();
            let mut bus = begun(ScriptedPins::new(&readings), 0, handshake);
            bus.gpio().begin();
            assert_eq!((bus.talk(&sent, Arming::Timed), bus.gpio().read()), (Ok(Poll(2)), read));

            let mut into = [0; FRAME_BYTES_MAX];
            let mut bus = begun(Ideal::talker(&sent, handshake, &mut readings), 1, handshake);
            bus.gpio().begin();
            let received = bus.listen(&mut into, true, &answers(1));
            assert_eq!(received, Ok(Reception::Frame(sent.len())), "{handshake:?}, {bytes} bytes");
            assert_eq!(into[..sent.len()], sent);
            let (read, _) = bus.gpio().accesses();
            let mut bus = begun(ScriptedPins::new(&readings), 1, handshake);
            bus.gpio().begin();
            assert_eq!(bus.listen(&mut into, true, &answers(1)), Ok(Reception::Frame(sent.len())));
            assert_eq!(bus.gpio().read(), read);
            assert!(read < READINGS_MAX);
        }
    }
}

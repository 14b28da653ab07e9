//! Frames arrive, in every mode, with every number of listeners.

use crate::bench::{ALL, WIRING, frame, rate, send};
use renga_phy::pins::model::{Setup, Speed};
use renga_phy::pins::{Handshake, Wiring};

#[test]
fn a_frame_reaches_all() {
    for handshake in [Handshake::ThreeWire, Handshake::TwoEdge] {
        for boards in [2, 8] {
            let payload: Vec<u8> = (0..1024).map(|i| (i * 7) as u8).collect();
            let sent = frame(ALL, 0, 1, &payload);
            let setup = Setup { handshake, ..Setup::of(boards, Speed::PI3_1200) };
            let (model, seen) = send(&setup, Wiring { handshake, ..WIRING }, std::slice::from_ref(&sent));
            assert_eq!(seen.polls[0].map(|poll| u32::from(poll.takers())), Ok((1 << boards) - 2));
            assert_eq!(seen.heard.len(), usize::from(boards) - 1);
            assert!(seen.heard.iter().all(|(_, bytes)| *bytes == sent));
            assert_eq!(model.violations(), []);
            let goal = if handshake == Handshake::ThreeWire { 18_000_000 } else { 25_000_000 };
            assert!(rate(&seen, 1024) > goal, "{} bit/s", rate(&seen, 1024));
        }
    }
}

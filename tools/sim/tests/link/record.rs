//! Frames that routers send and receive, recorded at their devices and checked against the rules of sessions.

use crate::cast::{Body, Cast, Note, Null, body, build, cluster};
use crate::faults::run_random;
use renga_hal::link::{FRAME_BYTES_MAX, FrameDevice, TransmitFull};
use renga_model::trace::{Recorded, check};
use renga_sim::{ClusterSetup, Faults};
use std::cell::RefCell;

thread_local! {
    static RECORD: RefCell<Vec<Recorded>> = const { RefCell::new(Vec::new()) };
}

/// Notes that board `number` restarts.
pub fn started(number: u8) {
    RECORD.with_borrow_mut(|record| record.push(Recorded::Started(number)));
}

/// Takes what was recorded in this thread since the last time.
fn take() -> Vec<Recorded> {
    RECORD.with_borrow_mut(std::mem::take)
}

/// A device that notes what goes through it.
pub struct Noted<D>(pub D);

impl<D: FrameDevice> FrameDevice for Noted<D> {
    fn board(&self) -> u8 {
        self.0.board()
    }
    fn receive(&mut self, out: &mut [u8; FRAME_BYTES_MAX]) -> Option<usize> {
        let bytes = self.0.receive(out)?;
        let received = Recorded::Received(self.board(), out[..bytes].to_vec());
        RECORD.with_borrow_mut(|record| record.push(received));
        Some(bytes)
    }
    fn has_room(&self) -> bool {
        self.0.has_room()
    }
    fn send(&mut self, destination: u8, frame: &[u8]) -> Result<(), TransmitFull> {
        self.0.send(destination, frame)?;
        let said = Recorded::Sent(self.board(), frame.to_vec());
        RECORD.with_borrow_mut(|record| record.push(said));
        Ok(())
    }
    fn enable_receive_interrupt(&mut self, on: bool) {
        self.0.enable_receive_interrupt(on);
    }
    fn enable_transmit_interrupt(&mut self, on: bool) {
        self.0.enable_transmit_interrupt(on);
    }
    fn attend(&mut self, now_ns: u64) {
        self.0.attend(now_ns);
    }
    fn deadline_ns(&self) -> Option<u64> {
        self.0.deadline_ns()
    }
    fn take_overrun(&mut self) -> bool {
        self.0.take_overrun()
    }
}

#[test]
fn session_rules_hold_on_bad_bus() {
    let mut frames = 0;
    for seed in 0..20 {
        let faults = Faults { lost_per_mille: 60, doubled_per_mille: 60, changed_per_mille: 30, ..Faults::NONE };
        let setup = ClusterSetup { faults, seed, ..ClusterSetup::new(2) };
        take();
        run_random(setup, Cast { asynchronous: seed % 2 == 1, ..Cast::pair(3) }, 20);
        frames += check(&take()).unwrap_or_else(|broken| panic!("seed {seed}: {broken:?}"));
    }
    println!("{frames} frames keep the rules");
}

fn calls_for_ever(board: u8) -> Option<Body> {
    body(move |mut stores| async move {
        for value in 0.. {
            let mut far = stores.at(1 - board, 0);
            let _ = far.call(Null {}, ()).await;
            let _ = far.call(Note { value, fail: false }, &[7; 1500]).await;
        }
    })
}

#[test]
fn session_rules_hold_around_board_failures() {
    let (mut frames, cast) = (0, Cast { asynchronous: true, ..Cast::pair(2) });
    for seed in 1..10 {
        let faults = Faults { lost_per_mille: 20, ..Faults::NONE };
        let setup = ClusterSetup { faults, seed, ..ClusterSetup::new(2) };
        take();
        let (mut cluster, _) = cluster(setup, cast, |board, _| calls_for_ever(board));
        for part in 1..6 {
            cluster.run_until(part * (70_000_000 + seed * 1_234_567));
            cluster.reboot((part % 2) as u8, |site| drop(build(site, cast, |board, _| calls_for_ever(board))));
        }
        cluster.run_until(cluster.now_ns() + 200_000_000);
        let record = take();
        frames += check(&record).unwrap_or_else(|broken| panic!("seed {seed}: {broken:?}"));
        // The same with one frame of data that was never heard.
        let data =
            |part: &Recorded| matches!(part, Recorded::Received(_, bytes) if bytes.len() > 30 && bytes[1] & 0xf == 1);
        let mut wrong = record;
        wrong.retain({
            let mut gone = 0;
            move |part| {
                gone += usize::from(data(part));
                gone != 3 || !data(part)
            }
        });
        assert!(check(&wrong).is_err(), "seed {seed}: a frame that was acknowledged and not received is not missed");
    }
    println!("{frames} frames keep the rules");
}

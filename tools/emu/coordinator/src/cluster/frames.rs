//! Frames: which take the wire, and what becomes of them.
//!
//! Invariant: a frame is settled when nothing that could change its fate can happen any more.

use super::EmulatedCluster;
use crate::bus::Passage;
use crate::event::FrameEvent;
use crate::faults::Fault;
use renga_emu_device::messages::{BoardOrder, NEVER_NS};

impl EmulatedCluster {
    /// Settles the frames that take the wire before `limit_ns`, as far as they can be, and returns the first instant at
    /// which a board may do anything or a frame take the wire.
    pub(super) fn settle_frames(&mut self, limit_ns: u64) -> u64 {
        loop {
            let board_ns = self.boards.iter().map(|board| board.earliest_ns()).min().unwrap_or(NEVER_NS);
            match self.bus.decide(board_ns.min(limit_ns)) {
                Some(passage) => self.announce(passage),
                None => return self.bus.next_start_ns().map_or(board_ns, |start_ns| start_ns.min(board_ns)),
            }
        }
    }

    fn announce(&mut self, passage: Passage) {
        let fault = self.faults.draw();
        self.faults_met += u64::from(fault != Fault::None);
        match fault {
            Fault::TokenLoss => self.bus.lose_token(0),
            Fault::Collision => {
                if let Some((source, frame)) = self.bus.collide(passage.start_ns) {
                    self.depart(Passage { source, frame, ..passage });
                }
            }
            _ => {}
        }
        // A board that dies in the middle of its frame is not understood.
        let broken = self.power.next_ns(passage.source).is_some_and(|power_ns| power_ns < passage.end_ns);
        let late_ns = if let Fault::Delay(late_ns) = fault { late_ns } else { 0 };
        for (number, board) in self.boards.iter_mut().enumerate().filter(|_| !broken) {
            if passage.reaches(number as u8) {
                let time_ns = passage.end_ns + late_ns;
                let copies = fault.copies(&passage.frame.bytes).into_iter();
                copies.for_each(|bytes| board.order(BoardOrder::Deliver { time_ns, bytes }));
            }
        }
        self.depart(passage);
    }

    /// Notifies the sender that its frame is over.
    fn depart(&mut self, passage: Passage) {
        let time_ns = passage.end_ns;
        let token_wait_ns = passage.start_ns - passage.frame.sent_ns;
        let wire_ns = passage.end_ns - passage.start_ns;
        self.boards[usize::from(passage.source)].order(BoardOrder::Departed {
            time_ns,
            token_wait_ns: u32::try_from(token_wait_ns).unwrap_or(u32::MAX),
            wire_ns: u32::try_from(wire_ns).unwrap_or(u32::MAX),
        });
        self.timeline.add_frame(FrameEvent {
            source: passage.source,
            destination: passage.frame.destination,
            sent_ns: passage.frame.sent_ns,
            token_wait_ns,
            wire_ns,
            delivered_ns: time_ns,
            bytes: passage.frame.bytes,
        });
    }
}

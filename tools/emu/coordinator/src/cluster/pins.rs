//! Changes of pins, passed on.
//!
//! Invariant: a board that receives a change has not passed the instant at which it sees it. Not here: the wires
//! (`wires`).

use super::EmulatedCluster;
use crate::timeline::Item;
use renga_emu_device::messages::BoardOrder;
use renga_emu_device::pins::PinDrive;

impl EmulatedCluster {
    /// `board` does `drive` to its pins from `time_ns` on.
    pub(super) fn change_pins(&mut self, board: u8, time_ns: u64, drive: PinDrive) {
        let Some(wires) = &mut self.wires else { return };
        self.timeline.add(board, time_ns, Item::Pins(drive));
        for (board, order) in wires.change(board, time_ns, drive, self.time_ns) {
            self.boards[usize::from(board)].order(order);
        }
    }

    /// `board` has ended, or has no power: it drives no line any more.
    pub(super) fn release_pins(&mut self, board: u8, time_ns: u64) {
        self.change_pins(board, time_ns, PinDrive::RESET);
    }

    /// What is on its way to `board`, which has just been started again.
    pub(super) fn report_pins_again(&mut self, board: u8, time_ns: u64) {
        let orders: Vec<BoardOrder> = self.wires.as_ref().map_or(Vec::new(), |wires| wires.ahead(board, time_ns));
        orders.into_iter().for_each(|order| self.boards[usize::from(board)].order(order));
    }
}

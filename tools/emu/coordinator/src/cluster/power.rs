//! Power cuts, hangs and starts, carried out.
//!
//! An order is carried out when no board and no frame can do anything before its instant; until then its board runs no
//! further than that instant. So the time of giving the order does not matter, as long as no board has passed its
//! instant, and a run is the same whether its orders come from a plan, a person or a recording.

use super::EmulatedCluster;
use crate::board::EmulatedBoard;
use crate::bus::recovery::Leaving;
use crate::error::EmuError;
use crate::power::{BoardStatus, PowerChange, PowerOrder};
use crate::timeline::Item;
use renga_emu_device::messages::BoardOrder;

/// From a reset to the first instruction of what the firmware loads, ns: that of a real board takes longer.
const FIRMWARE_NS: u64 = 500_000_000;

impl EmulatedCluster {
    /// Cuts, hangs or starts `board`, as soon as possible; the time is the result, ns.
    ///
    /// # Errors
    /// If there is no such board, or the recording cannot be written.
    pub fn power(&mut self, board: u8, change: PowerChange) -> Result<u64, EmuError> {
        self.power_at(board, self.pace.as_ref().map_or(0, |pace| pace.now_ns()), change)
    }

    /// As [`EmulatedCluster::power`], but not before `time_ns`.
    ///
    /// # Errors
    /// As [`EmulatedCluster::power`].
    pub fn power_at(&mut self, board: u8, time_ns: u64, change: PowerChange) -> Result<u64, EmuError> {
        if self.stats.is_some() {
            return Ok(time_ns);
        }
        if usize::from(board) >= self.boards.len() {
            return Err(EmuError::Config(format!("there is no board {board}")));
        }
        // No board has passed this instant, and no settled frame is on the wire then.
        let known_ns = self.last_ns().max(self.bus.free_ns()).max(self.relayed_ns);
        let time_ns = time_ns.max(known_ns).max(self.power.last_ns(board).unwrap_or(0));
        // What was known to be the next thing to happen may not be any more.
        (self.time_ns, self.waits) = (self.time_ns.min(time_ns), false);
        let order = PowerOrder { board, time_ns, change };
        self.power.add(order);
        if let Some(recorder) = &mut self.recorder {
            recorder.power(&order)?;
        }
        Ok(time_ns)
    }

    /// How the boards are.
    pub fn status(&self) -> Vec<BoardStatus> {
        self.boards.iter().map(|board| BoardStatus { state: board.state(), starts: board.starts() }).collect()
    }

    /// Whether no board runs, and nothing but an order will start one.
    pub fn is_forsaken(&self) -> bool {
        self.power.first().is_none() && !self.boards.iter().any(EmulatedBoard::is_up)
    }

    /// Carries out the next order; nothing can happen before its instant.
    pub(super) fn change_power(&mut self) -> Result<(), EmuError> {
        let Some(PowerOrder { board: number, time_ns, change }) = self.power.pop() else { return Ok(()) };
        let board = &mut self.boards[usize::from(number)];
        // It stands at the end of an instruction, perhaps a little later.
        let time_ns = time_ns.max(board.now_ns());
        match change {
            PowerChange::Cut => {
                board.cut();
                self.starter.name_partition(number, 0);
                self.release_pins(number, time_ns);
                self.bus.leave(number, time_ns, Leaving::Off);
            }
            PowerChange::Hang if board.is_up() => {
                board.hang();
                self.bus.leave(number, time_ns, Leaving::Hung);
            }
            PowerChange::Hang => {}
            PowerChange::Start => {
                board.cut();
                let starts = board.starts() + 1;
                self.release_pins(number, time_ns);
                let again = self.starter.again(number, starts, time_ns, self.wires.as_ref())?;
                self.boards[usize::from(number)] = again.continues(&self.boards[usize::from(number)]);
                self.bus.leave(number, time_ns, Leaving::Off);
                self.bus.join(number, time_ns);
                self.type_again(number, time_ns);
                self.report_pins_again(number, time_ns);
            }
        }
        let starts = self.boards[usize::from(number)].starts();
        self.timeline.add(number, time_ns, Item::Power(change, starts));
        self.deadlock_reported = false;
        Ok(())
    }

    /// Types the input again at a board that has just been started: its last incarnation lost it.
    fn type_again(&mut self, number: u8, from_ns: u64) {
        let board = &mut self.boards[usize::from(number)];
        let ahead = self.inputs.iter().filter(|input| input.board == number && input.time_ns >= from_ns);
        ahead.for_each(|input| {
            board.order(BoardOrder::Input { time_ns: input.time_ns, bytes: input.bytes.clone() });
        });
    }

    /// A board's watchdog reset it.
    pub(super) fn reset(&mut self, number: u8, partition: u8) -> Result<(), EmuError> {
        let time_ns = self.boards[usize::from(number)].now_ns();
        self.timeline.add(number, time_ns, Item::Reset(partition));
        self.release_pins(number, time_ns);
        self.starter.name_partition(number, partition);
        self.power_at(number, time_ns + FIRMWARE_NS, PowerChange::Start)?;
        Ok(())
    }

    /// A board failed: the error, unless it is to be started again.
    pub(super) fn lose(&mut self, number: u8, error: EmuError) -> Result<(), EmuError> {
        let (Some(revive_ns), EmuError::BoardDied { status, .. }) = (self.revive_ns, &error) else {
            return Err(error);
        };
        let board = &mut self.boards[usize::from(number)];
        let time_ns = board.now_ns();
        board.cut();
        self.timeline.add(number, time_ns, Item::Crash(status.clone()));
        let time_ns = self.power_at(number, time_ns, PowerChange::Cut)?;
        self.power_at(number, time_ns + revive_ns, PowerChange::Start)?;
        Ok(())
    }
}

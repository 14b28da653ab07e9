//! The wires between the boards' pins.
//!
//! The lines of the bus run straight through: the same pin of every board. The token's wire runs from `TOK_OUT#` of
//! each board to `TOK_IN#` of the next, and from the last to the first (`docs/reference/link-pins.md`). A change at one
//! board is seen at the others after a fixed time, and by itself at once.
//!
//! Invariant: [`EmulatedWires`] hears the changes of each board in the order of time; [`Fights`] hears those of all
//! boards so.
//!
//! Not here: the levels that follow (`renga_emu_device::pins`), analogue matters (the pin model of `renga-phy`).

use crate::event::Fight;
use crate::wire_fault::{BrokenWires, EmulatedWireFault};
use renga_emu_device::messages::{BoardOrder, PinWiring};
use renga_emu_device::pins::PinDrive;
use serde::{Deserialize, Serialize};

/// Pins of the lines that run straight through: control lines and data lines.
const STRAIGHT: u32 = 0x1f0 | 0xf << 10 | 0xfff << 16;
/// Pins with a strong resistor upwards: the harness terminates the control lines, and boards pull up their GPIO 2 and
/// 3, of which the first is wired to a neighbour's 9.
const HELD_UP: u32 = 0x1f0 | 1 << TOKEN_OUT | 1 << 3 | 1 << TOKEN_IN;
/// When so many changes are kept, those that everybody has seen are forgotten.
const CHANGES_MANY: usize = 64;
const TOKEN_OUT: u8 = 2;
const TOKEN_IN: u8 = 9;

/// The figures of the wires.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PinsConfig {
    /// From a store that changes a pin to the first read elsewhere that sees it, ns. It contains what a posted write,
    /// the wire and the synchroniser take on a board, and more: nothing that boards do may be nearer to each other, or
    /// they could not run side by side.
    pub propagation_ns: u64,
}

impl Default for PinsConfig {
    /// The time at which runs need the least of the host (`tools/emu/README.md`).
    fn default() -> Self {
        Self { propagation_ns: 3_000 }
    }
}

/// The wires, with what each board does to them.
#[derive(Debug)]
pub struct EmulatedWires {
    config: PinsConfig,
    broken: BrokenWires,
    /// What each board does, as it is seen at a time that no board can be set back to.
    settled: Vec<PinDrive>,
    /// What they did since; of each board by time.
    changes: Vec<WireChange>,
}

#[derive(Clone, Copy, Debug)]
struct WireChange {
    seen_ns: u64,
    source: u8,
    drive: PinDrive,
    /// What it did before.
    before: PinDrive,
}

impl EmulatedWires {
    /// Between `boards` boards that have just been reset; what is broken is `faults`.
    pub fn new(config: PinsConfig, boards: usize, faults: &[EmulatedWireFault]) -> Self {
        Self {
            config,
            broken: BrokenWires::new(faults, boards),
            settled: vec![PinDrive::RESET; boards],
            changes: Vec::new(),
        }
    }

    /// The wiring for board `board` when it starts at `at_ns`; others react to it after `echo_ns` at the earliest.
    pub fn wiring(&self, board: u8, at_ns: u64, echo_ns: u64) -> PinWiring {
        let own = usize::from(board);
        let mut drives = self.settled.clone();
        for change in self.changes.iter().filter(|change| change.seen_ns <= at_ns) {
            drives[usize::from(change.source)] = change.drive;
        }
        let mut others: Vec<PinDrive> = (0..).zip(drives).map(|(other, drive)| self.seen(other, own, drive)).collect();
        // In its own place it sees drivers that are no board's.
        others[own] = self.broken.harness(own);
        PinWiring { others, held_up: HELD_UP & self.broken.contact(own), echo_ns }
    }

    /// Earlier changes for board `board`, started at `at_ns`.
    pub fn ahead(&self, board: u8, at_ns: u64) -> Vec<BoardOrder> {
        let ahead = self.changes.iter().filter(|change| change.seen_ns > at_ns && change.source != board);
        ahead.filter_map(|change| self.order(change, board)).collect()
    }

    /// Board `source` does `drive` from `time_ns` on: the orders for the others. No board will be started before
    /// `past_ns`.
    pub fn change(&mut self, source: u8, time_ns: u64, drive: PinDrive, past_ns: u64) -> Vec<(u8, BoardOrder)> {
        if self.changes.len() >= CHANGES_MANY {
            let settled = self.changes.extract_if(.., |change| change.seen_ns <= past_ns);
            settled.for_each(|change| self.settled[usize::from(change.source)] = change.drive);
        }
        let former = self.changes.iter().rfind(|change| change.source == source);
        let before = former.map_or(self.settled[usize::from(source)], |change| change.drive);
        let change = WireChange { seen_ns: time_ns + self.config.propagation_ns, source, drive, before };
        self.changes.push(change);
        let others = (0..self.settled.len() as u8).filter(|board| *board != source);
        others.filter_map(|board| Some((board, self.order(&change, board)?))).collect()
    }

    /// What `board` sees of board `source` that does `drive`, over wires that may be broken.
    fn seen(&self, source: usize, board: usize, drive: PinDrive) -> PinDrive {
        let left = drive.only(self.broken.contact(source));
        seen(source, board, self.settled.len(), left).only(self.broken.contact(board))
    }

    /// The order that gives `change` to `board`, if the board sees it.
    fn order(&self, change: &WireChange, board: u8) -> Option<BoardOrder> {
        let (source, own) = (usize::from(change.source), usize::from(board));
        let [drive, before] = [change.drive, change.before].map(|drive| self.seen(source, own, drive));
        let changed = drive.differs(before);
        let order = BoardOrder::Pins { time_ns: change.seen_ns, board: change.source, drive, changed };
        (changed != 0).then_some(order)
    }
}

/// What board `source` does, as pins of board `board`; nothing if they are the same.
fn seen(source: usize, board: usize, boards: usize, drive: PinDrive) -> PinDrive {
    if source == board {
        return PinDrive::default();
    }
    let mut all = drive.only(STRAIGHT);
    if (source + 1) % boards == board {
        all = all.with(drive.moved(TOKEN_OUT, TOKEN_IN));
    }
    if (board + 1) % boards == source {
        all = all.with(drive.moved(TOKEN_IN, TOKEN_OUT));
    }
    all
}

/// Finds boards that drive one line to different levels at once.
#[derive(Debug)]
pub struct Fights {
    drives: Vec<PinDrive>,
}

impl Fights {
    /// Between `boards` boards that have just been reset.
    pub fn new(boards: usize) -> Self {
        Self { drives: vec![PinDrive::RESET; boards] }
    }

    /// Board `board` does `drive` from `time_ns` on: the fight that begins by that, if one does.
    pub fn change(&mut self, board: u8, time_ns: u64, drive: PinDrive) -> Option<Fight> {
        let boards = self.drives.len();
        let own = usize::from(board);
        let before = std::mem::replace(&mut self.drives[own], drive);
        (0..boards).find_map(|other| {
            let theirs = seen(other, own, boards, self.drives[other]);
            let fought = |own: PinDrive| own.low & theirs.high | own.high & theirs.low;
            let begun = fought(drive) & !fought(before);
            let line = line_name(begun.trailing_zeros() as u8);
            (begun != 0).then_some(Fight { line, boards: [board, other as u8], time_ns })
        })
    }
}

/// The name of the line at `pin` (`docs/reference/link-pins.md`).
fn line_name(pin: u8) -> String {
    match pin {
        TOKEN_OUT => "TOK_OUT#".to_owned(),
        4 => "BUSY#".to_owned(),
        5 => "DAV#".to_owned(),
        6 => "NRFD#".to_owned(),
        7 => "NDAC#".to_owned(),
        8 => "ATN#".to_owned(),
        TOKEN_IN => "TOK_IN#".to_owned(),
        10..=13 => format!("D{}", pin + 2),
        16..=27 => format!("D{}", pin - 16),
        _ => format!("GPIO{pin}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const STROBE: u32 = 1 << 5;
    const WIRES: PinsConfig = PinsConfig { propagation_ns: 100 };

    fn low(pins: u32) -> PinDrive {
        PinDrive { low: pins, ..PinDrive::RESET }
    }

    #[test]
    fn wires_lines_run_straight_and_token_to_next_board() {
        let mut wires = EmulatedWires::new(WIRES, 3, &[]);
        let orders = wires.change(1, 50, low(STROBE | 1 << 14), 0);
        assert_eq!(orders.iter().map(|(board, _)| *board).collect::<Vec<_>>(), [0, 2]);
        for (_, order) in orders {
            let BoardOrder::Pins { time_ns: 150, board: 1, drive, changed: STROBE } = order else {
                panic!("{order:?}")
            };
            assert_eq!(drive.low, STROBE, "pin 14 is wired to nothing");
        }
        assert!(wires.change(1, 60, low(STROBE), 0).is_empty(), "nothing that others see");
        let orders = wires.change(2, 70, low(1 << TOKEN_OUT), 0);
        assert_eq!(orders.len(), 1, "{orders:?}");
        assert!(matches!(&orders[0], (0, BoardOrder::Pins { drive, .. }) if drive.low == 1 << TOKEN_IN));
        assert_eq!(
            wires.wiring(0, 170, 200).others.iter().map(|other| other.low).collect::<Vec<_>>(),
            [0, STROBE, 1 << TOKEN_IN]
        );
    }

    #[test]
    fn wires_starting_board_sees_levels_and_edges_in_flight() {
        let mut wires = EmulatedWires::new(WIRES, 2, &[]);
        for step in 0..200 {
            wires.change(1, step * 10, low(if step % 2 == 0 { STROBE } else { 0 }), 1_000);
        }
        assert!(wires.changes.len() < 200, "what is settled is forgotten");
        let now = |at_ns| wires.wiring(0, at_ns, 0).others[1].low;
        assert_eq!([now(1_509), now(1_510), now(1_520)], [STROBE, 0, STROBE]);
        let ahead = wires.ahead(0, 2_070);
        assert_eq!(ahead.iter().map(BoardOrder::time_ns).collect::<Vec<_>>(), [2_080, 2_090]);
        assert!(wires.ahead(1, 0).is_empty());
    }

    #[test]
    fn wires_two_boards_are_neighbours() {
        let mut wires = EmulatedWires::new(WIRES, 2, &[]);
        assert_eq!(wires.change(0, 0, low(1 << TOKEN_OUT), 0)[0].0, 1);
        assert_eq!(wires.change(1, 0, low(1 << TOKEN_OUT), 0)[0].0, 0);
        assert!(EmulatedWires::new(WIRES, 1, &[]).change(0, 0, low(u32::MAX), 0).is_empty());
    }

    #[test]
    fn wires_broken_ones_are_silent_or_low() {
        let faults = [EmulatedWireFault::Open { board: 1, pin: 5 }, EmulatedWireFault::HeldLow { pin: 4 }];
        let mut wires = EmulatedWires::new(WIRES, 3, &faults);
        let orders = wires.change(1, 0, low(STROBE), 0);
        assert!(orders.is_empty(), "no board sees board 1's strobe: {orders:?}");
        assert_eq!(wires.change(0, 0, low(STROBE), 0).len(), 1, "nor does it hear others'");
        let PinWiring { others, held_up, .. } = wires.wiring(1, 100, 0);
        assert_eq!([others[0].low, others[1].low, held_up & STROBE], [0, 1 << 4, 0]);
        let PinWiring { others, held_up, .. } = wires.wiring(2, 100, 0);
        assert_eq!([others[0].low, others[2].low, held_up & STROBE], [STROBE, 1 << 4, STROBE]);
    }

    #[test]
    fn wires_contention_is_reported_once() {
        let mut fights = Fights::new(3);
        assert_eq!(fights.change(0, 1, low(STROBE)), None);
        assert_eq!(fights.change(2, 2, low(STROBE)), None, "both pull it down");
        let high = PinDrive { high: 1 << 16, ..PinDrive::RESET };
        assert_eq!(fights.change(2, 3, high), None);
        let fight = fights.change(1, 4, low(1 << 16)).unwrap();
        assert_eq!(fight, Fight { line: "D0".to_owned(), boards: [1, 2], time_ns: 4 });
        assert_eq!(fight.to_string(), "boards 1 and 2 drive line D0 to different levels at 4 ns");
        assert_eq!(fights.change(1, 5, low(1 << 16 | STROBE)), None);
        assert_eq!(fights.change(1, 6, PinDrive::RESET), None);
        assert!(fights.change(1, 7, low(1 << 16)).is_some());
    }
}

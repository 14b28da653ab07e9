//! The report as its reader sees it: a line for each wire, then what was found.

use super::finding::{FaultPlace, Finding};
use super::report::{Answer, PinReport};
use core::fmt::{Display, Formatter, Result};

impl Display for PinReport {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        for number in 0..self.harness.wires().len() {
            self.wire(f, number)?;
        }
        match self.skew_ns() {
            Some(ns) => write!(f, "data wires rise within {ns} ns of each other; ")?,
            None => write!(f, "no data wire rises; ")?,
        }
        writeln!(f, "a reading takes {} ns", self.read_ns)?;
        let heard = self.heard().count_ones();
        let faults = (0..self.harness.wires().len()).filter(|wire| self.finding(*wire).is_some()).count();
        match (faults, heard) {
            (0, 0) => writeln!(f, "board {}: no board answers; what this board sees alone has no fault", self.board),
            (_, 0) => writeln!(f, "board {}: no board answers; faults on {faults} wires", self.board),
            (0, _) if heard + 1 < u32::from(self.boards) => {
                writeln!(
                    f,
                    "board {}: no fault found, but only {heard} of {} others answer",
                    self.board,
                    self.boards - 1
                )
            }
            (0, _) => writeln!(f, "board {}: no fault found", self.board),
            _ => writeln!(f, "board {}: faults on {faults} wires", self.board),
        }
    }
}

impl PinReport {
    fn wire(&self, f: &mut Formatter<'_>, number: usize) -> Result {
        write!(f, "{:<9}", self.harness.wires()[number].name)?;
        match self.rise_ns(number) {
            Some(ns) => write!(f, "rises in {ns:>6} ns, seen by")?,
            None => write!(f, "does not rise,     seen by")?,
        }
        for (board, answer) in self.sights[number].answers.iter().enumerate() {
            if *answer != Answer::None {
                write!(f, " {board}")?;
            }
        }
        match self.finding(number) {
            Some(finding) => {
                f.write_str("  FAULT: ")?;
                self.say(f, finding)?;
                writeln!(f)
            }
            None => writeln!(f),
        }
    }

    fn say(&self, f: &mut Formatter<'_>, finding: Finding) -> Result {
        let name = |number: usize| self.harness.wires()[number].name;
        match finding {
            Finding::HeldLow => f.write_str("stuck low"),
            Finding::HeldHigh => f.write_str("stuck high"),
            Finding::HeldHighOrOpen { board } => write!(f, "no contact at board {board}, or stuck high"),
            Finding::Touches { with } => write!(f, "shorted to {}", name(with)),
            Finding::Unjoined { pin } => write!(f, "GPIO{pin} is not joined to it"),
            Finding::NeverRises => f.write_str("nothing pulls it up"),
            Finding::Open { place } => write!(f, "no contact at {place}"),
            Finding::Swapped { place, with } => write!(f, "seen as {}: swapped at {place}", name(with)),
            Finding::Garbled { board } => write!(f, "board {board} cannot be understood; two boards of one number?"),
            Finding::SlowRise => f.write_str("rises slowly: is the pull-up on the harness there?"),
        }
    }
}

impl Display for FaultPlace {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            FaultPlace::This => f.write_str("this board"),
            FaultPlace::Board(board) => write!(f, "board {board}"),
            FaultPlace::Either(board) => write!(f, "this board or board {board}"),
        }
    }
}

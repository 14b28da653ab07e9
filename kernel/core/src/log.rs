//! The last lines of a board's log, kept on the board for whoever asks there.
//!
//! Invariant: lines are in the order of their coming, and the oldest makes room for a new one; nobody waits. Not here:
//! where each line goes at once ([`Core::set_log`]), how one is written (`sysprocs/procfs`).

use crate::process::Me;
use crate::ready::Core;
use core::cell::Cell;
use renga_abi::ProcId;

/// Lines that are kept.
pub const LINES: u64 = 128;

/// One line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Line {
    /// When it came, ns since boot.
    pub at_ns: u64,
    /// Who says it; nobody: the kernel itself.
    pub who: Option<ProcId>,
    /// What it says.
    pub text: &'static str,
    /// Two figures that go with it.
    pub figures: [u64; 2],
}

/// The lines of one core.
pub(crate) struct Lines {
    places: [Cell<Line>; LINES as usize],
    /// Lines since boot.
    count: Cell<u64>,
}

impl Lines {
    pub(crate) const fn new() -> Lines {
        const NONE: Line = Line { at_ns: 0, who: None, text: "", figures: [0; 2] };
        Lines { places: [const { Cell::new(NONE) }; LINES as usize], count: Cell::new(0) }
    }

    fn place(&self, number: u64) -> &Cell<Line> {
        &self.places[(number % LINES) as usize]
    }

    pub(crate) fn push(&self, line: Line) {
        let number = self.count.get();
        self.place(number).set(line);
        self.count.set(number + 1);
    }

    fn each(&self) -> impl Iterator<Item = Line> + '_ {
        let count = self.count.get();
        (count.saturating_sub(LINES)..count).map(|number| self.place(number).get())
    }
}

impl Core {
    /// A line of the kernel itself, which is kept, and goes nowhere else.
    pub fn note(&self, text: &'static str, figures: [u64; 2]) {
        self.lines.push(Line { at_ns: self.now_ns(), who: None, text, figures });
    }
    /// The lines that are kept, oldest first.
    pub fn lines(&self) -> impl Iterator<Item = Line> + '_ {
        self.lines.each()
    }
}

impl Me {
    /// [`Core::lines`].
    pub fn log_lines(&self) -> impl Iterator<Item = Line> + use<> {
        let core: &'static Core = self.0.core;
        core.lines()
    }
}

#[cfg(test)]
mod tests {
    use super::{LINES, Line, Lines};

    #[test]
    fn the_last_lines_are_kept_in_their_order() {
        let lines = Lines::new();
        assert_eq!(lines.each().count(), 0);
        for count in 1..=3 * LINES {
            lines.push(Line { at_ns: count, who: None, text: "x", figures: [count, 0] });
            let kept = lines.each().map(|line| line.at_ns);
            assert!(kept.eq(count.saturating_sub(LINES) + 1..=count), "{count}");
        }
    }
}

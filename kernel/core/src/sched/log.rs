//! The last lines of a board's log, kept on the board for readers there.
//!
//! Invariant: lines are in the order of arrival, the oldest makes room for a new one, and no writer waits. Not here:
//! where each line goes at once ([`Core::set_log`]), how one is written (`sysprocs/procfs`).

use crate::types::state::{Core, LINES};
use renga_abi::log::LogLine;

impl Core {
    /// A line of the kernel itself, which is kept, and goes nowhere else.
    pub fn note(&self, text: &'static str, figures: [u64; 2]) {
        self.lines.borrow_mut().write(LogLine { at_ns: self.now_ns(), who: None, text, figures });
    }
    /// The lines that are kept, oldest first.
    pub fn lines(&self) -> impl Iterator<Item = LogLine> + '_ {
        (0..LINES).map_while(|number| self.lines.borrow().oldest_ordered().nth(number).copied())
    }
}

//! A line of a board's log, as it is kept there.
//!
//! Not here: how many are kept (`kernel/core`), how one is written (`sysprocs/procfs`).

use crate::ProcId;

/// One line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LogLine {
    /// When it came, ns since boot.
    pub at_ns: u64,
    /// The process that logs; `None` for the kernel itself.
    pub who: Option<ProcId>,
    /// What it says.
    pub text: &'static str,
    /// Two figures that go with it.
    pub figures: [u64; 2],
}

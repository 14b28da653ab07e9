//! The time constants of the operating system, which a board's command line may change.
//!
//! Invariant: they decide when something happens, never what a program computes. Not here: how they reach a board
//! (`kernel/image`), the link's waits (`renga_router::LinkTiming`).

use crate::policy::SLICE_NS;
use core::fmt::{self, Display, Formatter};

/// The time constants of a board, all in ns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OsTimes {
    /// How long a fair program runs while its equals wait.
    pub slice_ns: u64,
    /// A woken program preempts one whose vruntime exceeds its own by this.
    pub wakeup_granularity_ns: u64,
    /// From a change of a file to its commit, unless a sync comes sooner.
    pub writeback_age_ns: u64,
    /// While much is written back, what has come is committed this often.
    pub commit_interval_ns: u64,
    /// Sleeps and timers of programs end at multiples of this; 0: when they are over.
    pub tick_ns: u64,
}

impl OsTimes {
    /// As on a board whose command line says nothing.
    pub const DEFAULT: OsTimes = OsTimes {
        slice_ns: SLICE_NS,
        wakeup_granularity_ns: 5_000,
        writeback_age_ns: 5_000_000_000,
        commit_interval_ns: 1_000_000_000,
        tick_ns: 0,
    };

    /// Reads the numbers as `Display` writes them; `None` if they are others, or the slice is 0.
    pub fn parse(text: &str) -> Option<OsTimes> {
        let mut numbers = text.split(',').map(|number| number.parse::<u64>().ok());
        let mut next = || numbers.next().flatten();
        let times = OsTimes {
            slice_ns: next().filter(|slice_ns| *slice_ns > 0)?,
            wakeup_granularity_ns: next()?,
            writeback_age_ns: next()?,
            commit_interval_ns: next()?,
            tick_ns: next()?,
        };
        numbers.next().is_none().then_some(times)
    }
}

/// In the order of the fields, separated by commas.
impl Display for OsTimes {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let OsTimes { slice_ns, wakeup_granularity_ns, writeback_age_ns, commit_interval_ns, tick_ns } = self;
        write!(f, "{slice_ns},{wakeup_granularity_ns},{writeback_age_ns},{commit_interval_ns},{tick_ns}")
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::OsTimes;
    use std::string::ToString;

    #[test]
    fn os_times_text_round_trip() {
        let times = OsTimes { slice_ns: 100_000_000, tick_ns: 10_000_000, ..OsTimes::DEFAULT };
        assert_eq!(times.to_string(), "100000000,5000,5000000000,1000000000,10000000");
        assert_eq!(OsTimes::parse(&times.to_string()), Some(times));
    }

    #[test]
    fn os_times_nonsense_is_none() {
        for text in
            ["", "1,2,3,4", "1,2,3,4,5,6", "0,2,3,4,5", "1,2,x,4,5", "1,2,-3,4,5", "1,2,3,4,99999999999999999999"]
        {
            assert_eq!(OsTimes::parse(text), None, "{text}");
        }
    }
}

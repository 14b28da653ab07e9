//! A cell of the map: what a size takes at a point, in both modes, and which of them wins.
//!
//! Invariant: times end when every caller's calls were *done*, unless they are called those of a burst; so a mode wins
//! only by finished work, not by promises.

use super::point::{CALLS, Point};
use crate::run::RunOutcome;
use anyhow::{Result, ensure};

/// Asynchronous calls win if they take less by more than so many of a hundred of what synchronous ones take; these win
/// if that is more.
pub(super) const MARGIN_PERCENT: f64 = 5.0;

/// What a round took in one mode.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct CellTimes {
    /// Until the last caller's burst had released it, ns.
    pub(super) burst_ns: u64,
    /// Until the last caller's calls were done, ns.
    pub(super) made_ns: u64,
}

impl CellTimes {
    /// Of the callers that are said to have had a round of `size`.
    fn of(outcome: &RunOutcome, size: u64, callers: u64) -> Result<CellTimes> {
        let mut times = CellTimes::default();
        for caller in 0..callers {
            let numbers = outcome.numbers(&format!("told {size} {caller} "))?;
            let [burst_ns, gone_ns, made_ns] = numbers[..] else { anyhow::bail!("not a round: {numbers:?}") };
            ensure!(burst_ns <= gone_ns && gone_ns <= made_ns, "a round goes backwards: {numbers:?}");
            times.burst_ns = times.burst_ns.max(burst_ns);
            times.made_ns = times.made_ns.max(made_ns);
        }
        Ok(times)
    }
}

/// Which mode takes less time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Winner {
    /// The mode whose callers continue at once.
    Asynchronous,
    /// That whose callers wait.
    Synchronous,
    /// Neither, within the margin.
    Neither,
}

/// A cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cell {
    pub(super) point: Point,
    /// Of a message, bytes.
    pub(super) size: u64,
    pub(super) sync: CellTimes,
    pub(super) asynchronous: CellTimes,
}

/// How much less the second is, of a hundred of the first.
fn saved(sync_ns: u64, async_ns: u64) -> f64 {
    100.0 * (sync_ns as f64 - async_ns as f64) / (sync_ns.max(1) as f64)
}

impl Cell {
    /// The cell of a size, from the outcomes of its point's runs.
    ///
    /// # Errors
    /// If a caller did not end its round.
    pub(super) fn read(point: Point, size: u64, [sync, asynchronous]: [&RunOutcome; 2]) -> Result<Cell> {
        let times = |outcome| CellTimes::of(outcome, size, point.callers);
        Ok(Cell { point, size, sync: times(sync)?, asynchronous: times(asynchronous)? })
    }

    /// Gain of asynchronous calls until all are done, %; below 0 a loss.
    pub(super) fn gain(&self) -> f64 {
        saved(self.sync.made_ns, self.asynchronous.made_ns)
    }

    /// The same until a burst's callers continue.
    pub(super) fn burst_gain(&self) -> f64 {
        saved(self.sync.burst_ns, self.asynchronous.burst_ns)
    }

    /// The faster mode.
    pub(super) fn winner(&self) -> Winner {
        match self.gain() {
            gain if gain > MARGIN_PERCENT => Winner::Asynchronous,
            gain if gain < -MARGIN_PERCENT => Winner::Synchronous,
            _ => Winner::Neither,
        }
    }

    /// Time for each call of all callers, ns: synchronous, asynchronous.
    pub(super) fn each_ns(&self) -> [f64; 2] {
        let calls = (CALLS * self.point.callers) as f64;
        [self.sync.made_ns as f64 / calls, self.asynchronous.made_ns as f64 / calls]
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::{Cell, CellTimes, Winner};
    use crate::map::point::Point;
    use crate::run::RunOutcome;

    /// One whose rounds took so long; the burst an eighth of that.
    pub(crate) fn cell(point: Point, size: u64, made_ns: [u64; 2]) -> Cell {
        let [sync, asynchronous] = made_ns.map(|made_ns| CellTimes { burst_ns: made_ns / 8, made_ns });
        Cell { point, size, sync, asynchronous }
    }

    const POINT: Point = Point { boards: 2, callers: 2, rate_mbit: 10 };

    #[test]
    fn map_cell_has_time_of_slowest_caller() {
        let said = |lines: &str| RunOutcome { text: lines.to_string(), trace: None };
        let sync = said("told 16 1 5 90 100\r\ntold 16 0 9 70 80\ntold 64 0 1 2 3\n");
        let asynchronous = said("told 16 0 2 60 70\ntold 16 1 1 59 80\n");
        let cell = Cell::read(POINT, 16, [&sync, &asynchronous]).unwrap();
        assert_eq!(cell.sync, CellTimes { burst_ns: 9, made_ns: 100 });
        assert_eq!(cell.asynchronous, CellTimes { burst_ns: 2, made_ns: 80 });
        assert_eq!((cell.gain(), cell.each_ns()), (20.0, [100.0 / 128.0, 80.0 / 128.0]));
        assert!(Cell::read(POINT, 64, [&sync, &sync]).is_err(), "the second caller did not say anything of that size");
        assert!(Cell::read(POINT, 1, [&said("told 1 0 3 2 4\ntold 1 1 1 2 3\n"), &sync]).is_err());
    }

    /// Holds: map-region.
    #[test]
    fn map_cell_winner_exceeds_margin() {
        let winner = |made_ns| cell(POINT, 16, made_ns).winner();
        assert_eq!(
            [[106, 100], [105, 100], [100, 105], [100, 106]].map(winner),
            [Winner::Asynchronous, Winner::Neither, Winner::Neither, Winner::Synchronous]
        );
    }
}

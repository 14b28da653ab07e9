//! Which losses of its inode's data an open file has reported.
//!
//! Invariant: it reports each loss once, and none of before it was opened. One word, as each open file has one.
//! Called by: `durability.rs`. Not here: the losses (`inode/data_losses.rs`).

use renga_proto::inode::LossReport;
use renga_rt::Errno;

/// When the file was opened, ns; once it has seen losses, `SEEN` and their number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct LossMark(u64);

const SEEN: u64 = 1 << 63;

impl LossMark {
    /// Any loss may have come after the opening.
    pub(super) const UNKNOWN: LossMark = LossMark(0);

    pub(super) fn opened(now_ns: u64) -> LossMark {
        LossMark(now_ns & !SEEN)
    }

    /// # Errors
    /// That of a loss which this file has not reported.
    pub(super) fn note(&mut self, report: LossReport, now_ns: u64) -> Result<(), Errno> {
        if report.count == 0 {
            return Ok(());
        }
        let seen = SEEN | u64::from(report.count);
        let is_new = match core::mem::replace(&mut self.0, seen) {
            before if before & SEEN != 0 => before != seen,
            opened_ns => now_ns.saturating_sub(report.ns_ago) >= opened_ns,
        };
        if is_new { Err(Errno(report.errno)) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use super::LossMark;
    use crate::inode::data_losses::DataLosses;
    use renga_rt::Errno;

    #[test]
    fn loss_mark_each_open_file_reports_each_loss_once() {
        let mut losses = DataLosses::default();
        // The opener's clock is 1,000 behind that of the inodes.
        let opened = |ns: u64| LossMark::opened(ns + 1_000);
        let note = |losses: &DataLosses, mark: &mut LossMark, ns: u64| mark.note(losses.report(ns), ns + 1_000);
        let (mut before, mut idle, mut after) = (opened(90), opened(90), opened(110));
        assert_eq!(note(&losses, &mut before, 95), Ok(()));
        losses.record(Errno::EIO, 100);
        assert_eq!(note(&losses, &mut before, 120), Err(Errno::EIO));
        assert_eq!(note(&losses, &mut after, 120), Ok(()));
        assert_eq!(note(&losses, &mut before, 130), Ok(()));
        losses.record(Errno::ENOSPC, 140);
        for mark in [&mut before, &mut idle, &mut after] {
            assert_eq!(note(&losses, mark, 150), Err(Errno::ENOSPC));
            assert_eq!(note(&losses, mark, 160), Ok(()));
        }
    }

    #[test]
    fn loss_mark_earlier_loss_recorded_later_hides_none() {
        let mut losses = DataLosses::default();
        losses.record(Errno::EIO, 100);
        losses.record(Errno::EIO, 80);
        for mut mark in [LossMark::opened(90), LossMark::UNKNOWN] {
            assert_eq!(mark.note(losses.report(120), 120), Err(Errno::EIO));
        }
    }

    #[test]
    fn loss_mark_file_opened_before_prolonged_loss_reports() {
        let mut losses = DataLosses::default();
        losses.record(Errno::EIO, 100);
        losses.prolong(120);
        assert_eq!(LossMark::opened(110).note(losses.report(120), 120), Err(Errno::EIO));
        assert_eq!(LossMark::opened(121).note(losses.report(130), 130), Ok(()));
    }
}

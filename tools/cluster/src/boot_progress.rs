//! What a person sees of a board that boots for long: a line after two seconds of the host's, and another when it is
//! over.
//!
//! Invariant: a boot ends when its board sends a frame, writes on its console, ends or loses its power. Not here: the
//! first start of all boards, before a session's first output (`renga run`).

use renga_emu::{ClusterEvent, PowerChange};
use std::collections::BTreeMap;
use std::time::{Duration, Instant};

/// Shorter boots are not worth a line; longer ones have one each time that this has passed.
const PERIOD: Duration = Duration::from_secs(2);

/// A board that boots.
struct BootingBoard {
    since_ns: u64,
    /// When the next line is due.
    due: Instant,
    reported: bool,
}

/// The boards that boot.
#[derive(Default)]
pub(crate) struct BootProgress(BTreeMap<u8, BootingBoard>);

impl BootProgress {
    /// Takes an event at `now`, when virtual time is `time_ns`: what is new about which boards.
    pub fn take(&mut self, event: &ClusterEvent, now: Instant, time_ns: u64) -> Vec<(u8, String)> {
        match event {
            ClusterEvent::Power { board, change: PowerChange::Start, time_ns, .. } => {
                self.0.insert(*board, BootingBoard { since_ns: *time_ns, due: now + PERIOD, reported: false });
            }
            ClusterEvent::Power { board, .. }
            | ClusterEvent::BoardExited { board, .. }
            | ClusterEvent::BoardCrashed { board, .. }
            | ClusterEvent::BoardReset { board, .. } => {
                self.0.remove(board);
            }
            ClusterEvent::Frame(frame) => return self.end(frame.source).into_iter().collect(),
            ClusterEvent::Console { board, .. } => return self.end(*board).into_iter().collect(),
            _ => {}
        }
        let due = self.0.iter_mut().filter(|(_, booting)| booting.due <= now);
        let line = |(board, booting): (&u8, &mut BootingBoard)| {
            (booting.due, booting.reported) = (now + PERIOD, true);
            let milliseconds = time_ns.saturating_sub(booting.since_ns) / 1_000_000;
            (*board, format!("boots: {}.{:03} s so far", milliseconds / 1000, milliseconds % 1000))
        };
        due.map(line).collect()
    }

    fn end(&mut self, board: u8) -> Option<(u8, String)> {
        let booted = self.0.remove(&board)?;
        booted.reported.then(|| (board, "has booted".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: u64 = 1_000_000;

    fn start(board: u8, time_ns: u64) -> ClusterEvent {
        ClusterEvent::Power { board, time_ns, change: PowerChange::Start, starts: 2 }
    }

    fn console(board: u8) -> ClusterEvent {
        ClusterEvent::Console { board, time_ns: 0, bytes: b"x".to_vec() }
    }

    #[test]
    fn boot_progress_of_long_boot_is_repeated_until_its_end() {
        let (mut progress, begin) = (BootProgress::default(), Instant::now());
        let at = |seconds: u64| begin + Duration::from_secs(seconds);
        assert!(progress.take(&start(1, 1000 * MS), at(0), 1000 * MS).is_empty());
        assert!(progress.take(&console(0), at(1), 1010 * MS).is_empty());
        let other = ClusterEvent::Deadlock { time_ns: 0 };
        assert_eq!(progress.take(&other, at(2), 1080 * MS), [(1, "boots: 0.080 s so far".to_owned())]);
        assert!(progress.take(&other, at(3), 1090 * MS).is_empty());
        assert_eq!(progress.take(&other, at(4), 1120 * MS), [(1, "boots: 0.120 s so far".to_owned())]);
        assert_eq!(progress.take(&console(1), at(5), 1130 * MS), [(1, "has booted".to_owned())]);
        assert!(progress.take(&other, at(9), 1130 * MS).is_empty());
    }

    #[test]
    fn boot_progress_of_short_or_ended_boot_is_silent() {
        let (mut progress, begin) = (BootProgress::default(), Instant::now());
        let later = begin + Duration::from_secs(9);
        progress.take(&start(1, 0), begin, 0);
        assert!(progress.take(&console(1), begin + Duration::from_secs(1), MS).is_empty());
        progress.take(&start(0, 0), begin, 0);
        let cut = ClusterEvent::Power { board: 0, time_ns: 0, change: PowerChange::Cut, starts: 2 };
        assert!(progress.take(&cut, begin, 0).is_empty());
        assert!(progress.take(&console(2), later, MS).is_empty());
    }
}

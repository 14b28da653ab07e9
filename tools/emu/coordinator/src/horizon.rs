//! How far each board may run.
//!
//! A board that may do something at E can be heard at E + lookahead at the earliest. So a board may run until the
//! least E of the others + lookahead; what it sends itself ends its quantum early (`renga-emu-plugin`), so it needs no
//! bound for echoes. While the bus carries a frame, nothing that is not known yet can arrive before that is over, so
//! no board need stop before. A frame that waits for the token is decided as soon as all boards are past its start,
//! which is neither before it was sent nor before the least E, so no board may be further than the later of these +
//! lookahead.
//!
//! Boards that run at the same time may go on together (`renga-emu-plugin`'s `companions`): for the ceiling only those
//! count that stand.
//!
//! Invariant: a board whose E is the least one gets a grant beyond it, so there is always progress.

use renga_emu_device::messages::NEVER_NS;

/// What bounds grants besides the boards themselves.
#[derive(Clone, Copy, Debug)]
pub struct GrantBounds {
    /// Least time from a send to its effect on any board, ns.
    pub lookahead_ns: u64,
    /// Longest time from a board's E to the end of its grant, ns.
    pub longest_ns: u64,
    /// Nothing that is not known yet arrives before this, ns.
    pub quiet_ns: u64,
    /// Nor a frame that waits for the token before this, ns.
    pub waiting_ns: u64,
}

/// Until when each board may run, ns, given their E ([`NEVER_NS`]: has ended or waits for others).
pub fn grants(earliest_ns: &[u64], bounds: GrantBounds) -> Vec<u64> {
    ends(earliest_ns, bounds, |_| true)
}

/// Until when each board may run, ns, if those that `run` see to it that they do not get too far from each other.
pub fn ceilings(earliest_ns: &[u64], bounds: GrantBounds, runs: &[bool]) -> Vec<u64> {
    ends(earliest_ns, bounds, |other| !runs[other])
}

fn ends(earliest_ns: &[u64], bounds: GrantBounds, counts: impl Fn(usize) -> bool) -> Vec<u64> {
    let end = |(board, own_ns): (usize, &u64)| {
        let others = earliest_ns.iter().enumerate().filter(|(other, _)| *other != board && counts(*other));
        let others_ns = others.map(|(_, other_ns)| *other_ns).min().unwrap_or(NEVER_NS);
        let heard_ns = others_ns.saturating_add(bounds.lookahead_ns).min(bounds.waiting_ns);
        heard_ns.max(bounds.quiet_ns).min(own_ns.saturating_add(bounds.longest_ns))
    };
    earliest_ns.iter().enumerate().map(end).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: GrantBounds = GrantBounds { lookahead_ns: 10, longest_ns: 1_000, quiet_ns: 0, waiting_ns: NEVER_NS };

    #[test]
    fn horizon_lone_busy_board_gets_long_grant() {
        assert_eq!(grants(&[5, NEVER_NS], BOUNDS), [1_005, 15]);
        assert_eq!(grants(&[5, 300], BOUNDS), [310, 15]);
        assert_eq!(grants(&[5], BOUNDS), [1_005]);
    }

    #[test]
    fn horizon_busy_boards_stay_within_quantum() {
        assert_eq!(grants(&[5, 7, 9], BOUNDS), [17, 15, 15]);
    }

    #[test]
    fn horizon_undecided_frame_bounds_grants() {
        let bounds = GrantBounds { waiting_ns: 18, ..BOUNDS };
        assert_eq!(grants(&[5, NEVER_NS], bounds), [18, 15]);
        assert_eq!(ceilings(&[5, 7], bounds, &[true, true]), [18, 18]);
    }

    #[test]
    fn horizon_occupied_wire_extends_grants() {
        let bounds = GrantBounds { quiet_ns: 200, ..BOUNDS };
        assert_eq!(grants(&[5, 7, 300], bounds), [200, 200, 200]);
        assert_eq!(grants(&[5, 300], bounds), [310, 200]);
    }

    #[test]
    fn horizon_waiting_board_bounds_running_ones() {
        assert_eq!(ceilings(&[5, 7, 9], BOUNDS, &[true; 3]), [1_005, 1_007, 1_009]);
        assert_eq!(ceilings(&[5, 7, 300], BOUNDS, &[true, true, false]), [310, 310, 1_300]);
    }
}

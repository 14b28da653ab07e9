//! How far each board may run.
//!
//! A board that may do something at E can be heard at E + lookahead at the earliest. So a board may run until the
//! least E of the others + lookahead; what it sends itself ends its quantum early (`renga-emu-plugin`), so it needs no
//! bound for echoes. While a frame waits for the token, its arrival is not known yet either: it is decided as soon as
//! all boards are past its start, so nobody may be further than the least E of all + lookahead.
//!
//! Invariant: a board whose E is the least one gets a grant beyond it, so there is always progress.

use renga_emu_device::messages::NEVER_NS;

/// What bounds grants besides the boards themselves.
#[derive(Clone, Copy, Debug)]
pub struct Bounds {
    /// Least time from a send to its effect on any board, ns.
    pub lookahead_ns: u64,
    /// Longest time from a board's E to the end of its grant, ns.
    pub longest_ns: u64,
    /// A frame waits for the token.
    pub frame_waits: bool,
}

/// Until when each board may run, ns, given their E ([`NEVER_NS`]: has ended or waits for others).
pub fn grants(earliest_ns: &[u64], bounds: Bounds) -> Vec<u64> {
    let least_ns = earliest_ns.iter().copied().min().unwrap_or(NEVER_NS);
    let grant = |(board, own_ns): (usize, &u64)| {
        let others = earliest_ns.iter().enumerate().filter(|(other, _)| *other != board).map(|(_, other_ns)| *other_ns);
        let others_ns = others.min().unwrap_or(NEVER_NS).saturating_add(bounds.lookahead_ns);
        let frames_ns = if bounds.frame_waits { least_ns.saturating_add(bounds.lookahead_ns) } else { NEVER_NS };
        others_ns.min(frames_ns).min(own_ns.saturating_add(bounds.longest_ns))
    };
    earliest_ns.iter().enumerate().map(grant).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { lookahead_ns: 10, longest_ns: 1_000, frame_waits: false };

    #[test]
    fn a_lone_busy_board_runs_long() {
        assert_eq!(grants(&[5, NEVER_NS], BOUNDS), [1_005, 15]);
        assert_eq!(grants(&[5, 300], BOUNDS), [310, 15]);
        assert_eq!(grants(&[5], BOUNDS), [1_005]);
    }

    #[test]
    fn busy_boards_stay_together() {
        assert_eq!(grants(&[5, 7, 9], BOUNDS), [17, 15, 15]);
    }

    #[test]
    fn nobody_runs_ahead_of_an_undecided_frame() {
        let bounds = Bounds { frame_waits: true, ..BOUNDS };
        assert_eq!(grants(&[5, NEVER_NS], bounds), [15, 15]);
    }
}

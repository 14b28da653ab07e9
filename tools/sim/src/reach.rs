//! Which boards could reach each other when, as far as the schedule says: the deadlines for callers' errors.
//!
//! Invariant: a pair is listed exactly for the times during which one of the two had no power, hung or
//! was parted from the other. Not here: faults of single frames.

use std::collections::BTreeMap;

/// Callers of a failed board get an error within this time, ns.
pub const ERROR_NS_MAX: u64 = 100_000_000;

/// Boards that were together for so long have met; one that never was there may still be booting.
const MEETING_NS: u64 = 50_000_000;

/// A pair of boards, the lower number first.
type Pair = (u8, u8);

/// What is known of the boards.
pub struct SimReach {
    down: Vec<bool>,
    groups: Vec<u8>,
    /// Pairs that cannot reach each other now.
    apart: BTreeMap<Pair, Since>,
    /// Since when pairs that were apart are together again.
    together: BTreeMap<Pair, u64>,
    /// By board: it hangs, and may keep the bus busy: then no board can talk.
    hung: Vec<bool>,
    /// Since when some board hangs.
    stalled_ns: Option<u64>,
    /// From when until when, of those that had met before.
    past: Vec<Apart>,
}

/// How a pair is apart.
struct Since {
    from_ns: u64,
    /// The two had met before.
    met: bool,
    /// Which of the two went down meanwhile.
    downs: [bool; 2],
}

/// All pairs of `boards`.
fn pairs(boards: u8) -> impl Iterator<Item = Pair> {
    (0..boards).flat_map(move |low| (low + 1..boards).map(move |high| (low, high)))
}

/// A pair that was apart.
struct Apart {
    pair: Pair,
    from_ns: u64,
    to_ns: u64,
    downs: [bool; 2],
}

impl SimReach {
    /// All of `boards` reach each other.
    pub fn new(boards: u8) -> SimReach {
        let boards = usize::from(boards);
        SimReach {
            down: vec![false; boards],
            groups: vec![0; boards],
            apart: BTreeMap::new(),
            together: BTreeMap::new(),
            hung: vec![false; boards],
            stalled_ns: None,
            past: Vec::new(),
        }
    }

    /// A board goes down, or is there again.
    pub fn set_down(&mut self, board: u8, down: bool, now_ns: u64) {
        self.down[usize::from(board)] = down;
        self.check(now_ns);
    }

    /// A board begins to hang, or ceases to: meanwhile pairs that have not met cannot do so.
    pub fn set_hung(&mut self, board: u8, hung: bool, now_ns: u64) {
        self.hung[usize::from(board)] = hung;
        if self.hung.contains(&true) {
            self.stalled_ns.get_or_insert(now_ns);
        } else if let Some(stalled_ns) = self.stalled_ns.take() {
            let boards = self.down.len() as u8;
            for pair in pairs(boards) {
                let together_ns = self.together.entry(pair).or_insert(0);
                if stalled_ns < *together_ns + MEETING_NS {
                    *together_ns = now_ns;
                }
            }
        }
    }

    /// A board is put into another group.
    pub fn set_group(&mut self, board: u8, group: u8, now_ns: u64) {
        self.groups[usize::from(board)] = group;
        self.check(now_ns);
    }

    fn check(&mut self, now_ns: u64) {
        let boards = self.down.len() as u8;
        for pair in pairs(boards) {
            let (low, high) = (usize::from(pair.0), usize::from(pair.1));
            let apart = self.down[low] || self.down[high] || self.groups[low] != self.groups[high];
            if apart {
                let together_ns = self.together.get(&pair).copied().unwrap_or(0);
                let met = self.stalled_ns.unwrap_or(now_ns) >= together_ns + MEETING_NS;
                let since = Since { from_ns: now_ns, met, downs: [false; 2] };
                let Since { downs, .. } = self.apart.entry(pair).or_insert(since);
                *downs = [downs[0] | self.down[low], downs[1] | self.down[high]];
            } else if let Some(Since { from_ns, met, downs }) = self.apart.remove(&pair) {
                self.together.insert(pair, now_ns);
                if met {
                    self.past.push(Apart { pair, from_ns, to_ns: now_ns, downs });
                }
            }
        }
    }

    /// Whether a call between two boards, under way from `began_ns` to `ended_ns`, ought to have ended before. A caller
    /// whose own board was down got its error when that was possible.
    pub fn is_late(&self, caller: u8, server: u8, began_ns: u64, ended_ns: u64) -> bool {
        let pair = (caller.min(server), caller.max(server));
        let own = usize::from(caller > server);
        let mut times = self.past.iter().filter(|apart| apart.pair == pair && !apart.downs[own]);
        times.any(|apart| apart.from_ns.max(began_ns) + ERROR_NS_MAX < apart.to_ns.min(ended_ns))
    }
}

#[cfg(test)]
mod tests {
    use super::{ERROR_NS_MAX, MEETING_NS, SimReach};

    /// Whether a call begun at once is late when board 1 is down from `MEETING_NS` and a ns on for twice as long as
    /// callers may wait, and board 2 has hung from `from_ns` until `to_ns`.
    fn late(from_ns: u64, to_ns: u64) -> bool {
        let mut reach = SimReach::new(3);
        let died_ns = MEETING_NS + 1;
        let mut events =
            [(from_ns, 2, true), (to_ns, 2, false), (died_ns, 1, true), (died_ns + 2 * ERROR_NS_MAX, 1, false)];
        events.sort_unstable();
        for (at_ns, board, begins) in events {
            reach.set_down(board, begins, at_ns);
            if board == 2 {
                reach.set_hung(board, begins, at_ns);
            }
        }
        reach.is_late(0, 1, 0, died_ns + 2 * ERROR_NS_MAX)
    }

    #[test]
    fn reach_bus_occupied_delays_delivery() {
        assert!(late(u64::MAX / 2, u64::MAX / 2 + 1), "they have met");
        assert!(!late(MEETING_NS / 10, MEETING_NS * 9), "the other still hangs when board 1 dies");
        assert!(!late(MEETING_NS / 10, MEETING_NS / 2), "they had half the time afterwards");
    }
}

//! Which boards could reach each other when, as far as the schedule says: how soon callers must be told.
//!
//! Invariant: a pair is listed exactly for the times during which one of the two had no power, hung or
//! was parted from the other. Not here: faults of single frames.

use std::collections::BTreeMap;

/// Callers of a board that is not there are told within this time, ns.
pub const TOLD_NS: u64 = 100_000_000;

/// Boards that were together for so long have met; one that never was there may still be booting.
const MEETING_NS: u64 = 50_000_000;

/// A pair of boards, the lower number first.
type Pair = (u8, u8);

/// What is known of the boards.
pub struct Reach {
    down: Vec<bool>,
    groups: Vec<u8>,
    /// Since when, and which of the two went down meanwhile.
    apart: BTreeMap<Pair, (u64, [bool; 2])>,
    /// Since when pairs that were apart are together again.
    together: BTreeMap<Pair, u64>,
    /// From when until when, of those that had met before.
    past: Vec<Apart>,
}

/// A pair that was apart.
struct Apart {
    pair: Pair,
    from_ns: u64,
    to_ns: u64,
    downs: [bool; 2],
}

impl Reach {
    /// All of `boards` reach each other.
    pub fn new(boards: u8) -> Reach {
        let boards = usize::from(boards);
        Reach {
            down: vec![false; boards],
            groups: vec![0; boards],
            apart: BTreeMap::new(),
            together: BTreeMap::new(),
            past: Vec::new(),
        }
    }

    /// A board goes down, or is there again.
    pub fn set_down(&mut self, board: u8, down: bool, now_ns: u64) {
        self.down[usize::from(board)] = down;
        self.look(now_ns);
    }

    /// A board is put into another group.
    pub fn set_group(&mut self, board: u8, group: u8, now_ns: u64) {
        self.groups[usize::from(board)] = group;
        self.look(now_ns);
    }

    fn look(&mut self, now_ns: u64) {
        let boards = self.down.len() as u8;
        for pair in (0..boards).flat_map(|low| (low + 1..boards).map(move |high| (low, high))) {
            let (low, high) = (usize::from(pair.0), usize::from(pair.1));
            let apart = self.down[low] || self.down[high] || self.groups[low] != self.groups[high];
            if apart {
                let (_, downs) = self.apart.entry(pair).or_insert((now_ns, [false; 2]));
                *downs = [downs[0] | self.down[low], downs[1] | self.down[high]];
            } else if let Some((from_ns, downs)) = self.apart.remove(&pair) {
                let together_ns = self.together.insert(pair, now_ns).unwrap_or(0);
                if from_ns >= together_ns + MEETING_NS {
                    self.past.push(Apart { pair, from_ns, to_ns: now_ns, downs });
                }
            }
        }
    }

    /// Whether a call between two boards, under way from `began_ns` to `ended_ns`, ought to have ended before.
    /// A caller whose own board was down was told when that was possible.
    pub fn is_late(&self, caller: u8, server: u8, began_ns: u64, ended_ns: u64) -> bool {
        let pair = (caller.min(server), caller.max(server));
        let own = usize::from(caller > server);
        let mut times = self.past.iter().filter(|apart| apart.pair == pair && !apart.downs[own]);
        times.any(|apart| apart.from_ns.max(began_ns) + TOLD_NS < apart.to_ns.min(ended_ns))
    }
}

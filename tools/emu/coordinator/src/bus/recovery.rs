//! The token when something goes wrong: it is lost, there are two, its holder dies, a board joins.
//!
//! The times are those of `docs/reference/link-token.md`. The lowest board that is up always wins, so no random number
//! is needed here.
//!
//! Invariant: what was settled stays as it is.

use super::{EmulatedBus, Waiting};

/// A bus silent for so long, and [`SILENCE_STEP_NS`] for each board number, has lost its token.
const SILENCE_NS: u64 = 1_000_000;
const SILENCE_STEP_NS: u64 = 100_000;
/// In an arbitration all boards sample the lines for so long.
const ARBITRATION_NS: u64 = 10_000;
/// A board that has seen two tokens waits for so long, and as much again for each board number.
const COLLISION_NS: u64 = 100_000;
/// A board that passes the token waits so long for the next one to take it, guard included.
const UNTAKEN_NS: u64 = 40_000;
/// A bus with a token but no traffic is reset after so long,
const STUCK_NS: u64 = 5_000_000;
/// by a burst of this length.
const BURST_NS: u64 = 500_000;

/// How a board left the bus.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaving {
    /// Without power: its pins let go.
    Off,
    /// Its pins stay as they are.
    Hung,
}

impl EmulatedBus {
    /// `board` leaves at `now_ns`, with all that it had to send. All frames that start before are settled.
    pub fn leave(&mut self, board: u8, now_ns: u64, how: Leaving) {
        let board = usize::from(board);
        self.waiting[board].clear();
        if !self.up[board] {
            return;
        }
        self.settle_token(now_ns);
        let sending = self.holder == board && self.free_ns > now_ns;
        let next_is_it = self.hop(self.holder).0 == board;
        self.up[board] = false;
        if sending {
            self.free_ns = now_ns;
            let stuck_ns = if how == Leaving::Hung { STUCK_NS + BURST_NS } else { 0 };
            self.lose_token(stuck_ns);
        } else if next_is_it && self.free_ns <= now_ns {
            self.free_ns = self.free_ns.max(now_ns) + UNTAKEN_NS;
        }
    }

    /// `board` takes part from `now_ns` on.
    pub fn join(&mut self, board: u8, now_ns: u64) {
        self.settle_token(now_ns);
        if !self.up.contains(&true) {
            // The token has died with the last board: this one makes another.
            (self.holder, self.free_ns) = (usize::from(board), self.free_ns.max(now_ns));
        }
        self.up[usize::from(board)] = true;
    }

    /// The token is lost after the frame that was settled last: after `stuck_ns` and a silence there is another one.
    pub fn lose_token(&mut self, stuck_ns: u64) {
        let winner = self.lowest();
        self.free_ns += stuck_ns + SILENCE_NS + SILENCE_STEP_NS * winner as u64 + ARBITRATION_NS;
        self.holder = winner;
    }

    /// A second token meets the frame that was settled last and started at `start_ns`: the first frame that another
    /// board has ready by then is on the wire as well, and no board understands either. The result is that frame, with
    /// its source.
    pub fn collide(&mut self, start_ns: u64) -> Option<(u8, Waiting)> {
        let source = self.holder;
        let ready = |board: &usize| self.waiting[*board].front().is_some_and(|frame| frame.sent_ns <= start_ns);
        let other = (0..self.waiting.len()).find(|board| *board != source && ready(board));
        let winner = self.lowest();
        self.free_ns += COLLISION_NS * (winner as u64 + 1) + ARBITRATION_NS;
        self.holder = winner;
        let other = other?;
        Some((other as u8, self.waiting[other].pop_front()?))
    }

    fn lowest(&self) -> usize {
        self.up.iter().position(|up| *up).unwrap_or(0)
    }

    /// Lets the token go round until `now_ns`.
    fn settle_token(&mut self, now_ns: u64) {
        if !self.up.contains(&true) || now_ns < self.free_ns {
            return;
        }
        let round_ns = self.round_ns();
        loop {
            if self.up[self.holder] {
                self.free_ns += (now_ns - self.free_ns) / round_ns * round_ns;
            }
            let (next, hop_ns) = self.hop(self.holder);
            if self.free_ns + hop_ns > now_ns {
                return;
            }
            (self.holder, self.free_ns) = (next, self.free_ns + hop_ns);
        }
    }
}

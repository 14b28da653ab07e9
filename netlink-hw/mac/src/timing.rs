//! How long the protocol waits for what, how often it tries, and how soon it recovers.
//!
//! | what has happened | it is over after | bound |
//! |---|---|---|
//! | token lost, a board wants it | claim, bids, polls, map | [`TokenTiming::lost_token_ns`] |
//! | token doubled, both used | collision, back-off, claim | [`TokenTiming::doubled_token_ns`] |
//! | next board dead | wire, guard, in-band, polls | [`TokenTiming::dead_neighbour_ns`] |
//! | two boards with one number | first `Join` of either that the other hears | both silent for `quarantine_ns` |
//! | BUSY# low and no board talks | burst after [`STUCK_ALARMS`], fault after [`FAULT_ALARMS`] claims | reported |
//! | a board talks for ever | its own limit |  `hold_ns` |

/// Frames or polls that a member may leave unanswered before it is dropped.
pub const MISSES_MAX: u8 = 3;
/// Hand-overs by wire that may fail in one epoch before the wire is not tried any more.
pub const WIRE_MISSES_MAX: u8 = 3;
/// Polls in a row that find no board though ATN# is low, before ATN# is ignored for a while.
pub const FRUITLESS_POLLS_MAX: u8 = 3;
/// Refusals of a board's `Join` before it believes that its number is taken: one may be noise.
pub const JOIN_REFUSALS_MAX: u8 = 2;
/// Collisions in a row that still make the back-off longer.
pub const COLLISIONS_MAX: u8 = 20;
/// Claims' waits that BUSY# may be low without a frame before the burst.
pub const STUCK_ALARMS: u8 = 5;
/// Likewise before the lines are given up.
pub const FAULT_ALARMS: u8 = 50;
/// A board whose new token is refused as old advances by so many epochs: at most three times, and it is newer.
pub const EPOCH_LEAP: u8 = 64;

/// Times of a bus, which depend on its rate and on how fast its boards react, ns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct TokenTiming {
    /// A board that has started listens for so long.
    pub listen_ns: u64,
    /// For the next board to answer TOK_OUT# by BUSY#.
    pub pass_ns: u64,
    /// Between an unanswered hand-over and the next attempt, so that a late answer is seen.
    pub guard_ns: u64,
    /// A board that wants the token claims it after so long without a frame ...
    pub claim_ns: u64,
    /// ... and so much more for each lower number.
    pub claim_step_ns: u64,
    /// After a collision, for each lower number and one.
    pub back_off_ns: u64,
    /// For the bids.
    pub bid_ns: u64,
    /// Longest frame with all that belongs to it.
    pub hold_ns: u64,
    /// How long ATN# is low in a burst.
    pub burst_ns: u64,
    /// Between samples of lines that are stuck.
    pub fault_ns: u64,
    /// Silence of boards that have one number.
    pub quarantine_ns: u64,
}

impl TokenTiming {
    /// Sixteen data lines on the pins of a Pi 3.
    pub const PI3: TokenTiming = TokenTiming {
        listen_ns: 2_000_000,
        pass_ns: 100_000,
        guard_ns: 20_000,
        claim_ns: 1_000_000,
        claim_step_ns: 100_000,
        back_off_ns: 100_000,
        bid_ns: 200_000,
        hold_ns: 5_000_000,
        burst_ns: 500_000,
        fault_ns: 10_000_000,
        quarantine_ns: 1_000_000_000,
    };

    /// All times but the quarantine `factor` times as long: for fewer data lines or slower boards.
    pub const fn slowed(self, factor: u64) -> TokenTiming {
        TokenTiming {
            listen_ns: self.listen_ns * factor,
            pass_ns: self.pass_ns * factor,
            guard_ns: self.guard_ns * factor,
            claim_ns: self.claim_ns * factor,
            claim_step_ns: self.claim_step_ns * factor,
            back_off_ns: self.back_off_ns * factor,
            bid_ns: self.bid_ns * factor,
            hold_ns: self.hold_ns * factor,
            burst_ns: self.burst_ns * factor,
            fault_ns: self.fault_ns * factor,
            quarantine_ns: self.quarantine_ns,
        }
    }

    /// How long board `board` waits before it claims the token, ns.
    pub const fn claim_after_ns(&self, board: u8) -> u64 {
        self.claim_ns + board as u64 * self.claim_step_ns
    }

    /// From the last frame before a token is lost, while board `board` wants it, to its next frame:
    /// what was heard just before an alarm is forgiven until the next. `frame_ns`: a control frame.
    pub const fn lost_token_ns(&self, board: u8, frame_ns: u64) -> u64 {
        2 * self.claim_after_ns(board) + self.bid_ns + (MISSES_MAX as u64 + 2) * frame_ns
    }

    /// From a collision of boards up to `board` to the next frame, ns: the back-offs run apart.
    pub const fn doubled_token_ns(&self, board: u8, frame_ns: u64) -> u64 {
        self.back_off_ns * (board as u64 + 1) + self.lost_token_ns(board, frame_ns)
    }

    /// From the hand-over to a dead member to the next frame of data, ns.
    pub const fn dead_neighbour_ns(&self, frame_ns: u64) -> u64 {
        self.pass_ns + (MISSES_MAX as u64 + 1) * self.guard_ns + (2 * MISSES_MAX as u64 + 2) * frame_ns
    }
}

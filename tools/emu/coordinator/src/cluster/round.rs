//! A round: the boards that run, until when, and their results.
//!
//! Invariant: all boards stand before it and behind it. Not here: how far is too far (`horizon`).

use super::EmulatedCluster;
use crate::board::EmulatedBoard;
use crate::bus::Waiting;
use crate::error::EmuError;
use crate::horizon::{self, GrantBounds};
use crate::timeline::Item;
use renga_emu_device::messages::{BoardExit, BoardRecord, NEVER_NS, Together};

/// Until when a board may run.
struct RoundPlan {
    /// By itself, ns.
    until_ns: u64,
    /// Together with the others that run, ns.
    ceiling_ns: u64,
    runs: bool,
}

impl EmulatedCluster {
    /// Lets the boards run, and hears what they did.
    pub(super) fn run_round(&mut self) -> Result<(), EmuError> {
        let quiet_ns = self.quiet_ns();
        let plans = self.plans(quiet_ns);
        self.rounds += 1;
        let boards = self.together(&plans);
        let mut granted = Vec::with_capacity(self.boards.len());
        for (number, plan) in plans.iter().enumerate().filter(|(_, plan)| plan.runs) {
            let (round, ceiling_ns) = (self.rounds, plan.ceiling_ns);
            let together = boards.map(|boards| Together { round, boards, quiet_ns, ceiling_ns });
            self.grants += 1;
            granted.push((number, self.boards[number].grant(plan.until_ns, quiet_ns, together)));
        }
        for (number, grant) in granted {
            match grant.and_then(|()| self.boards[number].receive()) {
                Ok(done) => {
                    done.records.into_iter().for_each(|record| self.note(number as u8, record));
                    self.timeline.add_hits(number as u8, done.hits);
                    match done.exit {
                        Some(BoardExit::Status(status)) => self.note_exit(number as u8, status),
                        Some(BoardExit::Reset(partition)) => self.reset(number as u8, partition)?,
                        None => {}
                    }
                }
                Err(error) => self.lose(number as u8, error)?,
            }
        }
        Ok(())
    }

    fn plans(&self, quiet_ns: u64) -> Vec<RoundPlan> {
        let power_ns = |number: usize| self.power.next_ns(number as u8).unwrap_or(NEVER_NS);
        let powers_ns: Vec<u64> = (0..self.boards.len()).map(power_ns).collect();
        let boards = self.boards.iter().zip(&powers_ns);
        let earliest_ns: Vec<u64> = boards.map(|(board, power_ns)| board.earliest_ns().min(*power_ns)).collect();
        let bounds = self.bounds(quiet_ns, earliest_ns.iter().copied().min().unwrap_or(NEVER_NS));
        let grants_ns = horizon::grants(&earliest_ns, bounds).into_iter().zip(&powers_ns);
        let grants_ns: Vec<u64> = grants_ns.map(|(grant_ns, power_ns)| grant_ns.min(*power_ns)).collect();
        let may_run = self.may_run_until(&grants_ns);
        let may_follow = |number: usize| {
            earliest_ns[number] < powers_ns[number] && self.may_follow(&self.boards[number], grants_ns[number])
        };
        let runs: Vec<bool> = (0..self.boards.len()).map(|number| may_run[number] || may_follow(number)).collect();
        let ceilings_ns = horizon::ceilings(&earliest_ns, bounds, &runs);
        let gets_on =
            |number: usize| may_run[number] || runs[number] && self.boards[number].now_ns() < ceilings_ns[number];
        let runs: Vec<bool> = (0..self.boards.len()).map(gets_on).collect();
        let ceilings_ns = horizon::ceilings(&earliest_ns, bounds, &runs);
        let plan = |number: usize| RoundPlan {
            until_ns: grants_ns[number].max(self.boards[number].now_ns()),
            ceiling_ns: ceilings_ns[number].min(powers_ns[number]),
            runs: runs[number],
        };
        (0..self.boards.len()).map(plan).collect()
    }

    /// Which boards may run until these times.
    fn may_run_until(&self, grants_ns: &[u64]) -> Vec<bool> {
        let boards = || self.boards.iter().zip(grants_ns);
        // A board whose cores are past it waits until the others have followed; one of them can go on, as a rule.
        let may_run =
            |(board, until_ns): (&EmulatedBoard, &u64)| board.earliest_ns() < *until_ns && board.now_ns() < *until_ns;
        let may_run: Vec<bool> = boards().map(may_run).collect();
        if may_run.contains(&true) {
            return may_run;
        }
        boards().map(|(board, until_ns)| board.earliest_ns() < *until_ns).collect()
    }

    /// Whether a board that has advanced too far to run can continue as soon as the others have followed. Otherwise
    /// they would alternate from then on.
    fn may_follow(&self, board: &EmulatedBoard, grant_ns: u64) -> bool {
        let is_busy = board.is_up() && board.earliest_ns() == board.now_ns();
        is_busy && self.may_be_together() && board.now_ns() < grant_ns.saturating_add(self.lookahead_ns)
    }

    /// The bits of the boards that run, if several do and can exchange their positions.
    fn together(&self, plans: &[RoundPlan]) -> Option<u16> {
        let running = plans.iter().enumerate().filter(|(_, plan)| plan.runs);
        let boards = running.fold(0, |boards: u16, (number, _)| boards | 1 << number);
        (self.may_be_together() && boards.count_ones() > 1).then_some(boards)
    }

    fn may_be_together(&self) -> bool {
        // Their time alone does not show their effects on wires; and the instants at which several cores stop affect
        // the results.
        self.wires.is_none() && self.starter.slice_ns().is_none()
    }

    /// What is not known yet arrives nowhere before this, ns.
    fn quiet_ns(&self) -> u64 {
        // A board that dies in its frame takes the token with it, and the rest of the frame's time.
        let power_ns = self.power.first().map_or(NEVER_NS, |order| order.time_ns);
        let heard_ns = self.bus.free_ns().min(power_ns).saturating_add(self.lookahead_ns);
        if self.wires.is_none() { heard_ns } else { 0 }
    }

    /// The boards do nothing before `least_ns`.
    fn bounds(&self, quiet_ns: u64, least_ns: u64) -> GrantBounds {
        let Self { lookahead_ns, longest_ns, .. } = *self;
        // It starts neither before it was sent nor before all boards are past its start.
        let heard_ns = |sent_ns: u64| sent_ns.max(least_ns).saturating_add(lookahead_ns);
        let waiting_ns = self.bus.waits_since_ns().map_or(NEVER_NS, heard_ns);
        GrantBounds { lookahead_ns, longest_ns, quiet_ns, waiting_ns }
    }

    fn note(&mut self, board: u8, record: BoardRecord) {
        match record {
            BoardRecord::Console { time_ns, byte } => self.timeline.add(board, time_ns, Item::Console(byte)),
            BoardRecord::Log { time_ns, byte } => self.timeline.add(board, time_ns, Item::Log(byte)),
            BoardRecord::Frame { time_ns, destination, bytes } => {
                self.bus.send(board, Waiting { sent_ns: time_ns, destination, bytes });
            }
            BoardRecord::Pins { time_ns, drive } => self.change_pins(board, time_ns, drive),
            BoardRecord::CardFailed { time_ns } => self.timeline.add(board, time_ns, Item::CardFailed),
        }
    }

    fn note_exit(&mut self, board: u8, status: u8) {
        let time_ns = self.boards[usize::from(board)].now_ns();
        self.timeline.add(board, time_ns, Item::Exit(status));
        self.release_pins(board, time_ns);
    }
}

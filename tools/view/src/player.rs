//! Where in a trace one is: along with a run that goes on, or playing one that is over; stopped, stepping, jumping.
//!
//! Time is cut into intervals of virtual time. Invariant: the display of an interval depends on the trace alone; no
//! more of it is kept than what [`Meter`] keeps, and sums at the ends of two intervals. Backwards it is read again from
//! its start.

use crate::action::KeyAction;
use anyhow::{Context, Result, bail};
use renga_trace::figures::TraceFigures;
use renga_trace::follow::FollowError;
use renga_trace::meter::Meter;
use renga_trace::{FollowStep, Follower, Timed};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Events that are taken at a time, so that keys are heard meanwhile.
const EVENTS_AT_A_TIME: usize = 200_000;
/// How often speed can be halved or doubled.
const SPEED_MAX: i32 = 12;

/// How a player is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PlayerState {
    /// It plays.
    Plays,
    /// It goes along with the run.
    Follows,
    /// It is stopped.
    Stopped,
    /// It is at the end of a trace that is complete.
    Ended,
}

/// A trace that is gone through.
pub struct TracePlayer {
    path: PathBuf,
    follower: Follower<File>,
    meter: Option<Meter>,
    /// The next event, which is later than the display.
    waiting: Option<Timed>,
    interval_ns: u64,
    /// Sums at the end of the interval before the last complete one, and of that.
    ends: [TraceFigures; 2],
    /// Sums where it is.
    here: TraceFigures,
    state: PlayerState,
    /// Until when it is to go now, ns; none: until the last event there is.
    goal_ns: Option<u64>,
    /// Plays 2^speed ns of virtual time in each of real time.
    speed: i32,
    /// The last poll found no more events.
    at_last: bool,
    trouble: Option<String>,
}

impl TracePlayer {
    /// Opens a trace, with intervals of so many ns of virtual time.
    ///
    /// # Errors
    /// If there is no such file, or it is no trace.
    pub fn open(path: &Path, interval_ns: u64) -> Result<TracePlayer> {
        let mut player = TracePlayer {
            path: path.to_path_buf(),
            follower: follower(path)?,
            meter: None,
            waiting: None,
            interval_ns: interval_ns.max(1),
            ends: Default::default(),
            here: TraceFigures::default(),
            state: PlayerState::Follows,
            goal_ns: None,
            speed: 0,
            at_last: false,
            trouble: None,
        };
        player.names()?;
        Ok(player)
    }

    /// Whether the trace is written to its end; it is read for that.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn is_complete(&self) -> Result<bool> {
        let mut follower = follower(&self.path)?;
        // Bounded by the trace's length.
        loop {
            match follower.next_event() {
                Ok(FollowStep::Event(_)) => {}
                Ok(next) => return Ok(next == FollowStep::End),
                Err(FollowError::Bad(_)) => return Ok(false),
                Err(FollowError::Io(error)) => return Err(error).context(self.path.display().to_string()),
            }
        }
    }

    /// Plays from the beginning instead of going along with the run.
    pub fn play(&mut self, speed: i32) {
        (self.state, self.speed) = (PlayerState::Plays, speed.clamp(-SPEED_MAX, SPEED_MAX));
        self.goal_ns = Some(self.time_ns());
    }

    /// Goes on until `goal_ns`.
    pub fn go_to(&mut self, goal_ns: u64) {
        (self.state, self.goal_ns) = (PlayerState::Plays, Some(goal_ns));
    }

    /// Which trace.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How it is.
    pub fn state(&self) -> &PlayerState {
        &self.state
    }

    /// Virtual time in each of real time, while it plays, as a power of two.
    pub fn speed(&self) -> i32 {
        self.speed
    }

    /// The interval, ns.
    pub fn interval_ns(&self) -> u64 {
        self.interval_ns
    }

    /// What is wrong with the trace from here on.
    pub fn trouble(&self) -> Option<&str> {
        self.trouble.as_deref()
    }

    /// What has added up; none before the trace's names are there.
    pub fn meter(&self) -> Option<&Meter> {
        self.meter.as_ref()
    }

    /// The sums where it is.
    pub fn figures(&self) -> Option<&TraceFigures> {
        self.meter.as_ref().map(|_| &self.here)
    }

    /// What was added in the last complete interval; at the end of the trace, behind that; before the first one's end,
    /// so far.
    pub fn interval(&self) -> Option<TraceFigures> {
        self.meter.as_ref()?;
        let [before, last] = &self.ends;
        let rest = last.time_ns == 0 || (self.state == PlayerState::Ended && self.here.time_ns > last.time_ns);
        Some(if rest { self.here.since(last) } else { last.since(before) })
    }

    /// The displayed virtual time, ns.
    pub fn time_ns(&self) -> u64 {
        self.meter.as_ref().map_or(0, Meter::time_ns)
    }

    /// The same; of a trace whose first event is still to come, that one's time, if it is known: nothing adds up before
    /// it.
    pub fn next_ns(&self) -> u64 {
        let first = self.waiting.as_ref().filter(|_| self.here.events == 0);
        first.map_or(self.time_ns(), |event| event.time_ns)
    }

    /// Does what a key says about time.
    pub fn act(&mut self, action: KeyAction) {
        match action {
            KeyAction::Pause if self.state == PlayerState::Stopped => self.go_on(),
            KeyAction::Pause if self.state != PlayerState::Ended => self.stop_at(self.time_ns()),
            KeyAction::Step => self.stop_at(self.time_ns() + self.interval_ns),
            KeyAction::Jump(intervals) => {
                let by_ns = self.interval_ns.saturating_mul(intervals.unsigned_abs());
                let goal_ns = if intervals < 0 { self.time_ns().saturating_sub(by_ns) } else { self.time_ns() + by_ns };
                self.jump_to(goal_ns);
            }
            KeyAction::Begin => self.jump_to(0),
            KeyAction::End => (self.state, self.goal_ns) = (PlayerState::Follows, None),
            KeyAction::Faster => self.speed = (self.speed + 1).min(SPEED_MAX),
            KeyAction::Slower => self.speed = (self.speed - 1).max(-SPEED_MAX),
            _ => {}
        }
    }

    fn go_on(&mut self) {
        // A player that stopped at the last event follows again.
        self.state = if self.at_last { PlayerState::Follows } else { PlayerState::Plays };
        self.goal_ns = if self.at_last { None } else { Some(self.time_ns()) };
    }

    fn stop_at(&mut self, goal_ns: u64) {
        (self.state, self.goal_ns) = (PlayerState::Stopped, Some(goal_ns));
    }

    fn jump_to(&mut self, goal_ns: u64) {
        if goal_ns < self.time_ns() {
            match follower(&self.path) {
                Ok(follower) => self.restart(follower),
                Err(error) => self.trouble = Some(format!("{error:#}")),
            }
        }
        let plays = self.state == PlayerState::Plays;
        (self.state, self.goal_ns) = (if plays { PlayerState::Plays } else { PlayerState::Stopped }, Some(goal_ns));
    }

    fn restart(&mut self, follower: Follower<File>) {
        (self.follower, self.meter, self.waiting) = (follower, None, None);
        (self.ends, self.here) = Default::default();
        (self.at_last, self.trouble) = (false, None);
    }

    /// So much real time has passed.
    pub fn pass(&mut self, real: Duration) {
        if self.state == PlayerState::Plays {
            let real_ns = real.as_nanos() as u64;
            let ns = if self.speed < 0 { real_ns >> -self.speed } else { real_ns << self.speed };
            self.goal_ns = Some(self.goal_ns.unwrap_or(0).max(self.time_ns()) + ns);
        }
    }

    /// Goes on towards where it is to be, by some events; whether it is there, or where nothing more is.
    ///
    /// # Errors
    /// If the file cannot be read any more. [`TracePlayer::trouble`] reports errors of the trace itself.
    pub fn advance(&mut self) -> Result<bool> {
        if self.trouble.is_some() {
            return Ok(true);
        }
        let there = self.go_on_by_some()?;
        self.here = self.meter.as_ref().map_or(TraceFigures::default(), Meter::figures);
        Ok(there)
    }

    fn go_on_by_some(&mut self) -> Result<bool> {
        self.names()?;
        if self.meter.is_none() {
            return Ok(true);
        }
        for _ in 0..EVENTS_AT_A_TIME {
            if self.goal_ns.is_some_and(|goal_ns| self.waiting.as_ref().is_some_and(|next| next.time_ns > goal_ns)) {
                self.move_to(self.goal_ns.unwrap_or(0));
                return Ok(true);
            }
            if let Some(next) = self.waiting.take() {
                self.move_to(next.time_ns);
                self.meter.iter_mut().for_each(|meter| meter.take(&next));
            }
            if !self.fetch()? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// Waits for the trace's names, which are written first.
    fn names(&mut self) -> Result<()> {
        if self.meter.is_none() {
            let said = self.path.display().to_string();
            self.meter = self.follower.header().context(said)?.cloned().map(Meter::new);
        }
        Ok(())
    }

    /// Gets the next event; false if there is none now.
    fn fetch(&mut self) -> Result<bool> {
        match self.follower.next_event() {
            Ok(FollowStep::Event(timed)) => {
                (self.waiting, self.at_last) = (Some(timed), false);
                return Ok(true);
            }
            Ok(FollowStep::Later) => {
                self.at_last = true;
                if self.follower.input().metadata()?.len() < self.follower.read_bytes() {
                    self.restart(follower(&self.path)?);
                }
            }
            Ok(FollowStep::End) => (self.state, self.at_last) = (PlayerState::Ended, true),
            Err(FollowError::Bad(bad)) => self.trouble = Some(format!("{}: {bad}", self.path.display())),
            Err(FollowError::Io(error)) => return Err(error).context(self.path.display().to_string()),
        }
        Ok(false)
    }

    /// Moves time on, with the sums at the ends of intervals on the way.
    fn move_to(&mut self, time_ns: u64) {
        let (Some(meter), interval_ns) = (&mut self.meter, self.interval_ns) else { return };
        let end_ns = time_ns / interval_ns * interval_ns;
        // Of several ends between two events, the last two.
        for end_ns in [end_ns.saturating_sub(interval_ns), end_ns] {
            if end_ns > meter.time_ns() && meter.time_ns() > 0 {
                meter.pass_until(end_ns);
                let sums = meter.figures();
                self.ends[0] = std::mem::replace(&mut self.ends[1], sums);
            }
        }
        meter.pass_until(time_ns);
    }
}

fn follower(path: &Path) -> Result<Follower<File>> {
    let name = path.display();
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            bail!("there is no file {name}: `renga run --trace {name}` writes it")
        }
        Err(error) => return Err(error).context(format!("cannot read {name}")),
    };
    if !file.metadata().with_context(|| format!("cannot read {name}"))?.is_file() {
        bail!("{name} is no file");
    }
    Ok(Follower::new(file))
}

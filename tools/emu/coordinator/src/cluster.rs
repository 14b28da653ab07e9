//! The cluster: rounds in which boards run, and what follows from what they did.
//!
//! A round: settle the frames whose start all boards have passed; report the events that can no longer be preceded; let
//! every board that may act run as far as `horizon` allows; wait until all of those stand again. Boards that wait for
//! something later are not resumed, so idle time costs nothing.
//!
//! Invariant: between rounds every board stands; all input is ordered then, at a time that no board has passed.

mod frames;
mod pins;
mod power;
mod round;
mod start;

use crate::board::{BoardState, EmulatedBoard};
use crate::bus::EmulatedBus;
use crate::commands::{Commands, CoordinatorCommand, InputSender};
use crate::config::ClusterConfig;
use crate::error::EmuError;
use crate::event::{ClusterEvent, Stats};
use crate::faults::FaultSource;
use crate::pace::RealTimePace;
use crate::power::PowerSchedule;
use crate::qemu;
use crate::recording::{RecordedInput, Recording, RecordingHeader, RunRecorder};
use crate::timeline::Timeline;
use crate::wires::EmulatedWires;
use renga_emu_device::messages::{BoardOrder, NEVER_NS};
use start::Starter;
use std::collections::VecDeque;
use std::time::Instant;

/// A board that runs alone stops after so many instructions, so that what it says is heard.
const LONGEST_INSTRUCTIONS: u64 = 20_000_000;
/// With pacing it stops after this, in nanoseconds, so that what is typed is heard.
const PACED_LONGEST_NS: u64 = 2_000_000;

/// A running cluster. Dropping it ends its QEMUs.
#[derive(Debug)]
pub struct EmulatedCluster {
    boards: Vec<EmulatedBoard>,
    starter: Starter,
    power: PowerSchedule,
    revive_ns: Option<u64>,
    /// What is still to be typed, for boards that are started again before.
    inputs: Vec<RecordedInput>,
    bus: EmulatedBus,
    /// Between the boards' pins.
    wires: Option<EmulatedWires>,
    faults: FaultSource,
    faults_met: u64,
    timeline: Timeline,
    commands: Commands,
    pace: Option<RealTimePace>,
    recorder: Option<RunRecorder>,
    lookahead_ns: u64,
    longest_ns: u64,
    /// Nothing before this can happen any more.
    time_ns: u64,
    /// The limit of virtual time.
    limit_ns: u64,
    /// When the session was stopped, or, replayed, had been.
    session_end_ns: u64,
    begin: Instant,
    stats: Option<Stats>,
    rounds: u64,
    grants: u64,
    /// The deadlock to report, ns.
    deadlock_ns: Option<u64>,
    deadlock_reported: bool,
    /// A status of the boards was requested.
    asked: bool,
    /// Lines to return; a person types them.
    relayed: VecDeque<String>,
    /// When the last one was returned: no order is for an instant before.
    relayed_ns: u64,
    /// All boards wait for a person.
    waits: bool,
    /// A person has left the run, or had, replayed.
    left: bool,
    failure: Option<EmuError>,
}

impl EmulatedCluster {
    /// Starts the boards; nothing has run when this returns.
    ///
    /// # Errors
    /// If the configuration, QEMU or a file is not as it should be.
    pub fn start(config: ClusterConfig) -> Result<Self, EmuError> {
        let lookahead_ns = start::check(&config)?;
        qemu::check_version(&config.qemu)?;
        let replay = config.replay.as_deref().map(Recording::load).transpose()?;
        if let Some(recording) = &replay {
            recording.check(&config)?;
        }
        let mut header = RecordingHeader::of(&config);
        header.interactive |= replay.as_ref().is_some_and(|recording| recording.header.interactive);
        let recorder = config.record.as_deref().map(|path| RunRecorder::create(path, &header)).transpose()?;
        let longest_ns = LONGEST_INSTRUCTIONS << config.shift;
        let wires = config.pins.map(|pins| EmulatedWires::new(pins, config.boards.len(), &config.wire_faults));
        let starter = Starter::new(config.clone(), &header, lookahead_ns)?;
        let mut cluster = Self {
            boards: starter.all(wires.as_ref())?,
            wires,
            starter,
            power: PowerSchedule::default(),
            revive_ns: config.revive_ns,
            inputs: Vec::new(),
            bus: EmulatedBus::new(config.bus, config.boards.len()),
            faults: FaultSource::new(config.faults, config.seed),
            faults_met: 0,
            timeline: Timeline::new(config.boards.len(), config.frames),
            commands: Commands::new(),
            pace: config.pace.then(RealTimePace::new),
            recorder,
            lookahead_ns,
            longest_ns: if config.pace { longest_ns.min(PACED_LONGEST_NS) } else { longest_ns },
            time_ns: 0,
            limit_ns: config.limits.virtual_ns.unwrap_or(NEVER_NS),
            session_end_ns: replay.as_ref().and_then(|recording| recording.end_ns).unwrap_or(NEVER_NS),
            begin: Instant::now(),
            stats: None,
            rounds: 0,
            grants: 0,
            deadlock_ns: None,
            deadlock_reported: false,
            asked: false,
            relayed: VecDeque::new(),
            relayed_ns: 0,
            waits: false,
            left: replay.as_ref().is_some_and(|recording| recording.left),
            failure: None,
        };
        let (inputs, power) = replay.map_or((Vec::new(), config.power), |replay| (replay.inputs, replay.power));
        for order in power {
            cluster.power_at(order.board, order.time_ns, order.change)?;
        }
        for input in inputs {
            cluster.input_at(input.board, input.time_ns, &input.bytes)?;
        }
        Ok(cluster)
    }

    /// Lets the boards run until the next event; returns it.
    ///
    /// # Errors
    /// If a board failed or does not answer; all earlier events have been returned before. After an error or
    /// `Finished`, the result is `Finished`.
    pub fn next_event(&mut self) -> Result<ClusterEvent, EmuError> {
        loop {
            if let Some(event) = self.timeline.pop() {
                return Ok(event);
            }
            if std::mem::take(&mut self.asked) {
                return Ok(ClusterEvent::Status { time_ns: self.time_ns, boards: self.status() });
            }
            if let Some(line) = self.relayed.pop_front() {
                self.relayed_ns = self.idle_until_ns();
                return Ok(ClusterEvent::Relayed { time_ns: self.relayed_ns, line });
            }
            if let Some(time_ns) = self.deadlock_ns.take() {
                return Ok(ClusterEvent::Deadlock { time_ns });
            }
            if let Some(failure) = self.failure.take() {
                return Err(failure);
            }
            if let Some(stats) = self.finished() {
                return Ok(ClusterEvent::Finished(stats));
            }
            if let Err(failure) = self.step() {
                self.timeline.release(NEVER_NS);
                self.close(self.last_ns());
                self.failure = Some(failure);
            }
        }
    }

    /// Types `bytes` at the console of `board`, as soon as possible; the time is the result, ns.
    ///
    /// # Errors
    /// If there is no such board, or the recording cannot be written.
    pub fn input(&mut self, board: u8, bytes: &[u8]) -> Result<u64, EmuError> {
        let paced_ns = self.pace.as_ref().map_or(0, RealTimePace::now_ns);
        self.input_at(board, paced_ns, bytes)
    }

    /// As [`EmulatedCluster::input`], but not before `time_ns`.
    ///
    /// # Errors
    /// As [`EmulatedCluster::input`].
    pub fn input_at(&mut self, board: u8, time_ns: u64, bytes: &[u8]) -> Result<u64, EmuError> {
        if self.stats.is_some() {
            return Ok(time_ns);
        }
        let target = self.boards.get_mut(usize::from(board));
        let target = target.ok_or_else(|| EmuError::Config(format!("there is no board {board}")))?;
        let time_ns = time_ns.max(self.time_ns).max(self.relayed_ns).max(target.now_ns());
        // What is typed at a board that does not run is lost, unless it is one that will.
        let awaited = self.power.next_ns(board).is_some_and(|power_ns| power_ns <= time_ns);
        if !target.is_up() && !awaited {
            return Ok(time_ns);
        }
        target.order(BoardOrder::Input { time_ns, bytes: bytes.to_vec() });
        (self.deadlock_reported, self.waits) = (false, false);
        let input = RecordedInput { board, time_ns, bytes: bytes.to_vec() };
        if let Some(recorder) = &mut self.recorder {
            recorder.input(&input)?;
        }
        self.inputs.retain(|input| input.time_ns >= self.time_ns);
        self.inputs.push(input);
        Ok(time_ns)
    }

    /// A hand to type with from another thread.
    pub fn input_sender(&self) -> InputSender {
        self.commands.sender()
    }

    /// Ends the run at the instant of the last event returned, so that a replayed run ends there too: events up to then
    /// still follow, then `Finished`.
    pub fn stop(&mut self) {
        let reported_ns = self.timeline.reported_ns().map_or(self.time_ns, |time_ns| time_ns + 1);
        self.session_end_ns = self.session_end_ns.min(reported_ns);
        self.timeline.release(self.session_end_ns);
    }

    /// As [`EmulatedCluster::stop`], of a person who leaves: the recording and [`Stats::left`] say so.
    pub fn leave(&mut self) {
        self.left = true;
        self.stop();
    }

    /// Virtual time that every board has reached, ns.
    pub fn time_ns(&self) -> u64 {
        self.time_ns
    }

    /// The same; while all boards wait for a person, time passes with the host's, though they do not see it yet.
    fn idle_until_ns(&self) -> u64 {
        let paced_ns = self.pace.as_ref().filter(|_| self.waits).map_or(0, RealTimePace::now_ns);
        self.time_ns.max(paced_ns)
    }

    /// The processes of the boards' QEMUs; 0 for a board that is off.
    pub fn process_ids(&self) -> Vec<u32> {
        self.boards.iter().map(|board| board.process_id().unwrap_or(0)).collect()
    }

    fn step(&mut self) -> Result<(), EmuError> {
        while let Some(command) = self.commands.next() {
            self.obey(command)?;
        }
        // A person may type at any instant from now on: nothing later is settled.
        let now_ns = self.pace.as_ref().map_or(NEVER_NS, |pace| pace.now_ns().max(self.time_ns));
        let power_ns = self.power.first().map_or(NEVER_NS, |order| order.time_ns);
        let running_ns = self.settle_frames(now_ns.min(power_ns));
        // A person who can type learns that all boards wait, before an order wakes one.
        let asks = self.pace.is_none() && self.session_end_ns == NEVER_NS && !self.deadlock_reported;
        let horizon_ns = if running_ns == NEVER_NS && asks { NEVER_NS } else { running_ns.min(power_ns) };
        let waits = horizon_ns == NEVER_NS;
        self.waits = waits;
        self.time_ns = self.time_ns.max(if waits { self.last_ns() + 1 } else { horizon_ns.min(now_ns) });
        let end_ns = self.limit_ns.min(self.session_end_ns);
        self.timeline.release(horizon_ns.min(now_ns).min(end_ns));
        if self.timeline.is_ready() {
            // Reported before any other wait.
            return Ok(());
        }
        if self.is_over() && !self.left {
            self.end_by(end_ns)?;
        } else if waits && self.pace.is_none() && self.session_end_ns == NEVER_NS {
            self.report_deadlock()?;
        } else if horizon_ns >= end_ns && (self.pace.is_none() || !waits || self.session_end_ns != NEVER_NS) {
            self.end(end_ns)?;
        } else if self.may_run(horizon_ns.min(end_ns))? {
            if power_ns <= running_ns {
                self.change_power()?;
            } else {
                self.run_round()?;
            }
        }
        Ok(())
    }

    /// No board runs, and none will. (A person may still start one that was cut.)
    fn is_over(&self) -> bool {
        let ended =
            |board: &EmulatedBoard| !board.is_up() && (self.pace.is_none() || board.state() == BoardState::Exited);
        self.power.first().is_none() && self.boards.iter().all(ended)
    }

    fn obey(&mut self, command: CoordinatorCommand) -> Result<(), EmuError> {
        match command {
            CoordinatorCommand::Input { board, bytes } => self.input(board, &bytes).map(|_| ()),
            CoordinatorCommand::Power { board, change } => self.power(board, change).map(|_| ()),
            CoordinatorCommand::Leave => {
                self.leave();
                Ok(())
            }
            CoordinatorCommand::Ask => {
                self.asked = true;
                Ok(())
            }
            CoordinatorCommand::Relay(line) => {
                self.relayed.push_back(line);
                Ok(())
            }
            CoordinatorCommand::Stop => {
                self.stop();
                Ok(())
            }
        }
    }

    /// Waits until the host has caught up with virtual time, or a command has come.
    fn may_run(&mut self, horizon_ns: u64) -> Result<bool, EmuError> {
        let Some(pace) = &mut self.pace else { return Ok(true) };
        let wait = if horizon_ns == NEVER_NS { None } else { pace.wait(horizon_ns) };
        if horizon_ns != NEVER_NS && wait.is_none() {
            return Ok(true);
        }
        if let Some(command) = self.commands.wait(wait) {
            self.obey(command)?;
        }
        Ok(false)
    }

    fn report_deadlock(&mut self) -> Result<(), EmuError> {
        if self.deadlock_reported {
            return self.end(self.time_ns.min(self.limit_ns));
        }
        self.deadlock_reported = true;
        self.deadlock_ns = Some(self.last_ns());
        Ok(())
    }

    /// Ends a run of which no board is left: at `end_ns`, if boards ran ahead of that instant and ended behind it.
    fn end_by(&mut self, end_ns: u64) -> Result<(), EmuError> {
        if self.last_ns() >= end_ns {
            return self.end(end_ns);
        }
        self.close(self.last_ns());
        Ok(())
    }

    /// Ends a run that could have gone on.
    fn end(&mut self, virtual_ns: u64) -> Result<(), EmuError> {
        if let Some(recorder) = &mut self.recorder {
            recorder.end(virtual_ns, self.left)?;
        }
        self.close(virtual_ns);
        Ok(())
    }

    fn close(&mut self, virtual_ns: u64) {
        self.stats = Some(Stats {
            virtual_ns,
            left: self.left && virtual_ns >= self.session_end_ns,
            rounds: self.rounds,
            grants: self.grants,
            faults: self.faults_met,
            overruns: self.boards.iter().map(EmulatedBoard::overruns).sum(),
            instructions: self.boards.iter().map(EmulatedBoard::instructions).sum(),
            slice_ns: self.starter.slice_ns(),
            host_s: self.begin.elapsed().as_secs_f64(),
            ..Stats::default()
        });
        self.boards.clear();
    }

    /// The whole run, once it is over and reported.
    fn finished(&self) -> Option<Stats> {
        let hashes = self.timeline.hashes();
        Some(Stats {
            frames: self.timeline.frames(),
            pin_changes: self.timeline.pin_changes(),
            console_hash: hashes.console.value(),
            log_hash: hashes.log.value(),
            frame_hash: hashes.frame.value(),
            hits: self.timeline.hits(),
            probe_hash: hashes.probe.value(),
            pin_hash: hashes.pin.value(),
            ..self.stats.clone()?
        })
    }

    /// Where the board that is furthest stands, ns.
    fn last_ns(&self) -> u64 {
        self.boards.iter().map(EmulatedBoard::now_ns).max().unwrap_or(self.time_ns)
    }
}

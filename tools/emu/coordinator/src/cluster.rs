//! The cluster: rounds in which boards run, and what follows from what they did.
//!
//! A round: settle the frames whose start all boards have passed; tell what can no longer be preceded; let every board
//! that may do something run as far as `horizon` allows; wait until all of those stand again. Boards that wait for
//! something later are not let go at all, so idle time costs nothing.
//!
//! Invariant: between rounds every board stands; all input is ordered then, at a time that no board has passed.

use crate::board::{Board, Starting};
use crate::bus::{Passage, TokenBus, Waiting};
use crate::commands::{Command, Commands, InputSender};
use crate::config::{BOARDS_MAX, ClusterConfig, SHIFT_MAX};
use crate::error::EmuError;
use crate::event::{Event, FrameEvent, Stats};
use crate::faults::{Fault, Faults};
use crate::horizon::{self, Bounds};
use crate::pace::Pace;
use crate::qemu;
use crate::recording::{Header, RecordedInput, Recorder, Recording};
use crate::timeline::{Item, Timeline};
use renga_emu_device::messages::{NEVER_NS, Order, Record, Welcome};
use renga_emu_device::registers::{FLAG_INTERACTIVE, FLAG_TRACING};
use std::time::Instant;

/// A board that runs alone stops after so many instructions, so that what it says is heard.
const LONGEST_INSTRUCTIONS: u64 = 20_000_000;
/// With pacing it stops after this, in nanoseconds, so that what is typed is heard.
const PACED_LONGEST_NS: u64 = 2_000_000;

/// A running cluster. Dropping it ends its QEMUs.
#[derive(Debug)]
pub struct Cluster {
    boards: Vec<Board>,
    bus: TokenBus,
    faults: Faults,
    faults_met: u64,
    timeline: Timeline,
    commands: Commands,
    pace: Option<Pace>,
    recorder: Option<Recorder>,
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
    /// To be told, ns.
    deadlock_ns: Option<u64>,
    deadlock_told: bool,
    failure: Option<EmuError>,
}

impl Cluster {
    /// Starts the boards; nothing has run when this returns.
    ///
    /// # Errors
    /// If the configuration, QEMU or a file is not as it should be.
    pub fn start(config: ClusterConfig) -> Result<Self, EmuError> {
        let lookahead_ns = check(&config)?;
        qemu::check_version(&config.qemu)?;
        let replay = config.replay.as_deref().map(Recording::load).transpose()?;
        if let Some(recording) = &replay {
            recording.check(&config)?;
        }
        let mut header = Header::of(&config);
        header.interactive |= replay.as_ref().is_some_and(|recording| recording.header.interactive);
        let recorder = config.record.as_deref().map(|path| Recorder::create(path, &header)).transpose()?;
        let longest_ns = LONGEST_INSTRUCTIONS << config.shift;
        let mut cluster = Self {
            boards: start_boards(&config, &header, lookahead_ns)?,
            bus: TokenBus::new(config.bus, config.boards.len()),
            faults: Faults::new(config.faults, config.seed),
            faults_met: 0,
            timeline: Timeline::new(config.boards.len(), config.trace),
            commands: Commands::new(),
            pace: config.pace.then(Pace::new),
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
            deadlock_told: false,
            failure: None,
        };
        for input in replay.into_iter().flat_map(|recording| recording.inputs) {
            cluster.input_at(input.board, input.time_ns, &input.bytes)?;
        }
        Ok(cluster)
    }

    /// Lets the boards run until something has happened, and tells it.
    ///
    /// # Errors
    /// If a board died or does not answer; everything known has been told before. After an error or `Finished`, the
    /// result is `Finished`.
    pub fn next_event(&mut self) -> Result<Event, EmuError> {
        loop {
            if let Some(event) = self.timeline.pop() {
                return Ok(event);
            }
            if let Some(time_ns) = self.deadlock_ns.take() {
                return Ok(Event::Deadlock { time_ns });
            }
            if let Some(failure) = self.failure.take() {
                return Err(failure);
            }
            if let Some(stats) = self.finished() {
                return Ok(Event::Finished(stats));
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
        let paced_ns = self.pace.as_ref().map_or(0, Pace::now_ns);
        self.input_at(board, paced_ns, bytes)
    }

    /// As [`Cluster::input`], but not before `time_ns`.
    ///
    /// # Errors
    /// As [`Cluster::input`].
    pub fn input_at(&mut self, board: u8, time_ns: u64, bytes: &[u8]) -> Result<u64, EmuError> {
        if self.stats.is_some() {
            return Ok(time_ns);
        }
        let target = self.boards.get_mut(usize::from(board));
        let target = target.ok_or_else(|| EmuError::Config(format!("there is no board {board}")))?;
        let time_ns = time_ns.max(self.time_ns).max(target.now_ns());
        if target.exited() {
            return Ok(time_ns);
        }
        target.order(Order::Input { time_ns, bytes: bytes.to_vec() });
        self.deadlock_told = false;
        if let Some(recorder) = &mut self.recorder {
            recorder.input(&RecordedInput { board, time_ns, bytes: bytes.to_vec() })?;
        }
        Ok(time_ns)
    }

    /// A hand to type with from another thread.
    pub fn input_sender(&self) -> InputSender {
        self.commands.sender()
    }

    /// Ends the run at the instant of the last event told, so that a replayed run ends there too: what happened by then
    /// will still be told, then `Finished`.
    pub fn stop(&mut self) {
        let told_ns = self.timeline.told_ns().map_or(self.time_ns, |time_ns| time_ns + 1);
        self.session_end_ns = self.session_end_ns.min(told_ns);
        self.timeline.release(self.session_end_ns);
    }

    /// Virtual time that every board has reached, ns.
    pub fn time_ns(&self) -> u64 {
        self.time_ns
    }

    /// The processes of the boards' QEMUs.
    pub fn process_ids(&self) -> Vec<u32> {
        self.boards.iter().map(Board::process_id).collect()
    }

    fn step(&mut self) -> Result<(), EmuError> {
        while let Some(command) = self.commands.next() {
            self.obey(command)?;
        }
        // A person may type at any instant from now on: nothing later is settled.
        let now_ns = self.pace.as_ref().map_or(NEVER_NS, |pace| pace.now_ns().max(self.time_ns));
        let horizon_ns = self.settle_frames(now_ns);
        let waits = horizon_ns == NEVER_NS;
        self.time_ns = self.time_ns.max(if waits { self.last_ns() + 1 } else { horizon_ns.min(now_ns) });
        let end_ns = self.limit_ns.min(self.session_end_ns);
        self.timeline.release(horizon_ns.min(now_ns).min(end_ns));
        if self.timeline.is_ready() {
            // To be told before anything else is waited for.
            return Ok(());
        }
        if self.boards.iter().all(Board::exited) {
            self.close(self.last_ns());
        } else if waits && self.pace.is_none() && self.session_end_ns == NEVER_NS {
            self.tell_deadlock()?;
        } else if horizon_ns >= end_ns && (self.pace.is_none() || !waits || self.session_end_ns != NEVER_NS) {
            self.end(end_ns)?;
        } else if self.may_run(horizon_ns.min(end_ns))? {
            self.run_round()?;
        }
        Ok(())
    }

    fn obey(&mut self, command: Command) -> Result<(), EmuError> {
        match command {
            Command::Input { board, bytes } => self.input(board, &bytes).map(|_| ()),
            Command::Stop => {
                self.stop();
                Ok(())
            }
        }
    }

    /// Settles the frames that take the wire before `limit_ns`, as far as they can be, and returns the first instant at
    /// which a board may do anything or a frame take the wire.
    fn settle_frames(&mut self, limit_ns: u64) -> u64 {
        loop {
            let board_ns = self.boards.iter().map(Board::earliest_ns).min().unwrap_or(NEVER_NS);
            match self.bus.decide(board_ns.min(limit_ns)) {
                Some(passage) => self.announce(passage),
                None => return self.bus.next_start_ns().map_or(board_ns, |start_ns| start_ns.min(board_ns)),
            }
        }
    }

    fn announce(&mut self, passage: Passage) {
        let time_ns = passage.end_ns;
        let fault = self.faults.draw();
        self.faults_met += u64::from(fault != Fault::None);
        for (number, board) in self.boards.iter_mut().enumerate() {
            if passage.reaches(number as u8) {
                let copies = fault.copies(&passage.frame.bytes).into_iter();
                copies.for_each(|bytes| board.order(Order::Deliver { time_ns, bytes }));
            }
        }
        let token_wait_ns = passage.start_ns - passage.frame.sent_ns;
        let wire_ns = passage.end_ns - passage.start_ns;
        self.boards[usize::from(passage.source)].order(Order::Departed {
            time_ns,
            token_wait_ns: u32::try_from(token_wait_ns).unwrap_or(u32::MAX),
            wire_ns: u32::try_from(wire_ns).unwrap_or(u32::MAX),
        });
        self.timeline.add_frame(FrameEvent {
            source: passage.source,
            destination: passage.frame.destination,
            sent_ns: passage.frame.sent_ns,
            token_wait_ns,
            wire_ns,
            delivered_ns: time_ns,
            bytes: passage.frame.bytes,
        });
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

    fn run_round(&mut self) -> Result<(), EmuError> {
        let earliest_ns: Vec<u64> = self.boards.iter().map(Board::earliest_ns).collect();
        let bounds = Bounds {
            lookahead_ns: self.lookahead_ns,
            longest_ns: self.longest_ns,
            frame_waits: self.bus.has_waiting(),
        };
        let grants_ns = horizon::grants(&earliest_ns, bounds);
        let runs = |number: usize| earliest_ns[number] < grants_ns[number];
        self.rounds += 1;
        for (number, board) in self.boards.iter_mut().enumerate().filter(|(number, _)| runs(*number)) {
            self.grants += 1;
            board.grant(grants_ns[number])?;
        }
        for number in (0..self.boards.len()).filter(|number| runs(*number)) {
            let (records, exit) = self.boards[number].receive()?;
            for record in records {
                self.note(number as u8, record);
            }
            if let Some(status) = exit {
                self.timeline.add(number as u8, self.boards[number].now_ns(), Item::Exit(status));
            }
        }
        Ok(())
    }

    fn note(&mut self, board: u8, record: Record) {
        match record {
            Record::Console { time_ns, byte } => self.timeline.add(board, time_ns, Item::Console(byte)),
            Record::Log { time_ns, byte } => self.timeline.add(board, time_ns, Item::Log(byte)),
            Record::Trace { time_ns, words } => self.timeline.add(board, time_ns, Item::Trace(words)),
            Record::Frame { time_ns, destination, bytes } => {
                self.bus.send(board, Waiting { sent_ns: time_ns, destination, bytes });
            }
        }
    }

    fn tell_deadlock(&mut self) -> Result<(), EmuError> {
        if self.deadlock_told {
            return self.end(self.time_ns.min(self.limit_ns));
        }
        self.deadlock_told = true;
        self.deadlock_ns = Some(self.last_ns());
        Ok(())
    }

    /// Ends a run that could have gone on.
    fn end(&mut self, virtual_ns: u64) -> Result<(), EmuError> {
        if let Some(recorder) = &mut self.recorder {
            recorder.end(virtual_ns)?;
        }
        self.close(virtual_ns);
        Ok(())
    }

    fn close(&mut self, virtual_ns: u64) {
        self.stats = Some(Stats {
            virtual_ns,
            rounds: self.rounds,
            grants: self.grants,
            faults: self.faults_met,
            overruns: self.boards.iter().map(Board::overruns).sum(),
            host_s: self.begin.elapsed().as_secs_f64(),
            ..Stats::default()
        });
        self.boards.clear();
    }

    /// The whole run, once it is over and told.
    fn finished(&self) -> Option<Stats> {
        let hashes = self.timeline.hashes();
        Some(Stats {
            frames: self.timeline.frames(),
            console_hash: hashes.console.value(),
            log_hash: hashes.log.value(),
            frame_hash: hashes.frame.value(),
            trace_hash: hashes.trace.value(),
            ..self.stats.clone()?
        })
    }

    /// Where the board that is furthest stands, ns.
    fn last_ns(&self) -> u64 {
        self.boards.iter().map(Board::now_ns).max().unwrap_or(self.time_ns)
    }
}

/// Refuses what cannot work; the lookahead, ns.
fn check(config: &ClusterConfig) -> Result<u64, EmuError> {
    let refuse = |what: String| Err(EmuError::Config(what));
    if config.boards.is_empty() || config.boards.len() > BOARDS_MAX {
        return refuse(format!("a cluster has 1 to {BOARDS_MAX} boards, not {}", config.boards.len()));
    }
    if config.shift > SHIFT_MAX {
        return refuse(format!("shift is 0 to {SHIFT_MAX}, not {}", config.shift));
    }
    if config.bus.rate_bps == 0 || config.bus.token_pass_ns == 0 {
        return refuse("the bus needs a rate and a token pass above 0".to_owned());
    }
    // A board stops at the end of an instruction, so up to one instruction late.
    let late_ns = (1 << config.shift) - 1;
    let longest_ns = config.bus.least_latency_ns().saturating_sub(late_ns);
    match config.quantum_ns.unwrap_or(longest_ns) {
        0 => refuse("the bus is faster than an instruction".to_owned()),
        quantum_ns if quantum_ns > longest_ns => {
            refuse(format!("on this bus a quantum is at most {longest_ns} ns, not {quantum_ns} ns"))
        }
        quantum_ns => Ok(quantum_ns),
    }
}

fn start_boards(config: &ClusterConfig, header: &Header, lookahead_ns: u64) -> Result<Vec<Board>, EmuError> {
    let flag = |on: bool, bit: u32| if on { bit } else { 0 };
    let flags = flag(config.trace, FLAG_TRACING) | flag(header.interactive, FLAG_INTERACTIVE);
    let numbers = 0..config.boards.len() as u8;
    let starting: Result<Vec<Starting>, EmuError> = numbers.map(|number| Starting::start(config, number)).collect();
    let welcome = |(number, board): (usize, Starting)| {
        board.welcome(&Welcome { board: number as u8, flags, epoch_s: config.epoch_s, lookahead_ns })
    };
    starting?.into_iter().enumerate().map(welcome).collect()
}

//! One board as the coordinator sees it: its QEMU, the talk with its plugin, and what it is to hear next.
//!
//! Invariants: a board runs only between [`EmulatedBoard::grant`] and the end of [`EmulatedBoard::receive`]; otherwise
//! it stands at `now_ns`. All times here are the cluster's; the plugin's messages have times of the board's own clock,
//! which starts at 0 at each start.

use crate::config::ClusterConfig;
use crate::error::EmuError;
use crate::liveness::{LiveStream, Liveness, Patience, SAMPLE_PERIOD};
use crate::memory_file::SharedPage;
use crate::qemu::Qemu;
use renga_emu_device::messages::{
    self, BarrierReport, BoardExit, BoardOrder, BoardRecord, Grant, MessageError, NEVER_NS, PluginHello, Together,
    Welcome,
};
use renga_emu_probes::{Hit, Hits};
use std::io;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::{SocketAddr, UnixListener, UnixStream};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// A board that so many orders wait for runs to the first of them, even if it will sleep on.
const ORDERS_MANY: usize = 1024;
const CONNECT_POLL: Duration = Duration::from_millis(2);

/// Whether a board runs, and if not, why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BoardState {
    /// It runs.
    Up,
    /// It has ended by itself.
    Exited,
    /// It was cut from its power.
    Off,
    /// Its processor stands.
    Hung,
}

/// A board.
#[derive(Debug)]
pub struct EmulatedBoard {
    number: u8,
    /// None while the board is off.
    qemu: Option<Qemu>,
    stream: LiveStream,
    scratch: Vec<u8>,
    /// When it was started.
    origin_ns: u64,
    starts: u32,
    now_ns: u64,
    next_ns: u64,
    wants_departures: bool,
    wakes: u32,
    has_several_cores: bool,
    instructions: u64,
    /// Those of its former lives.
    instructions_before: u64,
    overruns: u64,
    /// Those of its former lives.
    overruns_before: u64,
    orders: Vec<BoardOrder>,
    state: BoardState,
}

/// What a board has done.
#[derive(Debug)]
pub struct Done {
    /// What it reported, in order.
    pub records: Vec<BoardRecord>,
    /// Probes that it reached, in order.
    pub hits: Vec<Hit>,
    /// How it ended, if it did.
    pub exit: Option<BoardExit>,
}

/// An incarnation of a board.
#[derive(Clone, Copy, Debug)]
pub struct Incarnation {
    /// Its number, from 1.
    pub starts: u32,
    /// The partition that the reset before named, or 0.
    pub partition: u8,
}

/// A board whose plugin has not called yet.
#[derive(Debug)]
pub struct Starting {
    number: u8,
    qemu: Qemu,
    listener: UnixListener,
    patience: Patience,
    has_several_cores: bool,
}

impl Starting {
    /// Starts the QEMU of board `number`.
    pub fn start(
        config: &ClusterConfig,
        number: u8,
        incarnation: Incarnation,
        page: &SharedPage,
    ) -> Result<Self, EmuError> {
        let host_error = |error| EmuError::Host { what: "make a socket", error };
        let (listener, socket) = listen(number).map_err(host_error)?;
        listener.set_nonblocking(true).map_err(host_error)?;
        let board = config.boards[usize::from(number)].loaded(number, incarnation.partition)?;
        let qemu = Qemu::start(config, &board, (number, incarnation.starts), &socket, page)?;
        let has_several_cores = board.cores > 1;
        Ok(Self { number, qemu, listener, patience: config.limits.patience, has_several_cores })
    }

    /// Waits until the board is ready for its first grant; its clock begins at `origin_ns`.
    pub fn welcome(mut self, welcome: &Welcome, origin_ns: u64) -> Result<EmulatedBoard, EmuError> {
        let stream = self.accept()?;
        let stream = LiveStream::new(stream, Liveness::new(self.qemu.id(), self.patience));
        let stream = stream.map_err(|error| EmuError::Host { what: "set up a socket", error })?;
        let mut board = EmulatedBoard {
            number: self.number,
            qemu: Some(self.qemu),
            stream,
            scratch: Vec::new(),
            origin_ns,
            starts: welcome.starts,
            now_ns: origin_ns,
            next_ns: origin_ns,
            wants_departures: false,
            wakes: 0,
            has_several_cores: self.has_several_cores,
            instructions: 0,
            instructions_before: 0,
            overruns: 0,
            overruns_before: 0,
            orders: Vec::new(),
            state: BoardState::Up,
        };
        board.hello(welcome).map_err(|error| board.explain(error))?;
        board.receive()?;
        // It stands before its first instruction, and its plugin takes a machine that is not started for idle.
        board.next_ns = origin_ns;
        Ok(board)
    }

    fn accept(&mut self) -> Result<UnixStream, EmuError> {
        let mut liveness = Liveness::new(self.qemu.id(), self.patience);
        let mut sampled = Instant::now();
        // Bounded by the patience for a process that does nothing, or too much.
        loop {
            match self.listener.accept() {
                Ok((stream, _)) => return Ok(stream),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => thread::sleep(CONNECT_POLL),
                Err(error) => return Err(EmuError::Host { what: "hear from a board", error }),
            }
            if let Some(status) = self.qemu.ended() {
                return Err(EmuError::BoardDied { board: self.number, status, said: self.qemu.said() });
            }
            if sampled.elapsed() >= SAMPLE_PERIOD {
                sampled = Instant::now();
                if liveness.is_stuck() {
                    let (board, waited_s) = (self.number, liveness.waited_s());
                    return Err(EmuError::BoardSilent { board, waited_s, said: self.qemu.said() });
                }
            }
        }
    }
}

/// A socket with a name that no other run has; the name vanishes with the socket.
fn listen(board: u8) -> io::Result<(UnixListener, String)> {
    static RUNS: AtomicU32 = AtomicU32::new(0);
    let run = RUNS.fetch_add(1, Ordering::Relaxed);
    let name = format!("renga-emu-{}-{run}-{board}", std::process::id());
    Ok((UnixListener::bind_addr(&SocketAddr::from_abstract_name(&name)?)?, name))
}

impl EmulatedBoard {
    fn hello(&mut self, welcome: &Welcome) -> Result<(), MessageError> {
        // The plugin has checked the version by itself.
        let _hello: PluginHello = messages::receive(&mut self.stream, &mut self.scratch)?;
        messages::send(self.stream.out(), welcome, &mut self.scratch)
    }

    /// Lets it run until `until_ns`, or as far as it may `together` with others; what it sends has no effect before
    /// `quiet_ns`. [`EmulatedBoard::receive`] must follow.
    pub fn grant(&mut self, until_ns: u64, quiet_ns: u64, together: Option<Together>) -> Result<(), EmuError> {
        let orders = self.orders.drain(..).map(|order| order.earlier(self.origin_ns)).collect();
        let (until_ns, quiet_ns) = (until_ns - self.origin_ns, quiet_ns.saturating_sub(self.origin_ns));
        let grant = Grant { until_ns, quiet_ns, together, orders };
        messages::send(self.stream.out(), &grant, &mut self.scratch).map_err(|error| self.explain(error))
    }

    /// Waits until it has stopped.
    pub fn receive(&mut self) -> Result<Done, EmuError> {
        let report: Result<BarrierReport, MessageError> = messages::receive(&mut self.stream, &mut self.scratch);
        let report = report.map_err(|error| self.explain(error))?;
        self.now_ns = self.origin_ns + report.now_ns;
        self.next_ns = self.origin_ns.saturating_add(report.next_ns);
        self.wants_departures = report.wants_departures;
        self.wakes = report.wakes;
        self.instructions = report.instructions;
        self.overruns = report.overruns;
        if report.exit.is_some() {
            self.state = BoardState::Exited;
        }
        let records = report.records.into_iter().map(|record| record.later(self.origin_ns)).collect();
        let hits = Hits(&report.hits).map(|hit| hit.later(self.origin_ns)).collect();
        Ok(Done { records, hits, exit: report.exit })
    }

    /// Cuts its power.
    pub fn cut(&mut self) {
        self.qemu = None;
        self.stand(BoardState::Off);
    }

    /// Its processor stops.
    pub fn hang(&mut self) {
        self.stand(BoardState::Hung);
    }

    fn stand(&mut self, state: BoardState) {
        self.state = state;
        self.orders.clear();
    }

    /// Takes over what is counted through all lives of a board.
    pub fn continues(mut self, before: &EmulatedBoard) -> Self {
        self.overruns_before = before.overruns();
        self.instructions_before = before.instructions();
        self
    }

    /// Something that is to happen to it, not before its present time.
    pub fn order(&mut self, order: BoardOrder) {
        if self.is_up() {
            // Several cores are not all where the first of them is; a core past the instant takes the order as soon as
            // it can.
            let in_time = order.time_ns() >= self.now_ns || self.has_several_cores;
            assert!(in_time, "board {}, {} ns: too late: {order:?}", self.number, self.now_ns);
            self.orders.push(order);
        }
    }

    /// The first instant at which it may do anything, ns.
    pub fn earliest_ns(&self) -> u64 {
        if !self.is_up() {
            return NEVER_NS;
        }
        let full = self.orders.len() >= ORDERS_MANY;
        let matters = |order: &&BoardOrder| match order {
            BoardOrder::Departed { .. } => self.wants_departures,
            BoardOrder::Pins { changed, .. } => full || changed & self.wakes != 0,
            _ => true,
        };
        let first_order_ns = self.orders.iter().filter(matters).map(BoardOrder::time_ns).min();
        self.next_ns.min(first_order_ns.unwrap_or(NEVER_NS))
    }

    /// Where it stands, ns.
    pub fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// Whether it runs.
    pub fn is_up(&self) -> bool {
        self.state == BoardState::Up
    }

    /// Whether it runs, and if not, why.
    pub fn state(&self) -> BoardState {
        self.state
    }

    /// How often it was started.
    pub fn starts(&self) -> u32 {
        self.starts
    }

    /// Frames that it has lost.
    pub fn overruns(&self) -> u64 {
        self.overruns_before + self.overruns
    }

    /// Instructions that it has executed.
    pub fn instructions(&self) -> u64 {
        self.instructions_before + self.instructions
    }

    /// The process of its QEMU, if there is one.
    pub fn process_id(&self) -> Option<u32> {
        self.qemu.as_ref().map(Qemu::id)
    }

    fn explain(&mut self, error: MessageError) -> EmuError {
        let board = self.number;
        let (status, said) = match &mut self.qemu {
            Some(qemu) if matches!(error, MessageError::Closed) => (qemu.end(), qemu.said()),
            Some(qemu) => (String::new(), qemu.said()),
            None => Default::default(),
        };
        match error {
            MessageError::Closed => EmuError::BoardDied { board, status, said },
            MessageError::Silent => EmuError::BoardSilent { board, waited_s: self.stream.liveness.waited_s(), said },
            other => EmuError::Protocol { board, what: other.to_string() },
        }
    }
}

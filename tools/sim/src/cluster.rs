//! Boards joined by a bus with a token, stepped from event to event.
//!
//! Invariant: the same setup and the same processes give the same run. Time passes only while every board is at rest; a
//! system process computes in no time, and a slice of a user program takes as long as the board's [`Players`] say. Not
//! here: the boards' processes.

use crate::cores::BoardCores;
use crate::trace::SimTrace;
use renga_core::Notifier;
use renga_core::Process;
use renga_mac::{MacSetup, TokenTiming};
use renga_phy::loopback::{BusTiming, Faults, Loopback, LoopbackBus};
use renga_router::TokenLink;
use renga_rt::BOARDS_MAX;
use renga_rt::host::HostBoard;

/// Times that a board's device may interrupt before the clock must move on.
const INTERRUPTS_PER_EVENT_MAX: u32 = 100_000;

/// The serial number of board 0.
const SERIALS: u64 = 1000;

/// Runs a slice of the board's next user program; returns its length, ns, at least one.
pub type Players = Box<dyn FnMut(&[HostBoard]) -> u64>;

/// The parts of a cluster.
#[derive(Clone, Copy, Debug)]
pub struct ClusterSetup {
    /// How many boards.
    pub boards: u8,
    /// How many cores each has.
    pub cores: [u8; BOARDS_MAX],
    /// Boot memory of each, bytes.
    pub memory_bytes: usize,
    /// The bus.
    pub timing: BusTiming,
    /// What goes wrong on it.
    pub faults: Faults,
    /// The seed of the faults.
    pub seed: u64,
}

impl ClusterSetup {
    /// `boards` boards of 64 MiB on a faultless bus.
    pub const fn new(boards: u8) -> ClusterSetup {
        let cores = [1; BOARDS_MAX];
        ClusterSetup { boards, cores, memory_bytes: 96 << 20, timing: BusTiming::PI3, faults: Faults::NONE, seed: 1 }
    }
}

/// One board, while its processes are created.
pub struct SimSite {
    /// Its first core, and boot memory; makes processes.
    pub board: HostBoard,
    /// All of its cores.
    pub cores: BoardCores,
    /// Which board.
    pub number: u8,
    /// Times that it was started.
    pub boots: u8,
    bus: LoopbackBus,
    link: Option<Notifier>,
    players: Option<Players>,
    /// When the last slice of a user program ends.
    busy_until_ns: u64,
    /// Whether it is without power.
    dead: bool,
    /// Whether its processor stands still.
    hung: bool,
    /// It does nothing until then, because it is slow.
    late_until_ns: u64,
    /// For how long it does nothing whenever it has done something, ns.
    slowness_ns: u64,
    /// Its user programs take so many times as long.
    cost: u64,
}

impl SimSite {
    /// The board's end of the bus.
    pub fn device(&self) -> TokenLink<Loopback> {
        let setup = MacSetup { board: self.number, serial: SERIALS + u64::from(self.number), timing: TokenTiming::PI3 };
        TokenLink::new(setup, self.bus.end(self.number))
    }
    /// Says which process the device notifies.
    pub fn serve_link(&mut self, process: &'static Process) {
        self.link = Some(Notifier::new(process));
    }
    /// Sets the players of the user programs.
    pub fn play_users(&mut self, players: Players) {
        self.players = Some(players);
    }

    /// Whether it does anything at `now_ns`.
    fn awake(&self, now_ns: u64) -> bool {
        !self.dead && !self.hung && self.late_until_ns <= now_ns
    }

    /// When it next does something by itself.
    fn next_event_ns(&self, now_ns: u64) -> Option<u64> {
        if self.dead || self.hung {
            return None;
        }
        if !self.awake(now_ns) {
            return Some(self.late_until_ns);
        }
        [self.cores.next_alarm_ns(), self.next_slice_ns(now_ns)].into_iter().flatten().min()
    }

    fn pass(&self, now_ns: u64) {
        if self.awake(now_ns) {
            self.cores.pass(now_ns);
        }
    }

    /// When the next user program may have its slice, if one is ready.
    fn next_slice_ns(&self, now_ns: u64) -> Option<u64> {
        let ready = self.cores.each().iter().any(|board| board.core.has_users() || board.core.remote_task().is_some());
        (self.players.is_some() && ready).then_some(self.busy_until_ns.max(now_ns))
    }
}

/// A running cluster.
pub struct SimCluster {
    setup: ClusterSetup,
    sites: Vec<SimSite>,
    bus: LoopbackBus,
    now_ns: u64,
    trace: SimTrace,
}

impl SimCluster {
    /// A cluster whose boards run what `build` makes for each.
    pub fn new(setup: ClusterSetup, mut build: impl FnMut(&mut SimSite)) -> SimCluster {
        let bus = LoopbackBus::new(setup.boards, setup.timing, setup.faults, setup.seed);
        let mut cluster = SimCluster { setup, sites: Vec::new(), bus, now_ns: 0, trace: SimTrace::default() };
        for number in 0..setup.boards {
            let site = cluster.boot(number, 1, &mut build);
            cluster.sites.push(site);
        }
        cluster
    }

    fn boot(&self, number: u8, boots: u8, build: &mut dyn FnMut(&mut SimSite)) -> SimSite {
        let ClusterSetup { cores, memory_bytes, seed, .. } = self.setup;
        let seed = seed ^ u64::from(number) << 56 ^ u64::from(boots) << 48;
        let cores = BoardCores::new(number, cores[usize::from(number)], memory_bytes, seed);
        for board in cores.each() {
            board.core.record_events();
            board.core.set_now_ns(self.now_ns);
        }
        let bus = self.bus.clone();
        let mut site = SimSite {
            board: cores.each()[0],
            cores,
            number,
            boots,
            bus,
            link: None,
            players: None,
            busy_until_ns: 0,
            dead: false,
            hung: false,
            late_until_ns: 0,
            slowness_ns: 0,
            cost: 1,
        };
        build(&mut site);
        site
    }

    /// Resets a board: what ran on it is gone, and it runs what `build` makes.
    pub fn reboot(&mut self, number: u8, mut build: impl FnMut(&mut SimSite)) {
        self.bus.reset(number);
        let place = usize::from(number);
        let SimSite { boots, slowness_ns, cost, .. } = self.sites[place];
        self.sites[place] = SimSite { slowness_ns, cost, ..self.boot(number, boots.wrapping_add(1), &mut build) };
    }

    /// Takes the power from a board: what ran on it is gone; [`SimCluster::reboot`] brings it back.
    pub fn kill(&mut self, number: u8) {
        self.bus.reset(number);
        self.sites[usize::from(number)].dead = true;
    }

    /// Whether a board has power.
    pub fn alive(&self, number: u8) -> bool {
        !self.sites[usize::from(number)].dead
    }

    /// Stops the processor of a board; [`SimCluster::resume`] has it go on where it was.
    pub fn hang(&mut self, number: u8) {
        self.bus.hang(number);
        self.sites[usize::from(number)].hung = true;
    }

    /// Has a board that hangs go on.
    pub fn resume(&mut self, number: u8) {
        let site = &mut self.sites[usize::from(number)];
        if std::mem::take(&mut site.hung) {
            self.bus.resume(number);
            site.pass(self.now_ns);
        }
    }

    /// Has a board take `slowness_ns` for what takes others no time, whenever it is woken.
    pub fn slow_down(&mut self, number: u8, slowness_ns: u64) {
        self.sites[usize::from(number)].slowness_ns = slowness_ns;
    }

    /// Has the user programs of a board take so many times as long.
    pub fn set_cost(&mut self, number: u8, times: u32) {
        self.sites[usize::from(number)].cost = u64::from(times.max(1));
    }

    /// The board `number`.
    pub fn board(&self, number: u8) -> HostBoard {
        self.sites[usize::from(number)].board
    }
    /// The bus.
    pub fn bus(&self) -> &LoopbackBus {
        &self.bus
    }
    /// What has happened so far.
    pub fn trace(&self) -> &SimTrace {
        &self.trace
    }
    /// Simulated time, ns.
    pub fn now_ns(&self) -> u64 {
        self.now_ns
    }

    /// Runs every board until it is at rest.
    ///
    /// # Panics
    /// If a board does not come to rest.
    pub fn settle(&mut self) {
        for site in &mut self.sites {
            if !site.awake(self.now_ns) {
                continue;
            }
            let mut ran = site.cores.run(&self.trace);
            for round in 0.. {
                assert!(round < INTERRUPTS_PER_EVENT_MAX, "board {} never serves its link", site.number);
                let Some(link) = site.link.filter(|_| self.bus.interrupts(site.number)) else { break };
                link.notify();
                ran |= site.cores.run(&self.trace);
            }
            if ran && site.slowness_ns > 0 {
                site.late_until_ns = self.now_ns + site.slowness_ns;
            }
        }
    }

    /// Settles, then gives user programs their slices, or if none is due lets time pass until the next event; returns
    /// false if none comes by `until_ns`.
    pub fn step(&mut self, until_ns: u64) -> bool {
        self.settle();
        if self.run_slices() {
            return true;
        }
        let sites = self.sites.iter().filter_map(|site| site.next_event_ns(self.now_ns));
        let next = sites.chain(self.bus.next_event_ns()).min();
        let Some(next_ns) = next.filter(|next_ns| *next_ns <= until_ns) else { return false };
        self.pass(next_ns.max(self.now_ns));
        true
    }

    /// One slice on each board where one is due; returns whether any was.
    fn run_slices(&mut self) -> bool {
        let (now_ns, mut any) = (self.now_ns, false);
        for site in &mut self.sites {
            if !site.awake(now_ns) || site.next_slice_ns(now_ns) != Some(now_ns) {
                continue;
            }
            if let Some(players) = &mut site.players {
                site.busy_until_ns = now_ns + players(site.cores.each()).max(1) * site.cost;
                any = true;
            }
        }
        any
    }

    fn pass(&mut self, now_ns: u64) {
        self.now_ns = now_ns;
        self.bus.advance(now_ns);
        self.sites.iter().for_each(|site| site.pass(now_ns));
    }

    /// Runs until `now_ns` has come.
    pub fn run_until(&mut self, now_ns: u64) {
        while self.step(now_ns) {}
        self.pass(now_ns.max(self.now_ns));
        self.settle();
    }

    /// Runs until `pending` holds no more, or `limit_ns` have passed; whether it holds no more.
    pub fn run_while(&mut self, limit_ns: u64, pending: impl Fn() -> bool) -> bool {
        let until_ns = self.now_ns.saturating_add(limit_ns);
        self.settle();
        while pending() {
            if !self.step(until_ns) {
                return false;
            }
            self.settle();
        }
        true
    }
}

//! Starting: what is refused, and how boards come to be.

use crate::board::{EmulatedBoard, Incarnation, Starting};
use crate::config::{BOARDS_MAX, CORES_MAX, ClusterConfig, SHIFT_MAX};
use crate::error::EmuError;
use crate::memory_file::SharedPage;
use crate::recording::RecordingHeader;
use crate::wires::EmulatedWires;
use renga_emu_device::messages::Welcome;
use renga_emu_device::registers::FLAG_INTERACTIVE;

/// A core's quantum is a quarter of it.
const SLICE_INSTRUCTIONS_MIN: u64 = 16;
const NS_PER_S: u64 = 1_000_000_000;

/// Refuses what cannot work; the lookahead, ns.
pub(super) fn check(config: &ClusterConfig) -> Result<u64, EmuError> {
    let refuse = |what: String| Err(EmuError::Config(what));
    if config.boards.is_empty() || config.boards.len() > BOARDS_MAX {
        return refuse(format!("a cluster has 1 to {BOARDS_MAX} boards, not {}", config.boards.len()));
    }
    if config.shift > SHIFT_MAX {
        return refuse(format!("shift is 0 to {SHIFT_MAX}, not {}", config.shift));
    }
    if let Some(board) = config.boards.iter().find(|board| board.cores > CORES_MAX) {
        return refuse(format!("a board has 1 to {CORES_MAX} cores, not {}", board.cores));
    }
    if config.slice().is_some_and(|slice_ns| slice_ns < SLICE_INSTRUCTIONS_MIN << config.shift) {
        return refuse(format!("cores need a slice of {SLICE_INSTRUCTIONS_MIN} instructions at least"));
    }
    if let Some(order) = config.power.iter().find(|order| usize::from(order.board) >= config.boards.len()) {
        return refuse(format!("there is no board {}", order.board));
    }
    if config.bus.rate_bps == 0 || config.bus.token_pass_ns == 0 {
        return refuse("the bus needs a rate and a token pass above 0".to_owned());
    }
    // A board stops at the end of an instruction, so up to one instruction late.
    let late_ns = (1 << config.shift) - 1;
    let pins_ns = config.pins.map_or(u64::MAX, |pins| pins.propagation_ns);
    let longest_ns = config.bus.least_latency_ns(config.boards.len()).min(pins_ns).saturating_sub(late_ns);
    match config.quantum_ns.unwrap_or(longest_ns) {
        0 => refuse("the link is faster than an instruction".to_owned()),
        quantum_ns if quantum_ns > longest_ns => {
            refuse(format!("on this link a quantum is at most {longest_ns} ns, not {quantum_ns} ns"))
        }
        quantum_ns => Ok(quantum_ns),
    }
}

/// What starts boards, at first and again.
#[derive(Debug)]
pub(super) struct Starter {
    config: ClusterConfig,
    flags: u32,
    lookahead_ns: u64,
    page: SharedPage,
    /// The partition that each board's last reset named; 0: none did since it had no power.
    partitions: Vec<u8>,
}

impl Starter {
    /// For a cluster of this configuration.
    pub fn new(config: ClusterConfig, header: &RecordingHeader, lookahead_ns: u64) -> Result<Self, EmuError> {
        let flags = if header.interactive { FLAG_INTERACTIVE } else { 0 };
        let page = SharedPage::new().map_err(|error| EmuError::Host { what: "make a page to share", error })?;
        let partitions = vec![0; config.boards.len()];
        Ok(Self { config, flags, lookahead_ns, page, partitions })
    }

    /// The slice of boards with several cores, ns.
    pub fn slice_ns(&self) -> Option<u64> {
        self.config.slice()
    }

    /// All boards, at 0, their pins wired like this.
    pub fn all(&self, wires: Option<&EmulatedWires>) -> Result<Vec<EmulatedBoard>, EmuError> {
        let numbers = 0..self.config.boards.len() as u8;
        let starting: Result<Vec<Starting>, EmuError> = numbers
            .map(|number| Starting::start(&self.config, number, self.incarnation(number, 1), &self.page))
            .collect();
        let welcome = |(number, board): (usize, Starting)| board.welcome(&self.identity(number as u8, 1, 0, wires), 0);
        starting?.into_iter().enumerate().map(welcome).collect()
    }

    /// Board `number`, for the `starts`th time, at `time_ns`.
    pub fn again(
        &self,
        number: u8,
        starts: u32,
        time_ns: u64,
        wires: Option<&EmulatedWires>,
    ) -> Result<EmulatedBoard, EmuError> {
        let starting = Starting::start(&self.config, number, self.incarnation(number, starts), &self.page)?;
        starting.welcome(&self.identity(number, starts, time_ns, wires), time_ns)
    }

    /// The next start of board `number` is from `partition`.
    pub fn name_partition(&mut self, number: u8, partition: u8) {
        self.partitions[usize::from(number)] = partition;
    }

    fn incarnation(&self, number: u8, starts: u32) -> Incarnation {
        Incarnation { starts, partition: self.partitions[usize::from(number)] }
    }

    fn identity(&self, board: u8, starts: u32, origin_ns: u64, wires: Option<&EmulatedWires>) -> Welcome {
        let epoch_ns = self.config.epoch_s.saturating_mul(NS_PER_S).saturating_add(origin_ns);
        let lookahead_ns = self.lookahead_ns;
        let wiring = wires.map(|wires| wires.wiring(board, origin_ns, 2 * lookahead_ns));
        let bare = self.config.bare.then(|| self.partitions[usize::from(board)]);
        Welcome { board, flags: self.flags, epoch_ns, origin_ns, starts, lookahead_ns, wiring, bare }
    }
}

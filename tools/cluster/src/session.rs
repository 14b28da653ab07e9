//! One run of a cluster: boards started from what was built, their consoles and logs passed on, and
//! how it ended.
//!
//! Invariant: the session ends when the file system's board does, and its status is that
//! board's; any other end is a failure that shows the boards' last words. Not here: building
//! (`artifacts`), options (`command::run`).

use crate::board_monitor::BoardMonitor;
use crate::boot_progress::BootProgress;
use crate::disturbance::Disturbance;
use crate::escape::Typed;
use crate::host_file;
use crate::input_source::{self, InputSource};
use crate::kernel_log::LogTable;
use crate::listener::Listener;
use anyhow::{Result, bail};
use renga_abi::OsTimes;
use renga_boot_card::Model;
use renga_cli::{EscapeKey, ProgramName};
use renga_emu::{
    BoardConfig, BoardState, BusConfig, ClusterConfig, ClusterEvent, EmulatedCluster, PinsConfig, PowerChange,
    RunLimits, Stats,
};
use renga_images::artifacts::KernelArtifact;
use renga_images::calendar::EPOCH_S;
use renga_images::card::{CardBoot, firmware_of, models};
use renga_images::system::SystemFile;
use renga_profile::Profile;
use std::path::{Path, PathBuf};
use std::sync::mpsc::Receiver;
use std::time::Instant;

/// Iterations of an empty loop that take as long as a read of pins on a Pi 3.
const READ_SPINS: u32 = 24;
/// A board that died by itself is started again after so long, ns: as a watchdog would, which the image does not start
/// yet.
const REVIVE_NS: u64 = 1_000_000_000;

/// The status of a run that ends because no board has power: that of a killed program.
const CUT_STATUS: u8 = 137;

/// The status of a session that its person left.
const LEFT_STATUS: u8 = 0;

/// What a session is made of.
pub struct ClusterSession<'a> {
    /// QEMU.
    pub qemu: PathBuf,
    /// The emulator's plugin.
    pub plugin: PathBuf,
    /// The kernel that every board boots.
    pub kernel: &'a KernelArtifact,
    /// Who runs where.
    pub system: &'a SystemFile,
    /// The same, as boards read it.
    pub tables: PathBuf,
    /// The disk; the session writes to it.
    pub disk: PathBuf,
    /// Each write to the disk goes here too, in order.
    pub write_log: Option<PathBuf>,
    /// What the boards boot instead of the kernel and the disk, if they boot from cards; by their numbers.
    pub cards: Option<Vec<CardBoot>>,
    /// A card's kernel is not this one: no log can be read.
    pub log_unknown: bool,
    /// The boards have no device of the emulator's, and choose by themselves what of their cards they start.
    pub bare: bool,
    /// Their cards are busy for so long after each write, ns.
    pub card_write_ns: Option<u64>,
    /// What the boards are, by their numbers; those that are not said are a Pi 3.
    pub models: Vec<Model>,
    /// Their times.
    pub profile: Profile,
    /// Each board has so many cores at least; those that the system leaves idle come up and sleep.
    pub cores: u8,
    /// Seed of all random numbers.
    pub seed: u64,
    /// Report frames.
    pub frames: bool,
    /// Report the probes that boards reach.
    pub probes: bool,
    /// Keep virtual time from running ahead of real time.
    pub pace: bool,
    /// Give up at this virtual time.
    pub limit_ns: Option<u64>,
    /// Write input here.
    pub record: Option<PathBuf>,
    /// Take input from here.
    pub replay: Option<PathBuf>,
    /// The board whose kernel is to panic, and when, ms of virtual time.
    pub panic: Option<(usize, u32)>,
    /// What the boards run in place of the system; their cards may say that too.
    pub program: Option<ProgramName>,
    /// What goes wrong.
    pub disturbance: Disturbance,
    /// A board that dies by itself is started again.
    pub revive: bool,
    /// The run ends well when no board has power any more.
    pub ends_in_cut: bool,
    /// What is typed at the disk board's console; the channel closes at the end of input.
    pub keys: Option<Receiver<Typed>>,
    /// Nothing is typed before this virtual time, ns: a board without power loses it.
    pub keys_from_ns: u64,
    /// The key before orders among those.
    pub escape: EscapeKey,
}

impl<'a> ClusterSession<'a> {
    /// A session without disturbances or input, which reports only the consoles.
    pub fn new(
        (qemu, plugin): (PathBuf, PathBuf),
        kernel: &'a KernelArtifact,
        (system, tables): (&'a SystemFile, PathBuf),
        disk: PathBuf,
        (profile, seed): (Profile, u64),
    ) -> ClusterSession<'a> {
        ClusterSession {
            qemu,
            plugin,
            kernel,
            system,
            tables,
            disk,
            write_log: None,
            cards: None,
            log_unknown: false,
            bare: false,
            card_write_ns: None,
            models: Vec::new(),
            profile,
            cores: 1,
            seed,
            frames: false,
            probes: false,
            pace: false,
            limit_ns: None,
            record: None,
            replay: None,
            panic: None,
            program: None,
            disturbance: Disturbance::default(),
            revive: false,
            ends_in_cut: false,
            keys: None,
            keys_from_ns: 0,
            escape: EscapeKey::USUAL,
        }
    }
}

fn all_off(cluster: &EmulatedCluster) -> bool {
    cluster.status().iter().all(|board| board.state == BoardState::Off)
}

/// How a session ended.
#[derive(Clone, Debug)]
pub struct SessionOutcome {
    /// The disk board's exit status.
    pub status: u8,
    /// Times and hashes.
    pub stats: Stats,
}

impl<'a> ClusterSession<'a> {
    /// The same run on a copy of its disk, without input, which reports frames and probes.
    pub fn rehearsal(&self, disk: PathBuf) -> ClusterSession<'a> {
        ClusterSession {
            qemu: self.qemu.clone(),
            plugin: self.plugin.clone(),
            tables: self.tables.clone(),
            disk,
            write_log: None,
            cards: None,
            models: self.models.clone(),
            frames: true,
            probes: true,
            pace: false,
            record: None,
            replay: None,
            disturbance: Disturbance { at_events: Vec::new(), ..self.disturbance.clone() },
            keys: None,
            ..*self
        }
    }
}

impl ClusterSession<'_> {
    /// What board `number` finds as its command line.
    fn arguments(&self, number: usize) -> String {
        let Profile { medium, link_timing, pins, .. } = self.profile;
        let link = pins.map(|wired| format!(" link={wired}")).unwrap_or_default();
        let hostile = if self.disturbance.hostile.contains(&(number as u8)) { " hostile" } else { "" };
        let cores = if self.cores > 1 { format!(" cores={}", self.cores) } else { String::new() };
        let (seed, os, program) = (self.seed as u32, self.os_arguments(), self.program_arguments(number));
        format!(
            "emulator board={number} seed={seed} medium={medium} timing={link_timing}{os}{link}{hostile}{cores}{program}"
        )
    }

    /// What it finds there about the system's times.
    fn os_arguments(&self) -> String {
        let Profile { os, .. } = self.profile;
        if os == OsTimes::DEFAULT { String::new() } else { format!(" os={os}") }
    }

    /// What it finds there about the program that it runs in place of the system.
    fn program_arguments(&self, number: usize) -> String {
        let Some(program) = self.program else { return String::new() };
        let ends = number == usize::from(self.system.checked.file_board());
        format!(" program={}{}", program.name(), if ends { program.ends() } else { "" })
    }

    /// What it finds besides at its first start.
    fn first_arguments(&self, number: usize) -> String {
        match self.panic {
            Some((board, at_ms)) if board == number => format!(" panic_ms={at_ms}"),
            _ => String::new(),
        }
    }

    /// A board that boots from its card; the card's own command line comes before the emulator's.
    fn board_with_card(&self, number: usize, board: BoardConfig) -> BoardConfig {
        let Some(card) = self.cards.as_ref().and_then(|cards| cards.get(number)).cloned() else { return board };
        if self.bare {
            // The emulator's wires are slower than real ones, and QEMU reads its pins in no time: the boards get both
            // figures.
            let append = format!(" read_spins={READ_SPINS} timing={}{}", self.profile.link_timing, self.os_arguments());
            let firmware = Some(firmware_of(&card));
            return BoardConfig { firmware, append, sd_image: Some(card.card), ..board };
        }
        BoardConfig {
            image: card.kernel,
            initrd: Some(card.tables),
            append: format!("{} {}", card.command_line, board.append),
            sd_image: Some(card.card),
            dtb: Some(card.device_tree),
            ..board
        }
    }

    fn board(&self, number: usize) -> Result<BoardConfig> {
        let board = &self.system.checked.boards[number];
        let model = self.models.get(number).copied().unwrap_or(Model::Pi3);
        let without_card = BoardConfig {
            machine: models::machine(&board.name, model, board.owns_disk)?,
            image: self.kernel.image.clone(),
            initrd: Some(self.tables.clone()),
            append: self.arguments(number),
            append_once: self.first_arguments(number),
            sd_image: board.owns_disk.then(|| self.disk.clone()),
            card_log: self.write_log.clone().filter(|_| board.owns_disk),
            card_write_ns: self.card_write_ns,
            dtb: None,
            firmware: None,
            cores: board.cores.max(self.cores),
        };
        Ok(self.board_with_card(number, without_card))
    }

    /// The host's file that is the card of a board.
    fn card_file(&self, board: u8) -> &Path {
        let card = self.cards.as_ref().and_then(|cards| cards.get(usize::from(board)));
        card.map_or(&self.disk, |card| &card.card)
    }

    fn config(&self) -> Result<ClusterConfig> {
        let boards: Result<_> = (0..self.system.checked.boards.len()).map(|number| self.board(number)).collect();
        let mut config = ClusterConfig::new(self.qemu.clone(), self.plugin.clone(), boards?);
        let Profile { instruction_ns, link_rate_bps, link_arm_ns, link_token_pass_ns, .. } = self.profile;
        config.shift = instruction_ns.ilog2() as u8;
        config.bus = BusConfig::with_overheads(link_rate_bps, link_arm_ns, link_token_pass_ns);
        config.bare = self.bare;
        config.slice_ns = self.profile.core_slice_ns;
        config.settings = self.profile.unusual().iter().map(ToString::to_string).collect();
        config.pins = self.profile.pins.map(|_| PinsConfig::default());
        config.seed = self.seed;
        config.epoch_s = EPOCH_S;
        config.pace = self.pace;
        config.frames = self.frames;
        config.probes = self.probes.then(|| self.kernel.elf.clone());
        config.limits = RunLimits { virtual_ns: self.limit_ns, ..RunLimits::default() };
        config.faults = self.disturbance.faults;
        config.wire_faults = self.disturbance.wires.clone();
        config.power = self.disturbance.power.clone();
        config.revive_ns = self.revive.then_some(REVIVE_NS);
        config.record = self.record.clone();
        config.replay = self.replay.clone();
        Ok(config)
    }

    /// Runs it to its end.
    ///
    /// # Errors
    /// If the cluster cannot start, a board fails or falls silent, or no board can ever go on.
    pub fn run(mut self, listener: &mut dyn Listener) -> Result<SessionOutcome> {
        let table = if self.log_unknown { LogTable::unknown() } else { LogTable::read(&self.kernel.elf)? };
        let mut monitor = BoardMonitor::new(&table, self.system);
        let mut cluster = EmulatedCluster::start(self.config()?)?;
        let (file_board, console_board) = (self.system.checked.file_board(), self.system.checked.console_board());
        let mut input =
            InputSource::start(self.keys.take(), self.pace, &cluster, (console_board, self.escape), &monitor);
        let (mut status, mut failed, mut boots) = (None, None, BootProgress::default());
        loop {
            let event = match cluster.next_event() {
                Ok(event) => event,
                Err(error) => return Err(monitor.failure(error)),
            };
            monitor.hear(&event, listener);
            if self.pace {
                let time_ns = cluster.time_ns();
                for (board, what) in boots.take(&event, Instant::now(), time_ns) {
                    listener.news(&monitor.news(board, time_ns, &what));
                }
            }
            if matches!(event, ClusterEvent::Power { .. }) && self.pace && cluster.is_forsaken() {
                listener.news(&self.way_on(monitor.name(console_board))?);
            }
            match event {
                ClusterEvent::BoardExited { board, status: ended, .. }
                    if board == file_board && !monitor.died(board) =>
                {
                    status = Some(ended);
                    cluster.stop();
                }
                ClusterEvent::BoardExited { board, time_ns, .. } if self.revive => {
                    listener.news(&monitor.news(board, time_ns, "died by itself"));
                    cluster.power_at(board, time_ns + REVIVE_NS, PowerChange::Start)?;
                }
                ClusterEvent::BoardExited { board, status: ended, time_ns } => {
                    monitor.report();
                    bail!("board {} ended with status {ended} at {time_ns} ns of virtual time", monitor.name(board));
                }
                ClusterEvent::Power { change: PowerChange::Cut, .. } if self.ends_in_cut && all_off(&cluster) => {
                    status = Some(CUT_STATUS);
                    cluster.stop();
                }
                ClusterEvent::CardFailed { board, time_ns } => {
                    let file = self.card_file(board);
                    listener.news(&monitor.news(board, time_ns, &host_file::news(file)));
                    failed = Some(file);
                }
                ClusterEvent::Relayed { time_ns, line } => {
                    input_source::observe_relayed(&line, time_ns, &monitor, listener);
                }
                ClusterEvent::Fight(fight) => {
                    monitor.report();
                    bail!("{fight}");
                }
                ClusterEvent::Deadlock { time_ns } if time_ns >= self.keys_from_ns => {
                    input.type_next(&mut cluster, &monitor, listener)?;
                }
                ClusterEvent::Finished(stats) => {
                    let outcome = self.ended(status, stats, &monitor);
                    // What else went wrong may be its consequence.
                    return failed.map_or(outcome, |file| Err(host_file::failure(file)));
                }
                _ => {}
            }
        }
    }

    /// How a person goes on whose boards are all dead.
    fn way_on(&self, console_board: &str) -> Result<String> {
        let EscapeKey(Some(_)) = self.escape else {
            bail!("no board runs, and with --escape none nobody can start one");
        };
        let key = self.escape;
        Ok(format!("renga: no board runs: {key} then `restart {console_board}` starts one, {key} then `quit` leaves"))
    }

    fn ended(&self, status: Option<u8>, stats: Stats, monitor: &BoardMonitor) -> Result<SessionOutcome> {
        let Some(status) = status.or(stats.left.then_some(LEFT_STATUS)) else {
            monitor.report();
            if self.limit_ns.is_some_and(|limit_ns| stats.virtual_ns >= limit_ns) {
                bail!("the limit of {} s of virtual time is over", self.limit_ns.unwrap_or(0) / 1_000_000_000);
            }
            bail!("every board waits and nothing will wake one: the cluster stands still at {} ns", stats.virtual_ns);
        };
        Ok(SessionOutcome { status, stats })
    }
}

//! One run of a cluster: boards started from what was built, their consoles and logs passed on, and
//! how it ended.
//!
//! Invariant: the session ends when the board that owns the disk does, and its status is that
//! board's; any other end is a failure that shows the boards' last words. Not here: building
//! (`artifacts`), options (`command::run`).

use crate::artifacts::Kernel;
use crate::kernel_log::{BoardLog, LogTable};
use crate::profile::{EPOCH_S, Profile};
use crate::system::SystemFile;
use anyhow::{Context, Result, bail};
use renga_emu::{BoardConfig, BusConfig, Cluster, ClusterConfig, EmuError, Event, FrameEvent, Limits, Stats};
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::mpsc::Receiver;

/// Bytes of each console kept for a failure report.
const CONSOLE_BYTES_KEPT: usize = 4096;

/// What a session is made of.
pub struct Session<'a> {
    /// QEMU.
    pub qemu: PathBuf,
    /// The emulator's plugin.
    pub plugin: PathBuf,
    /// The kernel that every board boots.
    pub kernel: &'a Kernel,
    /// Who runs where.
    pub system: &'a SystemFile,
    /// The disk; the session writes to it.
    pub disk: PathBuf,
    /// The machine.
    pub profile: Profile,
    /// Seed of all chance.
    pub seed: u64,
    /// Pass trace events on.
    pub trace: bool,
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
    /// What is typed at the disk board's console; the channel closes at the end of input.
    pub keys: Option<Receiver<Vec<u8>>>,
}

/// Who hears what happens.
pub trait Listener {
    /// A board wrote on its console.
    fn console(&mut self, board: u8, time_ns: u64, bytes: &[u8]);
    /// A board logged a line.
    fn log(&mut self, line: &str);
    /// A board traced something.
    fn traced(&mut self, board: u8, words: &[u32]);
    /// A frame crossed the link.
    fn frame(&mut self, frame: &FrameEvent);
}

/// How a session ended.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The disk board's exit status.
    pub status: u8,
    /// Times and hashes.
    pub stats: Stats,
}

impl Session<'_> {
    /// What board `number` finds as its command line.
    fn arguments(&self, number: usize) -> String {
        let Profile { medium, link_timing, .. } = self.profile;
        let arguments = format!("board={number} seed={} medium={medium} timing={link_timing}", self.seed as u32);
        match self.panic {
            Some((board, at_ms)) if board == number => format!("{arguments} panic_ms={at_ms}"),
            _ => arguments,
        }
    }

    fn config(&self) -> Result<ClusterConfig> {
        let boards = self.system.checked.boards.iter().enumerate().map(|(number, board)| BoardConfig {
            image: self.kernel.image.clone(),
            append: self.arguments(number),
            sd_image: board.owns_disk.then(|| self.disk.clone()),
            ..BoardConfig::default()
        });
        let mut config = ClusterConfig::new(self.qemu.clone(), self.plugin.clone(), boards.collect());
        config.shift = self.profile.shift;
        config.bus = BusConfig::with_rate(self.profile.link_rate_bps);
        config.seed = self.seed;
        config.epoch_s = EPOCH_S;
        config.pace = self.pace;
        config.trace = self.trace;
        config.limits = Limits { virtual_ns: self.limit_ns, ..Limits::default() };
        config.record = self.record.clone();
        config.replay = self.replay.clone();
        Ok(config)
    }

    /// Runs it to its end.
    ///
    /// # Errors
    /// If the cluster cannot start, a board dies or falls silent, or nobody can ever go on.
    pub fn run(mut self, listener: &mut dyn Listener) -> Result<Outcome> {
        let table = LogTable::read(&self.kernel.elf)?;
        let mut watch = Watch::new(&table, self.system);
        let mut cluster = Cluster::start(self.config()?)?;
        let disk_board =
            self.system.checked.boards.iter().position(|board| board.owns_disk).context("no board owns the disk")?;
        let mut typist = Typist::start(self.keys.take(), self.pace, &cluster, disk_board as u8);
        let mut status = None;
        loop {
            let event = match cluster.next_event() {
                Ok(event) => event,
                Err(error) => return Err(watch.failure(error)),
            };
            watch.hear(&event, listener);
            match event {
                Event::BoardExited { board, status: ended, .. }
                    if usize::from(board) == disk_board && !watch.logs[disk_board].died() =>
                {
                    status = Some(ended);
                    cluster.stop();
                }
                Event::BoardExited { board, status: ended, time_ns } => {
                    watch.report();
                    bail!("board {} ended with status {ended} at {time_ns} ns of virtual time", watch.name(board));
                }
                Event::Fight(fight) => {
                    watch.report();
                    bail!("{fight}");
                }
                Event::Deadlock { .. } => typist.type_next(&mut cluster)?,
                Event::Finished(stats) => return self.ended(status, stats, &watch),
                _ => {}
            }
        }
    }

    fn ended(&self, status: Option<u8>, stats: Stats, watch: &Watch) -> Result<Outcome> {
        let Some(status) = status else {
            watch.report();
            if self.limit_ns.is_some_and(|limit_ns| stats.virtual_ns >= limit_ns) {
                bail!("the limit of {} s of virtual time is over", self.limit_ns.unwrap_or(0) / 1_000_000_000);
            }
            bail!("every board waits and nothing will wake one: the cluster stands still at {} ns", stats.virtual_ns);
        };
        Ok(Outcome { status, stats })
    }
}

/// Types what a person or a file gives.
///
/// A person's keys arrive when they are pressed. A file's lines arrive one at a time, whenever every
/// board waits, so that the run does not depend on how fast the host reads the file.
struct Typist {
    lines: Option<Receiver<Vec<u8>>>,
    board: u8,
}

/// What ^D sends: the end of input ends the shell.
const END_OF_INPUT: &[u8] = &[4];

impl Typist {
    fn start(keys: Option<Receiver<Vec<u8>>>, pace: bool, cluster: &Cluster, board: u8) -> Typist {
        if !pace {
            return Typist { lines: keys, board };
        }
        if let Some(keys) = keys {
            let sender = cluster.input_sender();
            // It ends with its sender: when standard input or the cluster is gone.
            std::thread::spawn(move || {
                while let Ok(bytes) = keys.recv() {
                    if !sender.send(board, &bytes) {
                        return;
                    }
                }
                sender.send(board, END_OF_INPUT);
            });
        }
        Typist { lines: None, board }
    }

    /// The next line, if there is one; at the end of the lines, the end of input, once.
    fn type_next(&mut self, cluster: &mut Cluster) -> Result<()> {
        let Some(lines) = &self.lines else { return Ok(()) };
        match lines.recv() {
            Ok(bytes) => cluster.input(self.board, &bytes)?,
            Err(_) => {
                self.lines = None;
                cluster.input(self.board, END_OF_INPUT)?
            }
        };
        Ok(())
    }
}

/// The last words of each board.
struct Watch<'a> {
    names: Vec<String>,
    consoles: Vec<VecDeque<u8>>,
    logs: Vec<BoardLog<'a>>,
}

impl<'a> Watch<'a> {
    fn new(table: &'a LogTable, system: &SystemFile) -> Self {
        let names: Vec<String> = system.checked.boards.iter().map(|board| board.name.clone()).collect();
        let logs = names.iter().map(|name| table.board(name)).collect();
        Watch { consoles: vec![VecDeque::new(); names.len()], logs, names }
    }

    fn name(&self, board: u8) -> &str {
        self.names.get(usize::from(board)).map_or("?", String::as_str)
    }

    fn hear(&mut self, event: &Event, listener: &mut dyn Listener) {
        match event {
            Event::Console { board, time_ns, bytes } => {
                if let Some(kept) = self.consoles.get_mut(usize::from(*board)) {
                    kept.extend(bytes);
                    kept.drain(..kept.len().saturating_sub(CONSOLE_BYTES_KEPT));
                }
                listener.console(*board, *time_ns, bytes);
            }
            Event::Log { board, bytes, .. } => {
                if let Some(log) = self.logs.get_mut(usize::from(*board)) {
                    log.take(bytes).iter().for_each(|line| listener.log(line));
                }
            }
            Event::Trace { board, words, .. } => listener.traced(*board, words),
            Event::Frame(frame) => listener.frame(frame),
            Event::Power { .. } | Event::BoardCrashed { .. } | Event::Status { .. } => {}
            Event::BoardExited { .. } | Event::Fight(_) | Event::Deadlock { .. } | Event::Finished(_) => {}
        }
    }

    /// Shows every board's last console lines and log on standard error.
    fn report(&self) {
        for (board, name) in self.names.iter().enumerate() {
            let console: Vec<u8> = self.consoles[board].iter().copied().collect();
            let console = String::from_utf8_lossy(&console).replace('\r', "");
            eprintln!("--- board {name}: end of its console");
            eprintln!("{}", console.trim_end());
            eprintln!("--- board {name}: end of its log");
            self.logs[board].last_lines().for_each(|line| eprintln!("{line}"));
        }
        eprintln!("---");
    }

    fn failure(&self, error: EmuError) -> anyhow::Error {
        if error.board().is_some() {
            self.report();
        }
        let named = error.board().map(|board| format!("board {} of the cluster failed", self.name(board)));
        let error = anyhow::Error::new(error);
        match named {
            Some(named) => error.context(named),
            None => error,
        }
    }
}

//! The work of workers and rovers, random from a seed.
//!
//! Invariant: the random work needs no more slots, pipes and open files at a time than a board of the pair has. Not
//! here: execution.

use crate::cut::{Cut, PowerCut};
use crate::incident::{Incident, Trouble};
use renga_random::Random;
use std::fmt;
use std::ops::Deref;

/// Most workers, and least: each has at most two children at a time, and a board 16 slots and 8 pipes.
const WORKERS: (u64, u64) = (2, 4);
/// Actions of a worker: least and most.
const ACTIONS: (u64, u64) = (6, 20);
/// Names that a worker uses.
const NAMES: u64 = 5;
/// Most bytes of a write: more than a call between boards carries at once.
const WRITE_BYTES_MAX: u64 = 20_000;
/// Most bytes through a pipe.
const PIPE_BYTES_MAX: u64 = 200_000;
/// Longest file, but for what is appended.
const OFFSET_MAX: u64 = 60_000;
/// Most programs that work in one directory, what each does, and the names there.
const ROVERS_MAX: u64 = 2;
const ROVER_ACTIONS: (u64, u64) = (5, 40);
const ROVER_NAMES: u64 = 4;
/// Signals that workers get while they work, least and most, and the longest time between two.
const NUDGES: (u64, u64) = (0, 30);
const NUDGE_NS_MAX: u64 = 20_000_000;
/// Models of the medium.
const MEDIA: [&str; 4] = ["none", "none", "sd", "hdd-1989"];
/// Runs of a hundred to whose boards nothing happens; what happens else, at most, and until when it begins.
const QUIET_PERCENT: u64 = 30;
const INCIDENTS_MAX: u64 = 4;
const HORIZON_NS: u64 = 800_000_000;
/// Of the seeds that may have them, those of a hundred with faults of the medium or slow boards, and how many at most.
const MEDIUM_PERCENT: u64 = 60;
const MEDIUM_MAX: u64 = 3;
/// Of a hundred files that are appended to, those that are then also synced, as nothing is known of the others.
const SYNC_PERCENT: u64 = 80;
/// How long a board stays without power after the one cut of a run.
const RESTART_NS: u64 = 200_000_000;
/// Signals that end a program that does nothing about them.
const SIGNALS: [u8; 3] = [9, 15, 2];

/// What is written; a report says how much it is.
#[derive(Clone)]
pub struct WrittenData(Vec<u8>);

impl Deref for WrittenData {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.0
    }
}

impl fmt::Debug for WrittenData {
    fn fmt(&self, to: &mut fmt::Formatter) -> fmt::Result {
        write!(to, "{} bytes", self.0.len())
    }
}

/// One thing to do; files are numbers of the worker's names.
#[derive(Clone, Debug)]
pub enum WorkerAction {
    /// Writes in the middle, or behind the end.
    Write { file: u64, offset: u64, bytes: WrittenData },
    /// Writes at the end, then syncs at random.
    Append { file: u64, bytes: WrittenData, sync: bool },
    /// Cuts or extends.
    Truncate { file: u64, bytes: u64 },
    /// Reads all in steps.
    Read { file: u64, step: usize },
    /// Moves a name over another.
    Rename { from: u64, to: u64 },
    /// Removes a name, and reads what was there through a descriptor opened before.
    Unlink { file: u64 },
    /// A child on `board` goes on with the same open file.
    Share { file: u64, board: u8, bytes: WrittenData, status: u8 },
    /// Data through a pipe to a child on `filter`, and back through another; a child on `feeder` feeds.
    Filter { feeder: u8, filter: u8, bytes: WrittenData, step: usize },
    /// A sleeping child on `board` is sent a signal.
    Kill { board: u8, signal: u8 },
    /// A child on `board` becomes another program.
    Execute { board: u8, status: u8 },
    /// Time passes.
    Sleep { time_ns: u64 },
}

/// One thing to do with names that others use too; names are numbers, of which half are in a directory
/// that is one of the names itself.
#[derive(Clone, Copy, Debug)]
pub enum Roving {
    /// Makes a directory.
    MakeDirectory(u64),
    /// Removes a directory.
    RemoveDirectory(u64),
    /// Writes a file, created if missing.
    Write(u64, usize),
    /// Reads a file or a directory.
    Read(u64),
    /// Removes a file.
    Unlink(u64),
    /// Moves one over another.
    Rename(u64, u64),
    /// Empties a file.
    Truncate(u64),
}

impl Roving {
    fn draw(random: &mut Random) -> Roving {
        let (name, other) = (random.below(2 * ROVER_NAMES), random.below(2 * ROVER_NAMES));
        match random.below(8) {
            0 => Roving::MakeDirectory(name),
            1 => Roving::RemoveDirectory(name),
            2 | 3 => Roving::Write(name, random.below(WRITE_BYTES_MAX) as usize),
            4 => Roving::Read(name),
            5 => Roving::Unlink(name),
            6 => Roving::Rename(name, other),
            _ => Roving::Truncate(name),
        }
    }

    /// The path of a name.
    pub fn path(name: u64) -> String {
        if name < ROVER_NAMES { format!("/common/{name}") } else { format!("/common/0/{}", name - ROVER_NAMES) }
    }
}

/// What a worker does.
#[derive(Clone, Debug)]
pub struct WorkerPlan {
    /// Its board.
    pub board: u8,
    /// What it does there.
    pub actions: Vec<WorkerAction>,
    /// Whether the first signal kills it: then nothing is known of its files. Else it handles them.
    pub victim: bool,
}

/// Where worker `number` has its files; nothing is known of what a victim leaves.
pub fn folder(number: usize, victim: bool) -> String {
    format!("/{}{number}", if victim { "v" } else { "w" })
}

/// What all programs do.
#[derive(Clone, Debug)]
pub struct SeedPlan {
    /// The workers.
    pub workers: Vec<WorkerPlan>,
    /// By rover: likewise.
    pub rovers: Vec<(u8, Vec<Roving>)>,
    /// The board from which signals come to workers, after how long, ns, and to which worker.
    pub nudges: (u8, Vec<(u64, usize)>),
    /// The medium's model.
    pub medium: &'static str,
    /// What befalls the boards.
    pub incidents: Vec<Incident>,
}

fn between(random: &mut Random, (least, most): (u64, u64)) -> u64 {
    least + random.below(most - least + 1)
}

fn bytes(random: &mut Random, most: u64) -> WrittenData {
    let count = 1 + random.below(most) as usize;
    let mut bytes = vec![0; count];
    random.fill(&mut bytes);
    WrittenData(bytes)
}

impl SeedPlan {
    /// Draws one.
    pub fn draw(random: &mut Random, boards: u64) -> SeedPlan {
        let worker = |random: &mut Random| {
            let mut random = random.fork();
            let board = random.below(boards) as u8;
            let count = between(&mut random, ACTIONS);
            let actions = (0..count).map(|_| WorkerAction::draw(&mut random, boards)).collect();
            WorkerPlan { board, actions, victim: random.below(4) == 0 }
        };
        let count = between(random, WORKERS);
        let workers: Vec<_> = (0..count).map(|_| worker(random)).collect();
        let rover = |random: &mut Random| {
            let mut random = random.fork();
            let board = random.below(boards) as u8;
            let count = between(&mut random, ROVER_ACTIONS);
            (board, (0..count).map(|_| Roving::draw(&mut random)).collect())
        };
        let rovers = (0..random.below(ROVERS_MAX + 1)).map(|_| rover(random)).collect();
        let nudge = |random: &mut Random| (random.below(NUDGE_NS_MAX), random.below(count) as usize);
        let nudges = (0..between(random, NUDGES)).map(|_| nudge(random)).collect();
        let medium = MEDIA[random.below(MEDIA.len() as u64) as usize];
        let nudges = (random.below(boards) as u8, nudges);
        let mut random = random.fork();
        let count = if random.occurs(QUIET_PERCENT) { 0 } else { random.between(1, INCIDENTS_MAX) };
        let incidents = (0..count).map(|_| Incident::draw(&mut random, boards as u8, HORIZON_NS));
        // The first board has the disk, and runs the program that all others begin with.
        let spared = |incident: &Incident| !matches!(incident.trouble, Trouble::Death(0) | Trouble::Wedge(0));
        SeedPlan { workers, rovers, nudges, medium, incidents: incidents.filter(spared).collect() }
    }

    /// Adds what befalls the medium of a run of `boards`, and slow boards, at most to every second seed: the others
    /// mean what they meant before there was any of this.
    pub fn add_of_system(&mut self, seed: u64, boards: u64) {
        let mut random = Random::new(seed ^ 0x6d65_6469_756d);
        if seed % 2 == 1 || !random.occurs(MEDIUM_PERCENT) {
            return;
        }
        let count = random.between(1, MEDIUM_MAX);
        let more = (0..count).map(|_| Incident::draw_of_system(&mut random, boards as u8, HORIZON_NS));
        self.incidents.extend(more);
        self.sync_appends(|| random.occurs(SYNC_PERCENT));
    }

    /// Files that are appended to are synced, too, if `chosen`: nothing is known of others after a cut.
    fn sync_appends(&mut self, mut chosen: impl FnMut() -> bool) {
        for action in self.workers.iter_mut().flat_map(|worker| &mut worker.actions) {
            if let WorkerAction::Append { sync, .. } = action {
                *sync |= chosen();
            }
        }
    }

    /// Workers and rovers.
    pub fn actors(&self) -> usize {
        self.workers.len() + self.rovers.len()
    }

    /// Removes the parts that `cut` omits.
    pub fn cut(&mut self, cut: &Cut) {
        for (actor, worker) in self.workers.iter_mut().enumerate() {
            worker.actions.truncate(cut.steps(actor, worker.actions.len()));
        }
        for (number, (_, actions)) in self.rovers.iter_mut().enumerate() {
            actions.truncate(cut.steps(self.workers.len() + number, actions.len()));
        }
        if cut.is_quiet() {
            self.nudges.1.clear();
        }
        cut.keep(&mut self.incidents);
        if let Some(power) = cut.power() {
            let trouble = match power {
                PowerCut::Write(number) => Trouble::DiskCut(number),
                PowerCut::Frame(board, number) => Trouble::FrameCut(board, number),
            };
            self.incidents = vec![Incident { at_ns: 0, for_ns: RESTART_NS, trouble }];
            self.sync_appends(|| true);
        }
    }

    /// Where the workers of a board have their files.
    pub fn folders_on(&self, board: u8) -> Vec<String> {
        let workers = self.workers.iter().enumerate().filter(|(_, worker)| worker.board == board);
        workers.map(|(number, worker)| folder(number, worker.victim)).collect()
    }
}

impl WorkerAction {
    /// The files whose name or content it may change.
    pub fn changes(&self) -> Vec<u64> {
        match *self {
            WorkerAction::Write { file, .. }
            | WorkerAction::Append { file, .. }
            | WorkerAction::Truncate { file, .. }
            | WorkerAction::Unlink { file }
            | WorkerAction::Share { file, .. } => vec![file],
            WorkerAction::Rename { from, to } => vec![from, to],
            WorkerAction::Read { .. }
            | WorkerAction::Filter { .. }
            | WorkerAction::Kill { .. }
            | WorkerAction::Execute { .. }
            | WorkerAction::Sleep { .. } => vec![],
        }
    }

    fn draw(random: &mut Random, boards: u64) -> WorkerAction {
        let file = random.below(NAMES);
        let board = random.below(boards) as u8;
        match random.below(14) {
            0 | 1 => {
                WorkerAction::Write { file, offset: random.below(OFFSET_MAX), bytes: bytes(random, WRITE_BYTES_MAX) }
            }
            2 | 3 => WorkerAction::Append { file, bytes: bytes(random, WRITE_BYTES_MAX), sync: random.below(4) == 0 },
            4 => WorkerAction::Truncate { file, bytes: random.below(OFFSET_MAX) },
            5 | 6 => WorkerAction::Read { file, step: 1 + random.below(9000) as usize },
            7 => WorkerAction::Rename { from: file, to: random.below(NAMES) },
            8 => WorkerAction::Unlink { file },
            9 => {
                let status = random.below(256) as u8;
                WorkerAction::Share { file, board, bytes: bytes(random, WRITE_BYTES_MAX), status }
            }
            10 => WorkerAction::Filter {
                feeder: board,
                filter: random.below(boards) as u8,
                bytes: bytes(random, PIPE_BYTES_MAX),
                step: 1 + random.below(20_000) as usize,
            },
            11 => WorkerAction::Kill { board, signal: SIGNALS[random.below(SIGNALS.len() as u64) as usize] },
            12 => WorkerAction::Execute { board, status: random.below(256) as u8 },
            _ => WorkerAction::Sleep { time_ns: random.below(50_000_000) },
        }
    }
}

//! What workers are to do, drawn from a seed.
//!
//! Invariant: whatever is drawn needs no more slots, pipes and open files at a time than a board of the
//! pair has. Not here: doing it.

use crate::random::Random;

/// Boards of the pair.
const BOARDS: u64 = 2;
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
/// Signals that end a program that does nothing about them.
const SIGNALS: [u8; 3] = [9, 15, 2];

/// One thing to do; files are numbers of the worker's names.
#[derive(Clone, Debug)]
pub enum Action {
    /// Writes in the middle, or behind the end.
    Write { file: u64, offset: u64, bytes: Vec<u8> },
    /// Writes at the end, then makes sure it is on the medium if so drawn.
    Append { file: u64, bytes: Vec<u8>, sync: bool },
    /// Cuts or extends.
    Truncate { file: u64, bytes: u64 },
    /// Reads all in steps.
    Read { file: u64, step: usize },
    /// Moves a name over another.
    Rename { from: u64, to: u64 },
    /// Removes a name, and reads what was there through a descriptor opened before.
    Unlink { file: u64 },
    /// A child on `board` goes on with the same open file.
    Share { file: u64, board: u8, bytes: Vec<u8>, status: u8 },
    /// Data through a pipe to a child on `filter`, and back through another; a child on `feeder` feeds.
    Filter { feeder: u8, filter: u8, bytes: Vec<u8>, step: usize },
    /// A sleeping child on `board` is sent a signal.
    Kill { board: u8, signal: u8 },
    /// A child on `board` becomes another program.
    Execute { board: u8, status: u8 },
    /// Time passes.
    Sleep { time_ns: u64 },
}

/// What all workers do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// By worker: its board and what it does.
    pub workers: Vec<(u8, Vec<Action>)>,
}

fn between(random: &mut Random, (least, most): (u64, u64)) -> u64 {
    least + random.below(most - least + 1)
}

fn bytes(random: &mut Random, most: u64) -> Vec<u8> {
    let count = 1 + random.below(most) as usize;
    random.bytes(count)
}

impl Plan {
    /// Draws one.
    pub fn draw(random: &mut Random) -> Plan {
        let worker = |random: &mut Random| {
            let mut random = random.fork();
            let board = random.below(BOARDS) as u8;
            let count = between(&mut random, ACTIONS);
            (board, (0..count).map(|_| Action::draw(&mut random)).collect())
        };
        let count = between(random, WORKERS);
        Plan { workers: (0..count).map(|_| worker(random)).collect() }
    }
}

impl Action {
    fn draw(random: &mut Random) -> Action {
        let file = random.below(NAMES);
        let board = random.below(BOARDS) as u8;
        match random.below(14) {
            0 | 1 => {
                Action::Write { file, offset: random.below(OFFSET_MAX), bytes: bytes(random, WRITE_BYTES_MAX) }
            }
            2 | 3 => Action::Append { file, bytes: bytes(random, WRITE_BYTES_MAX), sync: random.below(4) == 0 },
            4 => Action::Truncate { file, bytes: random.below(OFFSET_MAX) },
            5 | 6 => Action::Read { file, step: 1 + random.below(9000) as usize },
            7 => Action::Rename { from: file, to: random.below(NAMES) },
            8 => Action::Unlink { file },
            9 => {
                let status = random.below(256) as u8;
                Action::Share { file, board, bytes: bytes(random, WRITE_BYTES_MAX), status }
            }
            10 => Action::Filter {
                feeder: board,
                filter: random.below(BOARDS) as u8,
                bytes: bytes(random, PIPE_BYTES_MAX),
                step: 1 + random.below(20_000) as usize,
            },
            11 => Action::Kill { board, signal: SIGNALS[random.below(SIGNALS.len() as u64) as usize] },
            12 => Action::Execute { board, status: random.below(256) as u8 },
            _ => Action::Sleep { time_ns: random.below(50_000_000) },
        }
    }
}

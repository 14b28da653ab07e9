//! Pages of one file in the caches of both boards: none is ever old.
//!
//! Two programs alternate, each on its board with an open file of its own. Both generate the same operations and know
//! the file's expected content; the active one carries operations out, so writes of one board are read by the other
//! next. With many operations a round the boards get write leases, with one they mostly do not.

use crate::machine::{noise, possible, run, run_on};
use renga_sim::program::{Open, SimProgram};
use renga_sim::system::{SMALL, placement};

const ROUNDS: u32 = 400;
const PAGE: u64 = 4096;
const PATH: &str = "/shared";
const SEEK_END: u64 = 2;

/// Numbers that both programs draw alike (xorshift64).
#[derive(Clone)]
struct RandomRun(u64);
impl RandomRun {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

/// An operation of a round.
enum Operation {
    Write {
        at: u64,
        bytes: Vec<u8>,
    },
    Truncate {
        bytes: u64,
    },
    Read {
        at: u64,
        bytes: usize,
    },
    Size,
    Sync,
    /// Writes what is there by a mapping, within the file.
    Store {
        at: u64,
        bytes: Vec<u8>,
    },
    /// Reads it so.
    Load {
        at: u64,
        bytes: usize,
    },
}

fn draw(random: &mut RandomRun, round: u32, Game { pages, mapped, .. }: Game) -> Operation {
    let at = random.below(pages * PAGE);
    if mapped && random.below(2) == 0 {
        let bytes = 1 + random.below(2 * PAGE) as usize;
        return match random.below(2) {
            0 => Operation::Store { at, bytes: vec![round as u8; bytes] },
            _ => Operation::Load { at, bytes },
        };
    }
    match random.below(12) {
        0 => Operation::Truncate { bytes: at },
        10 => Operation::Size,
        11 => Operation::Sync,
        1..=4 => Operation::Write { at, bytes: vec![round as u8; 1 + random.below(2 * PAGE) as usize] },
        _ => Operation::Read { at, bytes: 1 + random.below(3 * PAGE) as usize },
    }
}

/// What the file holds afterwards.
fn apply(model: &mut Vec<u8>, operation: &Operation) {
    match operation {
        Operation::Write { at, bytes } => {
            let end = *at as usize + bytes.len();
            model.resize(model.len().max(end), 0);
            model[*at as usize..end].copy_from_slice(bytes);
        }
        Operation::Truncate { bytes } => model.resize(*bytes as usize, 0),
        Operation::Store { at, bytes } => {
            let (from, to) = within(model, *at, bytes.len());
            model[from..to].copy_from_slice(&bytes[..to - from]);
        }
        Operation::Read { .. } | Operation::Load { .. } | Operation::Size | Operation::Sync => {}
    }
}

/// The part of `bytes` bytes at `at` that is in the file.
fn within(model: &[u8], at: u64, bytes: usize) -> (usize, usize) {
    let from = (at as usize).min(model.len());
    (from, model.len().min(from + bytes))
}

/// A game: its seed, operations of a round, pages of the file, and whether it is mapped.
#[derive(Clone, Copy)]
pub struct Game {
    pub seed: u64,
    pub burst: u32,
    pub pages: u64,
    pub mapped: bool,
}

/// Every second round of so many operations, from `first` on.
async fn play(program: SimProgram, game: Game, first: u32, (begin, turn_out): (u64, u64)) {
    let Game { seed, burst, pages, mapped } = game;
    let file = program.open(PATH, Open::Change).await.unwrap();
    // Writes may reach behind the last page of the operations.
    let address = if mapped { program.map_shared(file, (pages + 2) * PAGE).await.unwrap() } else { 0 };
    let (mut random, mut model) = (RandomRun(seed), Vec::new());
    for round in 0..ROUNDS {
        let operation = draw(&mut random, round, game);
        if round / burst % 2 == first {
            if round.is_multiple_of(burst) {
                assert_eq!(program.read(begin, 1).await.unwrap().len(), 1);
            }
            match &operation {
                Operation::Write { at, bytes } => {
                    assert_eq!(program.write_at(file, *at, bytes).await, Ok(bytes.len()), "round {round}");
                }
                Operation::Truncate { bytes } => program.truncate(file, *bytes).await.unwrap(),
                Operation::Read { at, bytes } => {
                    let read = program.read_at(file, *at, *bytes).await.unwrap();
                    let from = (*at as usize).min(model.len());
                    let expected = &model[from..model.len().min(from + *bytes)];
                    assert!(read == expected, "round {round}: old content at {at}, {bytes} bytes");
                }
                Operation::Size => {
                    assert_eq!(program.seek(file, 0, SEEK_END).await, Ok(model.len() as u64), "round {round}")
                }
                Operation::Sync if mapped => program.sync_mapping(address, PAGE).await.unwrap(),
                Operation::Sync => program.sync(file).await.unwrap(),
                Operation::Store { at, bytes } => {
                    let (from, to) = within(&model, *at, bytes.len());
                    program.store(address + from as u64, &bytes[..to - from]).await;
                }
                Operation::Load { at, bytes } => {
                    let (from, to) = within(&model, *at, *bytes);
                    let seen = program.load(address + from as u64, to - from).await;
                    assert!(seen == model[from..to], "round {round}: old content at {at}, {bytes} bytes, mapped");
                }
            }
            if (round + 1).is_multiple_of(burst) {
                program.write_all(turn_out, b".").await.unwrap();
            }
        }
        apply(&mut model, &operation);
    }
    program.close(file).await.unwrap();
}

/// Holds: leases-coherent.
#[test]
fn lease_revocation_shows_writes_of_other_board() {
    if !possible() {
        return;
    }
    // The last two have holes, and blocks of block numbers: of one level, of two.
    let game = |seed, burst, pages| Game { seed, burst, pages, mapped: false };
    games_of(&[
        game(1, 1, 6),
        game(0x5eed, 25, 6),
        game(0xfeed_f00d, 8, 6),
        game(0x1234_5678_9abc, 50, 6),
        game(0xbeef, 10, 60),
        game(0xcafe, 20, 1_200),
    ]);
}

/// Plays each, and compares what is on the medium afterwards.
pub fn games_of(games: &[Game]) {
    for &game in games {
        let seed = game.seed;
        let finished = run(
            move |init| async move {
                let file = init.open(PATH, Open::Create).await.unwrap();
                init.close(file).await.unwrap();
                let (here, there) = (init.pipe().await.unwrap(), init.pipe().await.unwrap());
                let order = (there.0, here.1);
                let other = move |program: SimProgram| async move {
                    play(program, game, 1, order).await;
                    0
                };
                let pid = init.fork_on(1, other).await.unwrap();
                init.write_all(here.1, b".").await.unwrap();
                play(init.clone(), game, 0, (here.0, there.1)).await;
                assert_eq!(init.wait(pid).await.unwrap(), (pid, 0));
                0
            },
            |_| (),
        );
        let (mut random, mut model) = (RandomRun(seed), Vec::new());
        (0..ROUNDS).for_each(|round| apply(&mut model, &draw(&mut random, round, game)));
        assert!(finished.files[PATH] == model, "seed {seed}");
    }
}

/// Writes ten pages on the other board, and reads them here after `sync` there; the frames that both boards sent in
/// all.
fn frames_of_ten_writes(system: &str, times: u64) -> u64 {
    let finished = run_on(
        placement(system).unwrap(),
        move |init| async move {
            let writes = move |program: SimProgram| async move {
                let file = program.open(PATH, Open::Create).await.unwrap();
                for page in 0..10 * times {
                    let bytes = [page as u8; PAGE as usize];
                    assert_eq!(program.write_at(file, page % 10 * PAGE, &bytes).await, Ok(bytes.len()));
                }
                assert_eq!(program.seek(file, 0, SEEK_END).await, Ok(10 * PAGE));
                program.sync(file).await.unwrap();
                program.close(file).await.unwrap();
                0
            };
            let pid = init.fork_on(1, writes).await.unwrap();
            assert_eq!(init.wait(pid).await.unwrap(), (pid, 0));
            let file = init.open(PATH, Open::Read).await.unwrap();
            let read = init.read_at(file, 9 * PAGE, 2 * PAGE as usize).await.unwrap();
            assert!(read == [(10 * times - 1) as u8; PAGE as usize]);
            init.close(file).await.unwrap();
            0
        },
        |_| (),
    );
    assert_eq!(finished.files[PATH].len() as u64, 10 * PAGE);
    finished.system.link_stats().iter().map(|stats| stats.frames_sent.get()).sum()
}

#[test]
fn lease_repeated_writes_cross_once() {
    if !possible() {
        return;
    }
    let (once, often) = (frames_of_ten_writes(SMALL, 1), frames_of_ten_writes(SMALL, 5));
    assert!(often < once + 10, "{once} frames for ten pages, {often} for the same five times");
    let without = SMALL.replace("{ name = \"b\" }", "{ name = \"b\", leases = false }");
    let crossed = frames_of_ten_writes(&without, 5);
    assert!(crossed > 2 * often, "{crossed} frames without leases, {often} with them");
}

/// Where a linker puts the parts of a small program: the second lies behind a hole of 14 pages.
const PARTS: [u64; 2] = [0, 0xfdc8];

/// Writes such a file on the other board, its second part in so many pieces, and reads it on both; the frames that both
/// boards sent in all.
fn frames_of_a_hole(pieces: u64) -> u64 {
    const PIECE: [u8; 32] = [5; 32];
    let finished = run(
        move |init| async move {
            let writes = move |program: SimProgram| async move {
                let file = program.open(PATH, Open::Create).await.unwrap();
                assert_eq!(program.write_at(file, PARTS[0], &[3; 700]).await, Ok(700));
                for piece in 0..pieces {
                    let at = PARTS[1] + piece * PIECE.len() as u64;
                    assert_eq!(program.write_at(file, at, &PIECE).await, Ok(PIECE.len()));
                }
                // One page of what was left out.
                assert_eq!(program.read_at(file, 5 * PAGE - 8, 16).await, Ok(vec![0; 16]));
                program.close(file).await.unwrap();
                0
            };
            let pid = init.fork_on(1, writes).await.unwrap();
            assert_eq!(init.wait(pid).await.unwrap(), (pid, 0));
            let file = init.open(PATH, Open::Read).await.unwrap();
            let read = init.read_all(file, 4096).await.unwrap();
            assert_eq!(read.len() as u64, PARTS[1] + pieces * PIECE.len() as u64);
            let (first, rest) = read.split_at(700);
            let (hole, second) = rest.split_at(PARTS[1] as usize - 700);
            assert!(first.iter().all(|byte| *byte == 3) && hole.iter().all(|byte| *byte == 0));
            assert!(second.iter().all(|byte| *byte == 5));
            init.close(file).await.unwrap();
            0
        },
        |_| (),
    );
    finished.system.link_stats().iter().map(|stats| stats.frames_sent.get()).sum()
}

#[test]
fn lease_data_behind_hole_crosses_in_one_piece() {
    if possible() {
        let (few, many) = (frames_of_a_hole(2), frames_of_a_hole(17));
        assert!(many <= few + 2, "{few} frames for two pieces, {many} for seventeen");
    }
}

/// Reads a page of one file ten times on the other board; the frames that both boards sent in all.
fn frames_of_ten_reads(system: &str) -> u64 {
    let finished = run_on(
        placement(system).unwrap(),
        |init| async move {
            let file = init.open(PATH, Open::Create).await.unwrap();
            init.write_all(file, &noise(7)).await.unwrap();
            init.close(file).await.unwrap();
            let reads = |program: SimProgram| async move {
                let file = program.open(PATH, Open::Read).await.unwrap();
                for _ in 0..10 {
                    assert_eq!(program.read_at(file, 0, PAGE as usize).await.unwrap(), noise(7));
                }
                program.close(file).await.unwrap();
                0
            };
            let pid = init.fork_on(1, reads).await.unwrap();
            assert_eq!(init.wait(pid).await.unwrap(), (pid, 0));
            0
        },
        |_| (),
    );
    finished.system.link_stats().iter().map(|stats| stats.frames_sent.get()).sum()
}

/// Holds: leases-off.
#[test]
fn lease_switched_off_makes_each_read_cross() {
    if !possible() {
        return;
    }
    let (with, without) = (SMALL.to_string(), SMALL.replace("{ name = \"b\" }", "{ name = \"b\", leases = false }"));
    assert_ne!(with, without);
    let (kept, crossed) = (frames_of_ten_reads(&with), frames_of_ten_reads(&without));
    // Nine more pages, each of several frames, and the requests.
    assert!(crossed >= kept + 9 * 3, "{kept} frames with leases, {crossed} without");
}

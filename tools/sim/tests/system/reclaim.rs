//! Boards with little memory under random programs, loads, settings and failures of boards: free memory returns above
//! the reclaimer's wake-up mark, pages in use keep their content, every program ends, and the batcher does its work and
//! no more.

use crate::machine::{LIMIT_NS, finish, possible, setup};
use renga_abi::Errno;
use renga_random::Random;
use renga_sim::ClusterSetup;
use renga_sim::program::{Open, SimProgram};
use renga_sim::system::{SMALL, SimSystem, SystemSetup, placement};
use std::cell::Cell;
use std::future::Future;
use std::rc::Rc;

const MS: u64 = 1_000_000;
const SIGKILL: u32 = 9;
const DONE: u32 = 3 << 8;
const PAGE: usize = 4096;
const SEEDS: u64 = 8;
/// Of each board: 768 frames, of which all random programs use less than two thirds. So memory is otherwise short of
/// pages of files, which are reclaimable.
const MEMORY_MIB: u32 = 3;
/// Of the file that is larger than memory.
const BIG_PAGES: usize = 1000;
/// Pages that a call moves.
const PIECE: usize = 8;
/// Bytes of data that every program has.
const DATA: u64 = 0x50_0000;
/// Where the program's own pages start in it: behind those that calls use.
const OWN_PAGES: u64 = DATA + (512 << 10);
const OWN_PAGES_MAX: u64 = 80;
/// How often memory is sampled, and how many samples in a row may find it short: the reclaimer's longest interval, and
/// a half.
const POLL_NS: u64 = 50 * MS;
const SHORT_SAMPLES_MAX: u32 = 48;

/// The content of a page.
fn content(file: u64, page: usize) -> [u8; PAGE] {
    [(file * 41 + page as u64 * 7 + page as u64 / 256) as u8; PAGE]
}

fn pages(file: u64, from: usize, count: usize) -> Vec<u8> {
    (from..from + count).flat_map(|page| content(file, page)).collect()
}

async fn change(program: &SimProgram, setting: &str, text: &str) {
    let file = program.open(&format!("/proc/renga/reclaim/{setting}"), Open::Change).await.unwrap();
    program.write(file, text.as_bytes()).await.unwrap();
    program.close(file).await.unwrap();
}

/// What a board's reclaimer says of itself.
#[derive(Clone, Copy, Debug, Default)]
struct Said {
    free: u64,
    low: u64,
    /// Times that each began, and pages that each gave up.
    reclaimer: [u64; 2],
    batcher: [u64; 2],
}

async fn said(program: &SimProgram) -> Said {
    let file = program.open("/proc/renga/reclaim/state", Open::Read).await.unwrap();
    let text = program.read_all(file, 1000).await.unwrap();
    program.close(file).await.unwrap();
    let text = String::from_utf8(text).unwrap();
    let numbers = |line: usize| -> Vec<u64> {
        text.lines().nth(line).unwrap().split(' ').filter_map(|word| word.parse().ok()).collect()
    };
    let (frames, own, batches) = (numbers(1), numbers(3), numbers(4));
    Said { free: frames[1], low: frames[2], reclaimer: [own[0], own[2]], batcher: [batches[0], batches[2]] }
}

/// What a program does.
#[derive(Clone, Copy, Debug)]
enum Load {
    /// Reads the file that is larger than memory.
    Streams { pause_ns: u64 },
    /// Writes a file of its own and reads it again.
    Writes { pages: usize, syncs: bool },
    /// Has memory of its own for so long.
    Holds { pages: u64, for_ns: u64 },
    /// Has a file mapped that it writes.
    Maps { pages: usize, for_ns: u64 },
}

async fn write_file(program: &SimProgram, path: &str, number: u64, count: usize) -> Result<u64, Errno> {
    let file = program.open(path, Open::Truncate).await?;
    for at in (0..count).step_by(PIECE) {
        program.write_all(file, &pages(number, at, PIECE.min(count - at))).await?;
    }
    Ok(file)
}

async fn read_file(program: &SimProgram, path: &str, number: u64, count: usize, pause_ns: u64) -> Result<(), Errno> {
    let file = program.open(path, Open::Read).await?;
    for at in (0..count).step_by(PIECE) {
        let read = program.read_at(file, (at * PAGE) as u64, PIECE.min(count - at) * PAGE).await?;
        assert!(read == pages(number, at, PIECE.min(count - at)), "{path}: page {at} or one behind it");
        program.sleep(pause_ns).await?;
    }
    program.close(file).await
}

/// Puts something into pages of memory, and has it there for some time.
async fn keep_pages(program: &SimProgram, at: u64, number: u64, count: usize, for_ns: u64) -> Result<(), Errno> {
    for page in 0..count {
        program.store(at + (page * PAGE) as u64, &content(number, page)).await;
    }
    const CHECKS: u64 = 8;
    for _ in 0..CHECKS {
        program.sleep(for_ns / CHECKS).await?;
        for page in 0..count {
            let loaded = program.load(at + (page * PAGE) as u64, PAGE).await;
            assert!(loaded == content(number, page), "{number}: the content of page {page} is lost");
        }
    }
    Ok(())
}

async fn carry(program: &SimProgram, number: u64, load: Load) -> Result<(), Errno> {
    let path = format!("/of{number}");
    match load {
        Load::Streams { pause_ns } => read_file(program, "/big", 0, BIG_PAGES, pause_ns).await,
        Load::Writes { pages, syncs } => {
            let file = write_file(program, &path, number, pages).await?;
            if syncs {
                program.sync(file).await?;
            }
            program.close(file).await?;
            read_file(program, &path, number, pages, MS).await
        }
        Load::Holds { pages, for_ns } => keep_pages(program, OWN_PAGES, number, pages as usize, for_ns).await,
        Load::Maps { pages, for_ns } => {
            let file = write_file(program, &path, number + 100, pages).await?;
            let at = program.map_shared(file, (pages * PAGE) as u64).await?;
            keep_pages(program, at, number, pages, for_ns).await?;
            program.sync_mapping(at, (pages * PAGE) as u64).await?;
            program.close(file).await?;
            read_file(program, &path, number, pages, MS).await
        }
    }
}

/// The parts of a run.
#[derive(Clone, Copy, Debug)]
struct RandomRun {
    batching: bool,
    requests: u64,
    loads: [(u8, Load); 5],
}

/// More come in never.
const REQUESTS_NEVER: u64 = 10_000_000;

fn draw(seed: u64) -> RandomRun {
    let mut random = Random::new(seed);
    let load = |random: &mut Random| match random.below(4) {
        0 => Load::Streams { pause_ns: random.below(20 * MS) },
        1 => Load::Writes { pages: 50 + random.below(250) as usize, syncs: random.below(2) == 0 },
        2 => Load::Holds { pages: 1 + random.below(OWN_PAGES_MAX), for_ns: random.below(5_000 * MS) },
        _ => Load::Maps { pages: 1 + random.below(60) as usize, for_ns: random.below(5_000 * MS) },
    };
    RandomRun {
        batching: random.below(2) == 0,
        requests: if random.below(2) == 0 { 200 } else { REQUESTS_NEVER },
        loads: [0, 1, 2, 3, 4].map(|number| {
            // One streams in any case.
            let streams = Load::Streams { pause_ns: random.below(20 * MS) };
            (random.below(2) as u8, if number == 0 { streams } else { load(&mut random) })
        }),
    }
}

/// What was seen of all lives of all boards.
#[derive(Clone, Default)]
struct Seen {
    over: Rc<Cell<bool>>,
    /// Pages that either gave up.
    reclaimed: Rc<Cell<u64>>,
    batched: Rc<Cell<u64>>,
    samples: Rc<Cell<u32>>,
}

/// Sets a board's reclaimer as planned and samples its memory until all is over.
async fn watch(program: SimProgram, seeded: RandomRun, seen: Seen) -> u8 {
    change(&program, "thresholds", &format!("requests {} free_pages 300", seeded.requests)).await;
    change(&program, "batching", if seeded.batching { "on" } else { "off" }).await;
    let (mut short, mut last) = (0, Said::default());
    while !seen.over.get() {
        let now = said(&program).await;
        short = if now.free < now.low { short + 1 } else { 0 };
        assert!(short <= SHORT_SAMPLES_MAX, "memory stays short: {now:?}, {seeded:?}");
        let may_batch = seeded.batching && seeded.requests < REQUESTS_NEVER;
        assert!(may_batch || now.batcher == [0; 2], "a batch without a reason: {now:?}, {seeded:?}");
        seen.reclaimed.set(seen.reclaimed.get() + now.reclaimer[1] - last.reclaimer[1]);
        seen.batched.set(seen.batched.get() + now.batcher[1] - last.batcher[1]);
        seen.samples.set(seen.samples.get() + 1);
        last = now;
        if program.sleep(POLL_NS).await.is_err() {
            break;
        }
    }
    3
}

/// Has a program watch board `board`, whenever that is up.
async fn watched(program: SimProgram, board: u8, seeded: RandomRun, seen: Seen) -> u8 {
    while !seen.over.get() {
        let again = seen.clone();
        match program.fork_on(board, move |watcher| watch(watcher, seeded, again)).await {
            Ok(pid) => {
                let (_, status) = program.wait(pid).await.unwrap();
                assert!(status == DONE || board == 1 && status == SIGKILL, "the watcher of {board}: {status:#x}");
            }
            Err(errno) => assert_eq!((errno, board), (Errno::EHOSTDOWN, 1)),
        }
        program.sleep(10 * MS).await.unwrap();
    }
    3
}

async fn little_memory(init: SimProgram, seeded: RandomRun, seen: Seen) -> u8 {
    let big = write_file(&init, "/big", 0, BIG_PAGES).await.unwrap();
    init.sync(big).await.unwrap();
    init.close(big).await.unwrap();
    for board in 0..2 {
        let seen = seen.clone();
        init.fork(move |program| watched(program, board, seeded, seen)).await.unwrap();
    }
    let mut pids = Vec::new();
    for (number, (board, load)) in (1..).zip(seeded.loads) {
        let child =
            move |program: SimProgram| async move { if carry(&program, number, load).await.is_ok() { 3 } else { 4 } };
        match init.fork_on(board, child).await {
            Ok(pid) => pids.push((pid, board)),
            Err(errno) => assert_eq!((errno, board), (Errno::EHOSTDOWN, 1)),
        }
    }
    for (pid, board) in pids {
        let (_, status) = init.wait(pid).await.unwrap();
        assert!(status == DONE || board == 1 && status == SIGKILL, "status {status:#x}, {seeded:?}");
    }
    // What is left is pages that can go: memory has to come back.
    init.sleep(u64::from(SHORT_SAMPLES_MAX) * POLL_NS).await.unwrap();
    let rest = said(&init).await;
    assert!(rest.free >= rest.low, "{rest:?}, {seeded:?}");
    seen.over.set(true);
    while init.wait(u64::MAX).await.is_ok() {}
    0
}

/// A pair with little memory, whose init does `init`.
fn begin<F: Future<Output = u8> + 'static>(init: impl Fn(SimProgram) -> F + Clone + 'static) -> SimSystem {
    let text = SMALL
        .replace("disk = true }", &format!("disk = true, memory_mib = {MEMORY_MIB} }}"))
        .replace("name = \"b\" }", &format!("name = \"b\", memory_mib = {MEMORY_MIB} }}"));
    let (setup, programs) = setup(ClusterSetup::new(2), init, |_| ());
    let setup = SystemSetup { placement: placement(&text).unwrap(), ..setup };
    SimSystem::boot(&setup, &programs)
}

fn begin_seeded(seed: u64) -> (SimSystem, Seen) {
    let (seeded, seen) = (draw(seed), Seen::default());
    let progress = seen.clone();
    (begin(move |init| little_memory(init, seeded, progress.clone())), seen)
}

/// Holds: reclaim-marks.
#[test]
fn reclaim_frees_unused_pages_only() {
    if !possible() {
        return;
    }
    let (mut reclaimed, mut batched) = (0, 0);
    for seed in 1..=SEEDS {
        let (mut system, seen) = begin_seeded(seed);
        finish(&mut system);
        println!("seed {seed}: {} and {} pages, {:?}", seen.reclaimed.get(), seen.batched.get(), draw(seed));
        reclaimed += seen.reclaimed.get();
        batched += seen.batched.get();
    }
    // Otherwise nothing was tried.
    assert!(reclaimed > 2000 && batched > 500, "{reclaimed} and {batched} pages");
}

/// Holds: reclaim-marks.
#[test]
fn reclaim_survives_board_failures() {
    if !possible() {
        return;
    }
    for seed in 1..=SEEDS {
        let (mut system, seen) = begin_seeded(seed);
        let mut random = Random::new(seed);
        for _ in 0..4 {
            system.cluster.run_until(system.cluster.now_ns() + 100 * MS + random.below(1_000 * MS));
            system.cluster.kill(1);
            system.cluster.run_until(system.cluster.now_ns() + random.below(200 * MS));
            system.reboot(1);
        }
        finish(&mut system);
        assert!(seen.samples.get() > 30, "seed {seed}: {} samples", seen.samples.get());
    }
}

/// Many pages come while memory is not short; programs take nearly all memory and free it while no page of a file
/// comes; and then a program streams.
/// Holds: reclaim-batcher.
#[test]
fn reclaim_batcher_ignores_other_shortages() {
    if !possible() {
        return;
    }
    let progress = Rc::new(Cell::new(false));
    let ended = progress.clone();
    let init = move |init: SimProgram| {
        let ended = ended.clone();
        async move {
            change(&init, "thresholds", "requests 100 free_pages 384").await;
            change(&init, "batching", "on").await;
            for _ in 0..20 {
                let small = write_file(&init, "/small", 1, 40).await.unwrap();
                init.close(small).await.unwrap();
                init.sleep(200 * MS).await.unwrap();
            }
            let before = said(&init).await;
            assert!(before.free > 384 && before.batcher == [0; 2], "memory is not short: {before:?}");
            let big = write_file(&init, "/big", 0, BIG_PAGES).await.unwrap();
            init.sync(big).await.unwrap();
            init.close(big).await.unwrap();
            init.sleep(2_500 * MS).await.unwrap();
            let before = said(&init).await;
            for round in 0..3 {
                let mut pids = Vec::new();
                for number in 0..5 {
                    let holder = move |program: SimProgram| async move {
                        keep_pages(&program, OWN_PAGES, number + round, OWN_PAGES_MAX as usize, 2_000 * MS)
                            .await
                            .unwrap();
                        3
                    };
                    pids.push(init.fork(holder).await.unwrap());
                }
                init.sleep(1_500 * MS).await.unwrap();
                assert!(said(&init).await.free < 384, "memory is short");
                for pid in pids {
                    assert_eq!(init.wait(pid).await, Ok((pid, DONE)));
                }
            }
            let after = said(&init).await;
            assert_eq!(after.batcher, before.batcher, "{before:?} {after:?}");
            read_file(&init, "/big", 0, BIG_PAGES, 20 * MS).await.unwrap();
            let streamed = said(&init).await;
            assert!(streamed.batcher[0] > after.batcher[0], "{after:?} {streamed:?}");
            ended.set(true);
            0
        }
    };
    let mut system = begin(init);
    assert_eq!(system.run(LIMIT_NS), Some(0), "{:?}", SimSystem::log());
    assert!(progress.get());
}

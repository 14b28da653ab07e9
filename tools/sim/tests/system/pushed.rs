//! `fsync` on another board: that board pushes what it has written, and keeps its write lease.

use crate::machine::{LIMIT_NS, elsewhere, finish, possible, run_cluster, run_to, setup};
use renga_sim::ClusterSetup;
use renga_sim::program::{Open, SimProgram};
use renga_sim::system::{SimSystem, image};
use std::cell::Cell;
use std::rc::Rc;

const PATH: &str = "/pushed";
const PAGE: u64 = 4096;

/// What is done before each `fsync`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Before {
    /// So many pages are written.
    Write(u64),
    ChangeMode,
    Nothing,
}

async fn change(program: &SimProgram, file: u64, round: u64, before: Before) {
    match before {
        Before::Write(pages) => {
            for page in 0..pages {
                let bytes = [round as u8 + 1; PAGE as usize];
                assert_eq!(program.write_at(file, page * PAGE, &bytes).await, Ok(bytes.len()));
            }
        }
        Before::ChangeMode => program.change_mode(PATH, 0o600 + round as u16 % 2).await.unwrap(),
        Before::Nothing => {}
    }
}

/// Calls between boards of a run with so many rounds.
fn calls_of(rounds: u64, before: Before) -> u64 {
    let init = move |init: SimProgram| async move {
        let there = move |program: SimProgram| async move {
            let file = program.open(PATH, Open::Create).await.unwrap();
            assert_eq!(program.write(file, b"x").await, Ok(1));
            for round in 0..rounds {
                change(&program, file, round, before).await;
                program.sync(file).await.unwrap();
            }
            program.close(file).await.unwrap();
        };
        elsewhere(&init, there).await;
        0
    };
    let finished = run_cluster(ClusterSetup::new(2), init);
    if let Before::Write(pages) = before {
        assert!(finished.files[PATH] == vec![rounds as u8; (pages * PAGE) as usize]);
    }
    finished.system.link_stats().iter().map(|stats| stats.calls_sync.get() + stats.calls_async.get()).sum()
}

#[test]
fn fsync_elsewhere_takes_a_call_for_each_page_and_one() {
    if !possible() {
        return;
    }
    for (before, most) in
        [(Before::Write(1), 2.0), (Before::Write(3), 4.0), (Before::ChangeMode, 2.0), (Before::Nothing, 2.0)]
    {
        let each = (calls_of(30, before) - calls_of(10, before)) as f64 / 20.0;
        println!("{before:?}: {each} calls");
        assert!(each <= most, "{before:?}: {each} calls");
    }
}

const MS: u64 = 1_000_000;
const PAGES: usize = 3;
/// Moments of an `fsync` at which something fails.
const MOMENTS: u64 = 24;
/// Longer than the link is tried.
const CUT_NS: u64 = 400 * MS;

/// No two pages are alike.
fn version(number: u8) -> Vec<u8> {
    (0..PAGES * PAGE as usize).map(|at| number ^ (at / PAGE as usize + at % 251) as u8).collect()
}

/// How far a run is.
#[derive(Clone, Default)]
struct Progress {
    /// 1: board 1 calls `fsync`; 2: that has succeeded.
    step: Rc<Cell<u32>>,
    starts: Rc<Cell<u32>>,
}

/// Writes the second version over the first on board 1, and syncs it, `again` until that succeeds.
async fn overwrite(program: SimProgram, step: Rc<Cell<u32>>, again: bool) -> u8 {
    let file = program.open(PATH, Open::Change).await.unwrap();
    program.write_all(file, &version(2)).await.unwrap();
    step.set(1);
    while program.sync(file).await.is_err() && again {
        program.sleep(MS).await.unwrap();
    }
    step.set(2);
    if !again {
        program.sleep(u64::MAX >> 2).await.unwrap();
    }
    while step.get() < 3 {
        program.sleep(MS).await.unwrap();
    }
    program.close(file).await.unwrap();
    step.set(4);
    0
}

/// Boots a pair that does so; when init starts once more, it ends the run.
fn boot(progress: &Progress, again: bool) -> SimSystem {
    let progress = progress.clone();
    let init = move |init: SimProgram| {
        let Progress { step, starts } = progress.clone();
        async move {
            starts.set(starts.get() + 1);
            if starts.get() > 1 {
                return 0;
            }
            let file = init.open(PATH, Open::Create).await.unwrap();
            init.write_all(file, &version(1)).await.unwrap();
            init.sync_all().await.unwrap();
            let steps = step.clone();
            let pid = init.fork_on(1, move |program| overwrite(program, steps, again)).await.unwrap();
            assert_eq!(init.wait(pid).await, Ok((pid, 9)));
            while again && step.get() < 4 {
                init.sleep(MS).await.unwrap();
            }
            init.sleep(10 * MS).await.unwrap();
            let read = init.read_at(file, 0, PAGES * PAGE as usize).await.unwrap();
            assert!(is_of_whole_pages(&read), "what a program reads");
            0
        }
    };
    let (setup, programs) = setup(ClusterSetup::new(2), init, |_| ());
    SimSystem::boot(&setup, &programs)
}

/// Whether each page is of one version.
fn is_of_whole_pages(content: &[u8]) -> bool {
    let (old, new) = (version(1), version(2));
    let pages = |content: &[u8]| content.chunks(PAGE as usize).map(<[u8]>::to_vec).collect::<Vec<_>>();
    let mut each = pages(content).into_iter().zip(pages(&old).into_iter().zip(pages(&new)));
    content.len() == old.len() && each.all(|(page, (old, new))| page == old || page == new)
}

/// At each of the moments of an `fsync`: `fail` cuts something and lets the run end. The medium has whole pages, and
/// all of the new version if the call has succeeded; how often it has.
fn fail_during_sync(again: bool, fail: impl Fn(&mut SimSystem, &Progress)) -> u64 {
    let progress = Progress::default();
    let mut system = boot(&progress, again);
    run_to(&mut system, &progress.step, 1, 1_000 * MS);
    let begun_ns = system.cluster.now_ns();
    run_to(&mut system, &progress.step, 2, 1_000 * MS);
    let (whole_ns, mut succeeded) = (system.cluster.now_ns() - begun_ns, 0);
    for moment in 0..=MOMENTS {
        let progress = Progress::default();
        let mut system = boot(&progress, again);
        run_to(&mut system, &progress.step, 1, 1_000 * MS);
        system.cluster.run_until(begun_ns + whole_ns * moment / MOMENTS + moment % 2);
        let synced = progress.step.get() == 2;
        fail(&mut system, &progress);
        let content = image::check(&system.disk.content()).unwrap().remove(PATH).unwrap();
        assert!(is_of_whole_pages(&content), "moment {moment}");
        let synced = synced || again && progress.step.get() >= 2;
        assert!(!synced || content == version(2), "moment {moment}: synced and lost");
        succeeded += u64::from(synced);
    }
    succeeded
}

#[test]
fn fsync_elsewhere_its_board_dies_leaves_whole_pages() {
    if possible() {
        let succeeded = fail_during_sync(false, |system, _| {
            system.cluster.kill(1);
            system.cluster.run_until(system.cluster.now_ns() + 500 * MS);
            system.reboot(1);
            finish(system);
        });
        assert!((1..MOMENTS).contains(&succeeded), "{succeeded}");
    }
}

#[test]
fn fsync_elsewhere_disks_board_dies_loses_nothing_synced() {
    if possible() {
        let succeeded = fail_during_sync(false, |system, _| {
            system.cluster.kill(0);
            system.cluster.run_until(system.cluster.now_ns() + 500 * MS);
            system.reboot(0);
            assert_eq!(system.run(LIMIT_NS), Some(0), "{:?}", SimSystem::log());
        });
        assert!((1..MOMENTS).contains(&succeeded), "{succeeded}");
    }
}

#[test]
fn fsync_elsewhere_link_is_cut_succeeds_afterwards() {
    if possible() {
        // That the call ends well is required below; the medium is judged at each moment.
        fail_during_sync(true, |system, progress| {
            system.cluster.bus().cut_off(1, true);
            system.cluster.run_until(system.cluster.now_ns() + CUT_NS);
            system.cluster.bus().cut_off(1, false);
            run_to(system, &progress.step, 2, 60_000 * MS);
            progress.step.set(3);
            finish(system);
        });
    }
}

/// Rounds of the writer below.
const ROUNDS: u64 = 300;

/// One program of board 1 writes a page, by calls or by a mapping, two sync it, and init reads it.
async fn write_and_sync_beside(init: SimProgram, mapped: bool) -> u8 {
    let written = Rc::new(Cell::new(0));
    let file = init.open(PATH, Open::Create).await.unwrap();
    init.write_all(file, &[0; PAGE as usize]).await.unwrap();
    let mut pids = Vec::new();
    for _ in 0..2 {
        let round = written.clone();
        let sync = move |program: SimProgram| async move {
            let file = program.open(PATH, Open::Change).await.unwrap();
            while round.get() < ROUNDS {
                program.sync(file).await.unwrap();
            }
            program.close(file).await.unwrap();
            0
        };
        pids.push(init.fork_on(1, sync).await.unwrap());
    }
    let round = written.clone();
    let write = move |program: SimProgram| async move {
        let file = program.open(PATH, Open::Change).await.unwrap();
        let address = if mapped { program.map_shared(file, PAGE).await.unwrap() } else { 0 };
        for number in 1..=ROUNDS {
            match mapped {
                true => program.store(address, &number.to_le_bytes()).await,
                false => assert_eq!(program.write_at(file, 0, &number.to_le_bytes()).await, Ok(8)),
            }
            round.set(number);
            program.sleep(number % 7 * 30_000).await.unwrap();
        }
        program.close(file).await.unwrap();
        0
    };
    pids.push(init.fork_on(1, write).await.unwrap());
    let mut last = 0;
    while last < ROUNDS {
        let known = if mapped { 0 } else { written.get() };
        let read = init.read_at(file, 0, 8).await.unwrap();
        let number = u64::from_le_bytes(read.try_into().unwrap());
        assert!((last.max(known)..=ROUNDS).contains(&number), "{number} after {last}, written {known}");
        last = number;
        init.sleep(3 * MS).await.unwrap();
    }
    for pid in pids {
        assert_eq!(init.wait(pid).await, Ok((pid, 0)));
    }
    0
}

#[test]
fn fsync_elsewhere_beside_writer_never_brings_an_older_version() {
    if !possible() {
        return;
    }
    for mapped in [false, true] {
        let finished = run_cluster(ClusterSetup::new(2), move |init| write_and_sync_beside(init, mapped));
        assert_eq!(finished.files[PATH][..8], ROUNDS.to_le_bytes(), "mapped: {mapped}");
    }
}

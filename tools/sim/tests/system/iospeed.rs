//! Paced programs on both boards: random paces, changes meanwhile, kills and failures of boards. A paced program makes
//! progress, and one that is delayed can be killed at once.

use crate::machine::{finish, possible, run_to, setup};
use renga_abi::Errno;
use renga_random::Random;
use renga_sim::ClusterSetup;
use renga_sim::program::{Open, SimProgram};
use renga_sim::system::SimSystem;
use std::cell::Cell;
use std::rc::Rc;

const MS: u64 = 1_000_000;
const SIGKILL: u8 = 9;
const DONE: u32 = 3 << 8;
/// From a signal that kills to the end, at most: what is under way of a call to a medium or another board ends first.
const KILLED_NS_MAX: u64 = 100 * MS;
const SEEDS: u64 = 12;
const ROUNDS: u64 = 6;

async fn pace(program: &SimProgram, pid: u64, pace: &str) -> Result<(), Errno> {
    let file = program.open("/proc/renga/iospeed/programs", Open::Change).await?;
    let written = program.write(file, format!("{pid} {pace}").as_bytes()).await;
    program.close(file).await?;
    written.map(drop)
}

/// Writes and syncs a file, so often.
async fn work(program: &SimProgram, path: &str) -> Result<(), Errno> {
    for _ in 0..ROUNDS {
        let file = program.open(path, Open::Truncate).await?;
        program.write_all(file, &[7; 3000]).await?;
        program.sync(file).await?;
        program.close(file).await?;
    }
    Ok(())
}

/// The parts of a run: of each program its board, its pace and the changed pace.
#[derive(Clone, Debug)]
struct RandomRun {
    programs: [(u8, String, String); 4],
    /// When the paces are changed, ns.
    change_ns: u64,
}

fn draw(seed: u64) -> RandomRun {
    let mut random = Random::new(seed);
    let pace = |random: &mut Random| match random.below(4) {
        0 => format!("wait {}.{}", 1 + random.below(20), random.below(10)),
        1 => format!("fixed {} {}", 1 + random.below(9), 10 * (1 + random.below(9))),
        2 => format!("variable {} {}", 1 + random.below(9), 10 * (1 + random.below(9))),
        _ => "off".to_string(),
    };
    let programs = [0; 4].map(|_| (random.below(2) as u8, pace(&mut random), pace(&mut random)));
    RandomRun { programs, change_ns: random.below(200 * MS) }
}

/// Starts the random programs, changes all paces, and waits for all.
async fn paced(init: SimProgram, seeded: RandomRun) -> u8 {
    let mut pids = Vec::new();
    for (number, (board, first, then)) in seeded.programs.clone().into_iter().enumerate() {
        let child = move |program: SimProgram| async move {
            let pid = program.pid().await;
            pace(&program, pid, &first).await.unwrap();
            if work(&program, &format!("/of{number}")).await.is_ok() { 3 } else { 4 }
        };
        match init.fork_on(board, child).await {
            Ok(pid) => pids.push((pid, board, then)),
            Err(errno) => assert_eq!((errno, board), (Errno::EHOSTDOWN, 1)),
        }
    }
    init.sleep(seeded.change_ns).await.unwrap();
    for (pid, _, then) in &pids {
        let changed = pace(&init, *pid, then).await;
        assert!(matches!(changed, Ok(()) | Err(Errno::ESRCH)), "{changed:?}"); // it may have ended
    }
    for (pid, board, _) in pids {
        let (_, status) = init.wait(pid).await.unwrap();
        assert!(status == DONE || board == 1 && status == u32::from(SIGKILL), "status {status:#x}, {seeded:?}");
    }
    0
}

fn begin(seed: u64) -> SimSystem {
    let (setup, programs) = setup(ClusterSetup::new(2), move |init| paced(init, draw(seed)), |_| ());
    SimSystem::boot(&setup, &programs)
}

/// Holds: iospeed-control.
#[test]
fn iospeed_changing_paces_still_ends_programs() {
    if !possible() {
        return;
    }
    for seed in 1..=SEEDS {
        finish(&mut begin(seed));
    }
}

#[test]
fn iospeed_survives_board_failures() {
    if !possible() {
        return;
    }
    for seed in 1..=SEEDS {
        let (mut system, mut random) = (begin(seed), Random::new(seed));
        for _ in 0..3 {
            system.cluster.run_until(system.cluster.now_ns() + 20 * MS + random.below(100 * MS));
            system.cluster.kill(1);
            system.cluster.run_until(system.cluster.now_ns() + random.below(100 * MS));
            system.reboot(1);
        }
        finish(&mut system);
    }
}

/// A program that may write once in ten seconds is killed while it waits for the next.
/// Holds: iospeed-control.
#[test]
fn iospeed_delayed_program_is_killable() {
    if !possible() {
        return;
    }
    let progress = Rc::new(Cell::new(0));
    let step = progress.clone();
    let init = move |init: SimProgram| {
        let step = step.clone();
        async move {
            let child = |program: SimProgram| async move {
                let pid = program.pid().await;
                pace(&program, pid, "fixed 1 10000").await.unwrap();
                let _ = work(&program, "/slow").await;
                4
            };
            let pid = init.fork_on(0, child).await.unwrap();
            init.sleep(1_000 * MS).await.unwrap();
            init.kill(pid, SIGKILL).await.unwrap();
            step.set(1);
            assert_eq!(init.wait(pid).await.unwrap(), (pid, u32::from(SIGKILL)));
            step.set(2);
            0
        }
    };
    let (setup, programs) = setup(ClusterSetup::new(1), init, |_| ());
    let mut system = SimSystem::boot(&setup, &programs);
    run_to(&mut system, &progress, 1, 5_000 * MS);
    run_to(&mut system, &progress, 2, KILLED_NS_MAX);
    finish(&mut system);
}

//! Background jobs on both boards: random jobs, loads, settings, kills and failures of boards. No job stays suspended
//! for ever, a suspended one can be killed, and a job continues when no other program runs.

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
/// Periods of a lease.
const LEASE_PERIODS: u64 = 3;
const SEEDS: u64 = 12;

/// Writes a setting.
async fn set(program: &SimProgram, setting: &str, text: &str) -> Result<(), Errno> {
    let file = program.open(&format!("/proc/renga/background/{setting}"), Open::Change).await?;
    let written = program.write(file, text.as_bytes()).await;
    program.close(file).await?;
    written.map(drop)
}

async fn become_job(program: &SimProgram) {
    let pid = program.pid().await;
    set(program, "jobs", &pid.to_string()).await.unwrap();
}

/// Has something on the medium, over the link if it is not of this board; then sleeps.
async fn work(program: &SimProgram, path: &str, rounds: u64, pause_ns: u64) -> Result<(), Errno> {
    for _ in 0..rounds {
        let file = program.open(path, Open::Truncate).await?;
        program.write_all(file, &[7; 3000]).await?;
        program.sync(file).await?;
        program.close(file).await?;
        program.sleep(pause_ns).await?;
    }
    Ok(())
}

/// The parts of a run.
#[derive(Clone, Copy, Debug)]
struct RandomRun {
    policy: &'static str,
    period_ms: u64,
    first_ms: u64,
    /// Jobs and others: of each its board, rounds and pause.
    jobs: [(u8, u64, u64); 3],
    others: [(u8, u64, u64); 2],
    /// When the first job is killed, ns.
    kill_ns: u64,
}

fn draw(seed: u64) -> RandomRun {
    let mut random = Random::new(seed);
    let mut each = |rounds| (random.below(2) as u8, 1 + random.below(rounds), random.below(30 * MS));
    let (jobs, others) = ([each(12), each(12), each(12)], [each(25), each(25)]);
    RandomRun {
        policy: ["eii", "ipd", "off"][random.below(3) as usize],
        period_ms: 10 + random.below(40),
        first_ms: 10 + random.below(200),
        jobs,
        others,
        kill_ns: random.below(400 * MS),
    }
}

/// Starts the random jobs, kills the first one (and sets 1), waits for it (and sets 2), and then for all others.
async fn regulated(init: SimProgram, seeded: RandomRun, progress: Rc<Cell<u32>>) -> u8 {
    set(&init, "policy", seeded.policy).await.unwrap();
    let (period, first) = (seeded.period_ms, seeded.first_ms);
    let times = format!("period_ms {period} eii_first_ms {first} eii_most_ms {} ipd_quiet_ms {first}", 4 * first);
    set(&init, "thresholds", &times).await.unwrap();
    let mut pids = Vec::new();
    let all = seeded.jobs.map(|one| (true, one)).into_iter().chain(seeded.others.map(|one| (false, one)));
    for (number, (job, (board, rounds, pause_ns))) in all.enumerate() {
        let child = move |program: SimProgram| async move {
            if job {
                become_job(&program).await;
            }
            if work(&program, &format!("/of{number}"), rounds, pause_ns).await.is_ok() { 3 } else { 4 }
        };
        match init.fork_on(board, child).await {
            Ok(pid) => pids.push((pid, number, board)),
            Err(errno) => assert_eq!((errno, board), (Errno::EHOSTDOWN, 1)),
        }
    }
    init.sleep(seeded.kill_ns).await.unwrap();
    let (victim, ..) = pids[0];
    let _ = init.kill(victim, SIGKILL).await; // it may have ended
    progress.set(1);
    for (pid, number, board) in pids {
        let (_, status) = init.wait(pid).await.unwrap();
        let killed = pid == victim || board == 1;
        assert!(status == DONE || killed && status == u32::from(SIGKILL), "{number}: status {status:#x}, {seeded:?}");
        progress.set(2);
    }
    0
}

/// A pair on which what `seed` draws is about to run, and how far that is.
fn begin(seed: u64) -> (SimSystem, Rc<Cell<u32>>) {
    let progress = Rc::new(Cell::new(0));
    let step = progress.clone();
    let (setup, programs) = setup(ClusterSetup::new(2), move |init| regulated(init, draw(seed), step.clone()), |_| ());
    (SimSystem::boot(&setup, &programs), progress)
}

/// Holds: jobs-lease.
#[test]
fn background_jobs_progress_and_are_killable() {
    if !possible() {
        return;
    }
    for seed in 1..=SEEDS {
        let (mut system, progress) = begin(seed);
        run_to(&mut system, &progress, 1, 10_000 * MS);
        run_to(&mut system, &progress, 2, KILLED_NS_MAX);
        finish(&mut system);
    }
}

/// Holds: jobs-lease.
#[test]
fn background_jobs_survive_board_failures() {
    if !possible() {
        return;
    }
    for seed in 1..=SEEDS {
        let (mut system, _) = begin(seed);
        let mut random = Random::new(seed);
        for _ in 0..4 {
            system.cluster.run_until(system.cluster.now_ns() + 50 * MS + random.below(200 * MS));
            system.cluster.kill(1);
            system.cluster.run_until(system.cluster.now_ns() + random.below(200 * MS));
            system.reboot(1);
        }
        finish(&mut system);
    }
}

/// A job on board 1 stays suspended for a minute at least, as no program counts as gone before, when the board with the
/// regulator fails: it continues when the lease is over.
/// Holds: jobs-lease.
#[test]
fn background_job_suspended_resumes_when_regulator_fails() {
    if !possible() {
        return;
    }
    const PERIOD_MS: u64 = 50;
    let (progress, all_boots) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    let (step, boots) = (progress.clone(), all_boots.clone());
    let init = move |init: SimProgram| {
        let (step, boots) = (step.clone(), boots.clone());
        async move {
            boots.set(boots.get() + 1);
            if boots.get() > 1 {
                return 0;
            }
            set(
                &init,
                "thresholds",
                &format!("period_ms {PERIOD_MS} eii_first_ms 60000 eii_most_ms 60000 ipd_quiet_ms 60000"),
            )
            .await
            .unwrap();
            let job = move |program: SimProgram| async move {
                become_job(&program).await;
                work(&program, "/job", 1, 0).await.unwrap();
                loop {
                    // Of this board only, so that it can go on whatever becomes of the other.
                    let (output, input) = program.pipe().await.unwrap();
                    program.close(output).await.unwrap();
                    program.close(input).await.unwrap();
                    program.sleep(MS).await.unwrap();
                    step.set(step.get() + 1);
                }
            };
            init.fork_on(1, job).await.unwrap();
            init.fork_on(1, |program| async move {
                let _ = work(&program, "/other", 1000, MS).await;
                0
            })
            .await
            .unwrap();
            init.sleep(u64::MAX >> 2).await.unwrap();
            0
        }
    };
    let (setup, programs) = setup(ClusterSetup::new(2), init, |_| ());
    let mut system = SimSystem::boot(&setup, &programs);
    system.cluster.run_until(2_000 * MS);
    let suspended_at = progress.get();
    system.cluster.run_until(20_000 * MS);
    assert_eq!(progress.get(), suspended_at, "the job is suspended");
    system.cluster.kill(0);
    run_to(&mut system, &progress, suspended_at + 1, LEASE_PERIODS * PERIOD_MS * MS + MS);
    run_to(&mut system, &progress, suspended_at + 100, 1_000 * MS);
    system.reboot(0);
    assert_eq!(system.run(60_000 * MS), Some(0), "{:?}", SimSystem::log());
    assert_eq!(all_boots.get(), 2);
}

/// How many of 3000 bytes that a job on board 1 has written and not synced are on the disk, and of those that another
/// program there writes at 8 s, when that board fails so long after the start. The job is suspended all the while,
/// unless `policy` is `off`. If it `syncs`, a third program does, at 9 s.
fn at_home(policy: &'static str, dies_ns: u64, syncs: bool) -> [u64; 2] {
    let (progress, found) = (Rc::new(Cell::new(0)), Rc::new(Cell::new([0; 2])));
    let (step, sizes) = (progress.clone(), found.clone());
    let init = move |init: SimProgram| {
        let (step, sizes) = (step.clone(), sizes.clone());
        async move {
            set(&init, "policy", policy).await.unwrap();
            set(&init, "thresholds", "period_ms 50 eii_first_ms 60000 eii_most_ms 60000").await.unwrap();
            let job = |program: SimProgram| async move {
                become_job(&program).await;
                write_once(&program, "/job").await;
                let _ = work(&program, "/synced", u64::MAX, MS).await;
                0
            };
            init.fork_on(1, job).await.unwrap();
            let others = |program: SimProgram| async move {
                let _ = work(&program, "/other", u64::MAX, MS).await;
                0
            };
            init.fork_on(1, others).await.unwrap();
            init.sleep(8_000 * MS).await.unwrap();
            let young = |program: SimProgram| async move {
                write_once(&program, "/young").await;
                0
            };
            init.fork_on(1, young).await.unwrap();
            init.sleep(1_000 * MS).await.unwrap();
            if syncs {
                init.sync_all().await.unwrap();
            }
            init.sleep(dies_ns - 9_000 * MS).await.unwrap();
            step.set(1);
            init.sleep(1_000 * MS).await.unwrap();
            let [job, young] = [init.status("/job", true).await, init.status("/young", true).await];
            sizes.set([job.unwrap().bytes, young.unwrap().bytes]);
            step.set(2);
            0
        }
    };
    let (setup, programs) = setup(ClusterSetup::new(2), init, |_| ());
    let mut system = SimSystem::boot(&setup, &programs);
    run_to(&mut system, &progress, 1, 60_000 * MS);
    system.cluster.kill(1);
    system.cluster.run_until(system.cluster.now_ns() + 500 * MS);
    system.reboot(1);
    finish(&mut system);
    found.get()
}

async fn write_once(program: &SimProgram, path: &str) {
    let file = program.open(path, Open::Truncate).await.unwrap();
    program.write_all(file, &[7; 3000]).await.unwrap();
    program.close(file).await.unwrap();
}

/// Dirty pages of a suspended job are flushed when a program syncs, and after a while, but not when they are due; nor
/// are other programs' new pages.
/// Holds: jobs-writes.
#[test]
fn background_job_suspended_keeps_dirty_pages() {
    if possible() {
        let cases = [
            ("off", 14, false, [3000, 3000], "it is due after 5 s"),
            ("eii", 14, false, [0, 0], "the job is suspended, the other is young"),
            ("eii", 17, false, [0, 3000], "the other is young no more"),
            ("eii", 14, true, [3000, 3000], "a program syncs"),
            ("eii", 42, false, [3000, 3000], "it is never left for long"),
        ];
        for (policy, dies_s, syncs, sizes, why) in cases {
            assert_eq!(at_home(policy, dies_s * 1_000 * MS, syncs), sizes, "{why}");
        }
    }
}

/// While a job runs boards are sampled more often than once a period of a second: another program competes with it for
/// less.
/// Holds: jobs-held.
#[test]
fn background_job_is_suspended_within_part_of_period() {
    if !possible() {
        return;
    }
    let init = move |init: SimProgram| async move {
        set(&init, "thresholds", "period_ms 1000 eii_first_ms 60000 eii_most_ms 60000").await.unwrap();
        let rounds = Rc::new(Cell::new(0));
        let done = rounds.clone();
        let job = move |program: SimProgram| async move {
            become_job(&program).await;
            while work(&program, "/job", 1, MS).await.is_ok() {
                done.set(done.get() + 1);
            }
            0
        };
        init.fork_on(1, job).await.unwrap();
        init.sleep(3_100 * MS).await.unwrap();
        assert!(rounds.get() > 10, "it runs alone");
        let other = |program: SimProgram| async move {
            let _ = work(&program, "/other", u64::MAX, MS).await;
            0
        };
        init.fork(other).await.unwrap();
        init.sleep(400 * MS).await.unwrap();
        let suspended_at = rounds.get();
        init.sleep(2_000 * MS).await.unwrap();
        assert_eq!(rounds.get(), suspended_at);
        0
    };
    let (setup, programs) = setup(ClusterSetup::new(2), init, |_| ());
    finish(&mut SimSystem::boot(&setup, &programs));
}

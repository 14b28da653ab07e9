//! A whole board beside one that calls anything: it goes on, and what its programs have is as they left it.
//!
//! `RENGA_STEPS=10000000 cargo test --profile sim -p renga-sim --test system hostile` makes as many calls.

use crate::machine::{possible, setup};
use renga_hostile::Attack;
use renga_rt::Errno;
use renga_sim::ClusterSetup;
use renga_sim::program::{Open, SimProgram};
use renga_sim::system::{SimSystem, SystemSetup, image, placement};
use std::cell::Cell;
use std::rc::Rc;

const HOSTILE: u8 = 1;
/// Seed 3 cut the victim's file when `Keep` referred for a board to what it had no reference to.
const STEPS: u64 = 150_000;
/// Calls of one attack.
const CALLS: u64 = 50_000;
/// Longer than any attack may take.
const LIMIT_NS: u64 = 6_000_000_000_000;
/// Between two checks of the victim, ns.
const PAUSE_NS: u64 = 20_000_000;
/// Data of every program, behind what its calls use.
const DATA: u64 = 0x58_0000;
const BYTES: usize = 20_000;
const NAME: &str = "/kept/by the one who is attacked";

fn pattern(round: u64) -> Vec<u8> {
    (0..BYTES as u64).map(|at| ((at * 31 + round * 7 + at / 4096) >> 1) as u8).collect()
}

/// What was logged last.
fn last_lines() -> String {
    let lines = SimSystem::log();
    lines[lines.len().saturating_sub(12)..].join("; ")
}

/// How what was read is not what is there.
fn differs(read: &Result<Vec<u8>, Errno>, there: &[u8]) -> Option<String> {
    match read {
        Err(errno) => Some(format!("{errno:?}")),
        Ok(read) if read.len() < there.len() => Some(format!("{} bytes", read.len())),
        Ok(read) => read.iter().zip(there).position(|(read, there)| read != there).map(|at| format!("from {at} on")),
    }
}

/// How far the victim is.
#[derive(Default)]
struct Progress {
    rounds: Cell<u64>,
    enough: Cell<bool>,
}

/// Writes and reads, forks and waits, and finds everything as it left it, until that is enough.
async fn victim(init: SimProgram, progress: Rc<Progress>) -> u8 {
    init.make_directory("/kept").await.unwrap();
    let file = init.open(NAME, Open::Create).await.unwrap();
    init.store(DATA, &pattern(0)).await;
    init.write_all(file, &pattern(0)).await.unwrap();
    for round in 1.. {
        assert_eq!(differs(&Ok(init.load(DATA, BYTES).await), &pattern(round - 1)), None, "memory, round {round}");
        assert_eq!(differs(&init.read_at(file, 0, BYTES).await, &pattern(round - 1)), None, "the file, round {round}");
        init.store(DATA, &pattern(round)).await;
        let mut done = 0;
        while done < BYTES {
            let written = init.write_at(file, done as u64, &pattern(round)[done..]).await;
            done += written.unwrap_or_else(|errno| panic!("write, round {round}: {errno:?}, {}", last_lines()));
        }
        if round % 4 == 0 {
            init.sync(file).await.unwrap();
            read_afresh(&init, round).await;
            have_a_child(&init, round).await;
        }
        progress.rounds.set(round);
        if progress.enough.get() {
            return 0;
        }
        init.sleep(PAUSE_NS).await.unwrap();
    }
    unreachable!("there are rounds for ever")
}

async fn read_afresh(init: &SimProgram, round: u64) {
    let file = match init.open(NAME, Open::Read).await {
        Ok(file) => file,
        Err(errno) => return assert!(matches!(errno, Errno::ENFILE | Errno::ENOMEM), "open: {errno:?}"),
    };
    assert_eq!(differs(&init.read_at(file, 0, BYTES).await, &pattern(round)), None, "opened again, round {round}");
    init.close(file).await.unwrap();
}

/// A child has the memory that its parent has. There may be no room for one.
async fn have_a_child(init: &SimProgram, round: u64) {
    let child = move |child: SimProgram| async move { u8::from(child.load(DATA, BYTES).await != pattern(round)) };
    match init.fork(child).await {
        Ok(pid) => loop {
            // Others' orphans are init's.
            match init.wait(pid).await {
                Ok((_, status)) => return assert_eq!(status, 0, "the child of round {round}"),
                Err(errno) => assert_eq!(errno, Errno::EINTR),
            }
        },
        Err(errno) => assert!(matches!(errno, Errno::EAGAIN | Errno::ENOMEM), "fork: {errno:?}"),
    }
}

/// The results of `calls` calls of `seed`: executed, refused, cut off; rounds of the victim.
fn attack(seed: u64, calls: u64, asynchronous: bool) -> [u64; 4] {
    let progress = Rc::new(Progress::default());
    let victims = progress.clone();
    let (setup, programs) =
        setup(ClusterSetup { seed, ..ClusterSetup::new(2) }, move |init| victim(init, victims.clone()), |_| ());
    let attack: &'static Attack = Box::leak(Box::new(Attack::new(seed)));
    let text = renga_sim::system::SMALL
        .replace("mode = \"sync\" ", if asynchronous { "mode = \"async\" " } else { "mode = \"sync\" " });
    let setup = SystemSetup { hostile: Some((HOSTILE, attack)), placement: placement(&text).unwrap(), ..setup };
    let mut system = SimSystem::boot(&setup, &programs);
    let went_on = system.cluster.run_while(LIMIT_NS, || attack.calls.get() < calls);
    assert!(went_on, "seed {seed}: the attack stopped: {:#?}", system.wait_graph());
    let before = progress.rounds.get();
    let until_ns = system.cluster.now_ns() + 200_000_000;
    system.cluster.run_until(until_ns);
    let rounds = progress.rounds.get();
    assert!(rounds > before + 3, "seed {seed}: the attacked board stands still: {:#?}", system.wait_graph());
    progress.enough.set(true);
    let status = system.run(LIMIT_NS);
    assert_eq!(status, Some(0), "seed {seed}: not stopped: {:#?}", system.wait_graph());
    let file = image::check_for(&system.disk.content(), NAME).unwrap_or_else(|error| panic!("seed {seed}: {error}"));
    assert_eq!(differs(&Ok(file), &pattern(progress.rounds.get())), None, "seed {seed}: the file on the medium");
    [attack.calls.get(), attack.refused.get(), attack.cut.get(), rounds]
}

/// Holds: hostile-board.
#[test]
fn hostile_calls_are_refused() {
    if !possible() {
        return;
    }
    let steps: u64 = std::env::var("RENGA_STEPS").map_or(STEPS, |steps| steps.parse().unwrap());
    let first: u64 = std::env::var("RENGA_SEED").map_or(1, |seed| seed.parse().unwrap());
    let mut sums = [0; 4];
    for seed in first..first + steps.div_ceil(CALLS) {
        let counts = attack(seed, CALLS, seed % 4 == 0);
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        println!("seed {seed}: {counts:?}, so far {sums:?}");
    }
    let [calls, refused, cut, rounds] = sums;
    println!(
        "{calls} hostile calls, {refused} refused, {cut} cut off; the attacked board's program found all well {rounds} times"
    );
    assert!(calls - refused - cut > calls / 20 && refused > 0, "few calls do what they ask for: {sums:?}");
    assert!(cut > 0 && cut < calls / 50, "none or many are stopped by the router, before any server: {sums:?}");
}

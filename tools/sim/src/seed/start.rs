//! Init of a random run: it starts the workers and the rovers, has signals sent to the workers, and waits for all of
//! them.
//!
//! Invariant: it stops the system only when every program has ended well. Not here: what they do.

use super::actions::{Roving, SeedPlan, WorkerPlan, folder};
use super::known::{KILLED, KnownFiles};
use super::rover;
use super::worker::{self, expect};
use crate::program::{Open, SimProgram, SimPrograms};
use crate::system::INIT;
use renga_abi::Errno;
use std::collections::BTreeMap;

/// Any child.
const ANY: u64 = u64::MAX;
/// The signal that workers handle.
const NUDGE: u8 = 10;
const SIGKILL: u8 = 9;
/// By then every orphan of a victim has ended.
pub const ORPHANS_NS: u64 = 15_000_000_000;
/// Programs whose ends init does not learn have ended when none has started anything for so long: over a bad link a
/// pipe takes 40 s a step at a time.
const SURVIVORS_NS: u64 = 120_000_000_000;

/// What visitors write, how often a board is visited in vain, and the time between two visits.
const VISITED: &[u8] = b"visited";
const VISITS_MAX: u32 = 100;
const VISIT_NS: u64 = 50_000_000;
/// A visitor's status when the medium takes no changes any more.
const READ_ONLY: u8 = 2;

/// Adds init, and the program that workers' children become.
pub fn add_programs(programs: &SimPrograms, boards: u8, plan: &SeedPlan, files: &KnownFiles) {
    let (plan, files) = (plan.clone(), files.clone());
    programs.add(INIT, move |init| start_workers(init, boards, plan.clone(), files.clone()));
    programs.add(worker::TOOL, worker::tool);
}

async fn start_workers(init: SimProgram, boards: u8, plan: SeedPlan, files: KnownFiles) -> u8 {
    if files.is_begun() {
        return go_on(init, boards, files).await;
    }
    let (mut workers, mut ends, known) = (Vec::new(), BTreeMap::new(), files.clone());
    let wanted = plan.workers.len() + plan.rovers.len();
    for (number, worker) in plan.workers.into_iter().enumerate() {
        let WorkerPlan { board, actions, victim } = worker;
        // Nothing is known of what a victim leaves, in a place of its own.
        let files = if victim { files.apart() } else { files.clone() };
        let folder = folder(number, victim);
        expect(init.make_directory(&folder).await, "the worker's directory");
        // Set before the fork, so that no signal comes too early.
        expect(init.on_signal(NUDGE, true, |_| async {}).await, "the handler");
        let child = move |program| worker::run(program, folder, actions, files);
        let pid = match init.fork_on(board, child).await {
            Err(errno) if known.explains(errno) => continue,
            forked => expect(forked, "the worker"),
        };
        workers.push((pid, if victim { SIGKILL } else { NUDGE }));
        ends.insert(pid, if victim { vec![0, u32::from(SIGKILL)] } else { vec![0] });
    }
    for pid in start_rovers(&init, plan.rovers, &known).await {
        ends.insert(pid, vec![0]);
    }
    let (board, nudges) = plan.nudges;
    // The first board is there whatever happens.
    let (board, files) = (if known.is_faulty() { 0 } else { board }, known.clone());
    let nudger = expect(init.fork_on(board, |program| nudge(program, nudges, workers, files)).await, "the nudger");
    known.set_begun();
    // Until the wait no other process gets a worker's pid.
    let waited = expect(init.wait(nudger).await, "the nudger's end");
    assert!(waited == (nudger, 0), "the nudger ended with status {:#x}", waited.1);
    // A board that does not answer may have created the child, and one that is declared dead may live.
    let mut missed = known.is_parted() && ends.len() < wanted;
    while !ends.is_empty() {
        let (pid, status) = expect(init.wait(ANY).await, "a program's end");
        // Children of victims become init's, and end as they like.
        let fine = ends.remove(&pid).is_none_or(|fine| fine.contains(&status) || known.explains_end(status));
        assert!(fine, "program {pid} ended with status {status:#x}");
        missed |= known.is_parted() && status == KILLED;
    }
    if missed {
        outlast(&init, &known).await;
    }
    if known.is_faulty() {
        visit_all(&init, boards, &known).await;
    }
    expect(init.sleep(ORPHANS_NS).await, "the last sleep");
    expect(init.halt(0).await, "the stop");
    0
}

/// Init of the disk board's next incarnation: the programs that survived on other boards are its children now; it knows
/// of one when that ends.
async fn go_on(init: SimProgram, boards: u8, known: KnownFiles) -> u8 {
    known.set_running(true);
    while !known.is_over() {
        expect(init.sleep(VISIT_NS).await, "the wait for quiet");
    }
    outlast(&init, &known).await;
    while init.wait(ANY).await != Err(Errno::ECHILD) {}
    visit_all(&init, boards, &known).await;
    expect(init.sleep(ORPHANS_NS).await, "the last sleep");
    expect(init.halt(0).await, "the stop");
    0
}

/// Waits for programs that continue although init does not learn of their ends.
async fn outlast(init: &SimProgram, known: &KnownFiles) {
    let mut seen = None;
    while seen != Some(known.begun_actions()) {
        seen = Some(known.begun_actions());
        expect(init.sleep(SURVIVORS_NS).await, "the wait for the survivors");
    }
}

async fn start_rovers(init: &SimProgram, rovers: Vec<(u8, Vec<Roving>)>, known: &KnownFiles) -> Vec<u64> {
    expect(init.make_directory("/common").await, "the rovers' directory");
    let mut pids = Vec::new();
    for (number, (board, actions)) in rovers.into_iter().enumerate() {
        let files = known.clone();
        let child = move |program| rover::run(program, number, actions, files);
        match init.fork_on(board, child).await {
            Err(errno) if known.explains(errno) => {}
            forked => pids.push(expect(forked, "the rover")),
        }
    }
    pids
}

/// When nothing happens to boards any more, each takes a program, which works with files.
async fn visit_all(init: &SimProgram, boards: u8, known: &KnownFiles) {
    while !known.is_over() {
        expect(init.sleep(VISIT_NS).await, "the wait for quiet");
    }
    for board in 0..boards {
        let mut visits = 0;
        while !visit(init, board, known).await {
            visits += 1;
            assert!(visits < VISITS_MAX, "board {board} is of no use any more");
            expect(init.sleep(VISIT_NS).await, "the wait between visits");
        }
    }
}

/// Whether a program on `board` does what it is to.
async fn visit(init: &SimProgram, board: u8, known: &KnownFiles) -> bool {
    let child = move |program: SimProgram| async move {
        match write_and_read(&program, board).await {
            Ok(()) => 0,
            Err(Errno::EROFS) => READ_ONLY,
            Err(_) => 1,
        }
    };
    let Ok(pid) = init.fork_on(board, child).await else { return false };
    let Ok((_, status)) = init.wait(pid).await else { return false };
    status == 0 || known.is_damaged() && status == u32::from(READ_ONLY) << 8
}

async fn write_and_read(program: &SimProgram, board: u8) -> Result<(), Errno> {
    let file = program.open(&format!("/visit{board}"), Open::Truncate).await?;
    program.write_all(file, VISITED).await?;
    program.sync(file).await?;
    let read = program.read_at(file, 0, VISITED.len()).await?;
    assert!(read == VISITED, "what was just written on board {board} is {read:?}");
    program.close(file).await
}

/// Sends signals to the workers, some of which may have ended.
async fn nudge(program: SimProgram, nudges: Vec<(u64, usize)>, workers: Vec<(u64, u8)>, known: KnownFiles) -> u8 {
    for (after_ns, worker) in nudges {
        expect(program.sleep(after_ns).await, "the nudger's sleep");
        // There are fewer if a board was not there when its worker was to begin.
        let Some(&(pid, signal)) = workers.get(worker) else { continue };
        let sent = program.kill(pid, signal).await;
        let fine = sent.map_or_else(|errno| errno == Errno::ESRCH || known.explains(errno), |()| true);
        assert!(fine, "a nudge: {sent:?}");
    }
    0
}

//! Init of a drawn run: it starts the workers and the rovers, has signals sent to the workers, and waits
//! for all of them.
//!
//! Invariant: it stops the system only when every program has ended well. Not here: what they do.

use super::actions::{Plan, Roving, WorkerPlan};
use super::judge::Files;
use super::rover;
use super::worker::{self, expect};
use crate::program::{Program, Programs};
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

/// Adds init, and the program that workers' children become.
pub fn add_programs(programs: &Programs, plan: &Plan, files: &Files) {
    let (plan, files) = (plan.clone(), files.clone());
    programs.add(INIT, move |init| start_workers(init, plan.clone(), files.clone()));
    programs.add(worker::TOOL, worker::tool);
}

async fn start_workers(init: Program, plan: Plan, files: Files) -> u8 {
    let (mut workers, mut ends) = (Vec::new(), BTreeMap::new());
    for (number, worker) in plan.workers.into_iter().enumerate() {
        let WorkerPlan { board, actions, victim } = worker;
        // Nothing is known of what a victim leaves, in a place of its own.
        let (folder, files) = if victim { ("v", Files::default()) } else { ("w", files.clone()) };
        let folder = format!("/{folder}{number}");
        expect(init.make_directory(&folder).await, "the worker's directory");
        // Set before the fork, so that no signal comes too early.
        expect(init.on_signal(NUDGE, true, |_| async {}).await, "the handler");
        let child = move |program| worker::run(program, folder, actions, files);
        let pid = expect(init.fork_on(board, child).await, "the worker");
        workers.push((pid, if victim { SIGKILL } else { NUDGE }));
        ends.insert(pid, if victim { vec![0, u32::from(SIGKILL)] } else { vec![0] });
    }
    for pid in start_rovers(&init, plan.rovers).await {
        ends.insert(pid, vec![0]);
    }
    let (board, nudges) = plan.nudges;
    let nudger = expect(init.fork_on(board, |program| nudge(program, nudges, workers)).await, "the nudger");
    // While it is not waited for, a worker's pid is nobody else's.
    let waited = expect(init.wait(nudger).await, "the nudger's end");
    assert!(waited == (nudger, 0), "the nudger ended with status {:#x}", waited.1);
    while !ends.is_empty() {
        let (pid, status) = expect(init.wait(ANY).await, "a program's end");
        // Children of victims become init's, and end as they like.
        let fine = ends.remove(&pid).is_none_or(|fine| fine.contains(&status));
        assert!(fine, "program {pid} ended with status {status:#x}");
    }
    expect(init.sleep(ORPHANS_NS).await, "the last sleep");
    expect(init.halt(0).await, "the stop");
    0
}

async fn start_rovers(init: &Program, rovers: Vec<(u8, Vec<Roving>)>) -> Vec<u64> {
    expect(init.make_directory("/common").await, "the rovers' directory");
    let mut pids = Vec::new();
    for (number, (board, actions)) in rovers.into_iter().enumerate() {
        let child = move |program| rover::run(program, number, actions);
        pids.push(expect(init.fork_on(board, child).await, "the rover"));
    }
    pids
}

/// Sends signals to the workers, some of which may have ended.
async fn nudge(program: Program, nudges: Vec<(u64, usize)>, workers: Vec<(u64, u8)>) -> u8 {
    for (after_ns, worker) in nudges {
        expect(program.sleep(after_ns).await, "the nudger's sleep");
        let (pid, signal) = workers[worker];
        let sent = program.kill(pid, signal).await;
        assert!(matches!(sent, Ok(()) | Err(Errno::ESRCH)), "a nudge: {sent:?}");
    }
    0
}

//! Boards that answer a revocation late, or never: how long others wait.

use crate::machine::{finish, noise, possible, run_to, setup};
use renga_sim::ClusterSetup;
use renga_sim::program::{Open, SimProgram};
use renga_sim::system::image::{self, FileContents};
use renga_sim::system::{SimSystem, SystemSetup};
use renga_systems::Kind;
use std::cell::Cell;
use std::rc::Rc;

const MS: u64 = 1_000_000;
const FILE: &str = "/file";
const OTHER: &str = "/other";
const PAGE: usize = 4096;

/// Holds: silent-holder.
#[test]
fn revocation_unanswered_delays_writer_for_5_s() {
    if !possible() {
        return;
    }
    let progress = Rc::new(Cell::new(0));
    let step = progress.clone();
    let init = move |init: SimProgram| {
        let step = step.clone();
        async move {
            let file = init.open(FILE, Open::Create).await.unwrap();
            init.write_all(file, &[1; PAGE]).await.unwrap();
            let there = step.clone();
            let reads = move |program: SimProgram| {
                let step = there.clone();
                async move {
                    let file = program.open(FILE, Open::Read).await.unwrap();
                    assert_eq!(program.read(file, PAGE).await, Ok(vec![1; PAGE]));
                    step.set(1);
                    // Until its board is started again.
                    while step.get() < 4 {
                        program.sleep(10 * MS).await.unwrap();
                    }
                    0
                }
            };
            let pid = init.fork_on(1, reads).await.unwrap();
            while step.get() < 2 {
                init.sleep(MS).await.unwrap();
            }
            assert_eq!(init.write_at(file, 0, &[2; PAGE]).await, Ok(PAGE));
            step.set(3);
            assert_eq!(init.wait(pid).await, Ok((pid, 9)), "it counts as killed");
            init.close(file).await.unwrap();
            0
        }
    };
    let (setup, programs) = setup(ClusterSetup::new(2), init, |_| ());
    let mut system = SimSystem::boot(&SystemSetup { mute: Some((1, Kind::PageCache)), ..setup }, &programs);
    run_to(&mut system, &progress, 1, 1_000 * MS);
    system.mute(true);
    progress.set(2);
    let asked_ns = system.cluster.now_ns();
    // The board's link answers all the time.
    system.cluster.run_until(asked_ns + 4_900 * MS);
    assert_eq!((progress.get(), system.link_stats()[0].deaths.get()), (2, 0));
    run_to(&mut system, &progress, 3, 300 * MS);
    assert_eq!(system.link_stats()[0].deaths.get(), 1, "the session with it was ended");
    system.mute(false);
    system.reboot(1);
    finish(&mut system);
}

/// Pages that come home, each in some 30 ms.
const PAGES: usize = 100;
/// How late board 1 does whatever it does, ns: it is not thought dead for that.
const LATE_NS: u64 = 8 * MS;

/// Holds: commit-timer.
#[test]
fn revocation_with_slow_flush_keeps_local_changes() {
    if !possible() {
        return;
    }
    let progress = Rc::new(Cell::new(0));
    let step = progress.clone();
    let init = move |init: SimProgram| {
        let step = step.clone();
        async move {
            let writes = |program: SimProgram| async move {
                let file = program.open(FILE, Open::Create).await.unwrap();
                for page in 0..PAGES {
                    assert_eq!(program.write_at(file, (page * PAGE) as u64, &noise(page as u64)).await, Ok(PAGE));
                }
                program.close(file).await.unwrap();
                0
            };
            let pid = init.fork_on(1, writes).await.unwrap();
            assert_eq!(init.wait(pid).await, Ok((pid, 0)));
            let file = init.open(OTHER, Open::Create).await.unwrap();
            init.write_all(file, b"changed here").await.unwrap();
            init.close(file).await.unwrap();
            step.set(1);
            while step.get() < 2 {
                init.sleep(10 * MS).await.unwrap();
            }
            0
        }
    };
    let (setup, programs) = setup(ClusterSetup::new(2), init, |_| ());
    let mut system = SimSystem::boot(&setup, &programs);
    run_to(&mut system, &progress, 1, 2_000 * MS);
    system.cluster.slow_down(1, LATE_NS);
    // A commit is due 5 s after the first change; content comes home for 1 s before it, and a piece.
    system.cluster.run_until(system.cluster.now_ns() + 9_000 * MS);
    let kept: FileContents = image::recover(&system.disk.content()).unwrap();
    assert_eq!(kept.get(OTHER).map(Vec::as_slice), Some(&b"changed here"[..]));
    let home = kept.get(FILE).map_or(0, Vec::len);
    assert_eq!(system.link_stats()[0].deaths.get(), 0);
    println!("{home} bytes of {} are home", PAGES * PAGE);
    assert!(0 < home && home < PAGES * PAGE, "{home} bytes are home: it is still coming");
    system.cluster.slow_down(1, 0);
    progress.set(2);
    finish(&mut system);
}

//! What `fsync` reports of data that are lost with the board that wrote them.

use crate::machine::{finish, possible, run_to, setup};
use renga_abi::Errno;
use renga_sim::ClusterSetup;
use renga_sim::program::{Open, SimProgram};
use renga_sim::system::SimSystem;
use std::cell::Cell;
use std::future::Future;
use std::rc::Rc;

const MS: u64 = 1_000_000;
const PATH: &str = "/written";
const BYTES: usize = 800_000;
const ONCE: [Result<(), Errno>; 2] = [Err(Errno::EIO), Ok(())];

async fn write(program: SimProgram) -> u8 {
    let file = program.open(PATH, Open::Truncate).await.unwrap();
    program.write_all(file, &vec![7; BYTES]).await.unwrap();
    program.close(file).await.unwrap();
    0
}

async fn sync_twice(program: &SimProgram, file: u64) -> [Result<(), Errno>; 2] {
    [program.sync(file).await, program.sync(file).await]
}

/// A program on board 1 has written a file and ended. Init opens it and sets 1; so long after, board 1 dies, and is
/// back after a second if it `reboots`. `ask` sets 2.
fn after_death<F: Future<Output = ()> + 'static>(
    lives_ns: u64,
    reboots: bool,
    ask: impl Fn(SimProgram, [u64; 3], Rc<Cell<u32>>) -> F + Clone + 'static,
) {
    if !possible() {
        return;
    }
    let progress = Rc::new(Cell::new(0));
    let step = progress.clone();
    let init = move |init: SimProgram| {
        let (step, ask) = (step.clone(), ask.clone());
        async move {
            let writer = init.fork_on(1, write).await.unwrap();
            assert_eq!(init.wait(writer).await, Ok((writer, 0)));
            let mut files = [0; 3];
            for file in &mut files {
                *file = init.open(PATH, Open::Create).await.unwrap();
            }
            step.set(1);
            ask(init, files, step.clone()).await;
            0
        }
    };
    let (setup, programs) = setup(ClusterSetup::new(2), init, |_| ());
    let mut system = SimSystem::boot(&setup, &programs);
    run_to(&mut system, &progress, 1, 1_000 * MS);
    let open_ns = system.cluster.now_ns();
    system.cluster.run_until(open_ns + lives_ns);
    system.cluster.kill(1);
    if reboots {
        system.cluster.run_until(open_ns + 1_000 * MS);
        system.reboot(1);
    }
    run_to(&mut system, &progress, 2, 30_000 * MS);
    if !reboots {
        system.reboot(1);
    }
    finish(&mut system);
}

/// Holds: fsync-loss.
#[test]
fn fsync_holder_dies_meanwhile_fails_once_for_each_open_file() {
    after_death(3 * MS, false, |init, [first, second, third], step| async move {
        assert_eq!(sync_twice(&init, first).await, ONCE, "its holder dies during the call");
        assert_eq!(sync_twice(&init, second).await, ONCE);
        let late = init.open(PATH, Open::Read).await.unwrap();
        init.sleep(MS).await.unwrap();
        assert_eq!(sync_twice(&init, late).await, ONCE, "nobody knows yet whether it comes back");
        // That gives up what the board has written, which is known already.
        assert_eq!(init.write_at(third, 0, b"x").await, Ok(1));
        assert_eq!(sync_twice(&init, third).await, ONCE);
        assert_eq!(sync_twice(&init, first).await, [Ok(()), Ok(())]);
        let logged = SimSystem::log().iter().filter(|line| line.contains("a file is served without")).count();
        assert_eq!(logged, 1, "{:?}", SimSystem::log());
        step.set(2);
    });
}

/// Holds: fsync-loss.
#[test]
fn fsync_data_superseded_after_death_fails_once_for_earlier_files() {
    after_death(0, false, |init, [first, second, _], step| async move {
        init.sleep(500 * MS).await.unwrap();
        assert_eq!(init.write_at(first, 0, b"x").await, Ok(1));
        init.sleep(MS).await.unwrap();
        let late = init.open(PATH, Open::Read).await.unwrap();
        for (file, expected) in [(first, ONCE), (second, ONCE), (late, [Ok(()), Ok(())])] {
            assert_eq!(sync_twice(&init, file).await, expected, "{file}");
        }
        step.set(2);
    });
}

/// Holds: fsync-loss.
#[test]
fn fsync_holder_has_rebooted_fails_once_for_earlier_files() {
    after_death(0, true, |init, [first, second, _], step| async move {
        init.sleep(12_000 * MS).await.unwrap();
        let late = init.open(PATH, Open::Read).await.unwrap();
        for (file, expected) in [(first, ONCE), (second, ONCE), (late, [Ok(()), Ok(())])] {
            assert_eq!(sync_twice(&init, file).await, expected, "{file}");
        }
        step.set(2);
    });
}

/// Holds: fsync-loss.
#[test]
fn msync_holder_is_dead_fails_until_data_are_superseded() {
    after_death(0, false, |init, [file, ..], step| async move {
        let mapped = init.map_shared(file, 4_096).await.unwrap();
        for _ in 0..2 {
            assert_eq!(init.sync_mapping(mapped, 4_096).await, Err(Errno::EIO), "its board does not answer");
            init.sleep(6_000 * MS).await.unwrap();
        }
        assert_eq!(init.write_at(file, 0, b"x").await, Ok(1));
        assert_eq!(init.sync_mapping(mapped, 4_096).await, Ok(()));
        step.set(2);
    });
}

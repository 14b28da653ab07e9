//! The board with the disk fails and returns under programs of the other board: their open files there.

use crate::machine::{LIMIT_NS, possible, setup};
use renga_abi::Errno;
use renga_random::Random;
use renga_sim::ClusterSetup;
use renga_sim::program::{Open, SimProgram};
use renga_sim::seed::{SeedSettings, placed};
use renga_sim::system::{SimSystem, image};
use std::cell::Cell;
use std::future::Future;
use std::rc::Rc;

const SENDFILE: u64 = 71;
const MS: u64 = 1_000_000;
/// So many that they reuse the numbers of all files open in the last incarnation.
const OTHERS: u64 = 20;
const SEEDS: u64 = 4;
const OTHER: &[u8] = b"another file's";

/// In the first incarnation of the disk's board `survivor` runs on board 1; when it has set 1 the disk's board loses
/// its power and returns.
/// Its next incarnation opens other files, sets 2, and ends when 3 is set; then those files are checked.
fn over_a_return<F: Future<Output = u8> + 'static>(
    boards: u8,
    survivor: impl Fn(SimProgram, Rc<Cell<u32>>) -> F + Clone + 'static,
) -> SimSystem {
    let (progress, all_boots) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    let (step, boots) = (progress.clone(), all_boots.clone());
    let init = move |init: SimProgram| {
        let (step, boots, survivor) = (step.clone(), boots.clone(), survivor.clone());
        async move {
            boots.set(boots.get() + 1);
            if boots.get() == 1 {
                let step = step.clone();
                init.fork_on(1, move |program| survivor(program, step)).await.unwrap();
                init.sleep(u64::MAX >> 2).await.unwrap();
            }
            for number in 0..OTHERS {
                let file = init.open(&format!("/other{number}"), Open::Truncate).await.unwrap();
                init.write_all(file, OTHER).await.unwrap();
            }
            step.set(2);
            while step.get() < 3 {
                init.sleep(MS).await.unwrap();
            }
            0
        }
    };
    let (mut setup, programs) = setup(ClusterSetup::new(2), init, |_| ());
    setup.placement = placed(SeedSettings { boards, ..SeedSettings::PAIR }).unwrap();
    let mut system = SimSystem::boot(&setup, &programs);
    assert!(system.cluster.run_while(1_000 * MS, || progress.get() < 1), "{:?}", SimSystem::log());
    system.cluster.kill(0);
    system.cluster.run_until(2_000 * MS);
    system.reboot(0);
    let status = system.run(LIMIT_NS);
    assert_eq!(status, Some(0), "at {}: {:#?} {:?}", progress.get(), system.wait_graph(), SimSystem::log());
    let files = image::check(&system.disk.content()).unwrap();
    for number in 0..OTHERS {
        assert_eq!(files.get(&format!("/other{number}")).map(Vec::as_slice), Some(OTHER), "other{number}");
    }
    system
}

/// Waits until the next incarnation of the disk's board has opened its files, and this board receives from it.
async fn wait_for_return(program: &SimProgram, step: &Cell<u32>) {
    while step.get() < 2 || program.open("/etc", Open::Read).await == Err(Errno::EHOSTDOWN) {
        program.sleep(MS).await.unwrap();
    }
}

/// Holds: disk-board-stale.
#[test]
fn disk_board_cut_makes_lost_file_stale() {
    if !possible() {
        return;
    }
    over_a_return(2, |program, step| async move {
        let file = program.open("/lost", Open::Truncate).await.unwrap();
        program.write_all(file, b"not synced").await.unwrap();
        let (output, input) = program.pipe().await.unwrap();
        step.set(1);
        wait_for_return(&program, &step).await;
        // A file that cannot be read says nothing of the pipe it was to be sent to.
        assert_eq!(program.call(SENDFILE, &[input, file, 0, 100]).await, Err(Errno::ESTALE));
        assert_eq!(program.write_all(input, b"whole").await, Ok(()));
        assert_eq!(program.read(output, 10).await.as_deref(), Ok(b"whole".as_slice()));
        for _ in 0..3 {
            assert_eq!(program.write_at(file, 0, b"harm").await, Err(Errno::ESTALE));
            assert_eq!(program.read_at(file, 0, 100).await, Err(Errno::ESTALE));
            assert_eq!(program.truncate(file, 1).await, Err(Errno::ESTALE));
        }
        let _ = program.close(file).await;
        step.set(3);
        0
    });
}

/// Holds: unsynced-lost.
#[test]
fn disk_board_failure_reports_lost_remote_data_once() {
    if !possible() {
        return;
    }
    over_a_return(2, |program, step| async move {
        let file = program.open("/kept", Open::Truncate).await.unwrap();
        program.write_all(file, b"kept").await.unwrap();
        program.sync(file).await.unwrap();
        assert_eq!(program.write_at(file, 0, b"lost").await, Ok(4));
        step.set(1);
        wait_for_return(&program, &step).await;
        program.sleep(3_000 * MS).await.unwrap();
        assert_eq!(program.read_at(file, 0, 100).await.as_deref(), Ok(b"kept".as_slice()));
        assert_eq!(program.write_at(file, 4, b"!").await, Ok(1));
        assert_eq!([program.sync(file).await, program.sync(file).await], [Err(Errno::EIO), Ok(())]);
        assert_eq!(program.read_at(file, 0, 100).await.as_deref(), Ok(b"kept!".as_slice()));
        assert_eq!(program.close(file).await, Ok(()));
        step.set(3);
        0
    });
}

/// Holds: disk-board-returns.
#[test]
fn disk_board_reboot_reopens_surviving_file() {
    if !possible() {
        return;
    }
    over_a_return(2, |program, step| async move {
        let file = program.open("/kept", Open::Truncate).await.unwrap();
        program.write_all(file, b"kept").await.unwrap();
        program.sync(file).await.unwrap();
        step.set(1);
        wait_for_return(&program, &step).await;
        assert_eq!(program.read_at(file, 0, 100).await.as_deref(), Ok(b"kept".as_slice()));
        assert_eq!(program.write_at(file, 4, b"!").await, Ok(1));
        assert_eq!(program.read_at(file, 0, 100).await.as_deref(), Ok(b"kept!".as_slice()));
        assert_eq!(program.close(file).await, Ok(()));
        step.set(3);
        0
    });
}

/// Its process is on board 1, and says of the disk's board what board 2 must not take for the death of board 1
/// (system seed 430).
/// Holds: disk-board-returns.
#[test]
fn disk_board_failure_keeps_descriptors_of_third_board() {
    if !possible() {
        return;
    }
    over_a_return(3, |program, step| async move {
        let file = program.open("/kept", Open::Truncate).await.unwrap();
        program.write_all(file, b"kept").await.unwrap();
        program.sync(file).await.unwrap();
        let progress = step.clone();
        let child = move |child: SimProgram| async move {
            progress.set(1);
            let mut refused = 0;
            // Also a return that was not noticed ends it.
            while progress.get() < 2 {
                let written = child.write_at(file, 0, b"kept").await.map(|_| ());
                refused += u32::from(written.and(child.sync(file).await) == Err(Errno::EIO));
                child.sleep(MS).await.unwrap();
            }
            wait_for_return(&child, &progress).await;
            // Board 1 hears of the return by itself.
            while child.read_at(file, 0, 1).await == Err(Errno::EIO) {
                child.sleep(MS).await.unwrap();
            }
            assert!(refused > 0, "the disk's board was not missed");
            let synced = [child.sync(file).await, child.sync(file).await];
            assert_eq!(synced, [Err(Errno::EIO), Ok(())], "what was written meanwhile is lost");
            assert_eq!(child.read_at(file, 0, 100).await.as_deref(), Ok(b"kept".as_slice()));
            assert_eq!(child.close(file).await, Ok(()));
            0
        };
        let pid = program.fork_on(2, child).await.unwrap();
        assert_eq!(program.wait(pid).await, Ok((pid, 0)));
        assert_eq!(program.close(file).await, Ok(()));
        step.set(3);
        0
    });
}

/// Writes and syncs, in a file of its own, until the test ends; any call may fail as the disk is unreachable, data are
/// lost, or the file is gone, which it then creates again.
async fn write_for_ever(program: SimProgram, progress: Rc<Cell<u32>>) -> u8 {
    let expected = |errno: Errno| matches!(errno, Errno::EHOSTDOWN | Errno::EIO | Errno::ESTALE);
    while progress.get() == 0 {
        let Ok(file) = program.open("/own", Open::Truncate).await else {
            program.sleep(MS).await.unwrap();
            continue;
        };
        for round in 0.. {
            let written = program.write_at(file, round % 3 * 4, b"harm").await.map(|_| ());
            let synced = if round % 4 == 3 { program.sync(file).await } else { Ok(()) };
            for errno in [written.err(), synced.err()].into_iter().flatten() {
                assert!(expected(errno), "{errno:?}");
            }
            if written == Err(Errno::ESTALE) || progress.get() != 0 {
                break;
            }
        }
        let _ = program.close(file).await;
    }
    0
}

#[test]
fn disk_board_flapping_under_writer_is_harmless() {
    if !possible() {
        return;
    }
    for seed in 0..SEEDS {
        let (progress, all_boots) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
        let (step, boots) = (progress.clone(), all_boots.clone());
        let init = move |init: SimProgram| {
            let (step, boots) = (step.clone(), boots.clone());
            async move {
                boots.set(boots.get() + 1);
                if boots.get() == 1 {
                    for _ in 0..4 {
                        let progress = step.clone();
                        init.fork_on(1, move |program| write_for_ever(program, progress.clone())).await.unwrap();
                    }
                }
                for number in 0..OTHERS {
                    let file = init.open(&format!("/other{number}"), Open::Truncate).await.unwrap();
                    init.write_all(file, OTHER).await.unwrap();
                }
                while step.get() == 0 {
                    init.sleep(MS).await.unwrap();
                }
                init.sleep(100 * MS).await.unwrap();
                0
            }
        };
        let (setup, programs) = setup(ClusterSetup::new(2), init, |_| ());
        let mut system = SimSystem::boot(&setup, &programs);
        let mut random = Random::new(seed);
        system.cluster.run_until(300 * MS);
        for _ in 0..8 {
            system.cluster.run_until(system.cluster.now_ns() + 30 * MS + random.below(30 * MS));
            system.cluster.kill(0);
            system.cluster.run_until(system.cluster.now_ns() + [0, random.below(150 * MS)][random.below(2) as usize]);
            system.reboot(0);
        }
        system.cluster.run_until(system.cluster.now_ns() + 300 * MS);
        progress.set(1);
        let status = system.run(LIMIT_NS);
        assert_eq!(status, Some(0), "seed {seed}: {:#?} {:?}", system.wait_graph(), SimSystem::log());
        let files = image::check(&system.disk.content()).unwrap();
        for number in 0..OTHERS {
            let found = files.get(&format!("/other{number}")).map(Vec::as_slice);
            assert_eq!(found, Some(OTHER), "seed {seed}: other{number}");
        }
    }
}

/// Holds: board-returns.
#[test]
fn pipe_of_next_incarnation_is_released_on_first_call() {
    if !possible() {
        return;
    }
    let all_boots = Rc::new(Cell::new(0));
    let boots = all_boots.clone();
    let init = move |init: SimProgram| {
        let boots = boots.clone();
        async move {
            boots.set(boots.get() + 1);
            if boots.get() == 1 {
                init.sleep(u64::MAX >> 2).await.unwrap();
            }
            let (output, input) = init.pipe().await.unwrap();
            // Its children have the pipe from it, and their first call to the pipe's board is the one that ends them.
            let elsewhere = |program: SimProgram| async move {
                for _ in 0..3 {
                    let child = program.fork(|_| async { 0 }).await.unwrap();
                    program.wait(child).await.unwrap();
                }
                0
            };
            let elsewhere = init.fork_on(1, elsewhere).await.unwrap();
            init.close(input).await.unwrap();
            assert_eq!(init.read(output, 10).await, Ok(Vec::new()), "no writer is left");
            assert_eq!(init.wait(elsewhere).await, Ok((elsewhere, 0)));
            0
        }
    };
    let (setup, programs) = setup(ClusterSetup::new(2), init, |_| ());
    let mut system = SimSystem::boot(&setup, &programs);
    system.cluster.run_until(300 * MS);
    system.cluster.kill(0);
    system.reboot(0);
    let status = system.run(LIMIT_NS);
    assert_eq!((status, all_boots.get()), (Some(0), 2), "{:#?} {:?}", system.wait_graph(), SimSystem::log());
}

//! Boards that die under programs, and come back.

use crate::machine::{finish, possible, run_to, setup};
use renga_abi::Errno;
use renga_random::Random;
use renga_sim::ClusterSetup;
use renga_sim::program::numbers::FCNTL;
use renga_sim::program::{Open, SimProgram};
use renga_sim::system::SimSystem;
use std::cell::Cell;
use std::rc::Rc;

const MS: u64 = 1_000_000;
/// A process that waits for a failed board learns it after this time.
const NOTICED_NS: u64 = 100 * MS;
const FOREVER_NS: u64 = u64::MAX >> 2;
const KILLED: u32 = 9;
const F_SETFL: u64 = 4;
const O_APPEND: u64 = 0o2000;

async fn sleep(program: SimProgram) -> u8 {
    let _ = program.sleep(FOREVER_NS).await;
    1
}

/// A fork onto board 1 as soon as that is there; its status.
async fn fork_when_it_is_there(init: &SimProgram) -> u32 {
    loop {
        match init.fork_on(1, |_| async { 7 }).await {
            Ok(pid) => return init.wait(pid).await.unwrap().1,
            Err(Errno::EHOSTDOWN) => init.sleep(MS).await.unwrap(),
            Err(errno) => panic!("{errno:?}"),
        }
    }
}

/// Holds: death-children.
#[test]
fn board_failure_breaks_pipes_and_kills_children_within_100_ms() {
    if !possible() {
        return;
    }
    let progress = Rc::new(Cell::new(0));
    let step = progress.clone();
    let (setup, programs) = setup(
        ClusterSetup::new(2),
        move |init| {
            let step = step.clone();
            async move {
                let ((output, input), (broken, full)) = (init.pipe().await.unwrap(), init.pipe().await.unwrap());
                let child = init.fork_on(1, sleep).await.unwrap();
                init.close(input).await.unwrap();
                init.close(broken).await.unwrap();
                step.set(1);
                assert_eq!(init.read(output, 10).await, Ok(Vec::new()), "the only writer is dead");
                assert_eq!(init.wait(child).await, Ok((child, KILLED)));
                init.on_signal(13, true, |_| async {}).await.unwrap();
                assert_eq!(init.write(full, b"x").await, Err(Errno::EPIPE), "the only reader is dead");
                assert_eq!(init.fork_on(1, sleep).await, Err(Errno::EHOSTDOWN));
                step.set(2);
                assert_eq!(fork_when_it_is_there(&init).await, 7 << 8);
                0
            }
        },
        |_| (),
    );
    let mut system = SimSystem::boot(&setup, &programs);
    run_to(&mut system, &progress, 1, 1_000 * MS);
    system.cluster.run_until(60_000 * MS); // no frame has come for a minute
    let died_ns = system.cluster.now_ns();
    system.cluster.kill(1);
    run_to(&mut system, &progress, 2, NOTICED_NS);
    println!("noticed after {} us", (system.cluster.now_ns() - died_ns) / 1000);
    system.cluster.run_until(died_ns + 5_000 * MS);
    system.reboot(1);
    finish(&mut system);
}

/// The partner's board fails while a reader waits here, and the socket's own board while its side is here.
#[test]
fn board_failure_resets_sockets_within_100_ms() {
    if !possible() {
        return;
    }
    let progress = Rc::new(Cell::new(0));
    let step = progress.clone();
    let (setup, programs) = setup(
        ClusterSetup::new(2),
        move |init| {
            let step = step.clone();
            async move {
                let ((own, its), (mine, other)) =
                    (init.socket_pair().await.unwrap(), init.socket_pair().await.unwrap());
                let child = move |child: SimProgram| async move {
                    child.close(own).await.unwrap();
                    child.write_all(its, &[5; 100_000]).await.unwrap();
                    sleep(child).await
                };
                let child = init.fork_on(1, child).await.unwrap();
                init.close(its).await.unwrap();
                init.close(other).await.unwrap();
                let mut left = 100_000;
                while left > 0 {
                    let part = init.read(own, 60_000).await.unwrap();
                    assert!(!part.is_empty() && part.iter().all(|byte| *byte == 5));
                    left -= part.len();
                }
                step.set(1);
                assert_eq!(init.read(own, 10).await, Err(Errno::ECONNRESET), "the partner is dead");
                assert_eq!(init.read(own, 10).await, Ok(Vec::new()));
                init.on_signal(13, true, |_| async {}).await.unwrap();
                assert_eq!(init.write(own, b"x").await, Err(Errno::EPIPE));
                assert_eq!(init.write(mine, b"x").await, Err(Errno::ECONNRESET));
                assert_eq!(init.wait(child).await, Ok((child, KILLED)));
                init.close(own).await.unwrap();
                init.close(mine).await.unwrap();
                step.set(2);
                assert_eq!(fork_when_it_is_there(&init).await, 7 << 8);
                0
            }
        },
        |_| (),
    );
    let mut system = SimSystem::boot(&setup, &programs);
    run_to(&mut system, &progress, 1, 10_000 * MS);
    system.cluster.run_until(60_000 * MS);
    system.cluster.kill(1);
    run_to(&mut system, &progress, 2, NOTICED_NS);
    system.cluster.run_until(70_000 * MS);
    system.reboot(1);
    finish(&mut system);
}

#[test]
fn board_failure_wakes_blocked_writer_of_dead_reader() {
    if !possible() {
        return;
    }
    let progress = Rc::new(Cell::new(0));
    let step = progress.clone();
    let (setup, programs) = setup(
        ClusterSetup::new(2),
        move |init| {
            let step = step.clone();
            async move {
                let (output, input) = init.pipe().await.unwrap();
                let child = init.fork_on(1, sleep).await.unwrap();
                init.close(output).await.unwrap();
                init.on_signal(13, true, |_| async {}).await.unwrap();
                step.set(1);
                assert_eq!(init.write_all(input, &[7; 100_000]).await, Err(Errno::EPIPE));
                step.set(2);
                assert_eq!(init.wait(child).await, Ok((child, KILLED)));
                0
            }
        },
        |_| (),
    );
    let mut system = SimSystem::boot(&setup, &programs);
    run_to(&mut system, &progress, 1, 1_000 * MS);
    system.cluster.run_until(10_000 * MS);
    system.cluster.kill(1);
    run_to(&mut system, &progress, 2, NOTICED_NS);
    system.reboot(1);
    finish(&mut system);
}

/// Works on both boards until `rounds` are over, whatever becomes of board 1; every error is one of those that
/// a dead board gives.
async fn persist(init: SimProgram, rounds: u64) -> u8 {
    let expected = |errno: Errno| matches!(errno, Errno::EHOSTDOWN | Errno::EPIPE | Errno::EIO);
    init.on_signal(13, true, |_| async {}).await.unwrap();
    for round in 0..rounds {
        let (output, input) = init.pipe().await.unwrap();
        let child = move |child: SimProgram| async move {
            let own = child.open("/etc/motd", Open::Read).await.unwrap();
            child.close(output).await.unwrap();
            for _ in 0..10 {
                child.write_all(input, &[round as u8; 3000]).await.unwrap();
            }
            assert_eq!(child.read_all(own, 100).await.unwrap(), b"renga\n");
            3
        };
        let forked = init.fork_on(1, child).await;
        init.close(input).await.unwrap();
        match forked {
            Err(errno) => assert!(expected(errno), "fork: {errno:?}"),
            Ok(pid) => {
                let read = init.read_all(output, 4096).await;
                let (_, status) = init.wait(pid).await.unwrap();
                match (read, status) {
                    (Ok(bytes), status) if status == 3 << 8 => assert_eq!(bytes.len(), 30_000),
                    (Ok(_), KILLED) => {}
                    other => panic!("round {round}: {:?}", other.1),
                }
            }
        }
        init.close(output).await.unwrap();
    }
    0
}

/// Holds: death-clean.
#[test]
fn board_failure_at_any_moment_leaks_nothing() {
    if !possible() {
        return;
    }
    for seed in 1..=6 {
        let (setup, programs) = setup(ClusterSetup::new(2), |init| persist(init, 30), |_| ());
        let mut system = SimSystem::boot(&setup, &programs);
        let mut random = Random::new(seed);
        for _ in 0..8 {
            system.cluster.run_until(system.cluster.now_ns() + random.below(60 * MS));
            system.cluster.kill(1);
            system.cluster.run_until(system.cluster.now_ns() + random.below(200 * MS));
            system.reboot(1);
        }
        finish(&mut system);
        let refused: Vec<u64> = system.link_stats().iter().map(|stats| stats.refused.get()).collect();
        assert_eq!(refused, [0, 0], "seed {seed}");
    }
}

/// Its first call there read the flags of the file. Refused since the board had restarted, it retried, and got the
/// flags of another file with that number in the new incarnation.
#[test]
fn board_failure_loses_files_open_for_remote_program() {
    if !possible() {
        return;
    }
    let progress = Rc::new(Cell::new(0));
    let step = progress.clone();
    let (setup, programs) = setup(
        ClusterSetup::new(2),
        move |init| {
            let step = step.clone();
            async move {
                let ended = step.clone();
                let opener = move |program: SimProgram| async move {
                    let file = program.open("/opened", Open::Create).await.unwrap();
                    for sets_flags in [false, true] {
                        let step = step.clone();
                        let user = move |program: SimProgram| async move {
                            step.set(step.get() + 1);
                            program.sleep(1_000 * MS).await.unwrap();
                            if sets_flags {
                                // Of what is lost they are its own.
                                assert_eq!(program.call(FCNTL, &[file, F_SETFL, O_APPEND]).await, Ok(0));
                            }
                            assert_eq!(program.write(file, b"x").await, Err(Errno::EIO));
                            assert_eq!(program.close(file).await, Ok(()));
                            step.set(step.get() + 1);
                            0
                        };
                        program.fork_on(0, user).await.unwrap();
                    }
                    sleep(program).await
                };
                let opener = init.fork_on(1, opener).await.unwrap();
                assert_eq!(init.wait(opener).await, Ok((opener, KILLED)));
                // The new incarnation uses that number for another process.
                assert_eq!(fork_when_it_is_there(&init).await, 7 << 8);
                let other = init.fork_on(1, |program| async move {
                    program.open("/other", Open::Create).await.unwrap();
                    sleep(program).await
                });
                let other = other.await.unwrap();
                while ended.get() < 4 {
                    init.sleep(MS).await.unwrap();
                }
                init.kill(other, KILLED as u8).await.unwrap();
                while init.wait(u64::MAX).await.is_ok() {}
                0
            }
        },
        |_| (),
    );
    let mut system = SimSystem::boot(&setup, &programs);
    run_to(&mut system, &progress, 2, 1_000 * MS);
    system.cluster.kill(1);
    system.cluster.run_until(system.cluster.now_ns() + 200 * MS);
    system.reboot(1);
    finish(&mut system);
}

/// Holds: disk-board-returns.
#[test]
fn disk_board_reboot_lets_remote_program_continue() {
    if !possible() {
        return;
    }
    let (progress, all_boots) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(0)));
    let (step, boots) = (progress.clone(), all_boots.clone());
    let (setup, programs) = setup(
        ClusterSetup::new(2),
        move |init| {
            let (step, boots) = (step.clone(), boots.clone());
            async move {
                boots.set(boots.get() + 1);
                if boots.get() == 1 {
                    let survivor = move |program: SimProgram| async move {
                        step.set(1);
                        let asked = loop {
                            // A name known here needs no call to the disk's board.
                            let file = program.open("/etc/motd", Open::Read).await.unwrap();
                            program.close(file).await.unwrap();
                            if let Err(errno) = program.free_inodes().await {
                                break errno;
                            }
                            program.sleep(MS).await.unwrap();
                        };
                        assert_eq!(asked, Errno::EHOSTDOWN);
                        assert_eq!(program.open("/etc/motd", Open::Read).await, Err(Errno::EHOSTDOWN));
                        step.set(2);
                        let file = loop {
                            match program.open("/etc/motd", Open::Read).await {
                                Ok(file) => break file,
                                Err(errno) => assert_eq!(errno, Errno::EHOSTDOWN),
                            }
                            program.sleep(MS).await.unwrap();
                        };
                        assert_eq!(program.read_all(file, 100).await.unwrap(), b"renga\n");
                        program.close(file).await.unwrap();
                        step.set(3);
                        0
                    };
                    init.fork_on(1, survivor).await.unwrap();
                    return sleep(init).await;
                }
                while step.get() < 3 {
                    init.sleep(MS).await.unwrap();
                }
                0
            }
        },
        |_| (),
    );
    let mut system = SimSystem::boot(&setup, &programs);
    run_to(&mut system, &progress, 1, 1_000 * MS);
    system.cluster.run_until(1_000 * MS);
    system.cluster.kill(0);
    run_to(&mut system, &progress, 2, NOTICED_NS + 2 * MS);
    system.cluster.run_until(2_000 * MS);
    let back_ns = system.cluster.now_ns();
    system.reboot(0);
    run_to(&mut system, &progress, 3, 1_000 * MS);
    println!("the disk board serves again after {} us", (system.cluster.now_ns() - back_ns) / 1000);
    assert_eq!(all_boots.get(), 2);
}

#[test]
fn remote_fork_unfinished_frees_pages() {
    if !possible() {
        return;
    }
    let progress = Rc::new(Cell::new(0));
    let step = progress.clone();
    let (setup, programs) = setup(
        ClusterSetup::new(2),
        move |init| {
            let step = step.clone();
            async move {
                while step.get() < 1 {
                    // It forks back here for ever; killed, it is most likely in the middle of that.
                    let forker = |program: SimProgram| async move {
                        loop {
                            let back = program.fork_on(0, |_| async { 0 }).await.unwrap();
                            program.wait(back).await.unwrap();
                        }
                    };
                    match init.fork_on(1, forker).await {
                        Ok(pid) => assert_eq!(init.wait(pid).await.unwrap().1, KILLED),
                        Err(errno) => assert_eq!(errno, Errno::EHOSTDOWN),
                    }
                    init.sleep(MS).await.unwrap();
                }
                while init.wait(u64::MAX).await.is_ok() {}
                0
            }
        },
        |_| (),
    );
    let mut system = SimSystem::boot(&setup, &programs);
    let mut random = Random::new(11);
    for _ in 0..12 {
        system.cluster.run_until(system.cluster.now_ns() + 100 * MS + random.below(20 * MS));
        system.cluster.kill(1);
        system.cluster.run_until(system.cluster.now_ns() + 100 * MS);
        system.reboot(1);
    }
    progress.set(1);
    system.cluster.run_until(system.cluster.now_ns() + 50 * MS);
    system.cluster.kill(1);
    system.cluster.run_until(system.cluster.now_ns() + 150 * MS);
    system.reboot(1);
    finish(&mut system);
}

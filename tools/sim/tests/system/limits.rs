//! What runs out is refused, and all comes back.

use crate::machine::{LIMIT_NS, possible, run, setup};
use renga_abi::Errno;
use renga_sim::ClusterSetup;
use renga_sim::program::{Open, SimProgram};
use renga_sim::system::SimSystem;

const ANY: u64 = u64::MAX;
const SIGKILL: u8 = 9;
const FOREVER_NS: u64 = u64::MAX >> 2;
/// Bytes of data that every program has.
const DATA: u64 = 0x50_0000;
const DATA_BYTES: u64 = 1 << 20;

async fn sleep(program: SimProgram) -> u8 {
    let _ = program.sleep(FOREVER_NS).await;
    1
}

/// Kills and buries.
async fn end(program: &SimProgram, children: Vec<u64>) {
    for pid in &children {
        program.kill(*pid, SIGKILL).await.unwrap();
    }
    for _ in children {
        assert_eq!(program.wait(ANY).await.unwrap().1, u32::from(SIGKILL));
    }
}

#[test]
fn limits_slots_of_both_boards_are_exhausted_and_returned() {
    if !possible() {
        return;
    }
    run(
        |init| async move {
            for _ in 0..3 {
                let mut children = Vec::new();
                for (board, slots) in [(0, 15), (1, 16)] {
                    let before = children.len();
                    let refused = loop {
                        match init.fork_on(board, sleep).await {
                            Ok(pid) => children.push(pid),
                            Err(errno) => break errno,
                        }
                    };
                    assert_eq!((refused, children.len() - before), (Errno::EAGAIN, slots));
                }
                end(&init, children).await;
            }
            0
        },
        |_| (),
    );
}

/// The cache knows 16 files here. When each of them is ahead of the medium, what else is read is read past the cache;
/// that was refused with `ENOMEM`.
#[test]
fn limits_files_beyond_cache_index_are_read() {
    if !possible() {
        return;
    }
    run(
        |init| async move {
            let content = |file: u8| vec![file; 5000];
            for file in 0..20 {
                let read = init.open(&format!("/read{file}"), Open::Create).await.unwrap();
                init.write_all(read, &content(file)).await.unwrap();
                init.sync(read).await.unwrap();
                init.close(read).await.unwrap();
            }
            for file in 0..20 {
                let written = init.open(&format!("/written{file}"), Open::Create).await.unwrap();
                init.write_all(written, &content(file)).await.unwrap();
                init.close(written).await.unwrap();
                let read = init.open(&format!("/read{file}"), Open::Read).await.unwrap();
                assert!(init.read_all(read, 9000).await.unwrap() == content(file), "file {file}");
                init.close(read).await.unwrap();
            }
            0
        },
        |_| (),
    );
}

/// As many descriptors as there are of something, then one refusal.
async fn exhaust(program: &SimProgram, pipes: bool) -> (usize, Errno) {
    let mut ends = Vec::new();
    let refused = loop {
        if pipes {
            match program.pipe().await {
                Ok((output, input)) => ends.extend([output, input]),
                Err(errno) => break errno,
            }
        } else {
            match program.open("/etc/motd", Open::Read).await {
                Ok(file) => ends.push(file),
                Err(errno) => break errno,
            }
        }
    };
    let count = ends.len();
    for end in ends {
        program.close(end).await.unwrap();
    }
    (count, refused)
}

#[test]
fn limits_pipes_and_files_are_exhausted_and_returned() {
    if !possible() {
        return;
    }
    run(
        |init| async move {
            for _ in 0..2 {
                for board in 0..2 {
                    let child = |child: SimProgram| async move {
                        for _ in 0..2 {
                            assert_eq!(exhaust(&child, true).await, (16, Errno::ENFILE));
                            assert_eq!(exhaust(&child, false).await, (32, Errno::ENFILE));
                        }
                        0
                    };
                    let pid = init.fork_on(board, child).await.unwrap();
                    assert_eq!(init.wait(pid).await.unwrap(), (pid, 0));
                }
            }
            0
        },
        |_| (),
    );
}

#[test]
fn limits_memory_is_exhausted_and_returned() {
    if !possible() {
        return;
    }
    run(
        |init| async move {
            // Forks that take a lot along.
            init.store(DATA, &vec![3; DATA_BYTES as usize / 4]).await;
            let mut killed = 0;
            for board in 0..2 {
                let mut children = Vec::new();
                for number in 0..14 {
                    let child = move |child: SimProgram| async move {
                        child.store(DATA, &vec![number; DATA_BYTES as usize]).await;
                        let _ = child.sleep(50_000_000).await;
                        0
                    };
                    match init.fork_on(board, child).await {
                        Ok(pid) => children.push(pid),
                        Err(errno) => assert_eq!(errno, Errno::ENOMEM),
                    }
                }
                for _ in children {
                    match init.wait(ANY).await.unwrap().1 {
                        0 => {}
                        status => {
                            assert_eq!(status, u32::from(SIGKILL));
                            killed += 1;
                        }
                    }
                }
            }
            assert!(killed > 4, "{killed} killed for want of memory");
            assert_eq!(init.load(DATA, 1).await, [3]);
            0
        },
        |_| (),
    );
}

/// Holds: sim-repeats.
#[test]
fn limits_leak_is_detected() {
    if !possible() {
        return;
    }
    let init = |init: SimProgram| async move {
        let (output, _) = init.pipe().await.unwrap();
        let reads = move |child: SimProgram| async move {
            child.open("/etc/motd", Open::Read).await.unwrap();
            let _ = child.read(output, 1).await;
            0
        };
        init.fork_on(1, reads).await.unwrap();
        init.sleep(100_000_000).await.unwrap();
        0
    };
    let (setup, programs) = setup(ClusterSetup::new(2), init, |_| ());
    let mut system = SimSystem::boot(&setup, &programs);
    assert_eq!(system.run(LIMIT_NS), Some(0));
    system.cluster.run_until(system.cluster.now_ns() + 1_000_000_000);
    let [here, there] = &system.leftovers()[..] else { panic!("two boards") };
    assert_eq!((here.slots, here.files, here.pipes), (0, 0, 1));
    assert_eq!((there.slots, there.files, there.pipes), (1, 1, 0));
    assert!(there.frames > 0 && here.frames == 0);
    assert!(here.waits.iter().any(|wait| wait.starts_with("proxy")), "{:?}", here.waits);
}

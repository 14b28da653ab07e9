//! Programs that wait for one of several things that are on another board.

use crate::machine::{finish, possible, run, run_to, setup};
use renga_sim::ClusterSetup;
use renga_sim::program::SimProgram;
use renga_sim::system::SimSystem;
use std::cell::Cell;
use std::rc::Rc;

const MS: u64 = 1_000_000;
const FOREVER_NS: u64 = u64::MAX >> 2;
const READABLE: u16 = 1;
/// Readable, with an error, no writer left: the reader learns that it is lost.
const LOST: u16 = 1 | 8 | 16;

/// Each waits on its board for pipes of the other's, many times; no wake gets lost.
/// Holds: poll-wakes.
#[test]
fn poll_of_two_boards_wakes_each_other() {
    if !possible() {
        return;
    }
    run(
        |init| async move {
            let ((there, to_there), (here, to_here)) = (init.pipe().await.unwrap(), init.pipe().await.unwrap());
            let (quiet, _) = init.pipe().await.unwrap();
            let child = init
                .fork_on(1, move |child: SimProgram| async move {
                    for _ in 0..50 {
                        assert_eq!(child.await_reading(&[quiet, there]).await, Ok(vec![0, READABLE]));
                        child.read(there, 1).await.unwrap();
                        child.write_all(to_here, b"x").await.unwrap();
                    }
                    0
                })
                .await
                .unwrap();
            for _ in 0..50 {
                init.write_all(to_there, b"x").await.unwrap();
                assert_eq!(init.await_reading(&[here, quiet]).await, Ok(vec![READABLE, 0]));
                init.read(here, 1).await.unwrap();
            }
            assert_eq!(init.wait(child).await, Ok((child, 0)));
            0
        },
        |_| (),
    );
}

/// Holds: poll-wakes.
#[test]
fn poll_of_dead_board_reports_error() {
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
                let child = init
                    .fork_on(1, move |child: SimProgram| async move {
                        let ((first, _), (second, _)) = (child.pipe().await.unwrap(), child.pipe().await.unwrap());
                        let wait = move |back: SimProgram| async move {
                            step.set(1);
                            assert_eq!(back.await_reading(&[first, second]).await, Ok(vec![LOST, LOST]));
                            step.set(2);
                            0
                        };
                        child.fork_on(0, wait).await.unwrap();
                        let _ = child.sleep(FOREVER_NS).await;
                        1
                    })
                    .await
                    .unwrap();
                assert_eq!(init.wait(child).await, Ok((child, 9)));
                let _ = init.wait(u64::MAX).await; // the orphan, if it is not gone
                0
            }
        },
        |_| (),
    );
    let mut system = SimSystem::boot(&setup, &programs);
    run_to(&mut system, &progress, 1, 1_000 * MS);
    system.cluster.run_until(system.cluster.now_ns() + 10_000 * MS);
    assert_eq!(progress.get(), 1, "nothing was there");
    system.cluster.kill(1);
    run_to(&mut system, &progress, 2, 200 * MS);
    system.reboot(1);
    finish(&mut system);
}

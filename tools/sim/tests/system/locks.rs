//! Locks on files across boards: with the real file processes, and when a holder's board dies.

use crate::machine::{finish, possible, run, run_to, setup};
use renga_abi::Errno;
use renga_sim::ClusterSetup;
use renga_sim::program::{Open, SimProgram};
use renga_sim::system::SimSystem;
use std::cell::Cell;
use std::rc::Rc;

const MS: u64 = 1_000_000;
const FOREVER_NS: u64 = u64::MAX >> 2;
const SETLKW: u64 = 7;
const OFD_SETLK: u64 = 37;
const EXCLUSIVE: u64 = 2;
const NOW: u64 = 4;
const WRITE: u64 = 1;

/// All programs with the same open file share its lock, on whichever board; it ends with the last of them.
#[test]
fn lock_of_open_file_ends_with_last_descriptor() {
    if !possible() {
        return;
    }
    run(
        |init| async move {
            let file = init.open("/locked", Open::Create).await.unwrap();
            init.lock_file(file, EXCLUSIVE | NOW).await.unwrap();
            let child = init
                .fork_on(1, move |child: SimProgram| async move {
                    let other = child.open("/locked", Open::Change).await.unwrap();
                    assert_eq!(child.lock_file(other, EXCLUSIVE | NOW).await, Err(Errno::EAGAIN));
                    assert_eq!(child.lock_file(file, EXCLUSIVE | NOW).await, Ok(()), "it has it by its parent");
                    assert_eq!(child.lock_bytes(other, OFD_SETLK, WRITE).await, Ok(()), "of another kind");
                    child.sleep(30 * MS).await.unwrap();
                    child.close(file).await.unwrap(); // the last: its parent has closed it
                    assert_eq!(child.lock_file(other, EXCLUSIVE | NOW).await, Ok(()), "close has let it go");
                    0
                })
                .await
                .unwrap();
            init.close(file).await.unwrap();
            let own = init.open("/locked", Open::Change).await.unwrap();
            init.sleep(10 * MS).await.unwrap();
            assert_eq!(init.lock_file(own, EXCLUSIVE | NOW).await, Err(Errno::EAGAIN), "the child has it");
            assert_eq!(init.wait(child).await, Ok((child, 0)));
            assert_eq!(init.lock_file(own, EXCLUSIVE | NOW).await, Ok(()));
            init.close(own).await.unwrap();
            0
        },
        |_| (),
    );
}

#[test]
fn lock_of_dead_board_is_released() {
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
                let file = init.open("/locked", Open::Create).await.unwrap();
                let holder = move |child: SimProgram| async move {
                    let other = child.open("/locked", Open::Change).await.unwrap();
                    child.lock_bytes(other, SETLKW, WRITE).await.unwrap();
                    child.lock_file(other, EXCLUSIVE).await.unwrap();
                    let _ = child.sleep(FOREVER_NS).await;
                    1
                };
                let child = init.fork_on(1, holder).await.unwrap();
                init.sleep(20 * MS).await.unwrap();
                assert_eq!(init.lock_file(file, EXCLUSIVE | NOW).await, Err(Errno::EAGAIN));
                step.set(1);
                assert_eq!(init.lock_bytes(file, SETLKW, WRITE).await, Ok(()));
                assert_eq!(init.lock_file(file, EXCLUSIVE).await, Ok(()));
                assert_eq!(init.wait(child).await, Ok((child, 9)));
                step.set(2);
                init.close(file).await.unwrap();
                0
            }
        },
        |_| (),
    );
    let mut system = SimSystem::boot(&setup, &programs);
    run_to(&mut system, &progress, 1, 1_000 * MS);
    system.cluster.run_until(system.cluster.now_ns() + 1_000 * MS); // no program has sent anything for a while
    system.cluster.kill(1);
    run_to(&mut system, &progress, 2, 200 * MS);
    system.reboot(1);
    finish(&mut system);
}

//! A board that is cut off for long and does not notice, since it awaits nothing: what it is told of what it holds.

use crate::machine::{finish, possible, run_to, setup};
use renga_abi::Errno;
use renga_sim::ClusterSetup;
use renga_sim::program::Program;
use renga_sim::system::System;
use std::cell::Cell;
use std::rc::Rc;

const MS: u64 = 1_000_000;
const PATH: &str = "/directory";
/// Longer than a board is greeted that does not answer.
const CUT_NS: u64 = 30_000 * MS;
/// Tries, one in 100 ms.
const TRIES: u32 = 50;

/// Makes the directory, which is held as one that is there; how often it was told so before.
async fn make_again(program: Program) -> u32 {
    for told in 0..TRIES {
        match program.make_directory(PATH).await {
            Ok(()) => return told,
            Err(Errno::EEXIST | Errno::EHOSTDOWN) => program.sleep(100 * MS).await.unwrap(),
            Err(errno) => panic!("{errno:?}"),
        }
    }
    TRIES
}

/// For how long the board hears nothing before it is asked.
fn tries_after(cut_ns: u64) -> u32 {
    let (told, tried) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(TRIES)));
    let (step, tries) = (told.clone(), tried.clone());
    let init = move |init: Program| {
        let (step, tries) = (step.clone(), tries.clone());
        async move {
            init.make_directory(PATH).await.unwrap();
            let there = step.clone();
            let child = move |program: Program| {
                let (step, tries) = (there.clone(), tries.clone());
                async move {
                    for _ in 0..2 {
                        assert_eq!(program.make_directory(PATH).await, Err(Errno::EEXIST));
                    }
                    step.set(1);
                    while step.get() < 3 {
                        program.sleep(10 * MS).await.unwrap();
                    }
                    tries.set(make_again(program).await);
                    step.set(4);
                    0
                }
            };
            let pid = init.fork_on(1, child).await.unwrap();
            while step.get() < 1 {
                init.sleep(MS).await.unwrap();
            }
            // The board that holds the name does not answer.
            init.sleep(100 * MS).await.unwrap();
            init.remove_directory(PATH).await.unwrap();
            step.set(2);
            assert_eq!(init.wait(pid).await, Ok((pid, 9)), "it counts as killed");
            while step.get() < 4 {
                init.sleep(10 * MS).await.unwrap();
            }
            0
        }
    };
    let (setup, programs) = setup(ClusterSetup::new(2), init, |_| ());
    let mut system = System::boot(&setup, &programs);
    run_to(&mut system, &told, 1, 1_000 * MS);
    let cut_at_ns = system.cluster.now_ns();
    system.cluster.bus().cut_off(1, true);
    run_to(&mut system, &told, 2, 1_000 * MS);
    system.cluster.run_until(cut_at_ns + cut_ns);
    system.cluster.bus().cut_off(1, false);
    told.set(3);
    run_to(&mut system, &told, 4, 20_000 * MS);
    finish(&mut system);
    tried.get()
}

#[test]
fn what_a_board_holds_that_was_cut_off_for_long_is_not_told_for_ever() {
    if !possible() {
        return;
    }
    // One call tells it that the session is over.
    assert!(tries_after(CUT_NS) <= 2);
    assert!(tries_after(3_000 * MS) <= 2);
}

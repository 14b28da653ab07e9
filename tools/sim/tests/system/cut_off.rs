//! A board that is cut off for long and does not notice, since it awaits nothing: the results of its cached lookups.

use crate::machine::{finish, possible, run_to, setup};
use renga_abi::Errno;
use renga_sim::ClusterSetup;
use renga_sim::program::SimProgram;
use renga_sim::system::SimSystem;
use std::cell::Cell;
use std::rc::Rc;

const MS: u64 = 1_000_000;
const PATH: &str = "/directory";
/// Longer than hellos are sent to a silent board.
const CUT_NS: u64 = 30_000 * MS;
/// Tries, one in 100 ms.
const TRIES: u32 = 50;

/// A cached result that is stale by then.
#[derive(Clone, Copy)]
enum CachedFact {
    /// A directory is there.
    Directory,
    /// A folder of its own has no other entries.
    Folder,
}
const FOLDER: &str = "/folder";
const NEW: &str = "/folder/new";

impl CachedFact {
    /// Uses the lease; `Ok` when the result shows its end.
    async fn ask(self, program: &SimProgram) -> Result<(), Errno> {
        match self {
            CachedFact::Directory => program.make_directory(PATH).await,
            CachedFact::Folder => program.unlink(NEW).await,
        }
    }

    fn is_expected(self, asked: Result<(), Errno>) -> bool {
        asked == Err(if matches!(self, CachedFact::Directory) { Errno::EEXIST } else { Errno::ENOENT })
    }

    /// How often the board used its lease, before a result showed its end.
    async fn tries(self, program: SimProgram) -> u32 {
        for progress in 0..TRIES {
            match self.ask(&program).await {
                Ok(()) => return progress,
                asked if self.is_expected(asked) || asked == Err(Errno::EHOSTDOWN) => {
                    program.sleep(100 * MS).await.unwrap();
                }
                asked => panic!("{asked:?}"),
            }
        }
        TRIES
    }

    async fn change(self, init: &SimProgram) {
        match self {
            CachedFact::Directory => init.remove_directory(PATH).await,
            CachedFact::Folder => init.make_file(NEW, 0o600).await,
        }
        .unwrap();
    }
}

/// How many stale results a board gets that hears nothing for so long.
fn tries_after(fact: CachedFact, cut_ns: u64) -> u32 {
    let (progress, tried) = (Rc::new(Cell::new(0)), Rc::new(Cell::new(TRIES)));
    let (step, tries) = (progress.clone(), tried.clone());
    let init = move |init: SimProgram| {
        let (step, tries) = (step.clone(), tries.clone());
        async move {
            init.make_directory(PATH).await.unwrap();
            let there = step.clone();
            let child = move |program: SimProgram| {
                let (step, tries) = (there.clone(), tries.clone());
                async move {
                    program.make_directory(FOLDER).await.unwrap();
                    program.change_mode(FOLDER, 0o700).await.unwrap();
                    for _ in 0..2 {
                        assert!(fact.is_expected(fact.ask(&program).await));
                    }
                    step.set(1);
                    while step.get() < 3 {
                        program.sleep(10 * MS).await.unwrap();
                    }
                    tries.set(fact.tries(program).await);
                    step.set(4);
                    0
                }
            };
            let pid = init.fork_on(1, child).await.unwrap();
            while step.get() < 1 {
                init.sleep(MS).await.unwrap();
            }
            // The board that caches the name does not answer.
            init.sleep(100 * MS).await.unwrap();
            fact.change(&init).await;
            step.set(2);
            assert_eq!(init.wait(pid).await, Ok((pid, 9)), "it counts as killed");
            while step.get() < 4 {
                init.sleep(10 * MS).await.unwrap();
            }
            0
        }
    };
    let (setup, programs) = setup(ClusterSetup::new(2), init, |_| ());
    let mut system = SimSystem::boot(&setup, &programs);
    run_to(&mut system, &progress, 1, 1_000 * MS);
    let cut_at_ns = system.cluster.now_ns();
    system.cluster.bus().cut_off(1, true);
    run_to(&mut system, &progress, 2, 1_000 * MS);
    system.cluster.run_until(cut_at_ns + cut_ns);
    system.cluster.bus().cut_off(1, false);
    progress.set(3);
    run_to(&mut system, &progress, 4, 20_000 * MS);
    finish(&mut system);
    tried.get()
}

/// Holds: cut-off-cache.
#[test]
fn lease_of_partitioned_board_expires() {
    if !possible() {
        return;
    }
    // One call reveals that the session is over.
    for fact in [CachedFact::Directory, CachedFact::Folder] {
        assert!(tries_after(fact, CUT_NS) <= 2);
        assert!(tries_after(fact, 3_000 * MS) <= 2);
    }
}

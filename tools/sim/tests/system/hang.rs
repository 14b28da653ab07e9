//! A board that hangs long enough for its session with the disk's board to end, while both live.

use crate::machine::{finish, run_to, setup};
use renga_sim::ClusterSetup;
use renga_sim::program::{SimProgram, SimPrograms};
use renga_sim::system::SimSystem;
use std::cell::Cell;
use std::future::Future;
use std::rc::Rc;

const MS: u64 = 1_000_000;
/// Long enough for a board to be thought dead.
const HANG_NS: u64 = 300 * MS;

/// `there` runs on board 1, which hangs when 1 is set; init does `here` while it does, and must have set 2 before it
/// goes on; then init does `then`. `more` adds programs.
pub fn over_a_hang<F, G, H>(
    there: impl Fn(SimProgram, Rc<Cell<u32>>) -> F + Clone + 'static,
    here: impl Fn(SimProgram) -> G + Clone + 'static,
    then: impl Fn(SimProgram, Rc<Cell<u32>>) -> H + Clone + 'static,
    more: impl FnOnce(&SimPrograms),
) where
    F: Future<Output = ()> + 'static,
    G: Future<Output = ()> + 'static,
    H: Future<Output = ()> + 'static,
{
    let progress = Rc::new(Cell::new(0));
    let step = progress.clone();
    let init = move |init: SimProgram| {
        let (step, there, here, then) = (step.clone(), there.clone(), here.clone(), then.clone());
        async move {
            let steps = step.clone();
            let child = move |program: SimProgram| {
                let (step, there) = (steps.clone(), there.clone());
                async move {
                    there(program, step).await;
                    0
                }
            };
            let pid = init.fork_on(1, child).await.unwrap();
            assert_eq!(init.wait(pid).await, Ok((pid, 9)), "it counts as killed");
            here(init.clone()).await;
            step.set(2);
            while step.get() < 3 {
                init.sleep(MS).await.unwrap();
            }
            then(init.clone(), step.clone()).await;
            0
        }
    };
    let (setup, programs) = setup(ClusterSetup::new(2), init, more);
    let mut system = SimSystem::boot(&setup, &programs);
    run_to(&mut system, &progress, 1, 1_000 * MS);
    let hung_ns = system.cluster.now_ns();
    system.cluster.hang(1);
    run_to(&mut system, &progress, 2, HANG_NS);
    system.cluster.run_until(hung_ns + HANG_NS);
    system.cluster.resume(1);
    progress.set(3);
    finish(&mut system);
}

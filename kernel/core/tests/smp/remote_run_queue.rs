//! Boards whose programs have several homes: which program runs where, and how a core is shared by its own programs and
//! remote tasks. (That each trap is served once, whatever the homes: `programs.rs`.)

use super::support::{SEEDS, choices};
use renga_abi::account::AccountNumber;
use renga_abi::user::{Exit, Trap, UserContext};
use renga_core::Core;
use renga_core::account::Account;
use renga_core::host::HostBoard;
use renga_core::interleaved::{Cores, Play};
use renga_core::{Notifier, WaitCanceller};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The length of a slice, ns.
const SLICE_NS: u64 = 1000;

/// Slices that programs have had, by program and core.
type Had = Rc<RefCell<Vec<[u64; 4]>>>;

/// Runs programs that compute until `done` says so of one, by the slices that all have had: then they trap.
fn playing(had: &Had, done: impl Fn(&[[u64; 4]], usize) -> bool + 'static) -> Play {
    let had = had.clone();
    Rc::new(move |core: &'static Core| {
        let slice = |who: usize| {
            had.borrow_mut()[who][usize::from(core.number())] += 1;
            let so_far = had.borrow().clone(); // a notification from `done` may have another core run
            if done(&so_far, who) { Exit::Trap(Trap::Syscall) } else { Exit::Interrupt }
        };
        if let Some(mut task) = core.remote_task() {
            let exit = slice(task.context().slot as usize);
            task.ran(core, SLICE_NS, exit);
            return;
        }
        let Some(mut own) = core.next_user() else { return };
        let exit = slice(own.context().slot as usize);
        own.charge(SLICE_NS);
        if let Exit::Trap(trap) = exit {
            own.end(trap);
        }
    })
}

/// Program `slot` of the home `board`, which starts at a notification if it `waits`, and waits for ever after its trap.
fn program(board: HostBoard, slot: u16, waits: bool, allowed: u8) -> Notifier {
    let process = board.declare(1);
    process.set_account(AccountNumber::of_slot(0, slot));
    WaitCanceller::new(process).set_cores(allowed);
    board.start(process, move |mut me| async move {
        let mut context = UserContext::new(slot, 0, 0);
        if waits {
            me.notified().await;
        }
        me.run_user(&mut context, u32::from(slot)).await;
        loop {
            me.notified().await;
        }
    });
    Notifier::elsewhere(process.shared())
}

/// Cores of a board each of which is a home whose programs may use all.
fn homes(count: usize, play: &Play) -> Cores {
    let all = (1 << count) - 1;
    let cores =
        (0..count).fold(Cores::new(0, count, 1 << 20), |cores, home| cores.with_programs(home, all, play.clone()));
    for board in (0..count).map(|home| cores.on(home)) {
        board.core.set_accounts(board.arena.put_slice(AccountNumber::count(1), |_| Account::new()));
    }
    cores
}

#[test]
fn remote_run_queue_busy_core_receives_no_task() {
    for seed in 0..SEEDS {
        let had: Had = Rc::new(RefCell::new(vec![[0; 4]; 4]));
        let others: Rc<Cell<[Option<Notifier>; 3]>> = Rc::default();
        let waiting = others.clone();
        // The first one computes on its home until the others, which start when it does, are done.
        let play = playing(&had, move |had, who| match who {
            0 => {
                waiting.take().into_iter().flatten().for_each(|other| other.notify());
                had[1..3].iter().all(|slices| slices[0] + slices[1] >= 20)
            }
            3 => true,
            _ => had[who][0] + had[who][1] >= 20,
        });
        let cores = homes(2, &play);
        program(cores.on(1), 0, false, 0b11);
        // The last one may run there only, and takes no other with it.
        let allowed = [0b11, 0b11, 0b10];
        others.set([0, 1, 2].map(|at| Some(program(cores.on(0), 1 + at as u16, true, allowed[at]))));
        cores.run(&choices(seed));
        assert_eq!(had.borrow()[1..], [[20, 0, 0, 0], [20, 0, 0, 0], [0, 1, 0, 0]], "seed {seed}");
    }
}

/// Holds: cores-programs.
#[test]
fn remote_run_queue_task_returns_when_home_core_is_free() {
    const TRAPS: u64 = 60;
    let mut went = 0;
    for seed in 0..SEEDS {
        let had: Had = Rc::new(RefCell::new(vec![[0; 4]; 2]));
        // The first one, which keeps to its home, computes there until the other one has had some slices.
        let at_end: Rc<Cell<[u64; 4]>> = Rc::default();
        let seen = at_end.clone();
        let play = playing(&had, move |had, who| {
            let done = who == 1 || had[1].iter().sum::<u64>() >= 20;
            if who == 0 && done {
                seen.set(had[1]);
            }
            done
        });
        let cores = homes(2, &play);
        program(cores.on(0), 0, false, 0b01);
        let (board, process) = (cores.on(0), cores.on(0).declare(1));
        process.set_account(AccountNumber::of_slot(0, 1));
        WaitCanceller::new(process).set_cores(0b11);
        board.start(process, |mut me| async move {
            let mut context = UserContext::new(1, 0, 0);
            for _ in 0..TRAPS {
                me.run_user(&mut context, 1).await;
            }
            loop {
                me.notified().await;
            }
        });
        cores.run(&choices(seed));
        let (had, at_end) = (had.borrow()[1], at_end.get());
        assert_eq!(had.iter().sum::<u64>(), TRAPS, "seed {seed}");
        // One slice may have been on its way.
        assert!(
            had[1] <= at_end[1] + 1,
            "seed {seed}: {} slices elsewhere, then {} more",
            at_end[1],
            had[1] - at_end[1]
        );
        went += u64::from(at_end[1] > 0);
    }
    assert!(went > SEEDS / 2, "it went elsewhere with {went} seeds only");
}

#[test]
fn remote_run_queue_idle_core_receives_waiting_task() {
    for seed in 0..SEEDS {
        let had: Had = Rc::new(RefCell::new(vec![[0; 4]; 2]));
        // Each is done when both are, and compute on cores of their own.
        let play = playing(&had, |had, _| (had[0][0] > 0 && had[1][1] > 0) || (had[0][1] > 0 && had[1][0] > 0));
        let cores = homes(2, &play);
        for slot in 0..2 {
            program(cores.on(0), slot, false, 0b11);
        }
        cores.run(&choices(seed));
    }
}

#[test]
fn remote_run_queue_home_and_remote_tasks_share_core_equally() {
    const SLICES: u64 = 20_000;
    for seed in 0..SEEDS / 40 {
        let had: Had = Rc::new(RefCell::new(vec![[0; 4]; 4]));
        // All compute until they have had so much together; two are of one home.
        let play = playing(&had, |had, _| had.iter().flatten().sum::<u64>() >= SLICES);
        let cores = homes(3, &play);
        for (slot, home) in [0, 1, 2, 2].into_iter().enumerate() {
            program(cores.on(home), slot as u16, false, 0b010);
        }
        cores.run(&choices(seed));
        let slices: Vec<u64> = had.borrow().iter().map(|slices| slices[1]).collect();
        let by_home = [slices[0], slices[1], slices[2] + slices[3]];
        // The allowed lag of each, and a slice that lasts until it is sent back.
        let unequal = by_home.map(|slices| slices.abs_diff(SLICES / 3));
        assert!(unequal.iter().all(|slices| *slices < SLICES / 10), "seed {seed}: {by_home:?} slices of three homes");
    }
}

#[test]
fn remote_run_queue_late_preemption_spares_tasks_of_other_homes() {
    const ROUNDS: u64 = 60;
    for seed in 0..SEEDS / 4 {
        let had: Had = Rc::new(RefCell::new(vec![[0; 4]; 4]));
        let play = playing(&had, |had, who| had[who][2] % 2 == 0);
        let cores = homes(3, &play);
        let bystander = cores.on(2).declare(1);
        cores.on(2).start(bystander, |mut me| async move {
            loop {
                me.notified().await;
            }
        });
        for slot in 0..4 {
            let board = cores.on(usize::from(slot % 2));
            let process = board.declare(1);
            process.set_account(AccountNumber::of_slot(0, slot));
            WaitCanceller::new(process).set_cores(0b100);
            board.start(process, move |mut me| async move {
                let mut context = UserContext::new(slot, 0, 0);
                for _ in 0..ROUNDS {
                    me.run_user(&mut context, u32::from(slot)).await;
                    me.clear_cancellation();
                }
                loop {
                    me.notified().await;
                }
            });
            board.client(move |mut me| async move {
                for round in 0..4 * ROUNDS {
                    if round % 8 == 7 {
                        WaitCanceller::new(process).cancel_wait();
                        Notifier::elsewhere(bystander.shared()).notify(); // its core runs, before the slice is called back
                    }
                    me.yield_now().await;
                }
            });
        }
        cores.run(&choices(seed));
    }
}

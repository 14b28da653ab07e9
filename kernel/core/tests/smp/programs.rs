//! Slices of programs on other cores: each program is in one place at a time, each trap is served once, none is
//! forgotten, and all keep to their allowed cores.

use super::support::{ROUNDS, SEEDS, choices};
use renga_abi::account::{AccountNumber, Count};
use renga_abi::user::{Exit, Trap, UserContext};
use renga_core::account::Account;
use renga_core::host::HostBoard;
use renga_core::interleaved::{Choose, Cores, Play};
use renga_core::{Core, Process};
use renga_core::{Notifier, WaitCanceller};
use std::cell::{Cell, RefCell};
use std::rc::Rc;

/// The longest slice, ns.
const SLICE_NS: u64 = 20_000;
/// Programs of each board.
const PROGRAMS: usize = 5;

/// What the programs of one board have done.
#[derive(Default)]
struct Seen {
    /// By program: traps of its processor, and cores that it may use now, a bit each.
    traps: [Cell<u64>; PROGRAMS],
    allowed: [Cell<u8>; PROGRAMS],
    /// Cores that were used at all.
    used: Cell<u8>,
    ran_ns: [Cell<u64>; PROGRAMS],
    /// The core of its last slice.
    last: [Cell<u8>; PROGRAMS],
    /// The core that had its slice at the last check, and has it unless it was called back.
    place: [Cell<Option<&'static Core>>; PROGRAMS],
}

impl Seen {
    /// A slice of `context` on `core` that takes `ns`, and ends in a trap or not.
    fn run_slice(&self, core: &'static Core, context: &mut UserContext, ns: u64, traps: bool) {
        let who = context.slot as usize;
        assert_eq!(context.x[0], self.traps[who].get(), "the registers are those of the last trap");
        assert!(self.allowed[who].get() >> core.number() & 1 != 0, "program {who} runs on core {}", core.number());
        let stays = |place: &&Core| place.number() != core.number() && place.has_remote_task(who as u64);
        let elsewhere = self.place[who].get().filter(stays).map(Core::number);
        assert_eq!(elsewhere, None, "program {who} runs on core {}, too", core.number());
        self.used.set(self.used.get() | 1 << core.number());
        self.last[who].set(core.number());
        self.ran_ns[who].set(self.ran_ns[who].get() + ns);
        if traps {
            context.x[0] += 1;
            self.traps[who].set(context.x[0]);
        }
    }
}

/// Runs the program that has a slice on a core: it traps, or is interrupted, as `choose` says.
fn playing(seen: &Rc<Seen>, choose: &Choose) -> Play {
    let (seen, choose) = (seen.clone(), choose.clone());
    Rc::new(move |core| {
        let (ns, traps) = (1 + choose(SLICE_NS), choose(3) > 0);
        let exit = if traps { Exit::Trap(Trap::Syscall) } else { Exit::Interrupt };
        if let Some(mut task) = core.remote_task() {
            let who = task.space() as usize;
            seen.run_slice(core, task.context(), ns, traps);
            seen.place[who].set(None); // it may be elsewhere as soon as it is sent back
            if task.ran(core, ns, exit) {
                seen.place[who].set(Some(core));
            }
            return;
        }
        let Some(mut slice) = core.next_user() else { return };
        if slice.wait_cancelled() {
            return slice.end(Trap::Preempted);
        }
        seen.run_slice(core, slice.context(), ns, traps);
        slice.charge(ns);
        if traps {
            slice.end(Trap::Syscall);
        }
    })
}

/// A program of `rounds` traps; between them it waits now and then for its neighbour, or gives way to all others.
fn program(
    board: HostBoard,
    (slot, seen): (usize, &Rc<Seen>),
    served: &Rc<RefCell<Vec<u64>>>,
    neighbour: &Rc<Cell<Option<Notifier>>>,
) -> &'static Process {
    let (seen, served, neighbour) = (seen.clone(), served.clone(), neighbour.clone());
    let process = board.declare(1);
    process.set_account(AccountNumber::of_slot(0, slot as u16));
    board.start(process, move |mut me| async move {
        let mut context = UserContext::new(slot as u16, 0, 0);
        for round in 0..ROUNDS {
            loop {
                me.run_user(&mut context, slot as u32).await;
                match me.trap() {
                    Trap::Preempted => me.clear_cancellation(),
                    trap => break assert_eq!(trap, Trap::Syscall),
                }
            }
            assert_eq!(me.program_core(), seen.last[slot].get(), "it says where it ran");
            served.borrow_mut()[slot] += 1;
            if let Some(other) = neighbour.get() {
                other.notify();
            }
            match round % 4 {
                1 => me.yield_slice(),
                2 => {
                    me.yield_to_programs().await;
                    assert_eq!(me.program_core(), board.core.number(), "work on the home core waits for that core");
                }
                _ => {}
            }
            let goes_on = served.borrow()[(slot + PROGRAMS - 1) % PROGRAMS] < ROUNDS;
            if round % 4 == 3 && goes_on {
                me.notified().await;
            }
        }
        loop {
            me.notified().await;
        }
    });
    process
}

/// The first home of programs on a board of `count` cores, by seed.
fn home(seed: u64, count: usize) -> usize {
    (seed / 6) as usize % count
}

/// The programs of one home, by slot.
type Programs = Vec<(usize, &'static Process)>;

/// Plays `seed` on a board that has so many `homes`, among which its programs are divided, and whose programs may use
/// the cores of `mask`; calls `disturb` with each home and its programs.
fn play(
    seed: u64,
    (count, homes): (usize, usize),
    mask: u8,
    disturb: impl Fn(HostBoard, &Rc<Seen>, Programs),
) -> Rc<Seen> {
    let (seen, choose) = (Rc::new(Seen::default()), choices(seed));
    seen.allowed.iter().for_each(|allowed| allowed.set(mask));
    let homes: Vec<usize> = (0..homes).map(|at| (home(seed, count) + at) % count).collect();
    let empty = Cores::new(0, count, 1 << 20);
    let cores = homes.iter().fold(empty, |cores, &home| cores.with_programs(home, mask, playing(&seen, &choose)));
    let served = Rc::new(RefCell::new(vec![0; PROGRAMS]));
    let neighbours: Vec<Rc<Cell<Option<Notifier>>>> = (0..PROGRAMS).map(|_| Rc::default()).collect();
    let home_of = |slot: usize| cores.on(homes[slot % homes.len()]);
    for board in homes.iter().map(|&home| cores.on(home)) {
        board.core.set_accounts(board.arena.put_slice(AccountNumber::count(1), |_| Account::new()));
    }
    let programs: Vec<&'static Process> =
        (0..PROGRAMS).map(|slot| program(home_of(slot), (slot, &seen), &served, &neighbours[slot])).collect();
    for (slot, neighbour) in neighbours.iter().enumerate() {
        let next = (slot + 1) % PROGRAMS;
        let same = home_of(slot).core.number() == home_of(next).core.number();
        let program = programs[next];
        let notifier = if same { Notifier::new(program) } else { Notifier::elsewhere(program.shared()) };
        neighbour.set(Some(notifier));
    }
    for (at, &home) in homes.iter().enumerate() {
        let own = programs.iter().copied().enumerate().skip(at).step_by(homes.len());
        disturb(cores.on(home), &seen, own.collect());
    }
    cores.run(&choose);
    assert_eq!(*served.borrow(), [ROUNDS; PROGRAMS], "seed {seed}");
    for slot in 0..PROGRAMS {
        assert_eq!(seen.traps[slot].get(), ROUNDS, "seed {seed}");
        let charged = home_of(slot).core.counts(AccountNumber::of_slot(0, slot as u16))[Count::UserNs as usize];
        assert_eq!(charged, seen.ran_ns[slot].get(), "seed {seed}");
    }
    seen
}

/// How many cores and homes the board of `seed` has, one to all.
fn cores_and_homes(seed: u64) -> (usize, usize) {
    let count = 2 + (seed % 3) as usize;
    (count, 1 + (seed / 3) as usize % count)
}

#[test]
fn program_trap_on_any_core_is_served_once() {
    let mut used = 0;
    for seed in 0..SEEDS {
        let (count, homes) = cores_and_homes(seed);
        let all = (1u8 << count) - 1;
        let mask = if seed % 2 == 0 { all } else { all & !(1 << home(seed, count)) };
        used |= play(seed, (count, homes), mask, |_, _, _| ()).used.get();
    }
    assert_eq!(used, 0b1111, "programs run on each core");
}

#[test]
fn program_cancelled_on_other_core_learns_of_it() {
    for seed in 0..SEEDS {
        let (count, homes) = cores_and_homes(seed);
        play(seed, (count, homes), (1 << count) - 1, |home, _, programs| {
            let interruptors: Vec<WaitCanceller> =
                programs.iter().map(|(_, process)| WaitCanceller::new(process)).collect();
            home.client(move |mut me| async move {
                for round in 0..10 * interruptors.len() {
                    interruptors[round % interruptors.len()].cancel_wait();
                    me.yield_now().await;
                }
            });
        });
    }
}

#[test]
fn program_affinity_holds_and_changes() {
    for seed in 0..SEEDS {
        let (count, homes) = cores_and_homes(seed);
        play(seed, (count, homes), (1 << count) - 1, |home, seen, programs| {
            let (seen, draw) = (seen.clone(), choices(seed + 1));
            home.client(move |mut me| async move {
                for _ in 0..10 * programs.len() {
                    let (at, allowed) = (draw(programs.len() as u64) as usize, 1 + draw((1 << count) - 1) as u8);
                    let (who, program) = (programs[at].0, WaitCanceller::new(programs[at].1));
                    program.set_cores(allowed);
                    // A slice that is under way elsewhere continues until it is called back.
                    seen.allowed[who].set(allowed | 1 << programs[at].1.program_core());
                    me.yield_now().await;
                }
            });
        });
    }
}

/// Programs that compute until `done` says of one, by what it was last seen on, that it is: then they trap and wait for
/// ever. All rest only if each gets there.
fn computing(
    seed: u64,
    mask: u8,
    begin: &[u8],
    done: fn(&[Option<u8>], usize, u64) -> bool,
    disturb: fn(&Cores, Vec<WaitCanceller>),
) {
    let (count, choose) = (8 - mask.leading_zeros() as usize, choices(seed));
    let seen: Rc<RefCell<Vec<Option<u8>>>> = Rc::new(RefCell::new(vec![None; begin.len()]));
    let (places, slices) = (seen.clone(), Cell::new(0));
    let play: Play = Rc::new(move |core| {
        let Some(mut task) = core.remote_task() else { return };
        let who = task.context().slot as usize;
        places.borrow_mut()[who] = Some(core.number());
        slices.set(slices.get() + 1);
        let exit = if done(&places.borrow(), who, slices.get()) { Exit::Trap(Trap::Syscall) } else { Exit::Interrupt };
        task.ran(core, 1, exit);
    });
    let cores = Cores::new(0, count, 1 << 20).with_programs(0, mask, play);
    let board = cores.on(0);
    board.core.set_accounts(board.arena.put_slice(AccountNumber::count(1), |_| Account::new()));
    let declare = |slot: usize| {
        let process = board.declare(1);
        process.set_account(AccountNumber::of_slot(0, slot as u16));
        WaitCanceller::new(process).set_cores(begin[slot]);
        board.start(process, move |mut me| async move {
            let mut context = UserContext::new(slot as u16, 0, 0);
            me.run_user(&mut context, slot as u32).await;
            loop {
                me.notified().await;
            }
        });
        WaitCanceller::new(process)
    };
    let programs = (0..begin.len()).map(declare).collect();
    disturb(&cores, programs);
    cores.run(&choose);
}

#[test]
fn program_computing_elsewhere_returns_when_cancelled() {
    for seed in 0..SEEDS / 4 {
        computing(
            seed,
            0b10,
            &[0b10],
            |_, _, _| false,
            |cores, programs| {
                cores.on(0).client(move |mut me| async move {
                    for _ in 0..ROUNDS {
                        me.yield_now().await;
                    }
                    programs[0].cancel_wait();
                });
            },
        );
    }
}

#[test]
fn program_computing_moves_to_new_cores_at_once() {
    for seed in 0..SEEDS / 4 {
        computing(
            seed,
            0b110,
            &[0b10],
            |places, _, _| places[0] == Some(2),
            |cores, programs| {
                cores.on(0).client(move |mut me| async move {
                    for _ in 0..ROUNDS {
                        me.yield_now().await;
                    }
                    programs[0].set_cores(0b100);
                });
            },
        );
    }
}

/// Holds: cores-programs.
#[test]
fn program_waiting_is_stolen_by_idle_core() {
    // The first is done after 200 slices; the others share a core until then, and are done when they do not any more.
    let done = |places: &[Option<u8>], who: usize, slices: u64| match who {
        0 => slices > 200,
        _ => places[1].is_some() && places[2].is_some() && places[1] != places[2],
    };
    for seed in 0..SEEDS / 4 {
        computing(seed, 0b110, &[0b10, 0b100, 0b100], done, |cores, programs| {
            cores.on(0).client(move |mut me| async move {
                for _ in 0..ROUNDS {
                    me.yield_now().await;
                }
                programs[1..].iter().for_each(|program| program.set_cores(0b110));
            });
        });
    }
}

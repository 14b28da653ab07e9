//! The cores of one board inside one thread of a host program, interleaved by a chooser.
//!
//! Invariant: a core does a step only while no other step of its own is under way, as a processor does one thing at a
//! time; it sleeps when it does not poll and no IPI is pending. An IPI may let the other core run at once, inside the
//! sending step: so steps of several cores nest. Not here: anything finer than a post (`tools/races` searches that).

use super::board::HostBoard;
use crate::ipc::address::Address;
use crate::ipc::protocol::Protocol;
use crate::smp::remote_run_queue::RemoteTask;
use crate::types::state::{Core, CoreEndpoint, Process};
use renga_sync::Ipi;
use std::boxed::Box;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::vec::Vec;

/// Steps after which cores that do not come to rest are called endless.
const STEPS_MAX: u64 = 10_000_000;
/// Dispatches of one step at most.
const DISPATCHES_MAX: u64 = 4;

/// Says which of so many possibilities comes next.
pub type Choose = Rc<dyn Fn(u64) -> u64>;
/// Runs a program on a core, for a while.
pub type Play = Rc<dyn Fn(&'static Core)>;

std::thread_local! {
    /// The board whose cores run now.
    static RUNNING: RefCell<Option<Rc<InterleavedRun>>> = const { RefCell::new(None) };
}

struct HostIpi {
    core: usize,
    pending: AtomicBool,
}

impl Ipi for HostIpi {
    fn send(&self) {
        self.pending.store(true, Ordering::Relaxed);
        if let Some(run) = RUNNING.with_borrow(Clone::clone)
            && (run.choose)(2) == 0
        {
            run.step(self.core);
        }
    }
    fn acknowledge(&self) {
        self.pending.store(false, Ordering::Relaxed);
    }
    fn wait(&self) {
        unreachable!("a core that waits does no steps");
    }
}

/// One core, as its steps go.
struct Stepped {
    core: &'static Core,
    ipi: &'static HostIpi,
    /// A step of it is under way.
    busy: Cell<bool>,
    /// It does not poll its mailbox: a post sends an IPI.
    not_polling: Cell<bool>,
    /// It has left and waits for the IPI.
    asleep: Cell<bool>,
}

struct InterleavedRun {
    cores: Vec<Stepped>,
    choose: Choose,
    play: Option<Play>,
    dispatches: Cell<u64>,
}

impl InterleavedRun {
    /// Core `number` does something, if it can.
    fn step(&self, number: usize) {
        let Stepped { core, ipi, busy, not_polling, asleep } = &self.cores[number];
        if (asleep.get() && !ipi.pending.load(Ordering::Relaxed)) || busy.replace(true) {
            return;
        }
        asleep.set(false);
        if not_polling.replace(false) {
            core.resume_polling();
        }
        for _ in 0..=(self.choose)(DISPATCHES_MAX) {
            core.drain_mailbox();
            if core.dispatch() {
                self.dispatches.set(self.dispatches.get() + 1);
            }
        }
        if core.has_remote_slices() {
            core.send_remote_slices(|_, space| u64::from(space));
        }
        // A core with ready processes may stop polling too: for a program's slice.
        if (!core.has_ready() || (self.choose)(2) == 0) && core.stop_polling() {
            not_polling.set(true);
            let programs = self.play.as_ref().filter(|_| core.remote_task().is_some() || core.has_users());
            asleep.set(!core.has_ready() && programs.is_none() && !core.has_remote_slices());
            programs.into_iter().for_each(|play| play(core));
        }
        busy.set(false);
    }

    fn at_rest(&self) -> bool {
        self.cores.iter().all(|core| core.asleep.get() && !core.ipi.pending.load(Ordering::Relaxed))
    }
}

impl Core {
    /// Whether a program in address space `space` is a remote task here.
    pub fn has_remote_task(&self, space: u64) -> bool {
        self.remote_tasks.each().any(|remote_queue| RemoteTask(remote_queue).space() == space)
    }
}

/// The cores of one board.
pub struct Cores {
    boards: Vec<HostBoard>,
    ipis: Vec<&'static HostIpi>,
    play: Option<Play>,
}

impl Cores {
    /// Board `number` of `count` cores with `memory_bytes` of boot memory.
    pub fn new(number: u8, count: usize, memory_bytes: usize) -> Cores {
        let ipis: Vec<&'static HostIpi> =
            (0..count).map(|core| &*Box::leak(Box::new(HostIpi { core, pending: AtomicBool::new(false) }))).collect();
        let endpoints: &'static [CoreEndpoint] = Vec::leak(ipis.iter().map(|&ipi| CoreEndpoint::new(ipi)).collect());
        let board = HostBoard::new(number, memory_bytes);
        let core = |number: usize| {
            let core = Box::leak(Box::new(Core::new()));
            core.set_endpoints(number as u8, endpoints);
            &*core
        };
        Cores { boards: (0..count).map(|number| HostBoard { core: core(number), ..board }).collect(), ipis, play: None }
    }

    /// Programs of core `home` have run queue on the cores of `mask`, a bit each, where `play` runs them.
    pub fn with_programs(mut self, home: usize, mask: u8, play: Play) -> Cores {
        self.play = Some(play);
        self.boards[home].core.run_programs_on(mask, self.boards[home].arena);
        self
    }

    /// The board, as it is for processes of `core`.
    pub fn on(&self, core: usize) -> HostBoard {
        self.boards[core]
    }

    /// What processes of `core` call to reach `server`, wherever that is.
    pub fn address<P: Protocol>(&self, core: usize, server: Address<P>) -> Address<P> {
        Address::new(self.process(core, server.0.process))
    }

    /// What `core` has for `process`: itself, or a remote handle.
    pub fn process(&self, core: usize, process: &'static Process) -> &'static Process {
        let board = self.on(core);
        process.handle_on(board.core, board.arena, process.entries.get())
    }

    /// Has all cores do steps, as `choose` says, until all are asleep.
    ///
    /// # Panics
    /// As [`Cores::run_each`].
    pub fn run(&self, choose: &Choose) {
        self.run_each(choose, &|_| ());
    }

    /// As [`Cores::run`], and calls `took` with each core that may have done a step; whether a process was polled.
    ///
    /// # Panics
    /// If they do not come to rest within a very large number of steps.
    pub fn run_each(&self, choose: &Choose, took: &dyn Fn(usize)) -> bool {
        let stepped = |(board, &ipi): (&HostBoard, &&'static HostIpi)| Stepped {
            core: board.core,
            ipi,
            busy: Cell::new(false),
            not_polling: Cell::new(false),
            asleep: Cell::new(false),
        };
        let cores = self.boards.iter().zip(&self.ipis).map(stepped).collect();
        let run = Rc::new(InterleavedRun {
            cores,
            choose: choose.clone(),
            play: self.play.clone(),
            dispatches: Cell::new(0),
        });
        RUNNING.set(Some(run.clone()));
        for _ in 0..STEPS_MAX {
            if run.at_rest() {
                RUNNING.set(None);
                return run.dispatches.get() > 0;
            }
            run.step(choose(self.boards.len() as u64) as usize);
            (0..self.boards.len()).for_each(took);
        }
        panic!("the cores never come to rest");
    }
}

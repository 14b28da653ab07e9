//! One run: the boards go on from event to event while the schedule takes them apart, and are judged.
//!
//! Invariant: the same seed, boards and cut give the same run.

use super::board_processes::{BoardProcesses, CallsLayout, Cast};
use super::oracle::Oracle;
use super::plan::CallsPlan;
use crate::cluster::{ClusterSetup, SimCluster};
use crate::cut::Cut;
use crate::incident::schedule;
use crate::ongoing::Ongoing;
use crate::outcome::{Failure, SimCounts, SimReport, SimScope};
use crate::{logged, waits};
use renga_core::WaitCanceller;
use renga_phy::loopback::Faults;
use renga_router::LinkStats;
use std::any::Any;
use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::rc::Rc;

/// Boot memory of a board: far more than any needs; what is not used costs nothing.
const MEMORY_BYTES: usize = 8 << 20;
/// What a run may take: simulated time, and events.
const LIMIT_NS: u64 = 60_000_000_000;
const EVENTS_MAX: u64 = 2_000_000;
/// How long after the last call the boards are checked: by then nothing is under way.
const AFTERWARDS_NS: u64 = 1_000_000_000;

/// A run under way.
struct CallsRun {
    cluster: SimCluster,
    cast: Cast,
    layout: CallsLayout,
    current: Vec<BoardProcesses>,
    /// Counters of boards that died.
    former: Vec<BoardProcesses>,
    ongoing: Ongoing,
    events: u64,
    counts: SimCounts,
}

/// Clients of the run of `seed` that a cut can omit.
pub fn actors(seed: u64, boards: Option<u8>) -> usize {
    CallsPlan::draw(seed, boards, &Cut::default()).actors()
}
/// How many incidents it has.
pub fn incidents(seed: u64, boards: Option<u8>) -> usize {
    CallsPlan::draw(seed, boards, &Cut::default()).incidents.len()
}

/// Runs the plan of `seed`, on `boards` boards if given, without the parts that `cut` omits.
///
/// # Errors
/// What went wrong.
pub fn run(seed: u64, boards: Option<u8>, cut: &Cut) -> Result<SimReport, Box<Failure>> {
    let plan = Rc::new(CallsPlan::draw(seed, boards, cut));
    let reported = RefCell::new(None);
    let judged = catch_unwind(AssertUnwindSafe(|| {
        let mut run = CallsRun::new(plan.clone());
        let judged = run.play().and_then(|()| run.verdict());
        // Also of a run that panics, hence not the closure's result.
        let good = judged.as_ref().is_ok().then(|| run.report(seed));
        if let Err(what) = &judged {
            *reported.borrow_mut() = Some(run.failure(seed, what.clone()));
        }
        good
    }));
    match (judged, reported.take()) {
        (Ok(Some(report)), _) => Ok(report),
        (_, Some(failure)) => Err(Box::new(failure)),
        (Err(panic), None) => {
            let mut failure = Failure::bare(seed, SimScope::Link, text_of(panic.as_ref()));
            (failure.log, failure.plan) = (logged::lines(), format!("{plan:?}"));
            Err(Box::new(failure))
        }
        (Ok(None), None) => unreachable!("a bad run has a failure"),
    }
}

/// What a panic says.
pub fn text_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("a panic without words").into()
}

impl CallsRun {
    fn new(plan: Rc<CallsPlan>) -> CallsRun {
        logged::clear();
        let scripts = plan
            .scripts
            .iter()
            .map(|clients| clients.iter().map(|script| (Rc::new(script.clone()), Rc::new(Cell::new(0)))).collect());
        let cast = Cast {
            plan: plan.clone(),
            scripts: Rc::new(scripts.collect()),
            oracle: Oracle::new(plan.is_calm()),
            last: Rc::default(),
        };
        let setup = ClusterSetup {
            memory_bytes: MEMORY_BYTES,
            faults: plan.link,
            seed: plan.seed,
            ..ClusterSetup::new(plan.boards)
        };
        let mut current = Vec::new();
        let mut cluster = SimCluster::new(setup, |site| {
            site.board.core.set_log(logged::keep);
            current.push(cast.board_processes(site));
        });
        for (board, slowness_ns) in plan.slowness_ns.iter().enumerate() {
            cluster.slow_down(board as u8, *slowness_ns);
        }
        let layout = CallsLayout::of(&plan);
        let (ongoing, former) = (Ongoing::new(layout.boards, plan.link), Vec::new());
        CallsRun { cluster, cast, layout, current, former, ongoing, events: 0, counts: SimCounts::default() }
    }

    /// One event, if there is any by `until_ns`.
    fn step(&mut self, until_ns: u64) -> Result<bool, String> {
        let stepped = self.cluster.step(until_ns);
        self.events += 1;
        match self.cast.oracle.broken() {
            Some(what) => Err(what),
            None if self.events > EVENTS_MAX => Err(format!("still busy after {EVENTS_MAX} events")),
            None => Ok(stepped),
        }
    }

    fn run_until(&mut self, at_ns: u64) -> Result<(), String> {
        while self.step(at_ns)? {}
        self.cluster.run_until(at_ns);
        Ok(())
    }

    /// Runs until `done`, at most for [`LIMIT_NS`].
    fn run_till(&mut self, what: &str, done: impl Fn(&CallsRun) -> bool) -> Result<(), String> {
        let until_ns = self.cluster.now_ns() + LIMIT_NS;
        self.cluster.settle();
        while !done(self) {
            let stepped = self.step(until_ns)?;
            self.cluster.settle();
            if !stepped && !done(self) {
                return Err(format!("{what}: nothing happens any more"));
            }
            if self.cluster.now_ns() >= until_ns {
                return Err(format!("{what}: not within {} s", LIMIT_NS / 1_000_000_000));
            }
        }
        Ok(())
    }

    /// The schedule, the rest of the scripts, and everything once more without faults.
    fn play(&mut self) -> Result<(), String> {
        let plan = self.cast.plan.clone();
        let mut interruptions = plan.interruptions.iter().copied().peekable();
        for step in schedule(&plan.incidents) {
            while let Some((at_ns, board, client)) = interruptions.next_if(|(at_ns, ..)| *at_ns < step.at_ns) {
                self.interrupt(at_ns, board, client)?;
            }
            self.run_until(step.at_ns)?;
            if step.begins {
                self.counts.add(step.trouble.name(), 1);
                self.ongoing.begin(&mut self.cluster, step.trouble);
            } else if let Some(board) = self.ongoing.end(&mut self.cluster, step.trouble) {
                self.boot(board);
            }
        }
        for (at_ns, board, client) in interruptions {
            self.interrupt(at_ns, board, client)?;
        }
        self.run_till("the calls of all clients", CallsRun::scripts_are_done)?;
        self.cluster.bus().set_faults(Faults::NONE);
        for board_processes in &self.current {
            board_processes.last.notify();
        }
        let boards = usize::from(plan.boards);
        self.run_till("the last calls", |run| run.cast.last.get().0 == boards)?;
        self.run_until(self.cluster.now_ns() + AFTERWARDS_NS)
    }

    fn scripts_are_done(&self) -> bool {
        self.cast.scripts.iter().flatten().all(|(_, progress)| progress.get() == usize::MAX)
    }

    fn interrupt(&mut self, at_ns: u64, board: u8, client: u8) -> Result<(), String> {
        self.run_until(at_ns)?;
        if self.cluster.alive(board) {
            let process = self.current[usize::from(board)].clients[usize::from(client)];
            self.cast.oracle.interrupt(process.id());
            self.counts.add("interruptions", 1);
            WaitCanceller::new(process).cancel_wait();
        }
        Ok(())
    }

    fn boot(&mut self, board: u8) {
        let (cast, mut board_processes) = (self.cast.clone(), None);
        self.cluster.reboot(board, |site| {
            site.board.core.set_log(logged::keep);
            board_processes = Some(cast.board_processes(site));
        });
        if let Some(board_processes) = board_processes {
            self.former.push(std::mem::replace(&mut self.current[usize::from(board)], board_processes));
        }
        self.ongoing.booted(board, self.cluster.now_ns());
    }

    /// The checks after the run.
    fn verdict(&mut self) -> Result<(), String> {
        let silent = self.cast.last.get().1;
        if silent > 0 {
            return Err(format!("{silent} servers do not answer though nothing is wrong any more"));
        }
        let waits = self.waits();
        if !waits.is_empty() {
            return Err(format!("{} processes still wait in the end", waits.len()));
        }
        if let Some(late) = self.cast.oracle.first_late(&self.ongoing.reach).filter(|_| self.cast.plan.is_prompt()) {
            return Err(late);
        }
        let lost = self.cast.oracle.tally().1;
        for (board_processes, lost) in self.current.iter().zip(lost) {
            let stats = board_processes.stats;
            let letter = board_processes.last.id();
            if stats.refused.get() > 0 {
                return Err(format!("the router of {letter} refused {} fragments", stats.refused.get()));
            }
            if lost > stats.async_lost.get() {
                let known = stats.async_lost.get();
                return Err(format!("{lost} released calls of {letter} were never made, it knows of {known}"));
            }
            if stats.pool_high_water.get() > self.cast.plan.slots as u64 {
                return Err(format!("the router of {letter} used more copies than it has"));
            }
        }
        Ok(())
    }

    fn waits(&self) -> Vec<String> {
        let alive = self.current.iter().flat_map(|board_processes| board_processes.processes.iter().copied());
        waits::graph(&alive.collect::<Vec<_>>(), &|id| self.layout.name(id))
    }

    fn report(&self, seed: u64) -> SimReport {
        let mut counts = self.counts.clone();
        let tally = self.cast.oracle.tally().0;
        counts.add("calls", tally.calls);
        counts.add("answered", tally.answered);
        counts.add("EHOSTDOWN", tally.down);
        counts.add("ESTALE", tally.stale);
        counts.add("released and lost", tally.lost);
        for board_processes in self.current.iter().chain(&self.former) {
            add_stats(&mut counts, board_processes.stats);
        }
        counts.add("boots", self.current.iter().map(|board_processes| u64::from(board_processes.boot)).sum());
        counts.add("events", self.cluster.trace().events());
        let (trace_hash, simulated_ns) = (self.cluster.trace().hash(), self.cluster.now_ns());
        SimReport { seed, level: SimScope::Link, trace_hash, simulated_ns, counts }
    }

    fn failure(&self, seed: u64, what: String) -> Failure {
        let name = |id| self.layout.name(id);
        let events = (0..self.layout.boards).map(|board| self.cluster.trace().latest(board, &name)).collect();
        let what = format!("{what} (at {} ns)", self.cluster.now_ns());
        let (plan, log, waits) = (format!("{:?}", self.cast.plan), logged::lines(), self.waits());
        Failure { seed, level: SimScope::Link, what, plan, log, events, waits }
    }
}

/// What a router counted, under the names of reports.
pub fn add_stats(counts: &mut SimCounts, stats: &LinkStats) {
    counts.add("frames", stats.frames_sent.get());
    counts.add("sent again", stats.retransmissions.get());
    counts.add("damaged", stats.damaged.get());
    counts.add("doubled", stats.duplicates.get());
    counts.add("sessions ended", stats.deaths.get());
    counts.add("calls released", stats.calls_async.get());
}

//! Which run queue a process waits in: its program's on one of the cores allowed to it, the process's own at home.
//!
//! Invariant: a task is queued on one core only; a program on allowed cores. Not here: `remote_run_queue.rs`.

use super::process::has_program;
use crate::types::state::{Core, Process, RemoteRunQueue};
use core::sync::atomic::Ordering;
use renga_abi::policy::Policy;
use renga_sched::{RunQueue, Task};

impl Process {
    /// Enqueues it. The last task that ran has not blocked, and stays.
    #[inline(always)]
    pub(crate) fn enqueue(&'static self) {
        let run_queue = self.run_queue.get();
        if run_queue.is_last(self) {
            return;
        }
        match self.core.remote_queues.get() {
            [] => run_queue.enqueue_woken(self, self.core.charged_until_ns()),
            _ => self.enqueue_among_cores(),
        }
    }

    #[inline(never)]
    fn enqueue_among_cores(&'static self) {
        if has_program(self) {
            self.choose_core();
        }
        self.run_queue.get().enqueue_woken(self, self.core.charged_until_ns());
        self.core.show_load();
        self.request_remote();
    }

    /// It was enqueued on another core, or should run sooner.
    fn request_remote(&self) {
        if let Some(remote_queue) = self.remote_queue() {
            remote_queue.want();
        }
    }

    /// Moves the task to its own core: a process works for its program there, wherever that runs. Also after the work,
    /// since the slice was not the program's, which may have to run elsewhere.
    pub(crate) fn come_home(&'static self) {
        if !self.core.remote_queues.get().is_empty() {
            self.run_queue.get().clear_last(self);
            self.move_to(&self.core.run_queue);
        }
    }

    /// Where it runs, if that is another core than its own.
    fn remote_queue(&self) -> Option<&'static RemoteRunQueue> {
        self.core
            .remote_queues
            .get()
            .iter()
            .find(|remote_queue| core::ptr::eq(&raw const remote_queue.run_queue, self.run_queue.get()))
    }

    /// It is queued or running, and has to run as soon as it can.
    #[cold]
    pub(crate) fn requeue_soon(&'static self) {
        if self.heap_place.get() != renga_sched::NOWHERE {
            self.run_queue.get().requeue(self, true);
        }
        self.request_remote();
    }

    /// Moves it to the least loaded of its cores; of several to its home, or else to where it ran before.
    fn choose_core(&'static self) {
        let core = self.core;
        let allowed = self.account.get().cores() & core.program_cores.get();
        let own = (core.number, &core.run_queue, core.run_queue.load());
        let remote_queues = core
            .remote_queues
            .get()
            .iter()
            .map(|remote_queue| (remote_queue.number, &remote_queue.run_queue, remote_queue.load()));
        let all = [own].into_iter().chain(remote_queues).filter(|(number, ..)| allowed >> number & 1 != 0);
        let order = |run_queue| {
            (!core::ptr::eq(run_queue, &raw const core.run_queue), !core::ptr::eq(run_queue, self.run_queue.get()))
        };
        if let Some((_, run_queue, _)) = all.min_by_key(|&(_, run_queue, load)| (load, order(run_queue))) {
            self.move_to(run_queue);
        }
    }

    /// Moves it to `run_queue`.
    pub(crate) fn move_to(&'static self, run_queue: &'static RunQueue<Process>) {
        let from = self.run_queue.replace(run_queue);
        if !core::ptr::eq(from, run_queue) {
            from.migrate(self, run_queue);
        }
    }

    /// A new program takes over its account.
    pub(crate) fn begin_account(&'static self, policy: Policy, made_here: bool) {
        let (core, account) = (self.core, self.account.get());
        account.set_policy(policy);
        self.move_to(&core.run_queue); // a new program starts at home, where nothing of it crosses cores
        let ended = account.charged();
        core.run_queue.begin(self, made_here, &core.counts_elsewhere(account.number()));
        for ((past, ended), begun) in core.past.iter().zip(ended).zip(account.charged()) {
            let all = past.load(Ordering::Relaxed).wrapping_add(ended).wrapping_sub(begun);
            past.store(all, Ordering::Relaxed);
        }
    }

    /// Its program may run on these cores only, a bit each.
    pub(crate) fn set_cores(&'static self, cores: u8) {
        self.account.get().set_cores(cores);
        match self.remote_queue() {
            Some(remote_queue) if remote_queue.out.get() && remote_queue.run_queue.is_last(self) => remote_queue.want(), // it moves when it is back
            _ => {
                self.run_queue.get().remove(self);
                if self.is_runnable() {
                    self.enqueue();
                }
            }
        }
    }

    /// The core on which its program runs, or ran last.
    pub fn program_core(&self) -> u8 {
        self.remote_queue().map_or(self.core.number, |remote_queue| remote_queue.number)
    }
}

impl RemoteRunQueue {
    /// Runnable programs there, as far as this home knows: its own, and those whose home that core is.
    pub(crate) fn load(&self) -> usize {
        self.run_queue.load() + self.endpoint.load.load(Ordering::Relaxed) as usize
    }

    /// The home serves it as soon as no process is polled.
    pub(crate) fn want(&self) {
        self.wanted.set(true);
        self.home.remote_requested.set(true);
    }
}

impl Core {
    /// Work stealing: moves one runnable task from a queue with more than one to `run_queue`, the idle queue of core
    /// `number`, if its affinity allows.
    pub(crate) fn steal_task(
        &'static self,
        run_queue: &'static RunQueue<Process>,
        number: u8,
    ) -> Option<&'static Process> {
        let all = self.remote_queues.get().iter().map(|remote_queue| &remote_queue.run_queue).chain([&self.run_queue]);
        let busy = all.filter(|run_queue| run_queue.load() > 1);
        let runner = busy.filter_map(|run_queue| run_queue.find(|process| self.may_run(process, number))).next()?;
        runner.move_to(run_queue);
        run_queue.enqueue_woken(runner, self.charged_until_ns());
        run_queue.next(self.charged_until_ns())
    }

    /// As above, for this core.
    #[inline(never)]
    pub(crate) fn steal_user(&'static self) -> Option<&'static Process> {
        let fetched = self.steal_task(&self.run_queue, self.number);
        self.show_load();
        fetched
    }

    /// Publishes the load of this core to other homes.
    pub(crate) fn show_load(&self) {
        self.endpoint().load.store(self.run_queue.load() as u32, Ordering::Relaxed);
    }

    /// Whether `process` has a program, which may run on core `number`.
    pub(crate) fn may_run(&self, process: &Process, number: u8) -> bool {
        has_program(process) && process.account.get().cores() & self.program_cores.get() & 1 << number != 0
    }
}

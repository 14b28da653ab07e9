//! Remote run queues: programs of a home core run on the board's other cores.
//!
//! A program's process and all its servers stay on the process's home core. A time slice goes to the other core: the
//! right to the program's registers, as a message, which comes back with the trap. The home picks the next task of each
//! remote run queue, by its [`RunQueue`], and ends a slice by an event flag when another task is to run.
//!
//! S1 The owner of a remote run queue's message owns its [`RemoteSlice`] and the registers of the program that it
//!    names. The other cells of a remote run queue are the home's. Of the process the other core reads `word` and
//!    `user`, which nothing writes meanwhile.
//! S2 A slice that is out belongs to the last task of its queue, which is not enqueued before the slice is back.
//!
//! Not here: entering a program and its address space (the image, `arch-aarch64`); the cores allowed to a program
//! (`Account`), its choice among them (`task_placement.rs`).

use crate::sched::account::Count;
use crate::types::arena::Arena;
use crate::types::probe;
use crate::types::state::{Core, CorePayload, Process, RemoteRunQueue, RemoteSlice};
use crate::user::time_slice::{UserSlice, end_elsewhere, registers};
use core::cell::Cell;
use core::sync::atomic::{AtomicU64, Ordering};
use renga_abi::user::{Exit, Trap, UserContext};
use renga_sched::{RunQueue, Task};
use renga_sync::{CoreMessage, EventFlags, OwnedMessage};

/// A slice comes back after so long, ns, if only to be charged.
const REMOTE_SLICE_NS_MAX: u64 = 10_000_000;
/// The event flag that revokes a slice.
const BACK: u32 = 1;

impl RemoteRunQueue {
    /// Sends a slice of `process` there.
    fn send(&'static self, process: &'static Process, space: u64, left_ns: u64) {
        let Some(mut message) = self.message.take() else {
            unreachable!("a remote run queue sends one slice at a time")
        };
        self.slice.process.set(Some(process.any()));
        self.slice.space.set(space);
        self.slice.left_ns.set(left_ns.min(REMOTE_SLICE_NS_MAX));
        self.slice.ran_ns.set(0);
        self.out.set(true);
        *message.payload() = CorePayload::RemoteSlice(self);
        self.endpoint.mailbox.post(message, self.endpoint.ipi);
    }

    /// On the home: the slice is back.
    fn take_back(&self, message: OwnedMessage<CorePayload>) {
        self.message.set(Some(message));
        self.out.set(false);
        let Some(process) = self.slice.process.take() else { unreachable!("a slice has a process") };
        let process = process.arrived(self.home);
        let ran_ns = self.slice.ran_ns.get();
        process.account().charge(Count::UserNs, ran_ns);
        self.used_ns.store(self.used_ns.load(Ordering::Relaxed) + ran_ns, Ordering::Relaxed); // the home alone writes
        self.want();
        if !self.home.may_run(process, self.number) {
            self.run_queue.remove(process);
            if let Exit::Interrupt = self.slice.exit.get() {
                return process.enqueue();
            }
        }
        if let Exit::Trap(trap) = self.slice.exit.get() {
            if !self.home.run_queue.has_any() && self.home.may_run(process, self.home.number) {
                self.run_queue.remove(process); // no task is runnable at home, where traps cost least
            }
            end_elsewhere(process, trap);
            self.home.resume(process, || self.home.now_ns());
        }
    }

    /// A message of this remote run queue has come to `core`: to the home, or to the other core.
    pub(crate) fn receive(&'static self, message: OwnedMessage<CorePayload>, core: &Core) {
        if core::ptr::eq(core, self.home) {
            return self.take_back(message);
        }
        self.message.set(Some(message));
        core.remote_tasks.come(self.home.number, self);
    }

    /// On the other core: the slice, if it is still here, goes back.
    pub(crate) fn take_revoke(&'static self, message: OwnedMessage<CorePayload>, core: &Core) {
        let Some(revoke) = self.revoke.get() else { unreachable!("its message has come") };
        revoke.take(message);
        if core.remote_tasks.has(self.home.number) {
            RemoteTask(self).go_back(core, Exit::Interrupt); // at once, whatever is before it
        }
    }
}

/// The slice of another core's program on this one.
pub struct RemoteTask(pub(crate) &'static RemoteRunQueue);

impl RemoteTask {
    /// How long it may run before `core` picks again, ns.
    pub fn left_ns(&self, core: &Core) -> u64 {
        core.remote_tasks.share_ns(core.own_home(), self.0.slice.left_ns.get())
    }
    /// Its address space, as the image enters it.
    pub fn space(&self) -> u64 {
        self.0.slice.space.get()
    }
    /// The program's registers, to enter it with.
    pub fn context(&mut self) -> &mut UserContext {
        let Some(process) = self.0.slice.process.get() else { unreachable!("a slice has a process") };
        probe::enter_elsewhere(process.part());
        registers(process.part())
    }
    /// It has run for `ns`. It goes back with a trap, or when its time is over. Whether it stays.
    pub fn ran(self, core: &Core, ns: u64, exit: Exit) -> bool {
        let slice = &self.0.slice;
        core.remote_tasks.charge(self.0.home.number, ns);
        slice.ran_ns.set(slice.ran_ns.get() + ns);
        slice.left_ns.set(slice.left_ns.get().saturating_sub(ns));
        let goes = slice.left_ns.get() == 0 || matches!(exit, Exit::Trap(_));
        if goes {
            self.go_back(core, exit);
        }
        !goes
    }
    /// Sends it back.
    fn go_back(self, core: &Core, exit: Exit) {
        let remote_queue = self.0;
        if let (Exit::Trap(_), Some(process)) = (exit, remote_queue.slice.process.get()) {
            probe::trap_elsewhere(process);
        }
        let Some(mut message) = remote_queue.message.take() else {
            unreachable!("the owner of a slice owns its message")
        };
        core.remote_tasks.go(remote_queue.home.number);
        remote_queue.slice.exit.set(exit);
        *message.payload() = CorePayload::RemoteSlice(remote_queue);
        let endpoint = remote_queue.home.endpoint();
        endpoint.mailbox.post(message, endpoint.ipi);
    }
}

impl Core {
    /// Lets programs of this core, their home, run on the `cores` of the board, a bit each, with or without this one; 0
    /// stands for this core alone. Once, before any program exists.
    pub fn run_programs_on(&'static self, cores: u8, arena: &Arena) {
        let elsewhere = |number: &u8| *number != self.number && cores >> number & 1 != 0;
        let mut others = (0..self.endpoints.len() as u8).filter(elsewhere);
        let remote_queues =
            arena.put_slice(others.clone().count(), |_| self.remote_queue(others.next().unwrap_or_default()));
        let remote_queues: &'static [RemoteRunQueue] = remote_queues;
        for remote_queue in remote_queues {
            remote_queue
                .message
                .set(Some(arena.put(|| CoreMessage::new(CorePayload::RemoteSlice(remote_queue))).own()));
            remote_queue.revoke.set(Some(arena.put(|| EventFlags::new(CorePayload::RevokeSlice(remote_queue)))));
        }
        self.remote_queues.set(remote_queues);
        self.program_cores.set(if cores == 0 { 1 << self.number } else { cores });
    }

    fn remote_queue(&'static self, number: u8) -> RemoteRunQueue {
        let slice = RemoteSlice {
            process: Cell::new(None),
            space: Cell::new(0),
            left_ns: Cell::new(0),
            ran_ns: Cell::new(0),
            exit: Cell::new(Exit::Interrupt),
        };
        let endpoint = &self.endpoints[usize::from(number)];
        let (used_ns, revoke, message) = (AtomicU64::new(0), Cell::new(None), Cell::new(None));
        let (wanted, out) = (Cell::new(false), Cell::new(false));
        let run_queue = RunQueue::with_wakeup_granularity_ns(self.run_queue.wakeup_granularity_ns());
        RemoteRunQueue { run_queue, home: self, endpoint, number, used_ns, wanted, out, message, slice, revoke }
    }

    /// Whether [`Core::send_remote_slices`] has something to do.
    #[inline(always)]
    pub fn has_remote_slices(&self) -> bool {
        self.remote_requested.get()
    }

    /// Sends slices to other cores; between polls. `prepare` makes a program ready to go there, and returns its address
    /// space as the image enters it.
    pub fn send_remote_slices(&'static self, mut prepare: impl FnMut(&mut UserContext, u32) -> u64) {
        self.remote_requested.set(false);
        for remote_queue in self.remote_queues.get() {
            if !remote_queue.wanted.replace(false) {
                continue;
            }
            if remote_queue.out.get() {
                remote_queue
                    .revoke
                    .get()
                    .into_iter()
                    .for_each(|revoke| revoke.set(BACK, &remote_queue.endpoint.mailbox, remote_queue.endpoint.ipi));
                continue;
            }
            let next = remote_queue.run_queue.next(self.charged_until_ns());
            let fetch = || {
                if remote_queue.load() == 0 {
                    self.steal_task(&remote_queue.run_queue, remote_queue.number)
                } else {
                    None
                }
            };
            let Some(process) = next.or_else(fetch) else { continue };
            let slice = UserSlice::of(process);
            if slice.wait_cancelled() {
                remote_queue.want(); // to serve the queue again
                slice.resume(Trap::Preempted, || self.now_ns());
                continue;
            }
            let left_ns = slice.left_ns().unwrap_or(REMOTE_SLICE_NS_MAX);
            remote_queue.send(process, prepare(registers(process), slice.space()), left_ns);
        }
    }

    /// The slice of another core's program, if one is here and goes before this core's own programs.
    #[inline(always)]
    pub fn remote_task(&self) -> Option<RemoteTask> {
        if self.remote_tasks.any() { self.remote_tasks.first(self.own_home()).map(RemoteTask) } else { None }
    }

    /// How much of its rest a program of its own may run before the core picks again, ns.
    #[inline(always)]
    pub fn own_left_ns(&self, left_ns: Option<u64>) -> Option<u64> {
        let share = || self.remote_tasks.share_ns(Some(self.number), left_ns.unwrap_or(REMOTE_SLICE_NS_MAX));
        if self.remote_tasks.any() { Some(share()) } else { left_ns }
    }

    /// This core, if a program of its own is runnable.
    fn own_home(&self) -> Option<u8> {
        self.run_queue.has_any().then_some(self.number)
    }
}

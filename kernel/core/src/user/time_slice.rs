//! Time slices of user programs: what runs on a core when no system process is ready.
//!
//! Invariant: the core owns a context from [`Me::run_user`](crate::Me::run_user) until the slice ends with a trap; the
//! process of the context waits all that time. Not here: which task is next (`kernel/sched`), slices on other cores
//! (`remote_run_queue.rs`), entering user mode (`arch-aarch64`), the timer (the image arms it for
//! [`UserSlice::left_ns`]).

use crate::sched::account::Count;
use crate::types::probe;
use crate::types::state::{Core, MessagePart, Process, Wait};
use core::future::Future;
use core::marker::{PhantomData, PhantomPinned};
use core::pin::Pin;
use core::task::{Context, Poll};
use renga_abi::user::{Trap, UserContext};

pub use renga_sched::SLEEPER_CREDIT_NS_MAX;

/// A user program's run, until its trap. The trap stays in the header: moving it costs as much as a null call.
#[must_use = "a program does not run until awaited"]
pub struct RunUser<'a> {
    me: &'static Process,
    context: *mut UserContext,
    space: u32,
    _lent: PhantomData<&'a mut UserContext>,
    _pinned: PhantomPinned,
}

impl Future for RunUser<'_> {
    type Output = ();
    #[inline(always)]
    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<()> {
        let me = self.me;
        match me.wait.get() {
            Wait::Nothing if me.user.get().is_null() => {
                me.begin(Wait::User);
                me.user.set(self.context);
                me.user_space.set(self.space);
                me.enqueue();
                Poll::Pending
            }
            Wait::Nothing => {
                me.user.set(core::ptr::null_mut());
                Poll::Ready(())
            }
            _ => panic!("process polled while its program runs"),
        }
    }
}

impl Drop for RunUser<'_> {
    fn drop(&mut self) {
        assert!(self.me.wait.get() != Wait::User || self.me.core.failed.get(), "running program dropped");
    }
}

/// One user program's time slice on the core. Dropped, the program continues unless another task is first.
pub struct UserSlice(&'static Process);

impl UserSlice {
    pub(crate) fn of(process: &'static Process) -> UserSlice {
        UserSlice(process)
    }
    /// The program's registers, to enter it with.
    pub fn context(&mut self) -> &mut UserContext {
        probe::enter(self.0);
        registers(self.0)
    }
    /// As [`UserSlice::context`], for code in which a branch may lead there: its probe is an instruction.
    pub fn context_behind_branch(&mut self) -> &mut UserContext {
        probe::enter_elsewhere(self.0);
        registers(self.0)
    }
    /// The address space to run in.
    pub fn space(&self) -> u32 {
        self.0.user_space.get()
    }
    /// Whether the slice ends before it starts: the wait was cancelled, or the process has no program and only yields.
    pub fn wait_cancelled(&self) -> bool {
        self.0.cancelled.get() || self.0.user.get().is_null()
    }
    /// How long it may run, ns; `None`: no other task would take the core.
    pub fn left_ns(&self) -> Option<u64> {
        self.0.run_queue.get().left_ns(self.0, self.0.core.charged_until_ns())
    }
    /// The program has run until `now_ns`.
    #[inline(always)]
    pub fn charge_until(&self, now_ns: u64) {
        self.0.core.charge_program(self.0, now_ns);
    }
    /// As above, on a core that may have remote tasks, whose share it is compared with.
    #[inline(always)]
    pub fn charge_beside_remote_tasks_until(&self, now_ns: u64) {
        let core = self.0.core;
        core.remote_tasks.charge(core.number, now_ns.saturating_sub(core.charged_until_ns()));
        self.charge_until(now_ns);
    }
    /// As above, where time stands still meanwhile: it has run for `ns`.
    pub fn charge(&self, ns: u64) {
        self.0.account.get().charge(Count::UserNs, ns);
        self.0.core.remote_tasks.charge(self.0.core.number, ns);
    }
    /// Ends the slice with a trap and makes the process ready.
    pub fn end(self, trap: Trap) {
        let process = self.trapped(trap);
        process.core.make_ready(process);
    }
    /// As [`UserSlice::end`]; the process continues at once if it would be the next to run.
    #[inline(always)]
    pub fn resume(self, trap: Trap, now_ns: impl FnOnce() -> u64) {
        let process = self.trapped(trap);
        process.core.resume(process, now_ns);
    }
    #[inline(always)]
    fn trapped(self, trap: Trap) -> &'static Process {
        let process = self.0;
        process.trap.set(trap);
        process.wait.set(Wait::Nothing);
        probe::trap(process);
        process
    }
}

/// `trap` has ended the slice of `process`'s program on another core.
pub(crate) fn end_elsewhere(process: &Process, trap: Trap) {
    process.trap.set(trap);
    process.wait.set(Wait::Nothing);
}

/// The registers of the program of `process`, for the owner of its slice.
#[expect(clippy::mut_from_ref, reason = "one process at a time has the slice and borrows them")]
pub(crate) fn registers(process: &'static MessagePart) -> &'static mut UserContext {
    // SAFETY: set by `RunUser`, whose borrow lies in a pending future (as I5 of `rendezvous.rs`); the slice exists
    // once, since the process left the run queue, and is on one core at a time (S1 of `remote_run_queue.rs`).
    unsafe { &mut *process.user.get() }
}

impl Core {
    /// The next user program to run here; none if no program is ready.
    #[inline(always)]
    pub fn next_user(&'static self) -> Option<UserSlice> {
        let next = self.run_queue.next(self.charged_ns.get());
        if next.is_none() && !self.remote_queues.get().is_empty() {
            return self.steal_user().map(UserSlice);
        }
        next.map(UserSlice)
    }

    /// Whether a user program is runnable.
    pub fn has_users(&self) -> bool {
        self.run_queue.has_any()
    }
}

impl Drop for UserSlice {
    fn drop(&mut self) {
        self.0.run_queue.get().put_back(self.0);
    }
}

impl Process {
    pub(crate) fn run_user<'a>(&'static self, context: &'a mut UserContext, space: u32) -> RunUser<'a> {
        RunUser { me: self, context, space, _lent: PhantomData, _pinned: PhantomPinned }
    }
    pub(crate) fn last_trap(&self) -> Trap {
        self.trap.get()
    }
}

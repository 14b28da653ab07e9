//! Turns of user programs: what runs on a core when no system process is ready.
//!
//! Invariant: a context is the core's from [`Me::run_user`] until the turn ends with a trap, and the
//! process that lent it waits all that time. Not here: entering user mode (`arch-aarch64`), time
//! slices (the image arms the timer and puts preempted turns back).

use crate::process::{Me, Process, Wait};
use crate::ready::Core;
use crate::trace::Event;
use core::future::{Future, poll_fn};
use core::marker::{PhantomData, PhantomPinned};
use core::pin::Pin;
use core::task::{Context, Poll};
use renga_abi::user::{Trap, UserContext};

impl Me {
    /// Runs the user program in `context` and address space `space` (a number that the board's
    /// memory gives a meaning) until it traps or the process is interrupted ([`Trap::Preempted`]).
    pub fn run_user<'a>(&'a mut self, context: &'a mut UserContext, space: u32) -> RunUser<'a> {
        RunUser { me: self.0, context, space, _lent: PhantomData, _pinned: PhantomPinned }
    }

    /// Goes to the back of the queue of user programs: each that is ready has a turn first, for which
    /// [`Me::yield_turn`] does not care. For long work on behalf of a program.
    pub async fn yield_to_programs(&mut self) {
        let me = self.0;
        me.begin(Wait::User);
        me.core.users.push(me);
        poll_fn(|_| if me.wait.get() == Wait::Nothing { Poll::Ready(()) } else { Poll::Pending }).await
    }
}

/// A user program's run, until its trap.
#[must_use = "a program does not run until awaited"]
pub struct RunUser<'a> {
    me: &'static Process,
    context: *mut UserContext,
    space: u32,
    _lent: PhantomData<&'a mut UserContext>,
    _pinned: PhantomPinned,
}

impl Future for RunUser<'_> {
    type Output = Trap;
    fn poll(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<Trap> {
        let me = self.me;
        match me.wait.get() {
            Wait::Nothing if me.user.get().is_null() => {
                me.begin(Wait::User);
                me.user.set(self.context);
                me.user_space.set(self.space);
                me.core.users.push(me);
                Poll::Pending
            }
            Wait::Nothing => {
                me.user.set(core::ptr::null_mut());
                Poll::Ready(me.trap.get())
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

/// One user program's turn on the core. Dropped, it goes to the back of the queue.
pub struct UserTurn(&'static Process);

impl Core {
    /// The next user program to run; none if no program is ready.
    pub fn next_user(&self) -> Option<UserTurn> {
        self.users.pop().map(UserTurn)
    }
    /// Whether another user program waits for a turn.
    pub fn has_users(&self) -> bool {
        !self.users.is_empty()
    }
}

impl UserTurn {
    /// The program's registers.
    pub fn context(&mut self) -> &mut UserContext {
        // SAFETY: set by `RunUser`, whose borrow is held by a pending future (as I5 of
        // `rendezvous.rs`); the turn exists once, since the process left the users' queue.
        unsafe { &mut *self.0.user.get() }
    }
    /// The address space to run in.
    pub fn space(&self) -> u32 {
        self.0.user_space.get()
    }
    /// Whether the turn should end before it begins: the process was interrupted, or has no program to
    /// run and only let others go first.
    pub fn interrupted(&self) -> bool {
        self.0.interrupted.get() || self.0.user.get().is_null()
    }
    /// Ends the turn with a trap and makes the process ready.
    pub fn end(self, trap: Trap) {
        let process = self.0;
        core::mem::forget(self);
        process.trap.set(trap);
        process.wait.set(Wait::Nothing);
        process.core.record(|| Event::UserTrap { process: process.id });
        process.core.make_ready(process);
    }
}

impl Drop for UserTurn {
    fn drop(&mut self) {
        self.0.core.users.push(self.0);
    }
}

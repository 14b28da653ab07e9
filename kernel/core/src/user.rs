//! Turns of user programs: what runs on a core when no system process is ready, and whose turn it is.
//!
//! Who has the highest rank runs; among fair ones, who has used least of its share, for a slice at most. A program that
//! waited counts as not far behind the others however little it used, and goes before one that has used more; a call
//! that did not wait keeps the slice. What is done on a program's behalf counts as used by it.
//!
//! Invariant: a context is the core's from [`Me::run_user`] until the turn ends with a trap, and the
//! process that lent it waits all that time. Virtual times only grow, and so does the floor. Not here: entering user mode
//! (`arch-aarch64`), the timer (the image arms it for [`UserTurn::left_ns`]).

use crate::account::{Account, Count};
use crate::probe;
use crate::process::{Me, Order, Process, Wait};
use crate::ready::Core;
use crate::real_time::RANK_SPENT;
use core::future::{Future, poll_fn};
use core::marker::{PhantomData, PhantomPinned};
use core::pin::Pin;
use core::task::{Context, Poll};
use renga_abi::policy::{Class, Policy, RANK_FAIR, RANK_INTERRUPTED, Rank};
use renga_abi::user::{Trap, UserContext};
use renga_heap::NOWHERE;

impl Me {
    /// Runs the user program in `context` and address space `space` (a number that the board's
    /// memory gives a meaning) until it traps or the process is interrupted ([`Trap::Preempted`]); [`Me::trap`] says which.
    pub fn run_user<'a>(&'a mut self, context: &'a mut UserContext, space: u32) -> RunUser<'a> {
        RunUser { me: self.0, context, space, _lent: PhantomData, _pinned: PhantomPinned }
    }

    /// What ended the last run of the program.
    #[inline(always)]
    pub fn trap(&self) -> Trap {
        self.0.trap.get()
    }

    /// Lets the programs run that have used no more than the one for which this process works, for which
    /// [`Me::yield_turn`] does not care. For long work on behalf of a program.
    pub async fn yield_to_programs(&mut self) {
        let me = self.0;
        me.begin(Wait::User);
        me.core.slice_end_ns.set(0);
        me.core.ask_turn(me);
        poll_fn(|_| if me.wait.get() == Wait::Nothing { Poll::Ready(()) } else { Poll::Pending }).await
    }

    /// As [`Me::yield_to_programs`], for work that comes from elsewhere: at once if nobody is to run before.
    pub async fn await_share(&mut self) {
        if !self.0.core.is_due(self.0) {
            self.yield_to_programs().await;
        }
    }

    /// Whether programs of this core are ready to run, and wait for system processes only.
    pub fn programs_wait(&self) -> bool {
        self.0.core.has_users()
    }

    /// Gives way to its equals, as after a whole slice.
    pub fn give_way(&mut self) {
        let core = self.0.core;
        core.last.set(None); // so that it goes behind its equals
        if let Some(first) = core.runners.first() {
            let account = self.0.account.get();
            account.count(Count::TurnsTaken, 1);
            account.virtual_ns.set(account.virtual_ns.get().max(first.order.get().virtual_ns));
        }
    }
}

/// A user program's run, until its trap. What that is stays in the header: moving it costs as much as a null call.
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
                me.core.ask_turn(me);
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

/// How far a program that waited may be behind the others, ns of virtual time.
pub const LAG_NS_MAX: u64 = 4_000_000;
/// Who wakes ends another's turn if it has used less by this, ns of virtual time: two that wake each other would pay for
/// a turn taken at each call, and one that computes is so far ahead at once.
const WAKES_BEHIND_NS: u64 = 5_000;
/// The shortest slice, ns: an alarm is not worth less.
const SLICE_NS_MIN: u64 = 50_000;

/// One user program's turn on the core. Dropped, it goes on unless somebody else is to run first.
pub struct UserTurn(&'static Process);

impl Core {
    /// The next user program to run; none if no program is ready.
    #[inline(always)]
    pub fn next_user(&self) -> Option<UserTurn> {
        if self.real_time.is_active() {
            self.update_real_time(self.charged_ns.get(), self.last.get());
        }
        if let Some(last) = self.last.take() {
            if last.wait.get() != Wait::User {
                self.gave_turn(last);
            } else if last.runner_place.get() == NOWHERE {
                if self.keeps(last) {
                    return Some(UserTurn(last));
                }
                self.take_turn(last);
            }
        }
        self.overtaken.set(false);
        // Bounded by those who wait: who is put back is put where its account is now.
        while let Some(next) = self.runners.pop() {
            let (account, order) = (next.account.get(), next.order.get());
            let used_ns = account.virtual_ns.get();
            if order.rank >= RANK_FAIR && used_ns > order.virtual_ns && !self.runners.is_empty() {
                next.order.set(Order { virtual_ns: used_ns, ..order });
                self.runners.push(next);
                continue;
            }
            self.begin_slice(account);
            return Some(UserTurn(next));
        }
        None
    }

    /// `last` has waited since its turn.
    fn gave_turn(&self, last: &'static Process) {
        if last.charged_as.get() == Count::SystemNs {
            last.account.get().count(Count::TurnsGiven, 1); // who only let programs go first has none
        }
    }

    /// `last` would go on, but others are first.
    fn take_turn(&self, last: &'static Process) {
        let account = last.account.get();
        account.count(Count::TurnsTaken, 1);
        let stays = account.policy().class == Class::Fifo || account.virtual_ns.get() < self.slice_end_ns.get();
        self.queue(last, stays);
    }

    fn begin_slice(&self, account: &Account) {
        let (rank, used_ns) = (account.rank.get(), account.virtual_ns.get());
        if rank == RANK_FAIR {
            self.floor_ns.set(self.floor_ns.get().max(used_ns));
        } else if rank < RANK_FAIR {
            self.real_time.begin(self.charged_ns.get());
        }
        self.slice_end_ns.set(used_ns + account.slice_ns.get());
    }

    /// Whether `last`, which wants to go on, does.
    fn keeps(&self, last: &'static Process) -> bool {
        let Some(first) = self.runners.first() else { return true };
        let (account, first) = (last.account.get(), first.order.get());
        let rank = self.rank(last, account);
        if first.rank != rank {
            return rank < first.rank;
        }
        let used_ns = account.virtual_ns.get();
        if account.rank.get() >= RANK_FAIR {
            return !self.overtaken.get() && used_ns < self.slice_end_ns.get().max(first.virtual_ns);
        }
        account.policy().class == Class::Fifo || used_ns < self.slice_end_ns.get()
    }

    /// `process` wants a turn. If it had the last one it has not waited.
    #[inline(always)]
    pub(crate) fn ask_turn(&self, process: &'static Process) {
        if !self.last.get().is_some_and(|last| core::ptr::eq(last, process)) {
            self.ask_after_wait(process);
        }
    }

    #[inline(never)]
    fn ask_after_wait(&self, process: &'static Process) {
        let account = process.account.get();
        let before = self.last.get();
        let begins = account.begins.replace(false);
        if let Some(maker) = before.filter(|_| begins) {
            let behind_ns = maker.account.get().virtual_ns.get() + account.slice_ns.get();
            account.virtual_ns.set(account.virtual_ns.get().max(behind_ns));
        }
        let last = before.filter(|last| last.wait.get() == Wait::User);
        last.into_iter().for_each(|last| self.raise_floor(last));
        let used_ns = self.place(account);
        let Some(last) = last else {
            if let Some(gone) = before {
                self.gave_turn(gone);
                self.last.set(None);
            }
            if self.runners.is_empty() {
                // Nobody else wants the core: it has the next turn, past the heap.
                self.begin_slice(account);
                return self.last.set(Some(process));
            }
            return self.queue(process, false);
        };
        self.queue(process, false);
        let other = last.account.get();
        let wakes =
            !begins && account.policy().class != Class::Batch && used_ns + WAKES_BEHIND_NS < other.virtual_ns.get();
        self.overtaken.set(self.overtaken.get() || wakes);
    }

    /// `last`, which would go on, may have run alone for long since its slice began.
    fn raise_floor(&self, last: &Process) {
        let account = last.account.get();
        if self.rank(last, account) != RANK_FAIR {
            return;
        }
        let first = self.runners.first().map(|first| first.order.get()).filter(|first| first.rank == RANK_FAIR);
        let used_ns = account.virtual_ns.get();
        let least_ns = first.map_or(used_ns, |first| first.virtual_ns.min(used_ns));
        self.floor_ns.set(self.floor_ns.get().max(least_ns));
    }

    /// Who has waited is not far behind the others; what its account has used, so seen.
    fn place(&self, account: &Account) -> u64 {
        let least_ns = self.floor_ns.get().saturating_sub(LAG_NS_MAX);
        let used_ns = account.virtual_ns.get().max(least_ns);
        account.virtual_ns.set(used_ns);
        used_ns
    }

    /// Whether nobody who wants the core should have it before the account of `process`.
    fn is_due(&self, process: &Process) -> bool {
        let last = self.last.get().filter(|last| last.wait.get() == Wait::User);
        last.into_iter().for_each(|last| self.raise_floor(last));
        let used_ns = self.place(process.account.get());
        let goes_first = |other: &Process| {
            let account = other.account.get();
            let rank = self.rank(other, account);
            rank < RANK_FAIR || (rank == RANK_FAIR && account.virtual_ns.get() < used_ns)
        };
        let others = [self.runners.first(), last];
        if others.iter().flatten().next().is_none() {
            // Nobody wants the core: what it is used for now is not counted against it later.
            self.raise_floor(process);
        }
        !others.into_iter().flatten().any(goes_first)
    }

    /// Puts `process` among those who wait for a turn; of a real-time class before its equals, if it `stays` there.
    fn queue(&self, process: &'static Process, stays: bool) {
        let account = process.account.get();
        let rank = self.rank(process, account);
        let fair = rank >= RANK_FAIR;
        let arrival =
            if stays && !fair { process.order.get().arrival } else { self.arrivals.replace(self.arrivals.get() + 1) };
        let virtual_ns = if fair { account.virtual_ns.get() } else { 0 };
        process.order.set(Order { rank, virtual_ns, arrival });
        self.runners.push(process);
    }

    /// Puts `process`, which waits for a turn, where it belongs now.
    pub(crate) fn queue_again(&self, process: &'static Process) {
        self.runners.remove(process);
        self.queue(process, false);
    }

    /// Whether another user program waits for a turn.
    pub fn has_users(&self) -> bool {
        !self.runners.is_empty() || self.last.get().is_some_and(|last| last.wait.get() == Wait::User)
    }

    /// When the program of `process` runs, whatever others have used.
    fn rank(&self, process: &Process, account: &Account) -> Rank {
        match account.rank.get() {
            _ if process.interrupted.get() => RANK_INTERRUPTED,
            rank if rank < RANK_FAIR && self.real_time.is_spent() => RANK_SPENT,
            rank => rank,
        }
    }

    pub(crate) fn set_policy(&self, process: &'static Process, policy: Policy) {
        process.account.get().set_policy(policy);
        if process.runner_place.get() != NOWHERE {
            self.queue_again(process);
        }
    }
}

impl UserTurn {
    /// The program's registers, to enter it with.
    pub fn context(&mut self) -> &mut UserContext {
        probe::enter(self.0);
        // SAFETY: set by `RunUser`, whose borrow is held by a pending future (as I5 of
        // `rendezvous.rs`); the turn exists once, since the process left the heap of those who wait.
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
    /// How long it may run before somebody else's turn, ns; `None`: nobody waits who would have it.
    pub fn left_ns(&self) -> Option<u64> {
        let core = self.0.core;
        let first = core.runners.first()?.order.get();
        let account = self.0.account.get();
        if account.rank.get() < RANK_FAIR || first.rank == RANK_SPENT {
            return Some(self.left_beside_real_time_ns(first.rank).max(SLICE_NS_MIN));
        }
        if first.rank > account.rank.get() {
            return None;
        }
        let end_ns = core.slice_end_ns.get().max(first.virtual_ns);
        Some(account.unscaled(end_ns.saturating_sub(account.virtual_ns.get())).max(SLICE_NS_MIN))
    }
    /// As above, of a real-time program, or while the first of those who wait, whose rank is `first`, is one whose time
    /// is spent.
    #[inline(never)]
    fn left_beside_real_time_ns(&self, first: Rank) -> u64 {
        let core = self.0.core;
        let account = self.0.account.get();
        let spent_for_ns = core.real_time.spent_for_ns(core.charged_ns.get());
        let alone = first > account.rank.get() || account.policy().class == Class::Fifo;
        match account.rank.get() < RANK_FAIR {
            false => spent_for_ns,
            true if alone && core.real_time.is_spent() => spent_for_ns,
            true if alone => core.real_time.left_ns(),
            true => account.unscaled(core.slice_end_ns.get().saturating_sub(account.virtual_ns.get())),
        }
    }
    /// The program has run until `now_ns`.
    #[inline(always)]
    pub fn charge_until(&self, now_ns: u64) {
        self.0.core.charge_program(self.0, now_ns);
    }
    /// As above, where time stands still meanwhile: it has run for `ns`.
    pub fn charge(&self, ns: u64) {
        self.0.account.get().charge(Count::UserNs, ns);
    }
    /// Ends the turn with a trap and makes the process ready.
    pub fn end(self, trap: Trap) {
        let process = self.trapped(trap);
        process.core.make_ready(process);
    }
    /// As [`UserTurn::end`]; the process goes on at once if it would be the next to run.
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

impl Drop for UserTurn {
    fn drop(&mut self) {
        self.0.core.last.set(Some(self.0));
    }
}

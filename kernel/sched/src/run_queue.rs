//! The run queue of one core: the runnable tasks, and the last one that ran.
//!
//! Invariant: a task waits in the queue, or is the last one picked, or neither; it waits in one [`RunQueue`] only. Not
//! here: how long a slice really took (`Account::charge`).

use crate::account::Account;
use crate::heap::{Heap, NOWHERE};
use crate::real_time_share::{RANK_SPENT, RealTime};
use crate::task::{Task, TaskKey};
use core::cell::Cell;
use renga_abi::OsTimes;
use renga_abi::account::{Count, Counts};
use renga_abi::policy::{Class, Policy, RANK_CANCELLED, RANK_FAIR, Rank};

/// Sleeper credit: how far a task that slept may be behind the others, ns of vruntime.
pub const SLEEPER_CREDIT_NS_MAX: u64 = 4_000_000;
/// The shortest slice, ns: an alarm is not worth less.
const SLICE_NS_MIN: u64 = 50_000;
/// Tasks that may be queued at once: all processes of a board.
const TASKS_MAX: usize = 1024;

/// The run queue of one core. In the order written: the fields of each slice are where one instruction reaches them.
#[repr(C)]
pub struct RunQueue<R: Task + 'static> {
    /// The task that ran last and has not blocked since, as far as is known.
    last: Cell<Option<&'static R>>,
    /// The task picked last went before its turn, as its wait was cancelled: its process handles that, and then its
    /// program waits for its turn where it stood. Else programs that signal each other would shut out all others.
    out_of_turn: Cell<bool>,
    /// A task that has used less has woken meanwhile.
    overtaken: Cell<bool>,
    /// The vruntime of the task picked last, ns; a woken task starts at most the sleeper credit behind.
    min_vruntime_ns: Cell<u64>,
    /// The time of real-time tasks.
    real_time: RealTime,
    /// Enqueued tasks, counted.
    arrivals: Cell<u64>,
    waiting: Heap<R, TASKS_MAX>,
    /// A woken task preempts one whose vruntime exceeds its own by this, ns. With less, two tasks that wake each other
    /// would pay for a preemption at each call; a computing task is so far ahead at once.
    wakeup_granularity_ns: Cell<u64>,
}

impl<R: Task> Default for RunQueue<R> {
    fn default() -> Self {
        RunQueue::new()
    }
}

impl<R: Task> RunQueue<R> {
    /// No task.
    pub const fn new() -> Self {
        Self::with_wakeup_granularity_ns(OsTimes::DEFAULT.wakeup_granularity_ns)
    }

    /// No task; a woken one must be so far behind the running one to preempt it, ns.
    pub const fn with_wakeup_granularity_ns(ns: u64) -> Self {
        RunQueue {
            last: Cell::new(None),
            out_of_turn: Cell::new(false),
            overtaken: Cell::new(false),
            min_vruntime_ns: Cell::new(0),
            real_time: RealTime::new(),
            arrivals: Cell::new(0),
            waiting: Heap::new(),
            wakeup_granularity_ns: Cell::new(ns),
        }
    }

    /// How far a woken task must be behind the running one to preempt it, ns.
    pub fn wakeup_granularity_ns(&self) -> u64 {
        self.wakeup_granularity_ns.get()
    }

    /// Changes that.
    pub fn set_wakeup_granularity_ns(&self, ns: u64) {
        self.wakeup_granularity_ns.set(ns);
    }

    /// Picks the next task, at `now_ns`; none if no task is runnable. The caller gives it back by
    /// [`RunQueue::put_back`].
    #[inline(always)]
    pub fn next(&self, now_ns: u64) -> Option<&'static R> {
        if self.real_time.is_active() {
            self.update_real_time(now_ns);
        }
        if let Some(last) = self.last.take() {
            if !last.is_runnable() {
                self.note_block(last);
            } else if last.place().get() == NOWHERE {
                if self.keeps_core(last) {
                    return Some(last);
                }
                self.preempt(last);
            }
        }
        self.overtaken.set(false);
        // Bounded by the queued tasks: each is put back at most once, at its present vruntime.
        while let Some(next) = self.waiting.pop() {
            let (account, order) = (next.account(), next.order());
            let vruntime_ns = account.vruntime_ns.get();
            if order.rank >= RANK_FAIR && vruntime_ns > order.vruntime_ns && !self.waiting.is_empty() {
                next.set_order(TaskKey { vruntime_ns, ..order });
                self.waiting.push(next);
                continue;
            }
            self.out_of_turn.set(order.rank == RANK_CANCELLED);
            self.start_slice(account, now_ns);
            return Some(next);
        }
        None
    }

    /// Counts the time of real-time tasks until `now_ns`, and requeues those whose rank that changes.
    #[inline(never)]
    fn update_real_time(&self, now_ns: u64) {
        let goes_on = |last: &'static R| last.is_runnable() && last.account().rank.get() < RANK_FAIR;
        let changed = self.real_time.update(now_ns, || self.last.get().is_some_and(goes_on));
        // Bounded by the queued tasks: each gets another rank.
        while let Some(task) = changed.and_then(|is_of| self.waiting.find(|task| is_of(task.order().rank))) {
            self.requeue(task, true);
        }
    }

    /// `last` has blocked since its slice.
    fn note_block(&self, last: &'static R) {
        if last.is_program() {
            let account = last.account();
            account.count(Count::VoluntarySwitches, 1); // a process without a program counts none
            account.set_runnable(false);
        }
    }

    /// `last` is runnable, but others are first.
    fn preempt(&self, last: &'static R) {
        let account = last.account();
        let out_of_turn = self.out_of_turn.get();
        account.count(Count::InvoluntarySwitches, i64::from(!out_of_turn));
        self.queue(last, out_of_turn || account.policy().class == Class::Fifo || account.has_slice_left());
    }

    /// The task picked begins a slice, if it is its turn; one of a real-time class that was preempted has the rest of
    /// its last one.
    fn start_slice(&self, account: &Account, now_ns: u64) {
        let (rank, vruntime_ns) = (account.rank.get(), account.vruntime_ns.get());
        if rank < RANK_FAIR {
            self.real_time.begin(now_ns);
        }
        if self.out_of_turn.get() || (rank < RANK_FAIR && account.has_slice_left()) {
            return;
        }
        if rank == RANK_FAIR {
            self.min_vruntime_ns.set(self.min_vruntime_ns.get().max(vruntime_ns));
        }
        account.slice_end_ns.set(vruntime_ns + account.slice_ns.get());
    }

    /// Whether `last`, which is runnable, keeps the core.
    fn keeps_core(&self, last: &'static R) -> bool {
        let Some(first) = self.waiting.first() else { return true };
        if self.out_of_turn.get() {
            return false;
        }
        let (account, first) = (last.account(), first.order());
        let rank = self.rank(last, account);
        if first.rank != rank {
            return rank < first.rank;
        }
        let vruntime_ns = account.vruntime_ns.get();
        if account.rank.get() >= RANK_FAIR {
            return !self.overtaken.get() && vruntime_ns < account.slice_end_ns.get().max(first.vruntime_ns);
        }
        account.policy().class == Class::Fifo || account.has_slice_left()
    }

    /// Whether `task` ran last: runnable, it has not blocked and need not be enqueued.
    #[inline(always)]
    pub fn is_last(&self, task: &R) -> bool {
        self.last.get().is_some_and(|last| core::ptr::eq(last, task))
    }

    /// Runnable tasks, the last one included.
    pub fn load(&self) -> usize {
        self.waiting.len() + usize::from(self.last.get().is_some_and(R::is_runnable))
    }

    /// A queued task for which `wanted` holds.
    pub fn find(&self, wanted: impl Fn(&R) -> bool) -> Option<&'static R> {
        self.waiting.find(wanted)
    }

    /// Removes `task`, queued or last.
    pub fn remove(&self, task: &'static R) {
        if task.place().get() != NOWHERE {
            self.waiting.remove(task);
        }
        if self.is_last(task) {
            self.last.set(None);
            task.account().set_runnable(task.is_runnable());
        }
    }

    /// `task` is not the last one any more: it continues without a slice, as a system process.
    pub fn clear_last(&self, task: &R) {
        if self.is_last(task) {
            self.last.set(None);
        }
    }

    /// Moves `task` to `other`, as far from min_vruntime there as here.
    pub fn migrate(&self, task: &'static R, other: &RunQueue<R>) {
        self.remove(task);
        let vruntime_ns = &task.account().vruntime_ns;
        task.account().slice_end_ns.set(0);
        vruntime_ns.set((vruntime_ns.get() + other.min_vruntime_ns.get()).saturating_sub(self.min_vruntime_ns.get()));
    }

    /// Enqueues `task`, which is not the last one.
    #[inline(never)]
    pub fn enqueue_woken(&self, task: &'static R, now_ns: u64) {
        let account = task.account();
        let before = self.last.get();
        if task.is_program() {
            account.set_runnable(true);
        }
        let begins = account.is_new.replace(false);
        if let Some(maker) = before.filter(|_| begins) {
            let behind_ns = maker.account().vruntime_ns.get() + account.slice_ns.get();
            account.vruntime_ns.set(account.vruntime_ns.get().max(behind_ns));
        }
        let last = before.filter(|last| last.is_runnable());
        last.into_iter().for_each(|last| self.raise_min_vruntime(last));
        let vruntime_ns = self.place(account);
        let Some(last) = last else {
            if let Some(gone) = before {
                self.note_block(gone);
                self.last.set(None);
            }
            if self.waiting.is_empty() {
                // No other task: it runs next, past the heap.
                self.out_of_turn.set(false);
                self.start_slice(account, now_ns);
                return self.last.set(Some(task));
            }
            return self.queue(task, false);
        };
        self.queue(task, false);
        let other = last.account();
        let wakes = !begins
            && account.policy().class != Class::Batch
            && vruntime_ns + self.wakeup_granularity_ns.get() < other.vruntime_ns.get();
        self.overtaken.set(self.overtaken.get() || wakes);
    }

    /// `last` is runnable, and may have run alone for long since its slice began.
    fn raise_min_vruntime(&self, last: &R) {
        let account = last.account();
        if self.rank(last, account) != RANK_FAIR {
            return;
        }
        let first = self.waiting.first().map(|first| first.order()).filter(|first| first.rank == RANK_FAIR);
        let vruntime_ns = account.vruntime_ns.get();
        let least_ns = first.map_or(vruntime_ns, |first| first.vruntime_ns.min(vruntime_ns));
        self.min_vruntime_ns.set(self.min_vruntime_ns.get().max(least_ns));
    }

    /// Limits a sleeper's credit; its vruntime after that.
    fn place(&self, account: &Account) -> u64 {
        let least_ns = self.min_vruntime_ns.get().saturating_sub(SLEEPER_CREDIT_NS_MAX);
        let vruntime_ns = account.vruntime_ns.get().max(least_ns);
        account.vruntime_ns.set(vruntime_ns);
        vruntime_ns
    }

    /// Whether no runnable task goes before the account of `task`.
    pub fn is_due(&self, task: &R) -> bool {
        let last = self.last.get().filter(|last| last.is_runnable());
        last.into_iter().for_each(|last| self.raise_min_vruntime(last));
        let vruntime_ns = self.place(task.account());
        let goes_first = |other: &R| {
            let account = other.account();
            let rank = self.rank(other, account);
            rank < RANK_FAIR || (rank == RANK_FAIR && account.vruntime_ns.get() < vruntime_ns)
        };
        let others = [self.waiting.first(), last];
        if others.iter().flatten().next().is_none() {
            // No task is runnable: `task` does not pay later for the time that it uses now.
            self.raise_min_vruntime(task);
        }
        !others.into_iter().flatten().any(goes_first)
    }

    /// Queues `task`; one of a real-time class before its equals, if it `stays`.
    fn queue(&self, task: &'static R, stays: bool) {
        let account = task.account();
        let rank = self.rank(task, account);
        let fair = rank >= RANK_FAIR;
        let arrival =
            if stays && !fair { task.order().arrival } else { self.arrivals.replace(self.arrivals.get() + 1) };
        let vruntime_ns = if fair { account.vruntime_ns.get() } else { 0 };
        task.set_order(TaskKey { rank, vruntime_ns, arrival });
        self.waiting.push(task);
    }

    /// Moves `task`, which is queued, to its present place, behind its equals unless it `stays` where it was among
    /// them.
    pub fn requeue(&self, task: &'static R, stays: bool) {
        self.waiting.remove(task);
        self.queue(task, stays);
    }

    /// Whether any task is runnable.
    pub fn has_any(&self) -> bool {
        !self.waiting.is_empty() || self.last.get().is_some_and(|last| last.is_runnable())
    }

    /// The rank of `task`, which precedes vruntime.
    fn rank(&self, task: &R, account: &Account) -> Rank {
        match account.rank.get() {
            _ if task.is_wait_cancelled() => RANK_CANCELLED,
            rank if rank < RANK_FAIR && self.real_time.is_spent() => RANK_SPENT,
            rank => rank,
        }
    }

    /// Gives it another policy at `now_ns`, and its place by that. One that has the core and becomes a real-time task
    /// may keep it without another slice's beginning.
    pub fn set_policy(&self, task: &'static R, policy: Policy, now_ns: u64) {
        task.account().set_policy(policy);
        if task.place().get() != NOWHERE {
            self.requeue(task, false);
        } else if self.is_last(task) && task.account().rank.get() < RANK_FAIR && !self.real_time.is_active() {
            self.real_time.begin(now_ns);
        }
    }

    /// Takes back `task`, whose slice has ended. Still runnable, it continues unless another task is first.
    #[inline(always)]
    pub fn put_back(&self, task: &'static R) {
        self.last.set(Some(task));
    }

    /// Ends the slice of `task`, if it ran last.
    pub fn end_slice(&self, task: &R) {
        if self.is_last(task) {
            task.account().slice_end_ns.set(0);
        }
    }

    /// Moves `task`, which ran, behind its equals, as after a whole slice. Another task may be the last by now, on a
    /// core where `task` was remote.
    pub fn yield_slice(&self, task: &R) {
        self.clear_last(task); // so that it goes behind its equals
        if let Some(first) = self.waiting.first() {
            let account = task.account();
            account.count(Count::InvoluntarySwitches, 1);
            account.vruntime_ns.set(account.vruntime_ns.get().max(first.order().vruntime_ns));
        }
    }

    /// Resets the account of `task` for a new program. One that is `made_here`, by a program of this board, starts a
    /// slice behind the running task. Other cores' accounts of that number have counted `elsewhere`.
    pub fn begin(&self, task: &R, made_here: bool, elsewhere: &Counts) {
        task.account().begin(self.min_vruntime_ns.get(), made_here, elsewhere);
    }

    /// How long `task` may run from `now_ns` on, ns; `None`: no other task would take the core.
    pub fn left_ns(&self, task: &R, now_ns: u64) -> Option<u64> {
        let first = self.waiting.first()?.order();
        let account = task.account();
        if account.rank.get() < RANK_FAIR || first.rank == RANK_SPENT {
            return Some(self.left_beside_real_time_ns(account, first.rank, now_ns).max(SLICE_NS_MIN));
        }
        if first.rank > account.rank.get() {
            return None;
        }
        let end_ns = account.slice_end_ns.get().max(first.vruntime_ns);
        Some(account.unscaled(end_ns.saturating_sub(account.vruntime_ns.get())).max(SLICE_NS_MIN))
    }

    /// As above, for a real-time task, or while the first queued task, of rank `first`, is one whose time
    /// is spent.
    #[inline(never)]
    fn left_beside_real_time_ns(&self, account: &Account, first: Rank, now_ns: u64) -> u64 {
        let spent_for_ns = self.real_time.spent_for_ns(now_ns);
        let alone = first > account.rank.get() || account.policy().class == Class::Fifo;
        match account.rank.get() < RANK_FAIR {
            false => spent_for_ns,
            true if alone && self.real_time.is_spent() => spent_for_ns,
            true if alone => self.real_time.left_ns(),
            true => account.unscaled(account.slice_end_ns.get().saturating_sub(account.vruntime_ns.get())),
        }
    }
}

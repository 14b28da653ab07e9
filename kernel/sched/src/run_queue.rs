//! Who waits for a turn on one core, and who has it.
//!
//! Invariant: a task is among those who wait, or is the last one chosen, or neither; it waits in one `RunQueue` only. Not
//! here: how long a turn really took (`Account::charge`).

use crate::account::Account;
use crate::heap::{Heap, NOWHERE};
use crate::real_time_share::{RANK_SPENT, RealTime};
use crate::task::{Task, TaskKey};
use core::cell::Cell;
use renga_abi::account::{Count, Counts};
use renga_abi::policy::{Class, Policy, RANK_CANCELLED, RANK_FAIR, Rank};

/// How far a program that waited may be behind the others, ns of virtual time.
pub const SLEEPER_CREDIT_NS_MAX: u64 = 4_000_000;
/// Who wakes ends another's turn if it has used less by this, ns of virtual time: two that wake each other would pay for
/// a turn taken at each call, and one that computes is so far ahead at once.
const WAKES_BEHIND_NS: u64 = 5_000;
/// The shortest slice, ns: an alarm is not worth less.
const SLICE_NS_MIN: u64 = 50_000;
/// Processes that may wait for a turn at once: all of a board.
const TASKS_MAX: usize = 1024;

/// The turns of one core. In the order written: what each turn reads is where one instruction reaches it.
#[repr(C)]
pub struct RunQueue<R: Task + 'static> {
    /// Whose program had the core last and has not waited since, as far as is known.
    last: Cell<Option<&'static R>>,
    /// Its slice is over at this virtual time of its account, ns.
    slice_end_ns: Cell<u64>,
    /// Somebody who has used less has woken meanwhile.
    overtaken: Cell<bool>,
    /// Virtual time that the one who was last chosen had used: who wakes is not far behind it, ns.
    min_vruntime_ns: Cell<u64>,
    /// What real-time programs have had.
    pub(crate) real_time: RealTime,
    /// Who came to wait for a turn, counted.
    arrivals: Cell<u64>,
    pub(crate) waiting: Heap<R, TASKS_MAX>,
}

impl<R: Task> Default for RunQueue<R> {
    fn default() -> Self {
        RunQueue::new()
    }
}

impl<R: Task> RunQueue<R> {
    /// Nobody wants a turn.
    pub const fn new() -> Self {
        RunQueue {
            last: Cell::new(None),
            slice_end_ns: Cell::new(0),
            overtaken: Cell::new(false),
            min_vruntime_ns: Cell::new(0),
            real_time: RealTime::new(),
            arrivals: Cell::new(0),
            waiting: Heap::new(),
        }
    }

    /// Who runs next, at `now_ns`; none if nobody wants a turn. It is to be given back by [`RunQueue::put_back`].
    #[inline(always)]
    pub fn next(&self, now_ns: u64) -> Option<&'static R> {
        if self.real_time.is_active() {
            self.update_real_time(now_ns, self.last.get());
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
        // Bounded by those who wait: who is put back is put where its account is now.
        while let Some(next) = self.waiting.pop() {
            let (account, order) = (next.account(), next.order());
            let vruntime_ns = account.vruntime_ns.get();
            if order.rank >= RANK_FAIR && vruntime_ns > order.vruntime_ns && !self.waiting.is_empty() {
                next.set_order(TaskKey { vruntime_ns, ..order });
                self.waiting.push(next);
                continue;
            }
            self.start_slice(account, now_ns);
            return Some(next);
        }
        None
    }

    /// `last` has waited since its turn.
    fn note_block(&self, last: &'static R) {
        if last.is_program() {
            let account = last.account();
            account.count(Count::VoluntarySwitches, 1); // who only let programs go first has none
            account.set_runnable(false);
        }
    }

    /// `last` would go on, but others are first.
    fn preempt(&self, last: &'static R) {
        let account = last.account();
        account.count(Count::InvoluntarySwitches, 1);
        let stays = account.policy().class == Class::Fifo || account.vruntime_ns.get() < self.slice_end_ns.get();
        self.queue(last, stays);
    }

    fn start_slice(&self, account: &Account, now_ns: u64) {
        let (rank, vruntime_ns) = (account.rank.get(), account.vruntime_ns.get());
        if rank == RANK_FAIR {
            self.min_vruntime_ns.set(self.min_vruntime_ns.get().max(vruntime_ns));
        } else if rank < RANK_FAIR {
            self.real_time.begin(now_ns);
        }
        self.slice_end_ns.set(vruntime_ns + account.slice_ns.get());
    }

    /// Whether `last`, which wants to go on, does.
    fn keeps_core(&self, last: &'static R) -> bool {
        let Some(first) = self.waiting.first() else { return true };
        let (account, first) = (last.account(), first.order());
        let rank = self.rank(last, account);
        if first.rank != rank {
            return rank < first.rank;
        }
        let vruntime_ns = account.vruntime_ns.get();
        if account.rank.get() >= RANK_FAIR {
            return !self.overtaken.get() && vruntime_ns < self.slice_end_ns.get().max(first.vruntime_ns);
        }
        account.policy().class == Class::Fifo || vruntime_ns < self.slice_end_ns.get()
    }

    /// Whether the last turn was `task`'s: when it wants one it has not waited, and need not ask.
    #[inline(always)]
    pub fn is_last(&self, task: &R) -> bool {
        self.last.get().is_some_and(|last| core::ptr::eq(last, task))
    }

    /// How many want a turn, whoever has the last one included.
    pub fn load(&self) -> usize {
        self.waiting.len() + usize::from(self.last.get().is_some_and(R::is_runnable))
    }

    /// One of those who wait, for whom `wanted` holds.
    pub fn find(&self, wanted: impl Fn(&R) -> bool) -> Option<&'static R> {
        self.waiting.find(wanted)
    }

    /// Has nothing to do with `task` any more, whether that waits here or had the last turn.
    pub fn remove(&self, task: &'static R) {
        if task.place().get() != NOWHERE {
            self.waiting.remove(task);
        }
        if self.is_last(task) {
            self.last.set(None);
            task.account().set_runnable(task.is_runnable());
        }
    }

    /// The last turn is `task`'s no more, which goes on without one: for what it does itself.
    pub fn clear_last(&self, task: &R) {
        if self.is_last(task) {
            self.last.set(None);
        }
    }

    /// Lets `task` go to `other`, where it is as far from the others as it is here.
    pub fn migrate(&self, task: &'static R, other: &RunQueue<R>) {
        self.remove(task);
        let vruntime_ns = &task.account().vruntime_ns;
        vruntime_ns.set((vruntime_ns.get() + other.min_vruntime_ns.get()).saturating_sub(self.min_vruntime_ns.get()));
    }

    /// `task`, whose turn was not the last one, wants a turn.
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
                // Nobody else wants the core: it has the next turn, past the heap.
                self.start_slice(account, now_ns);
                return self.last.set(Some(task));
            }
            return self.queue(task, false);
        };
        self.queue(task, false);
        let other = last.account();
        let wakes = !begins
            && account.policy().class != Class::Batch
            && vruntime_ns + WAKES_BEHIND_NS < other.vruntime_ns.get();
        self.overtaken.set(self.overtaken.get() || wakes);
    }

    /// `last`, which would go on, may have run alone for long since its slice began.
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

    /// Who has waited is not far behind the others; what its account has used, so seen.
    fn place(&self, account: &Account) -> u64 {
        let least_ns = self.min_vruntime_ns.get().saturating_sub(SLEEPER_CREDIT_NS_MAX);
        let vruntime_ns = account.vruntime_ns.get().max(least_ns);
        account.vruntime_ns.set(vruntime_ns);
        vruntime_ns
    }

    /// Whether nobody who wants the core should have it before the account of `task`.
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
            // Nobody wants the core: what it is used for now is not counted against it later.
            self.raise_min_vruntime(task);
        }
        !others.into_iter().flatten().any(goes_first)
    }

    /// Puts `task` among those who wait for a turn; of a real-time class before its equals, if it `stays` there.
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

    /// Puts `task`, which waits for a turn, where it belongs now.
    pub fn requeue(&self, task: &'static R) {
        self.waiting.remove(task);
        self.queue(task, false);
    }

    /// Whether anybody waits for a turn, or would go on with the last.
    pub fn has_any(&self) -> bool {
        !self.waiting.is_empty() || self.last.get().is_some_and(|last| last.is_runnable())
    }

    /// When the program of `task` runs, whatever others have used.
    fn rank(&self, task: &R, account: &Account) -> Rank {
        match account.rank.get() {
            _ if task.is_wait_cancelled() => RANK_CANCELLED,
            rank if rank < RANK_FAIR && self.real_time.is_spent() => RANK_SPENT,
            rank => rank,
        }
    }

    /// Gives it another policy, and its place by that.
    pub fn set_policy(&self, task: &'static R, policy: Policy) {
        task.account().set_policy(policy);
        if task.place().get() != NOWHERE {
            self.requeue(task);
        }
    }

    /// Takes the turn of `task` back, which has ended: unless it waits meanwhile it goes on, if nobody else is to run first.
    #[inline(always)]
    pub fn put_back(&self, task: &'static R) {
        self.last.set(Some(task));
    }

    /// `task` is done with its slice, if the last turn was its own.
    pub fn end_slice(&self, task: &R) {
        if self.is_last(task) {
            self.slice_end_ns.set(0);
        }
    }

    /// `task`, which ran, gives way to its equals, as after a whole slice. The last turn may be another's by now: of a core on which it ran
    /// as a guest.
    pub fn yield_slice(&self, task: &R) {
        self.clear_last(task); // so that it goes behind its equals
        if let Some(first) = self.waiting.first() {
            let account = task.account();
            account.count(Count::InvoluntarySwitches, 1);
            account.vruntime_ns.set(account.vruntime_ns.get().max(first.order().vruntime_ns));
        }
    }

    /// Begins the account of `task` anew, for a new program; one that is `made_here`, by a program of this board, goes a slice
    /// behind who runs. Other cores' accounts of that number have counted `elsewhere`.
    pub fn begin(&self, task: &R, made_here: bool, elsewhere: &Counts) {
        task.account().begin(self.min_vruntime_ns.get(), made_here, elsewhere);
    }

    /// How long `task` may run from `now_ns` on before somebody else's turn, ns; `None`: nobody waits who would have it.
    pub fn left_ns(&self, task: &R, now_ns: u64) -> Option<u64> {
        let first = self.waiting.first()?.order();
        let account = task.account();
        if account.rank.get() < RANK_FAIR || first.rank == RANK_SPENT {
            return Some(self.left_beside_real_time_ns(account, first.rank, now_ns).max(SLICE_NS_MIN));
        }
        if first.rank > account.rank.get() {
            return None;
        }
        let end_ns = self.slice_end_ns.get().max(first.vruntime_ns);
        Some(account.unscaled(end_ns.saturating_sub(account.vruntime_ns.get())).max(SLICE_NS_MIN))
    }

    /// As above, of a real-time program, or while the first of those who wait, whose rank is `first`, is one whose time
    /// is spent.
    #[inline(never)]
    fn left_beside_real_time_ns(&self, account: &Account, first: Rank, now_ns: u64) -> u64 {
        let spent_for_ns = self.real_time.spent_for_ns(now_ns);
        let alone = first > account.rank.get() || account.policy().class == Class::Fifo;
        match account.rank.get() < RANK_FAIR {
            false => spent_for_ns,
            true if alone && self.real_time.is_spent() => spent_for_ns,
            true if alone => self.real_time.left_ns(),
            true => account.unscaled(self.slice_end_ns.get().saturating_sub(account.vruntime_ns.get())),
        }
    }
}

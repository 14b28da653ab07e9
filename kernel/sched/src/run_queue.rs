//! Who waits for a turn on one core, and who has it.
//!
//! Invariant: a runner is among those who wait, or is the last one chosen, or neither; it waits in one `Turns` only. Not
//! here: how long a turn really took (`Account::charge`).

use crate::account::Account;
use crate::heap::{Heap, NOWHERE};
use crate::real_time_share::{RANK_SPENT, RealTime};
use crate::task::{Order, Runner};
use core::cell::Cell;
use renga_abi::account::{Count, Counts};
use renga_abi::policy::{Class, Policy, RANK_FAIR, RANK_INTERRUPTED, Rank};

/// How far a program that waited may be behind the others, ns of virtual time.
pub const LAG_NS_MAX: u64 = 4_000_000;
/// Who wakes ends another's turn if it has used less by this, ns of virtual time: two that wake each other would pay for
/// a turn taken at each call, and one that computes is so far ahead at once.
const WAKES_BEHIND_NS: u64 = 5_000;
/// The shortest slice, ns: an alarm is not worth less.
const SLICE_NS_MIN: u64 = 50_000;
/// Processes that may wait for a turn at once: all of a board.
const RUNNERS_MAX: usize = 1024;

/// The turns of one core. In the order written: what each turn reads is where one instruction reaches it.
#[repr(C)]
pub struct Turns<R: Runner + 'static> {
    /// Whose program had the core last and has not waited since, as far as is known.
    last: Cell<Option<&'static R>>,
    /// Its slice is over at this virtual time of its account, ns.
    slice_end_ns: Cell<u64>,
    /// Somebody who has used less has woken meanwhile.
    overtaken: Cell<bool>,
    /// Virtual time that the one who was last chosen had used: who wakes is not far behind it, ns.
    floor_ns: Cell<u64>,
    /// What real-time programs have had.
    pub(crate) real_time: RealTime,
    /// Who came to wait for a turn, counted.
    arrivals: Cell<u64>,
    pub(crate) runners: Heap<R, RUNNERS_MAX>,
}

impl<R: Runner> Default for Turns<R> {
    fn default() -> Self {
        Turns::new()
    }
}

impl<R: Runner> Turns<R> {
    /// Nobody wants a turn.
    pub const fn new() -> Self {
        Turns {
            last: Cell::new(None),
            slice_end_ns: Cell::new(0),
            overtaken: Cell::new(false),
            floor_ns: Cell::new(0),
            real_time: RealTime::new(),
            arrivals: Cell::new(0),
            runners: Heap::new(),
        }
    }

    /// Who runs next, at `now_ns`; none if nobody wants a turn. It is to be given back by [`Turns::keep`].
    #[inline(always)]
    pub fn next(&self, now_ns: u64) -> Option<&'static R> {
        if self.real_time.is_active() {
            self.update_real_time(now_ns, self.last.get());
        }
        if let Some(last) = self.last.take() {
            if !last.wants_turn() {
                self.gave_turn(last);
            } else if last.place().get() == NOWHERE {
                if self.keeps(last) {
                    return Some(last);
                }
                self.take_turn(last);
            }
        }
        self.overtaken.set(false);
        // Bounded by those who wait: who is put back is put where its account is now.
        while let Some(next) = self.runners.pop() {
            let (account, order) = (next.account(), next.order());
            let used_ns = account.virtual_ns.get();
            if order.rank >= RANK_FAIR && used_ns > order.virtual_ns && !self.runners.is_empty() {
                next.set_order(Order { virtual_ns: used_ns, ..order });
                self.runners.push(next);
                continue;
            }
            self.begin_slice(account, now_ns);
            return Some(next);
        }
        None
    }

    /// `last` has waited since its turn.
    fn gave_turn(&self, last: &'static R) {
        if last.is_program() {
            let account = last.account();
            account.count(Count::TurnsGiven, 1); // who only let programs go first has none
            account.set_runs(false);
        }
    }

    /// `last` would go on, but others are first.
    fn take_turn(&self, last: &'static R) {
        let account = last.account();
        account.count(Count::TurnsTaken, 1);
        let stays = account.policy().class == Class::Fifo || account.virtual_ns.get() < self.slice_end_ns.get();
        self.queue(last, stays);
    }

    fn begin_slice(&self, account: &Account, now_ns: u64) {
        let (rank, used_ns) = (account.rank.get(), account.virtual_ns.get());
        if rank == RANK_FAIR {
            self.floor_ns.set(self.floor_ns.get().max(used_ns));
        } else if rank < RANK_FAIR {
            self.real_time.begin(now_ns);
        }
        self.slice_end_ns.set(used_ns + account.slice_ns.get());
    }

    /// Whether `last`, which wants to go on, does.
    fn keeps(&self, last: &'static R) -> bool {
        let Some(first) = self.runners.first() else { return true };
        let (account, first) = (last.account(), first.order());
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

    /// Whether the last turn was `runner`'s: when it wants one it has not waited, and need not ask.
    #[inline(always)]
    pub fn is_last(&self, runner: &R) -> bool {
        self.last.get().is_some_and(|last| core::ptr::eq(last, runner))
    }

    /// How many want a turn, whoever has the last one included.
    pub fn load(&self) -> usize {
        self.runners.len() + usize::from(self.last.get().is_some_and(R::wants_turn))
    }

    /// One of those who wait, for whom `wanted` holds.
    pub fn find(&self, wanted: impl Fn(&R) -> bool) -> Option<&'static R> {
        self.runners.find(wanted)
    }

    /// Has nothing to do with `runner` any more, whether that waits here or had the last turn.
    pub fn forget(&self, runner: &'static R) {
        if runner.place().get() != NOWHERE {
            self.runners.remove(runner);
        }
        if self.is_last(runner) {
            self.last.set(None);
            runner.account().set_runs(runner.wants_turn());
        }
    }

    /// The last turn is `runner`'s no more, which goes on without one: for what it does itself.
    pub fn leave(&self, runner: &R) {
        if self.is_last(runner) {
            self.last.set(None);
        }
    }

    /// Lets `runner` go to `other`, where it is as far from the others as it is here.
    pub fn hand_over(&self, runner: &'static R, other: &Turns<R>) {
        self.forget(runner);
        let used_ns = &runner.account().virtual_ns;
        used_ns.set((used_ns.get() + other.floor_ns.get()).saturating_sub(self.floor_ns.get()));
    }

    /// `runner`, whose turn was not the last one, wants a turn.
    #[inline(never)]
    pub fn ask_after_wait(&self, runner: &'static R, now_ns: u64) {
        let account = runner.account();
        let before = self.last.get();
        if runner.is_program() {
            account.set_runs(true);
        }
        let begins = account.begins.replace(false);
        if let Some(maker) = before.filter(|_| begins) {
            let behind_ns = maker.account().virtual_ns.get() + account.slice_ns.get();
            account.virtual_ns.set(account.virtual_ns.get().max(behind_ns));
        }
        let last = before.filter(|last| last.wants_turn());
        last.into_iter().for_each(|last| self.raise_floor(last));
        let used_ns = self.place(account);
        let Some(last) = last else {
            if let Some(gone) = before {
                self.gave_turn(gone);
                self.last.set(None);
            }
            if self.runners.is_empty() {
                // Nobody else wants the core: it has the next turn, past the heap.
                self.begin_slice(account, now_ns);
                return self.last.set(Some(runner));
            }
            return self.queue(runner, false);
        };
        self.queue(runner, false);
        let other = last.account();
        let wakes =
            !begins && account.policy().class != Class::Batch && used_ns + WAKES_BEHIND_NS < other.virtual_ns.get();
        self.overtaken.set(self.overtaken.get() || wakes);
    }

    /// `last`, which would go on, may have run alone for long since its slice began.
    fn raise_floor(&self, last: &R) {
        let account = last.account();
        if self.rank(last, account) != RANK_FAIR {
            return;
        }
        let first = self.runners.first().map(|first| first.order()).filter(|first| first.rank == RANK_FAIR);
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

    /// Whether nobody who wants the core should have it before the account of `runner`.
    pub fn is_due(&self, runner: &R) -> bool {
        let last = self.last.get().filter(|last| last.wants_turn());
        last.into_iter().for_each(|last| self.raise_floor(last));
        let used_ns = self.place(runner.account());
        let goes_first = |other: &R| {
            let account = other.account();
            let rank = self.rank(other, account);
            rank < RANK_FAIR || (rank == RANK_FAIR && account.virtual_ns.get() < used_ns)
        };
        let others = [self.runners.first(), last];
        if others.iter().flatten().next().is_none() {
            // Nobody wants the core: what it is used for now is not counted against it later.
            self.raise_floor(runner);
        }
        !others.into_iter().flatten().any(goes_first)
    }

    /// Puts `runner` among those who wait for a turn; of a real-time class before its equals, if it `stays` there.
    fn queue(&self, runner: &'static R, stays: bool) {
        let account = runner.account();
        let rank = self.rank(runner, account);
        let fair = rank >= RANK_FAIR;
        let arrival =
            if stays && !fair { runner.order().arrival } else { self.arrivals.replace(self.arrivals.get() + 1) };
        let virtual_ns = if fair { account.virtual_ns.get() } else { 0 };
        runner.set_order(Order { rank, virtual_ns, arrival });
        self.runners.push(runner);
    }

    /// Puts `runner`, which waits for a turn, where it belongs now.
    pub fn queue_again(&self, runner: &'static R) {
        self.runners.remove(runner);
        self.queue(runner, false);
    }

    /// Whether anybody waits for a turn, or would go on with the last.
    pub fn has_any(&self) -> bool {
        !self.runners.is_empty() || self.last.get().is_some_and(|last| last.wants_turn())
    }

    /// When the program of `runner` runs, whatever others have used.
    fn rank(&self, runner: &R, account: &Account) -> Rank {
        match account.rank.get() {
            _ if runner.is_interrupted() => RANK_INTERRUPTED,
            rank if rank < RANK_FAIR && self.real_time.is_spent() => RANK_SPENT,
            rank => rank,
        }
    }

    /// Gives it another policy, and its place by that.
    pub fn set_policy(&self, runner: &'static R, policy: Policy) {
        runner.account().set_policy(policy);
        if runner.place().get() != NOWHERE {
            self.queue_again(runner);
        }
    }

    /// Takes the turn of `runner` back, which has ended: unless it waits meanwhile it goes on, if nobody else is to run first.
    #[inline(always)]
    pub fn keep(&self, runner: &'static R) {
        self.last.set(Some(runner));
    }

    /// `runner` is done with its slice, if the last turn was its own.
    pub fn end_slice(&self, runner: &R) {
        if self.is_last(runner) {
            self.slice_end_ns.set(0);
        }
    }

    /// `runner`, which ran, gives way to its equals, as after a whole slice. The last turn may be another's by now: of a core on which it ran
    /// as a guest.
    pub fn give_way(&self, runner: &R) {
        self.leave(runner); // so that it goes behind its equals
        if let Some(first) = self.runners.first() {
            let account = runner.account();
            account.count(Count::TurnsTaken, 1);
            account.virtual_ns.set(account.virtual_ns.get().max(first.order().virtual_ns));
        }
    }

    /// Begins the account of `runner` anew, for a new program; one that is `made_here`, by a program of this board, goes a slice
    /// behind who runs. Other cores' accounts of that number have counted `elsewhere`.
    pub fn begin(&self, runner: &R, made_here: bool, elsewhere: &Counts) {
        runner.account().begin(self.floor_ns.get(), made_here, elsewhere);
    }

    /// How long `runner` may run from `now_ns` on before somebody else's turn, ns; `None`: nobody waits who would have it.
    pub fn left_ns(&self, runner: &R, now_ns: u64) -> Option<u64> {
        let first = self.runners.first()?.order();
        let account = runner.account();
        if account.rank.get() < RANK_FAIR || first.rank == RANK_SPENT {
            return Some(self.left_beside_real_time_ns(account, first.rank, now_ns).max(SLICE_NS_MIN));
        }
        if first.rank > account.rank.get() {
            return None;
        }
        let end_ns = self.slice_end_ns.get().max(first.virtual_ns);
        Some(account.unscaled(end_ns.saturating_sub(account.virtual_ns.get())).max(SLICE_NS_MIN))
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
            true => account.unscaled(self.slice_end_ns.get().saturating_sub(account.virtual_ns.get())),
        }
    }
}

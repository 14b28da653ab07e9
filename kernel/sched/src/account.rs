//! An account: the resources that one program has used, and how it shares a core with others.
//!
//! Invariant: counts only grow until a new program starts, except gauges. Each core of a board has an account of each
//! number and alone writes it; any core reads its counts and its [`AccountSchedule`]. Not here: which work is charged
//! to which account, and the sum over all cores (`kernel/core`).

use core::cell::Cell;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use renga_abi::account::{AccountNumber, Count, Counts};
use renga_abi::policy::{Policy, RANK_FAIR, Rank, SCALE_SHIFT, SLICE_NS};

/// Most that is charged at once, ns: more is a clock that jumped.
const CHARGE_NS_MAX: u64 = 1 << 36;

/// Where the cores are in a published word.
const CORES_BIT: u32 = 56;
const _: () = assert!(Policy::BITS <= CORES_BIT, "a policy and the cores fit into one word");

/// Time that need not be reported to the account's own board at once, ns: a report costs bytes on the link.
const UNREPORTED_NS_MAX: u64 = 200_000;

/// How a program shares the cores, as any core may read it and ask for a change.
pub struct AccountSchedule {
    /// A policy and the cores, as one word.
    published: AtomicU64,
    /// Whether the program was created or enqueued, and has not blocked since, as far as its core has noticed.
    runnable: AtomicBool,
}

impl AccountSchedule {
    const fn new() -> Self {
        AccountSchedule { published: AtomicU64::new(0), runnable: AtomicBool::new(false) }
    }
    /// The policy and the cores, as they are or will be once the account's own core has taken them.
    pub fn published(&self) -> (Policy, u8) {
        let word = self.published.load(Ordering::Relaxed);
        let policy = Policy::from_word(word & ((1 << CORES_BIT) - 1));
        if word == 0 {
            (Policy::DEFAULT, u8::MAX)
        } else {
            (policy.unwrap_or(Policy::DEFAULT), (word >> CORES_BIT) as u8)
        }
    }
    /// Publishes these; the account's own core takes them ([`Account::set_policy`], [`Account::set_cores`]).
    pub fn publish(&self, policy: Policy, cores: u8) {
        self.published.store(policy.to_word() | u64::from(cores) << CORES_BIT, Ordering::Relaxed);
    }
    /// Whether the program is runnable, as far as its core has noticed.
    pub fn is_runnable(&self) -> bool {
        self.runnable.load(Ordering::Relaxed)
    }
}

/// One account.
pub struct Account {
    number: Cell<AccountNumber>,
    policy: Cell<Policy>,
    /// Derived from the policy, for each slice: rank, scale, and the slice in vruntime, ns.
    pub(crate) rank: Cell<Rank>,
    scale: Cell<u64>,
    pub(crate) slice_ns: Cell<u64>,
    /// The slice of a fair program, ns.
    fair_ns: u64,
    /// Time used, by weight; the task with the least is next.
    pub(crate) vruntime_ns: Cell<u64>,
    /// The vruntime at which its last slice ends, ns.
    pub(crate) slice_end_ns: Cell<u64>,
    /// Its slot is of this core, whose processes alone set its policy.
    own: Cell<bool>,
    /// Another program of this board created its program, which has not been enqueued yet.
    pub(crate) is_new: Cell<bool>,
    /// The cores of its board on which its program may run, a bit each.
    cores: Cell<u8>,
    schedule: AccountSchedule,
    counts: [AtomicU64; Count::ALL.len()],
    /// The part of these that its own board has received: time, blocks read, blocks written.
    reported: [Cell<u64>; 3],
}

impl Default for Account {
    fn default() -> Self {
        Account::new()
    }
}

impl Account {
    /// Nothing used, fair, nice 0.
    pub const fn new() -> Account {
        Account::with_slice_ns(SLICE_NS)
    }
    /// The same where a fair program's slice is so long.
    pub const fn with_slice_ns(slice_ns: u64) -> Account {
        Account {
            number: Cell::new(AccountNumber::SYSTEM),
            policy: Cell::new(Policy::DEFAULT),
            rank: Cell::new(RANK_FAIR),
            scale: Cell::new(1 << SCALE_SHIFT),
            slice_ns: Cell::new(slice_ns),
            fair_ns: slice_ns,
            vruntime_ns: Cell::new(0),
            slice_end_ns: Cell::new(0),
            own: Cell::new(false),
            is_new: Cell::new(false),
            cores: Cell::new(u8::MAX),
            schedule: AccountSchedule::new(),
            counts: [const { AtomicU64::new(0) }; Count::ALL.len()],
            reported: [const { Cell::new(0) }; 3],
        }
    }
    /// Its number in the table of its core.
    #[inline(always)]
    pub fn number(&self) -> AccountNumber {
        self.number.get()
    }
    /// Gives it its number, once.
    pub fn set_number(&self, number: AccountNumber) {
        self.number.set(number);
    }
    /// Whether its slot is of this core.
    pub fn is_own(&self) -> bool {
        self.own.get()
    }
    /// Its slot is of this core.
    pub fn set_own(&self) {
        self.own.set(true);
    }
    /// The cores of its board on which its program may run, a bit each.
    pub fn cores(&self) -> u8 {
        self.cores.get()
    }
    /// Its program may run on these only.
    pub fn set_cores(&self, cores: u8) {
        self.cores.set(cores);
    }
    /// What any core may see of how its program shares the cores.
    #[inline(always)]
    pub fn schedule(&self) -> &AccountSchedule {
        &self.schedule
    }
    /// How its program shares the core.
    pub fn policy(&self) -> Policy {
        self.policy.get()
    }
    /// Gives its program another policy, which counts from its next slice on.
    pub fn set_policy(&self, policy: Policy) {
        self.policy.set(policy);
        self.rank.set(policy.rank());
        self.scale.set(policy.scale());
        self.slice_ns.set(self.scaled(policy.class.slice_ns(self.fair_ns)));
        self.slice_end_ns.set(0);
    }
    /// Whether it has not used up its last slice.
    #[inline(always)]
    pub(crate) fn has_slice_left(&self) -> bool {
        self.vruntime_ns.get() < self.slice_end_ns.get()
    }
    pub(crate) fn set_runnable(&self, runnable: bool) {
        self.schedule.runnable.store(runnable, Ordering::Relaxed);
    }
    #[inline(always)]
    pub(crate) fn scaled(&self, ns: u64) -> u64 {
        (ns * self.scale.get()) >> SCALE_SHIFT
    }
    /// The time that makes so much virtual time.
    #[inline(always)]
    pub(crate) fn unscaled(&self, vruntime_ns: u64) -> u64 {
        // Hours at most, so there is room for the bits of the scale.
        (vruntime_ns.min(u64::MAX >> SCALE_SHIFT) << SCALE_SHIFT) / self.scale.get().max(1)
    }
    #[inline(always)]
    fn add(&self, count: Count, amount: u64) {
        let cell = &self.counts[count as usize];
        cell.store(cell.load(Ordering::Relaxed).wrapping_add(amount), Ordering::Relaxed); // one core writes
    }
    /// Charges `ns` to it, which count as used by its program.
    #[inline(always)]
    pub fn charge(&self, count: Count, ns: u64) {
        self.add(count, ns);
        self.vruntime_ns.set(self.vruntime_ns.get() + self.scaled(ns.min(CHARGE_NS_MAX)));
    }
    /// Counts `change` more of something.
    pub fn count(&self, count: Count, change: i64) {
        self.add(count, change as u64);
    }
    /// Sets a gauge.
    #[inline(always)]
    pub fn set_count(&self, count: Count, value: u64) {
        self.counts[count as usize].store(value, Ordering::Relaxed);
    }
    /// One count, modulo 2^64: the counts of other cores are added to it.
    pub fn counted(&self, count: Count) -> u64 {
        self.counts[count as usize].load(Ordering::Relaxed)
    }
    /// All that it has counted, likewise.
    pub fn read(&self) -> Counts {
        core::array::from_fn(|i| self.counts[i].load(Ordering::Relaxed))
    }
    /// What to report to its own board of the cores' counts together: time in ns, blocks read, blocks written; nothing
    /// below a threshold of time.
    pub fn take_unreported(&self, all: &Counts) -> [u64; 3] {
        let count = |count: Count| all[count as usize];
        let done = count(Count::BehalfNs) + count(Count::ElsewhereNs);
        let all = [done, count(Count::BlocksRead), count(Count::BlocksWritten)];
        let unreported: [u64; 3] = core::array::from_fn(|i| all[i].saturating_sub(self.reported[i].get()));
        if unreported[0] < UNREPORTED_NS_MAX && unreported[1..] == [0, 0] {
            return [0; 3];
        }
        self.reported.iter().zip(all).for_each(|(reported, all)| reported.set(all));
        unreported
    }
    /// Of its counts: time of its program and of processes of this board, ns, and context switches.
    pub fn charged(&self) -> [u64; 3] {
        let count = |count: Count| self.counted(count);
        [
            count(Count::UserNs),
            count(Count::SystemNs).wrapping_add(count(Count::BehalfNs)),
            count(Count::VoluntarySwitches).wrapping_add(count(Count::InvoluntarySwitches)),
        ]
    }
    /// A new program has it, no further behind than `min_vruntime_ns`: all cores' accounts of this number together
    /// count from nothing, and those of the others have counted `elsewhere`.
    pub fn begin(&self, min_vruntime_ns: u64, made_here: bool, elsewhere: &Counts) {
        for (count, elsewhere) in self.counts.iter().zip(elsewhere) {
            count.store(elsewhere.wrapping_neg(), Ordering::Relaxed);
        }
        self.set_cores(u8::MAX);
        self.schedule.publish(self.policy.get(), u8::MAX);
        self.set_runnable(true);
        self.vruntime_ns.set(min_vruntime_ns);
        self.slice_end_ns.set(0);
        self.is_new.set(made_here);
    }
}

//! An account: what was used for one program, and how it shares a core with others.
//!
//! Invariant: counts only grow until a new program begins the account, but for those that say how much there is. Not here: which
//! work is charged to which account (`kernel/core`).

use core::cell::Cell;
use renga_abi::account::{AccountNumber, Count, Counts};
use renga_abi::policy::{Policy, RANK_FAIR, Rank, SCALE_SHIFT, SLICE_NS};

/// Most that is charged at once, ns: more is a clock that jumped.
const CHARGE_NS_MAX: u64 = 1 << 36;

/// Time of which an account's own board need not be told at once, ns: telling costs bytes on the link.
const UNREPORTED_NS_MAX: u64 = 200_000;

/// One account.
pub struct Account {
    number: Cell<AccountNumber>,
    policy: Cell<Policy>,
    /// Of the policy, at hand for each turn: its rank, its scale, and its slice in virtual time, ns.
    pub(crate) rank: Cell<Rank>,
    scale: Cell<u64>,
    pub(crate) slice_ns: Cell<u64>,
    /// Time used, by weight: who has least is next.
    pub(crate) virtual_ns: Cell<u64>,
    /// Its slot is of this core, whose processes alone say what its policy is.
    own: Cell<bool>,
    /// Its program, which another one of this board has made, has not asked for a turn yet.
    pub(crate) begins: Cell<bool>,
    /// The cores of its board on which its program may run, a bit each.
    cores: Cell<u8>,
    counts: [Cell<u64>; Count::ALL.len()],
    /// Of these, what its own board has been told of: time, blocks read, blocks written.
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
        Account {
            number: Cell::new(AccountNumber::SYSTEM),
            policy: Cell::new(Policy::DEFAULT),
            rank: Cell::new(RANK_FAIR),
            scale: Cell::new(1 << SCALE_SHIFT),
            slice_ns: Cell::new(SLICE_NS),
            virtual_ns: Cell::new(0),
            own: Cell::new(false),
            begins: Cell::new(false),
            cores: Cell::new(u8::MAX),
            counts: [const { Cell::new(0) }; Count::ALL.len()],
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
    /// How its program shares the core.
    pub fn policy(&self) -> Policy {
        self.policy.get()
    }
    /// Gives its program another policy, which counts from its next turn on.
    pub fn set_policy(&self, policy: Policy) {
        self.policy.set(policy);
        self.rank.set(policy.rank());
        self.scale.set(policy.scale());
        self.slice_ns.set(self.scaled(policy.class.slice_ns()));
    }
    #[inline(always)]
    pub(crate) fn scaled(&self, ns: u64) -> u64 {
        (ns * self.scale.get()) >> SCALE_SHIFT
    }
    /// The time that makes so much virtual time.
    #[inline(always)]
    pub(crate) fn unscaled(&self, virtual_ns: u64) -> u64 {
        // Hours at most, so there is room for the bits of the scale.
        (virtual_ns.min(u64::MAX >> SCALE_SHIFT) << SCALE_SHIFT) / self.scale.get().max(1)
    }
    #[inline(always)]
    fn add(&self, count: Count, amount: u64) {
        let cell = &self.counts[count as usize];
        cell.set(cell.get().wrapping_add(amount));
    }
    /// Charges `ns` to it, which count as used by its program.
    #[inline(always)]
    pub fn charge(&self, count: Count, ns: u64) {
        self.add(count, ns);
        self.virtual_ns.set(self.virtual_ns.get() + self.scaled(ns.min(CHARGE_NS_MAX)));
    }
    /// Counts `change` more of something.
    pub fn count(&self, count: Count, change: i64) {
        let cell = &self.counts[count as usize];
        cell.set(cell.get().saturating_add_signed(change));
    }
    /// Notes how much there is of something that comes and goes.
    #[inline(always)]
    pub fn set_count(&self, count: Count, value: u64) {
        self.counts[count as usize].set(value);
    }
    /// How much it has counted of one thing.
    pub fn counted(&self, count: Count) -> u64 {
        self.counts[count as usize].get()
    }
    /// All that it has counted.
    pub fn read(&self) -> Counts {
        core::array::from_fn(|i| self.counts[i].get())
    }
    /// What its own board should be told of: time in ns, blocks read, blocks written; nothing if it is only a little time.
    pub fn take_unreported(&self) -> [u64; 3] {
        let count = |count: Count| self.counted(count);
        let done = count(Count::BehalfNs) + count(Count::ElsewhereNs);
        let all = [done, count(Count::BlocksRead), count(Count::BlocksWritten)];
        let unreported: [u64; 3] = core::array::from_fn(|i| all[i].saturating_sub(self.reported[i].get()));
        if unreported[0] < UNREPORTED_NS_MAX && unreported[1..] == [0, 0] {
            return [0; 3];
        }
        self.reported.iter().zip(all).for_each(|(reported, all)| reported.set(all));
        unreported
    }
    /// Of what it counts, time of its program and of processes of this board, ns, and turns.
    pub fn charged(&self) -> [u64; 3] {
        let count = |count: Count| self.counted(count);
        [
            count(Count::UserNs),
            count(Count::SystemNs).wrapping_add(count(Count::BehalfNs)),
            count(Count::TurnsGiven).wrapping_add(count(Count::TurnsTaken)),
        ]
    }
    /// A new program has it: counts from nothing, no further behind than `floor_ns`.
    pub fn begin(&self, floor_ns: u64, made_here: bool) {
        self.counts.iter().for_each(|count| count.set(0));
        self.cores.set(u8::MAX);
        self.virtual_ns.set(floor_ns);
        self.begins.set(made_here);
    }
}

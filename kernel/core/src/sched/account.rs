//! Accounts: the work done for each user program, here and on other boards.
//!
//! The account of work is the slot of the program that the work is for. A slot has its own account; a server follows
//! the caller whose call it accepted last, and so on through callers; a process that calls for other boards sets its
//! account. Time is charged once per dispatch, to the account of the dispatched process: a rendezvous in place costs
//! nothing. Work without an account goes to number 0, the system's.
//!
//! Each core has an account of each number and alone writes it; the usage of a program is the sum over all cores.
//!
//! Invariant: the time between two stamps of a core is charged to one account, or was idle. Not here: `kernel/sched`.

use crate::types::probe;
use crate::types::state::{Core, Process};
use core::sync::atomic::Ordering;

pub use renga_abi::account::{ACCOUNT_SLOTS_MAX, AccountNumber, Count, Counts};
pub use renga_sched::Account;

/// Callers that are followed to find an account; a chain that is longer is the system's.
const CALLERS_FOLLOWED_MAX: u32 = 16;

impl Core {
    /// Gives this core its table of accounts, [`AccountNumber::count`] of them; before, all is the system's.
    pub fn set_accounts(&self, accounts: &'static [Account]) {
        accounts.iter().zip(0..).for_each(|(account, number)| account.set_number(AccountNumber(number)));
        self.accounts.set(accounts);
    }

    #[inline(always)]
    pub(crate) fn account(&self, number: AccountNumber) -> &Account {
        self.accounts.get().get(usize::from(number.0)).unwrap_or(&self.system)
    }

    /// Sets the cores of the board, and on which of them programs have their processes and their run queues, a bit
    /// each: once, before any other core starts.
    pub fn set_board(&self, cores: &'static [&'static Core], homes: u8, program_cores: u8) {
        self.set_all_cores(cores);
        self.homes.set(homes);
        self.program_cores.set(program_cores);
    }

    fn accounts_elsewhere(&self, number: AccountNumber) -> impl Iterator<Item = &'static Account> {
        self.others().map(move |core| core.account(number))
    }

    /// What account `number` has counted on the board.
    pub fn counts(&self, number: AccountNumber) -> Counts {
        let own = self.account(number).read();
        match self.others().next() {
            None => own,
            Some(_) => add(own, self.counts_elsewhere(number)).map(settled),
        }
    }

    /// The sum of all other cores' accounts of `number`.
    #[inline(never)]
    pub(crate) fn counts_elsewhere(&self, number: AccountNumber) -> Counts {
        self.accounts_elsewhere(number).map(Account::read).fold([0; _], add)
    }

    /// How much of one thing account `number` has counted on the board.
    pub(crate) fn counted(&self, number: AccountNumber, count: Count) -> u64 {
        let own = self.account(number).counted(count);
        let elsewhere = self.accounts_elsewhere(number).map(|account| account.counted(count));
        settled(elsewhere.fold(own, u64::wrapping_add))
    }

    /// The account that `process` works for.
    #[inline(always)]
    pub(crate) fn account_of(&self, process: &Process) -> &'static Account {
        let mut at = process;
        for _ in 0..CALLERS_FOLLOWED_MAX {
            let account = at.account.get();
            if account.number() != AccountNumber::SYSTEM {
                return account;
            }
            match at.accepted.get() {
                Some(caller) => match caller.on(at.core) {
                    Some(caller) => at = caller,
                    None => return at.far_account.get(),
                },
                None => break,
            }
        }
        process.core.account(AccountNumber::SYSTEM)
    }

    /// The account that `process` works for, as a word for other cores.
    pub(crate) fn account_word_of(&self, process: &Process) -> u32 {
        let account = self.account_of(process);
        match account.number() {
            AccountNumber::SYSTEM => 0,
            number => number.to_wire(account.policy()),
        }
    }

    /// The account of a call that came from another core with `word`.
    pub(crate) fn account_sent(&'static self, word: u32) -> &'static Account {
        let (number, policy) = AccountNumber::from_wire(word);
        let account = self.account(number);
        if word != 0 && !account.is_own() && account.policy() != policy {
            account.set_policy(policy);
        }
        account
    }

    /// Charges the time from the last stamp to `now_ns`, which `process` was dispatched for.
    #[inline(always)]
    pub(crate) fn charge_dispatch(&self, process: &Process, now_ns: u64) {
        let spent_ns = now_ns.saturating_sub(self.charged_ns.replace(now_ns));
        self.account_of(process).charge(process.charged_as.get(), spent_ns);
    }

    /// Charges the time until `now_ns` to the program of `process`.
    #[inline(always)]
    pub(crate) fn charge_program(&self, process: &Process, now_ns: u64) {
        let spent_ns = now_ns.saturating_sub(self.charged_ns.replace(now_ns));
        process.account.get().charge(Count::UserNs, spent_ns);
    }

    /// What was charged on this core since boot: time of programs' instructions, wherever its programs ran, of system
    /// processes, ns; run queue of programs. From any core.
    ///
    /// Summed on request, so that charging costs nothing more. Bounded by the table of accounts.
    pub fn charged(&self) -> [u64; 3] {
        let past = self.past.each_ref().map(|past| past.load(Ordering::Relaxed));
        (0..self.accounts.get().len().max(1))
            .map(|number| self.account(AccountNumber(number as u16)).charged())
            .fold(past, |all, one| core::array::from_fn(|which| all[which].wrapping_add(one[which])))
    }

    /// Until when the core's time is charged, ns.
    pub fn charged_until_ns(&self) -> u64 {
        self.charged_ns.get()
    }

    /// The core was idle until `now_ns`, or what it did is charged: no account is charged for that time.
    #[inline(always)]
    pub fn stamp(&self, now_ns: u64) {
        self.charged_ns.set(now_ns);
    }
}

/// Both, added up.
fn add<const N: usize>(one: [u64; N], other: [u64; N]) -> [u64; N] {
    core::array::from_fn(|at| one[at].wrapping_add(other[at]))
}

/// The sum of several cores' counts: 0 if one of them was changing its part during the read.
pub(crate) fn settled(all: u64) -> u64 {
    if (all as i64) < 0 { 0 } else { all }
}

impl Process {
    /// Makes this the process of a user slot, whose own account is `number`.
    pub fn set_account(&self, number: AccountNumber) {
        probe::account(self, number);
        let account = self.core.account(number);
        account.set_own();
        self.share_schedule(account);
        self.account.set(account);
        self.charged_as.set(Count::SystemNs);
    }
}

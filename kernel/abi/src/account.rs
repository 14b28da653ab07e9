//! Accounts, as boards exchange them and programs read them: their numbers, and what each counts.
//!
//! Invariant: whatever word comes from another board names an account and a nice value. Not here: the accounts
//! (`kernel/core`).

use crate::policy::{Class, NICE_MAX, NICE_MIN, Policy};

/// Slots of a board that have an account.
pub const ACCOUNT_SLOTS_MAX: u16 = 256;

/// Where the word of an account says whether it is of a background job.
const BACKGROUND_BIT: u32 = 24;

/// Which account: 0 is the system's; the slots of board 0 follow, then those of board 1, and so on.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct AccountNumber(pub u16);

impl AccountNumber {
    /// The account of work that no program caused.
    pub const SYSTEM: AccountNumber = AccountNumber(0);

    /// That of `slot` of `board`.
    pub const fn of_slot(board: u8, slot: u16) -> AccountNumber {
        if slot >= ACCOUNT_SLOTS_MAX {
            return AccountNumber::SYSTEM;
        }
        AccountNumber(1 + board as u16 * ACCOUNT_SLOTS_MAX + slot)
    }
    /// As it travels to another board, with the nice value that its work has there, and whether it is of a background
    /// job.
    pub fn to_wire(self, policy: Policy) -> u32 {
        let nice = match policy.class {
            Class::Fair | Class::Batch => policy.nice,
            Class::Idle => NICE_MAX,
            Class::Fifo | Class::RoundRobin => NICE_MIN,
        };
        u32::from(self.0) | ((nice - NICE_MIN) as u32) << 16 | u32::from(policy.background) << BACKGROUND_BIT
    }
    /// The inverse of [`AccountNumber::to_wire`], whatever the word.
    pub fn from_wire(word: u32) -> (AccountNumber, Policy) {
        let nice = ((word >> 16) as u8).min((NICE_MAX - NICE_MIN) as u8) as i8 + NICE_MIN;
        let background = word >> BACKGROUND_BIT & 1 != 0;
        (AccountNumber(word as u16), Policy { nice, background, ..Policy::DEFAULT })
    }
    /// The board whose slot it is; none of the system's.
    pub fn board(self) -> Option<u8> {
        self.0.checked_sub(1).map(|place| (place / ACCOUNT_SLOTS_MAX) as u8)
    }
    /// Accounts that a cluster of `boards` boards has.
    pub const fn count(boards: usize) -> usize {
        1 + boards * ACCOUNT_SLOTS_MAX as usize
    }
}

macro_rules! counts { ($($(#[$doc:meta])* $Name:ident,)*) => {
    /// What is counted of each program.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub enum Count { $($(#[$doc])* $Name),* }
    impl Count {
        /// All, in their order.
        pub const ALL: &'static [Count] = &[$(Count::$Name),*];
        /// Their names, in the same order.
        pub const NAMES: &'static [&'static str] = &[$(stringify!($Name)),*];
    }
} }
counts! {
    /// Its own instructions, ns.
    UserNs,
    /// Its system calls and faults, as far as its own process or servers in place carry them out, ns.
    SystemNs,
    /// What other processes of this board do for it, ns.
    BehalfNs,
    /// CPU time that other boards spent for the program, as their replies report it, ns.
    ElsewhereNs,
    /// Blocks read from the medium.
    BlocksRead,
    /// Blocks written to the medium.
    BlocksWritten,
    /// Frames sent over the link.
    LinkFrames,
    /// Bytes in these.
    LinkBytes,
    /// Faults that were served from memory.
    FaultsMinor,
    /// Faults that had to wait for a medium or another board.
    FaultsMajor,
    /// Page frames that its address space maps now.
    FramesResident,
    /// Time slices that the program ended by waiting.
    VoluntarySwitches,
    /// Time slices that ended by preemption.
    InvoluntarySwitches,
    /// How long the medium of this board took for its reads while no processor worked, ns.
    MediumReadNs,
    /// How long its I/O was delayed because of its pace, ns.
    DelayedNs,
}

/// Counts of one account, in the order of [`Count::ALL`].
pub type Counts = [u64; Count::ALL.len()];

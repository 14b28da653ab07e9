//! What a slot shows of its program to whoever lists programs: the program's card.
//!
//! Invariant: the slot alone writes; others of its board look, between their waits. While a card names an address space,
//! that exists: the slot takes the name away before it gives the space back. So a look costs its subject nothing, works
//! while that waits, is stopped or lends its memory, and never waits itself.

use core::cell::Cell;

/// What a program file and its start leave behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Origin {
    /// Inode number of the program file; 0: not known.
    pub ino: u32,
    /// Where its arguments begin in its memory, its environment, and what is behind that.
    pub strings: [u64; 3],
}

/// How many limits there are.
pub const LIMITS: usize = 16;

/// Words of the set of descriptors.
pub const DESCRIPTOR_WORDS: usize = 16;

/// One card.
#[derive(Debug)]
pub struct Card {
    /// The program's pid; 0: there is none.
    pub pid: Cell<u32>,
    /// The number of its address space.
    pub space: Cell<Option<u32>>,
    /// What it runs.
    pub origin: Cell<Origin>,
    /// Inode number of its working directory.
    pub directory: Cell<u32>,
    /// Which descriptors it has, a bit each.
    pub descriptors: [Cell<u64>; DESCRIPTOR_WORDS],
    /// Permission bits that it does not give to what it makes.
    pub umask: Cell<u16>,
    /// Its soft and hard limits, by Linux's numbers; `u64::MAX`: none.
    pub limits: Cell<[[u64; 2]; LIMITS]>,
}

impl Default for Card {
    fn default() -> Self {
        Card::new()
    }
}

impl Card {
    /// Of nobody.
    pub const fn new() -> Card {
        Card {
            pid: Cell::new(0),
            space: Cell::new(None),
            origin: Cell::new(Origin { ino: 0, strings: [0; 3] }),
            directory: Cell::new(0),
            descriptors: [const { Cell::new(0) }; DESCRIPTOR_WORDS],
            umask: Cell::new(0),
            limits: Cell::new([[u64::MAX; 2]; LIMITS]),
        }
    }
}

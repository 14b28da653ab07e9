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
    /// Inode number of the directory in which it was started, from where its path leads if that is relative.
    pub directory: u32,
    /// Where its path is in its memory; that of a script is its interpreter's.
    pub path: u64,
    /// Where its arguments begin in its memory, its environment, and what is behind that.
    pub strings: [u64; 3],
}

/// How many limits there are.
pub const LIMITS: usize = 16;

/// Areas of memory, at most.
pub const AREAS: usize = 512;
/// What a program may do with an area.
pub const READS: u8 = 1;
/// As [`READS`].
pub const WRITES: u8 = 2;
/// As [`READS`].
pub const EXECUTES: u8 = 4;

/// Pages next to each other of a program's memory.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ShownArea {
    /// The number of its first page.
    pub start: u32,
    /// The number of the page behind its last.
    pub end: u32,
    /// Page of the file that its first page shows.
    pub first_page: u32,
    /// Inode number of the file; 0: none.
    pub ino: u32,
    /// What the program may do, a bit each.
    pub access: u8,
    /// Whether others write its pages, too.
    pub shared: bool,
}

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
    /// Of its root directory.
    pub root: Cell<u32>,
    /// Its memory's areas, in order.
    pub areas: [Cell<ShownArea>; AREAS],
    /// How many these are.
    pub area_count: Cell<u16>,
    /// Where its heap begins.
    pub heap_start: Cell<u64>,
    /// Where it ends, and with it its area, whatever that says.
    pub heap_end: Cell<u64>,
    /// Which descriptors it has, a bit each.
    pub descriptors: [Cell<u64>; DESCRIPTOR_WORDS],
    /// Signals that it ignores because it said so, and those that it handles: a bit each, from signal 1 on.
    pub signals: Cell<[u64; 2]>,
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
            origin: Cell::new(Origin { ino: 0, directory: 0, path: 0, strings: [0; 3] }),
            directory: Cell::new(0),
            root: Cell::new(0),
            areas: [const { Cell::new(ShownArea { start: 0, end: 0, first_page: 0, ino: 0, access: 0, shared: false }) };
                AREAS],
            area_count: Cell::new(0),
            heap_start: Cell::new(0),
            heap_end: Cell::new(0),
            descriptors: [const { Cell::new(0) }; DESCRIPTOR_WORDS],
            signals: Cell::new([0; 2]),
            umask: Cell::new(0),
            limits: Cell::new([[u64::MAX; 2]; LIMITS]),
        }
    }
}

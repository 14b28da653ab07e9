//! The process info that a slot publishes of its program, for lists of processes.
//!
//! Invariant: the slot alone writes; other processes of the board read, between their waits, from any core. While an
//! info names an address space, the space exists: the slot names it last, and withdraws the name before it gives the
//! space back. So a reader costs the program nothing, never waits, and works while the program waits, is stopped or
//! lends its memory.
//! A reader on another core may meet the space's end: it then finds no page, and checks that the info still names the
//! space. A word is never torn ([`Published`]). Facts of several words, and several areas, may be of two moments.

use crate::published::{Fact, Published, PublishedLast};

/// What a program file and its start leave behind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProgramOrigin {
    /// Inode number of the program file; 0: not known.
    pub ino: u32,
    /// Inode number of the directory in which it was started, from where its path leads if that is relative.
    pub directory: u32,
    /// Where its path is in its memory; that of a script is its interpreter's.
    pub path: u64,
    /// Where its arguments begin in its memory, its environment, and what is behind that.
    pub strings: [u64; 3],
}

/// In the last word of the credentials.
pub const DUMPABLE_BIT: u32 = 32;
/// There: an exec gives it no further privileges.
pub const GAINS_NOTHING_BIT: u32 = 33;

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
pub struct AreaInfo {
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

impl Fact<5> for ProgramOrigin {
    fn to_words(self) -> [u64; 5] {
        let [arguments, environment, behind] = self.strings;
        [u64::from(self.ino) << 32 | u64::from(self.directory), self.path, arguments, environment, behind]
    }
    fn of_words([inodes, path, strings @ ..]: [u64; 5]) -> Self {
        ProgramOrigin { ino: (inodes >> 32) as u32, directory: inodes as u32, path, strings }
    }
}

/// Bits of a page's number: programs have 39 bits of addresses.
const PAGE_BITS: u32 = 28;
const PAGE_MASK: u64 = (1 << PAGE_BITS) - 1;
const ACCESS_SHIFT: u32 = 2 * PAGE_BITS;
const SHARED_SHIFT: u32 = ACCESS_SHIFT + 3;

/// Where it is and what may be done with it, in a word; what it shows in another.
impl Fact<2> for AreaInfo {
    fn to_words(self) -> [u64; 2] {
        let place = u64::from(self.start) & PAGE_MASK | (u64::from(self.end) & PAGE_MASK) << PAGE_BITS;
        let rights = u64::from(self.access & (READS | WRITES | EXECUTES)) << ACCESS_SHIFT;
        [
            place | rights | u64::from(self.shared) << SHARED_SHIFT,
            u64::from(self.ino) << 32 | u64::from(self.first_page),
        ]
    }
    fn of_words([place, mapped]: [u64; 2]) -> Self {
        AreaInfo {
            start: (place & PAGE_MASK) as u32,
            end: (place >> PAGE_BITS & PAGE_MASK) as u32,
            first_page: mapped as u32,
            ino: (mapped >> 32) as u32,
            access: (place >> ACCESS_SHIFT) as u8 & (READS | WRITES | EXECUTES),
            shared: place >> SHARED_SHIFT & 1 != 0,
        }
    }
}

/// Words of the set of descriptors.
pub const DESCRIPTOR_WORDS: usize = 16;

crate::with_defaults! {
    /// One info.
    #[derive(Debug)]
    pub struct ProcInfo {
        /// The program's pid; 0: there is none.
        pub pid: Published<u32> = Published::new(0),
        /// The number of its address space.
        pub space: PublishedLast = PublishedLast::none(),
        /// What it runs.
        pub origin: Published<ProgramOrigin, 5> = Published::new(ProgramOrigin::default()),
        /// Inode number of its working directory.
        pub directory: Published<u32> = Published::new(0),
        /// Of its root directory.
        pub root: Published<u32> = Published::new(0),
        /// Its memory's areas, in order.
        pub areas: [Published<AreaInfo, 2>; AREAS] = core::array::from_fn(|_| Published::new(AreaInfo::default())),
        /// How many these are.
        pub area_count: Published<u16> = Published::new(0),
        /// Where its heap begins.
        pub heap_start: Published<u64> = Published::new(0),
        /// Where it ends, and with it its area, whatever that says.
        pub heap_end: Published<u64> = Published::new(0),
        /// Which descriptors it has, a bit each.
        pub descriptors: [Published<u64>; DESCRIPTOR_WORDS] = core::array::from_fn(|_| Published::new(0)),
        /// Signals that it blocks, that it ignores because it said so, and those that it handles: a bit each, from
        /// signal 1 on.
        pub signals: Published<[u64; 3], 3> = Published::new([0; 3]),
        /// Permission bits that it does not give to what it makes.
        pub umask: Published<u16> = Published::new(0),
        /// Users and groups, real with effective and saved with those for files, 32 bits each; how many further groups,
        /// whether its files are its user's (`DUMPABLE_BIT`), and whether it gains no privileges (`GAINS_NOTHING_BIT`).
        pub credentials: Published<[u64; 5], 5> = Published::new([0; 5]),
        /// These, 32 bits each.
        pub groups: Published<[u64; 16], 16> = Published::new([0; 16]),
        /// The terminal that its session may have: 0 for the console, or 1 more than the pair's name in the cluster;
        /// and the pair's generation.
        pub terminal: Published<[u64; 2], 2> = Published::new([0; 2]),
        /// Its soft and hard limits, by Linux's numbers; `u64::MAX`: none.
        pub limits: Published<[[u64; 2]; LIMITS], { 2 * LIMITS }> = Published::new([[u64::MAX; 2]; LIMITS]),
    }
    impl Default;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn proc_info_facts_survive_words() {
        let top = (1 << 27) - 1;
        for (start, end, access, shared) in [(0, 1, READS, false), (top, 1 << 27, READS | WRITES | EXECUTES, true)] {
            let area = AreaInfo { start, end, first_page: u32::MAX, ino: 7, access, shared };
            assert_eq!(AreaInfo::of_words(area.to_words()), area);
        }
        let origin = ProgramOrigin { ino: u32::MAX, directory: 2, path: 3, strings: [4, 5, u64::MAX] };
        assert_eq!(ProgramOrigin::of_words(origin.to_words()), origin);
        let info = ProcInfo::default();
        assert_eq!((info.space.get(), info.limits.get()), (None, [[u64::MAX; 2]; LIMITS]));
        let limits = core::array::from_fn(|which| [which as u64, u64::MAX - which as u64]);
        info.limits.set(limits);
        info.space.set(Some(u32::MAX));
        assert_eq!((info.space.get(), info.limits.get()), (Some(u32::MAX), limits));
    }
}

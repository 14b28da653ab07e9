//! What programs watch on a board: a filter that changes and ends pass before a server hears of them.
//!
//! Invariant: the server of event files alone writes a filter; what is watched is always in it, and other numbers may
//! be, too. So a change on a board that watches nothing costs one load, on any core. The directory of inodes writes
//! parents. Not here: the watches (`renga_clock`).

use core::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};

/// Words of a filter.
const WORDS: usize = 4;

/// Numbers, each by a bit that others share.
#[derive(Debug, Default)]
pub struct WatchFilter {
    /// Whether it has any: what a change on a hot path asks first.
    is_used: AtomicBool,
    words: [AtomicU64; WORDS],
}

/// The word and the bit of a number.
const fn place_of(number: u32) -> (usize, u64) {
    let bit = number as usize % (64 * WORDS);
    (bit / 64, 1 << (bit % 64))
}

impl WatchFilter {
    /// Without numbers.
    pub const fn new() -> WatchFilter {
        WatchFilter { is_used: AtomicBool::new(false), words: [const { AtomicU64::new(0) }; WORDS] }
    }
    /// Whether `number` may be watched.
    #[inline(always)]
    pub fn has(&self, number: u32) -> bool {
        self.is_used() && self.has_bit_of(number)
    }
    /// Whether any number is watched.
    #[inline(always)]
    pub fn is_used(&self) -> bool {
        self.is_used.load(Ordering::Relaxed)
    }
    #[inline(never)]
    fn has_bit_of(&self, number: u32) -> bool {
        let (word, bit) = place_of(number);
        self.words[word].load(Ordering::Relaxed) & bit != 0
    }
    /// From now on these are watched, and no others.
    pub fn set(&self, numbers: impl Iterator<Item = u32>) {
        let mut words = [0; WORDS];
        for number in numbers {
            let (word, bit) = place_of(number);
            words[word] |= bit;
        }
        for (place, word) in self.words.iter().zip(words) {
            place.store(word, Ordering::Relaxed);
        }
        self.is_used.store(words != [0; WORDS], Ordering::Relaxed);
    }
}

/// What programs watch on this board.
#[derive(Debug)]
pub struct WatchFilters {
    /// Inodes, by their numbers.
    pub inodes: WatchFilter,
    /// Processes, by their pids.
    pub processes: WatchFilter,
    /// The directory in which the inode of each inode process was found last; 0: none.
    parents: &'static [AtomicU32],
    moves: AtomicU32,
}

impl WatchFilters {
    /// Nothing, of a board with as many inode processes as there are `parents`.
    pub const fn new(parents: &'static [AtomicU32]) -> WatchFilters {
        let (inodes, processes) = (WatchFilter::new(), WatchFilter::new());
        WatchFilters { inodes, processes, parents, moves: AtomicU32::new(0) }
    }
    /// The inode of process `slot` was found in directory `parent`; 0: in none.
    #[inline]
    pub fn set_parent(&self, slot: u16, parent: u32) {
        if let Some(place) = self.parents.get(usize::from(slot)) {
            place.store(parent, Ordering::Relaxed);
        }
    }
    /// As [`WatchFilters::set_parent`], by a name in `directory`, or by none if that is 0.
    #[inline]
    pub fn found_in(&self, slot: u16, directory: u32) {
        if directory != 0 {
            self.set_parent(slot, directory);
        }
    }
    /// The directory in which the inode of process `slot` was found last; 0: none.
    #[inline]
    pub fn parent(&self, slot: u16) -> u32 {
        self.parents.get(usize::from(slot)).map_or(0, |place| place.load(Ordering::Relaxed))
    }
    /// Whether a change of inode `ino`, found in directory `parent`, may be watched.
    #[inline]
    pub fn has_inode(&self, ino: u32, parent: u32) -> bool {
        self.inodes.is_used() && (self.inodes.has(ino) || parent != 0 && self.inodes.has(parent))
    }
    /// A number that joins the two reports of a move; never 0.
    pub fn next_move(&self) -> u32 {
        self.moves.fetch_add(1, Ordering::Relaxed).wrapping_add(1).max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::WatchFilters;
    use core::sync::atomic::AtomicU32;

    #[test]
    fn watched_numbers_pass_until_they_are_taken_back() {
        let parents = std::vec::Vec::leak((0..2).map(|_| AtomicU32::new(0)).collect());
        let watched = WatchFilters::new(parents);
        assert!(!watched.has_inode(7, 2));
        watched.inodes.set([7, 300].into_iter());
        assert!(watched.inodes.has(7) && watched.inodes.has(300) && !watched.inodes.has(8));
        assert!(watched.has_inode(9, 7) && watched.has_inode(7, 9) && !watched.has_inode(9, 0));
        watched.inodes.set([256].into_iter());
        assert!(!watched.inodes.has(7) && !watched.has_inode(9, 0), "no parent is not inode 0");
        watched.set_parent(1, 11);
        watched.set_parent(2, 12);
        assert_eq!([0, 1, 2].map(|slot| watched.parent(slot)), [0, 11, 0]);
        assert!(watched.inodes.is_used() && !watched.processes.is_used());
        watched.inodes.set([].into_iter());
        assert!(!watched.inodes.is_used() && !watched.inodes.has(256));
        assert_ne!(watched.next_move(), watched.next_move());
    }
}

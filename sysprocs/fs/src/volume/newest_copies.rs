//! Where the journal has the newest committed copy of each block, in bounded memory.
//!
//! Owns: the index, an array of entries that sort by block and age. Invariants: after `finish` each block from `from`
//! to `below` has one entry, of its newest committed copy, and entries ascend. If the blocks do not fit, `below` falls:
//! the blocks from there on are the next part, for which the journal is walked again. Called by: `recovery.rs`.

use crate::format::journal_format::Tag;

const ENTRY_BYTES: usize = 8;

/// A block of the file system, and its copy in the journal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct JournalCopy {
    pub(crate) block: u32,
    /// From the journal's start to the copy, blocks; a newer copy is further behind.
    pub(crate) distance: u32,
    pub(crate) escaped: bool,
}

/// Big-endian block, distance and escape: the order of bytes is that of block and age.
type IndexEntry = [u8; ENTRY_BYTES];

impl JournalCopy {
    /// A journal has fewer than 2^31 blocks, as has a file system ([`crate::format::groups`]).
    fn entry(self) -> IndexEntry {
        (u64::from(self.block) << 32 | u64::from(self.distance) << 1 | u64::from(self.escaped)).to_be_bytes()
    }
    fn of(entry: &IndexEntry) -> JournalCopy {
        let bits = u64::from_be_bytes(*entry);
        JournalCopy { block: (bits >> 32) as u32, distance: bits as u32 >> 1, escaped: bits & 1 != 0 }
    }
}

pub(crate) struct NewestCopies<'a> {
    entries: &'a mut [IndexEntry],
    used: usize,
    /// Distance of the last commit block: copies behind it are of an open transaction.
    committed: u32,
    from: u32,
    /// `None`: no block is left for a next part.
    below: Option<u32>,
}

impl<'a> NewestCopies<'a> {
    /// `room`: at least four entries.
    pub(crate) fn new(room: &'a mut [u8]) -> NewestCopies<'a> {
        NewestCopies { entries: room.as_chunks_mut().0, used: 0, committed: 0, from: 0, below: None }
    }

    pub(crate) fn note(&mut self, tag: Tag, distance: u32) {
        if self.used == self.entries.len() {
            self.make_room();
        }
        if tag.block >= self.from && self.below.is_none_or(|below| tag.block < below) {
            let Tag { block, escaped } = tag;
            self.entries[self.used] = JournalCopy { block, distance, escaped }.entry();
            self.used += 1;
        }
    }

    /// The copies so far count.
    pub(crate) fn commit(&mut self, distance: u32) {
        self.committed = distance;
    }

    /// The newest committed copies of this part. Copies of the open transaction are dropped.
    pub(crate) fn finish(&mut self) -> impl ExactSizeIterator<Item = JournalCopy> + DoubleEndedIterator {
        let committed = self.committed;
        self.retain(|copy, _| copy.distance <= committed);
        self.drop_superseded();
        self.entries[..self.used].iter().map(JournalCopy::of)
    }

    /// Begins the part of the blocks that did not fit; whether any did not.
    pub(crate) fn next_part(&mut self) -> bool {
        let Some(below) = self.below.take() else { return false };
        (self.from, self.used, self.committed) = (below, 0, 0);
        true
    }

    /// Keeps entries that `keep` wants, knowing the entry behind each.
    fn retain(&mut self, keep: impl Fn(JournalCopy, Option<JournalCopy>) -> bool) {
        let mut kept = 0;
        for at in 0..self.used {
            let next = self.entries[..self.used].get(at + 1).map(JournalCopy::of);
            if keep(JournalCopy::of(&self.entries[at]), next) {
                self.entries[kept] = self.entries[at];
                kept += 1;
            }
        }
        self.used = kept;
    }

    /// A copy of the open transaction supersedes no committed one.
    fn drop_superseded(&mut self) {
        self.entries[..self.used].sort_unstable();
        let committed = self.committed;
        self.retain(|copy, next| {
            !next.is_some_and(|next| {
                next.block == copy.block && (next.distance <= committed || copy.distance > committed)
            })
        });
    }

    /// Leaves at most half of the room used. A block has at most two entries then, so at least one block stays.
    fn make_room(&mut self) {
        self.drop_superseded();
        let half = self.entries.len() / 2;
        if self.used > half {
            let below = JournalCopy::of(&self.entries[half]).block;
            self.below = Some(below);
            self.retain(|copy, _| copy.block < below);
        }
    }
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::{ENTRY_BYTES, JournalCopy, NewestCopies, Tag};
    use std::vec;
    use std::vec::Vec;

    /// Notes transactions of blocks, of which the last is not committed; returns each part's blocks and distances.
    fn parts(entries: usize, transactions: &[&[u32]]) -> Vec<Vec<(u32, u32)>> {
        let mut room = vec![0; entries * ENTRY_BYTES];
        let (mut newest, mut parts) = (NewestCopies::new(&mut room), vec![]);
        loop {
            let mut distance = 0;
            for (number, blocks) in transactions.iter().enumerate() {
                for block in *blocks {
                    distance += 1;
                    newest.note(Tag { block: *block, escaped: block % 2 == 1 }, distance);
                }
                distance += 1;
                if number + 1 < transactions.len() {
                    newest.commit(distance);
                }
            }
            let found = newest.finish().inspect(|copy| assert_eq!(copy.escaped, copy.block % 2 == 1));
            parts.push(found.map(|JournalCopy { block, distance, .. }| (block, distance)).collect());
            if !newest.next_part() {
                return parts;
            }
        }
    }

    #[test]
    fn newest_copies_uncommitted_transaction_supersedes_nothing() {
        let transactions: [&[u32]; 4] = [&[9, 4], &[], &[4, 70], &[9, 4, 5]];
        assert_eq!(parts(32, &transactions), [[(4, 5), (9, 1), (70, 6)]]);
        assert_eq!(parts(32, &[&[9, 4]]), [vec![]], "nothing is committed");
    }

    #[test]
    fn newest_copies_more_than_room_come_in_parts() {
        let blocks: Vec<u32> = (0..100).map(|number| number * 37 % 101).collect();
        let again: Vec<u32> = (0..50).map(|number| number * 2).collect();
        let transactions: [&[u32]; 5] = [&blocks, &again, &[3; 40], &again, &blocks];
        let whole = parts(1000, &transactions);
        assert_eq!((whole.len(), whole[0].len()), (1, 101));
        for entries in [4, 7, 20, 64] {
            let parts = parts(entries, &transactions);
            assert!(parts.len() > 1, "{entries}");
            assert_eq!(parts.concat(), whole[0], "{entries}");
        }
    }
}

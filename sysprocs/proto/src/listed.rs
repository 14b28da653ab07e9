//! A user process as listings see it: what its board's table knows of it, and what is counted of it, as bytes.
//!
//! Invariant: `from_bytes` of the output of `to_bytes` is equal. Numbers are little-endian. Not here: the callers
//! (`Describe`).

use renga_core::account::{Count, Counts};

/// Bytes of a program's name that are kept, as in Linux's `comm`.
const NAME_BYTES: usize = 16;
/// Words before the counts.
const WORDS: usize = 7;
/// Bytes of one process.
pub const LISTED_BYTES: usize = 8 * (WORDS + Count::ALL.len()) + NAME_BYTES;
/// In `slot`: it has ended.
pub const NO_SLOT: u16 = u16::MAX;

/// One process.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Listed {
    /// Its line in the table: the next one may be behind it.
    pub index: u16,
    /// Its slot.
    pub slot: u16,
    /// As Linux's listings call its state: R, S, T or Z.
    pub state: u8,
    /// Its pid.
    pub pid: u32,
    /// Of a thread its process's, else its own.
    pub process: u32,
    /// The threads of its process.
    pub threads: u32,
    /// Its parent's.
    pub parent: u32,
    /// Its process group.
    pub group: u32,
    /// Its session.
    pub session: u32,
    /// Signals that have come and were not taken.
    pub pending: u64,
    /// When it was made, ns since its board began.
    pub started_ns: u64,
    /// How it shares the core, as a word (`renga_abi::policy`).
    pub policy: u64,
    /// What is counted of it; once it has ended, its times only.
    pub counts: Counts,
    /// What it runs, zero-padded.
    pub name: [u8; NAME_BYTES],
}

impl Listed {
    /// As bytes.
    pub fn to_bytes(&self) -> [u8; LISTED_BYTES] {
        let both = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        let words = [
            u64::from(self.index) | u64::from(self.slot) << 16 | u64::from(self.state) << 32,
            both(self.pid, self.parent),
            both(self.group, self.session),
            self.pending,
            self.started_ns,
            self.policy,
            both(self.process, self.threads),
        ];
        let mut bytes = [0; LISTED_BYTES];
        for (place, word) in bytes.chunks_exact_mut(8).zip(words.iter().chain(&self.counts)) {
            place.copy_from_slice(&word.to_le_bytes());
        }
        bytes[LISTED_BYTES - NAME_BYTES..].copy_from_slice(&self.name);
        bytes
    }

    /// The inverse of [`Listed::to_bytes`].
    pub fn from_bytes(bytes: &[u8; LISTED_BYTES]) -> Listed {
        let word = |at: usize| {
            let (all, _) = bytes.as_chunks::<8>();
            u64::from_le_bytes(all[at])
        };
        let half = |at: usize| (word(at) as u32, (word(at) >> 32) as u32);
        let ((pid, parent), (group, session), (process, threads)) = (half(1), half(2), half(6));
        let mut name = [0; NAME_BYTES];
        name.copy_from_slice(&bytes[LISTED_BYTES - NAME_BYTES..]);
        Listed {
            index: word(0) as u16,
            slot: (word(0) >> 16) as u16,
            state: (word(0) >> 32) as u8,
            pid,
            process,
            threads,
            parent,
            group,
            session,
            pending: word(3),
            started_ns: word(4),
            policy: word(5),
            counts: core::array::from_fn(|count| word(WORDS + count)),
            name,
        }
    }

    /// What is counted of it under `count`.
    pub fn count(&self, count: Count) -> u64 {
        self.counts[count as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::{Count, LISTED_BYTES, Listed};

    #[test]
    fn bytes_bring_all_of_it_back() {
        let listed = Listed {
            index: 2047,
            slot: 77,
            state: b'T',
            pid: 131_071,
            process: 131_063,
            threads: 9,
            parent: 9,
            group: 65_537,
            session: 12,
            pending: 1 << 63,
            started_ns: u64::MAX - 1,
            policy: 0x1234_5678_9abc,
            counts: core::array::from_fn(|count| count as u64 * 1_000_003),
            name: *b"0123456789abcdef",
        };
        let bytes = listed.to_bytes();
        assert_eq!(Listed::from_bytes(&bytes), listed);
        assert_eq!(listed.count(Count::InvoluntarySwitches), 12 * 1_000_003);
        assert_eq!(LISTED_BYTES % 8, 0);
    }
}

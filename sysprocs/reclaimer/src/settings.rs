//! What can be set: whether large batches are reclaimed, when, and how large.
//!
//! Invariant: every threshold is within its bounds, which are the board's: that of free pages is above the mark at which the
//! ordinary reclaimer is woken. Not here: what they mean (`machine.rs`), as text (`text.rs`).

use renga_proto::memory::MemoryFacts;

/// A number that can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Threshold {
    /// Pages of files that come in, read or written, a second: with fewer memory is not short because of them.
    Requests,
    /// A batch is reclaimed while fewer are free.
    FreePages,
    /// Pages of a batch.
    BatchPages,
}

const COUNT: usize = 3;

impl Threshold {
    /// All, in the order of their values, with their names.
    pub(crate) const NAMED: [(&'static str, Threshold); COUNT] = [
        ("requests", Threshold::Requests),
        ("free_pages", Threshold::FreePages),
        ("batch_pages", Threshold::BatchPages),
    ];
}

/// As the paper has it (3.2): what a disk does that a large file is read from.
const REQUESTS: u32 = 1_500;
const REQUESTS_MAX: u32 = 10_000_000;
/// Of all frames: the threshold of free ones, and a batch. With 1 GB and 4 GB of 48 GB (5.1) the paper's machine has some 7 s of its
/// disk's reading between looks; a board with an SD card has more than that with an eighth.
const FREE_SHARE: u32 = 8;
const BATCH_SHARE: u32 = 8;
/// More would leave no cache.
const MOST_SHARE: u32 = 2;

/// All settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Whether the batcher is on.
    pub batching: bool,
    values: [u32; COUNT],
    bounds: [[u32; 2]; COUNT],
}

impl Settings {
    /// As at first, on a board with so many frames.
    pub fn of(frames: u32) -> Settings {
        let (low, most) = (MemoryFacts { total: frames, free: 0 }.low_mark(), (frames / MOST_SHARE).max(1));
        let bounds = [[1, REQUESTS_MAX], [low + 1, most.max(low + 1)], [1, most]];
        let defaults = [REQUESTS, frames / FREE_SHARE, frames / BATCH_SHARE];
        let values = core::array::from_fn(|at| defaults[at].clamp(bounds[at][0], bounds[at][1]));
        Settings { batching: false, values, bounds }
    }

    /// The value of `threshold`.
    pub fn get(&self, threshold: Threshold) -> u32 {
        self.values[threshold as usize]
    }

    /// Sets it; whether `value` is allowed.
    pub fn set(&mut self, threshold: Threshold, value: u32) -> bool {
        let [least, most] = self.bounds[threshold as usize];
        let allowed = (least..=most).contains(&value);
        if allowed {
            self.values[threshold as usize] = value;
        }
        allowed
    }
}

//! What can be set: whether large batches are reclaimed, when, and how large.
//!
//! Invariant: every threshold is within its bounds, which are the board's: that of free pages is above the mark at
//! which the ordinary reclaimer is woken. Not here: what they mean (`machine.rs`), as text (`text.rs`).

use renga_proto::memory::MemoryFacts;
use renga_proto::settings::{NumberSetting, NumberSettings};

/// A number that can be set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReclaimThreshold {
    /// Pages of files that come in, read or written, a second: with fewer memory is not short because of them.
    Requests,
    /// A batch is reclaimed while fewer are free.
    FreePages,
    /// Pages of a batch.
    BatchPages,
}

const COUNT: usize = 3;

/// As the paper has it (3.2): what a disk does that a large file is read from.
const REQUESTS: u32 = 1_500;
const REQUESTS_MAX: u32 = 10_000_000;
/// Of all frames: the threshold of free ones, and a batch. With 1 GB and 4 GB of 48 GB (5.1) the paper's machine has
/// some 7 s of its disk's reading between samples; a board with an SD card has more than that with an eighth.
const FREE_SHARE: u32 = 8;
const BATCH_SHARE: u32 = 8;
/// More would leave no cache.
const MOST_SHARE: u32 = 2;

/// All settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReclaimSettings {
    /// Whether the batcher is on.
    pub batching: bool,
    pub(crate) thresholds: NumberSettings<COUNT>,
}

impl ReclaimSettings {
    /// As at first, on a board with so many frames.
    pub fn of(frames: u32) -> ReclaimSettings {
        let (low, most) = (MemoryFacts { total: frames, free: 0 }.low_mark(), (frames / MOST_SHARE).max(1));
        let thresholds = NumberSettings::new([
            NumberSetting::new("requests", REQUESTS, [1, REQUESTS_MAX]),
            NumberSetting::new("free_pages", frames / FREE_SHARE, [low + 1, most.max(low + 1)]),
            NumberSetting::new("batch_pages", frames / BATCH_SHARE, [1, most]),
        ]);
        ReclaimSettings { batching: false, thresholds }
    }

    /// The value of `threshold`.
    pub fn get(&self, threshold: ReclaimThreshold) -> u32 {
        self.thresholds.get(threshold as usize)
    }
}

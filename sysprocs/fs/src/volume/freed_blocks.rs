//! Freed blocks, which are not reused before a commit has made that permanent: until then a power cut brings their
//! file back.

use heapless::Vec;
use renga_rt::Errno;

/// Runs of blocks that are remembered until the next commit.
const RUNS_MAX: usize = 256;
/// Commits in a row that may fail before a call that needs one of their freed blocks fails.
const FAILURES_MAX: u32 = 2;

#[derive(Default)]
pub(crate) struct Freed {
    runs: Vec<(u32, u32), RUNS_MAX>,
    /// Some had metadata, so that the journal may cache copies of them.
    pub(crate) metadata: bool,
    /// Blocks are free in the bitmaps that a cut would give back to their file, and are not in `runs`: no block
    /// at all may be given out.
    early: bool,
    /// Commits that failed with these.
    failures: u32,
}

impl Freed {
    /// Remembers a run; gives it back if there is no room.
    pub(crate) fn add(&mut self, first: u32, count: u32, metadata: bool) -> Result<(), (u32, u32)> {
        self.metadata |= metadata;
        match self.runs.last_mut() {
            Some((last, length)) if *last + *length == first => {
                *length += count;
                Ok(())
            }
            _ => self.runs.push((first, count)),
        }
    }
    pub(crate) fn run(&self, index: usize) -> Option<(u32, u32)> {
        self.runs.get(index).copied()
    }
    pub(crate) fn holds_any(&self, first: u32, count: u32) -> bool {
        let below = first.saturating_add(count);
        self.runs.iter().any(|(from, length)| first < from + length && *from < below)
    }
    pub(crate) fn end_of_run(&self, block: u32) -> Option<u32> {
        let run = self.runs.iter().find(|(first, count)| (*first..first + count).contains(&block));
        run.map(|(first, count)| first + count)
    }
    /// Blocks are about to become free in the bitmaps that are not remembered here.
    pub(crate) fn set_early(&mut self) {
        self.early = true;
    }
    /// Whether blocks that are not in a run may be given out: `EAGAIN` until the next commit, `EIO` if commits
    /// fail.
    pub(crate) fn may_take(&self) -> Result<(), Errno> {
        match (self.early, self.failures) {
            (false, _) => Ok(()),
            (true, ..FAILURES_MAX) => Err(Errno::EAGAIN),
            (true, _) => Err(Errno::EIO),
        }
    }
    /// The error of a call that finds only blocks of these runs.
    pub(crate) fn refusal(&self) -> Errno {
        if self.failures < FAILURES_MAX { Errno::EAGAIN } else { Errno::EIO }
    }
    pub(crate) fn blocks(&self) -> u32 {
        self.runs.iter().map(|(_, count)| count).sum()
    }
    pub(crate) fn is_empty(&self) -> bool {
        self.runs.is_empty() && !self.early
    }

    /// The transaction that `next` was given back for is closed: its runs join those that wait for a commit. Those
    /// that find no room are free in the bitmaps and not remembered.
    pub(crate) fn close(&mut self, next: &mut Freed) {
        self.metadata |= core::mem::take(&mut next.metadata);
        self.early |= core::mem::take(&mut next.early);
        while let Some((first, count)) = next.runs.pop() {
            self.early |= self.runs.push((first, count)).is_err();
        }
    }
    pub(crate) fn failed(&mut self) {
        self.failures += u32::from(!self.is_empty());
    }
    pub(crate) fn release(&mut self) {
        *self = Freed::default();
    }
}

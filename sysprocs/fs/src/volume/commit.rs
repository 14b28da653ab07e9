//! Commits: all changes of books become permanent together.
//!
//! Order: content first, so that no inode on the disk points to a block that still holds somebody
//! else's; then the changed books, by the journal; then, when they go to their places, the journal is
//! emptied. It is emptied at the end of a commit, when no book is changed and not committed: so
//! what goes to its place is what the journal has. Without a journal books go straight to their places,
//! and a cut may leave work for `e2fsck`.

use crate::format::groups::{COUNTS_OFFSET, DESCRIPTOR_BYTES, DESCRIPTORS_BLOCK};
use crate::format::superblock::SUPERBLOCK_OFFSET;
use crate::volume::allocator::State;
use heapless::Vec;
use renga_rt::Errno;

/// From a change to the commit that makes it permanent, if nobody asks for one sooner.
const COMMIT_AFTER_NS: u64 = 5_000_000_000;
/// Commits of their own accord that may fail one after the other before changes are refused.
const FAILURES_MAX: u32 = 8;
/// Times that everything is offered to the disk before the journal is emptied.
const TRIES_MAX: u32 = 8;
/// Runs of blocks that are remembered until the next commit.
const RUNS_MAX: usize = 256;

/// Commits in a row that may fail before whoever needs a block that one of them was to free is told so.
const FREEING_FAILURES_MAX: u32 = 2;

/// Blocks given back since the last commit. Those in `runs` are set in the bitmaps until the next.
#[derive(Default)]
pub(crate) struct Freed {
    /// First block and number of each run.
    runs: Vec<(u32, u32), RUNS_MAX>,
    /// Some held books, so that the journal may hold copies of them.
    books: bool,
    /// Blocks are free in the bitmaps that a cut would give back to their file: none may be given out.
    early: bool,
    /// Commits that failed since `early`.
    failures: u32,
}

impl Freed {
    /// Remembers a run; gives it back if there is no room.
    pub(crate) fn add(&mut self, first: u32, count: u32, books: bool) -> Result<(), (u32, u32)> {
        self.books |= books;
        match self.runs.last_mut() {
            Some((last, length)) if *last + *length == first => {
                *length += count;
                Ok(())
            }
            _ => self.runs.push((first, count)),
        }
    }
    /// Whether it has any of these.
    pub(crate) fn holds_any(&self, first: u32, count: u32) -> bool {
        let below = first.saturating_add(count);
        self.runs.iter().any(|(from, length)| first < from + length && *from < below)
    }
    /// Blocks are about to become free in the bitmaps, before the commit.
    pub(crate) fn set_early(&mut self) {
        self.early = true;
    }
    /// Whether free blocks may be given out: `EAGAIN` until the next commit, `EIO` if commits fail.
    pub(crate) fn may_take(&self) -> Result<(), Errno> {
        match (self.early, self.failures) {
            (false, _) => Ok(()),
            (true, ..FREEING_FAILURES_MAX) => Err(Errno::EAGAIN),
            (true, _) => Err(Errno::EIO),
        }
    }
    /// How many blocks.
    pub(crate) fn blocks(&self) -> u32 {
        self.runs.iter().map(|(_, count)| count).sum()
    }
}

impl State {
    /// A commit is due in a while.
    pub(crate) fn note(&mut self) {
        self.due.set(self.due.at_ns().or(Some(self.me.now_ns() + COMMIT_AFTER_NS)));
    }

    /// A commit is due now; or after a while, if the last one failed.
    pub(crate) fn hurry(&mut self) {
        self.note();
        if self.failures == 0 {
            self.due.set(Some(self.me.now_ns()));
        }
    }

    pub(crate) fn note_change(&mut self, crowded: bool) -> Result<(), Errno> {
        self.may_change()?;
        self.note();
        if crowded {
            self.hurry();
        }
        Ok(())
    }

    pub(crate) async fn commit(&mut self, whole: bool, broken: bool) -> Result<(), Errno> {
        self.may_change()?;
        if broken {
            self.superblock.set_errors();
            self.groups[0].changed = true;
        }
        let done = self.try_commit(whole).await;
        self.due.set(None);
        match done {
            Ok(()) => self.failures = 0,
            Err(_) => {
                self.failures += u32::from(whole);
                self.freed.failures += u32::from(self.freed.early);
                self.note();
                if self.failures >= FAILURES_MAX {
                    self.give_up().await;
                }
            }
        }
        done
    }

    /// The disk takes no changes: from now on there are none.
    async fn give_up(&mut self) {
        self.me.log("the disk refuses the file system's changes: it can only be read now", [0, 0]);
        self.refuses = Some(Errno::EROFS);
        self.due.set(None);
        // What the journal has not got is not to go to its place by half.
        let _ = self.cache.committed(true).await;
    }

    async fn try_commit(&mut self, whole: bool) -> Result<(), Errno> {
        while let Some((first, count)) = self.freed.runs.pop() {
            self.freed.set_early();
            match self.clear(first, count).await {
                Ok(true) => {}
                Ok(false) => self.superblock.set_errors(),
                Err(errno) => {
                    // There was room for it.
                    let _ = self.freed.runs.push((first, count));
                    return Err(errno);
                }
            }
        }
        self.save_counts().await?;
        // Whoever wrote content that the disk refuses is told by `Sync` or `Settle`.
        let _ = self.cache.flush(false).await;
        if !self.journaled {
            self.cache.flush_books().await?;
            (self.freed.early, self.freed.failures) = (false, 0);
            return Ok(());
        }
        self.journal.commit(&mut self.cache).await?;
        (self.freed.early, self.freed.failures) = (false, 0);
        if whole || self.freed.books || self.journal.is_full(self.cache.count()) {
            let placed = self.put_in_place().await;
            if placed.is_err() && self.freed.books {
                // What the journal has copies of must not be given out again, and it may be from now on.
                self.failures = FAILURES_MAX;
            }
            placed?;
        }
        self.freed.books = false;
        Ok(())
    }

    /// Writes all that the journal holds to its places, and empties it.
    async fn put_in_place(&mut self) -> Result<(), Errno> {
        let mut done = Err(Errno::EIO);
        for _ in 0..TRIES_MAX {
            done = self.cache.flush(true).await;
            if done.is_ok() {
                done = self.journal.empty().await;
            }
            if done.is_ok() {
                break;
            }
        }
        done
    }

    async fn save_counts(&mut self) -> Result<(), Errno> {
        let mut changed = false;
        for number in 0..self.count {
            if !core::mem::take(&mut self.groups[number].changed) {
                continue;
            }
            changed = true;
            let counts = self.groups[number].counts();
            let offset = (number * DESCRIPTOR_BYTES) as u32 + COUNTS_OFFSET;
            let saved = self.cache.write_books(DESCRIPTORS_BLOCK, offset, &counts).await;
            self.groups[number].changed = saved.is_err();
            saved?;
        }
        if changed {
            self.count_free();
            self.cache.write_books(0, SUPERBLOCK_OFFSET as u32, &self.superblock.bytes).await?;
        }
        Ok(())
    }

    fn count_free(&mut self) {
        let (blocks, inodes) = self.free_totals();
        let now_s = self.now_s();
        self.superblock.set_free(blocks, inodes);
        self.superblock.set_written(now_s);
    }

    /// Writes the superblock to its place, past the journal; only while that holds no copy of it.
    pub(crate) async fn put_superblock(&mut self) -> Result<(), Errno> {
        self.count_free();
        self.cache.write(0, SUPERBLOCK_OFFSET as u32, &self.superblock.bytes).await?;
        self.cache.flush(false).await
    }

    pub(crate) async fn mark_clean(&mut self) -> Result<(), Errno> {
        self.may_change()?;
        self.try_commit(true).await?;
        self.refuses = Some(Errno::EROFS);
        self.due.set(None);
        if self.journaled {
            self.journal.write_head(0).await?;
        }
        self.superblock.set_recover(false);
        let clean = !self.superblock.has_errors();
        self.superblock.set_clean(clean);
        self.put_superblock().await
    }
}

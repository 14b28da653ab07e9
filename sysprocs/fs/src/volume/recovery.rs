//! After a cut: what the journal has committed goes to its places, each block once, with its last committed content.
//!
//! One walk over descriptors and commit blocks finds the newest copies (`newest_copies.rs`). Then these are read and
//! written in order of their places, in runs. Invariant: a transaction counts whole or not at all; doing it twice does
//! no harm, as the journal stays until all is in its place. Not here: how the journal is written (`journal.rs`).

use crate::format::journal_format::{self as format, COMMIT, DESCRIPTOR, JOURNAL_MAGIC, Page, REVOKE};
use crate::medium::disk_runs::read_run;
use crate::volume::journal::{Journal, write};
use crate::volume::newest_copies::{JournalCopy, NewestCopies};
use core::ops::Range;
use heapless::Vec;
use renga_rt::Errno;

/// Pages of the room that the index gets: one of so many.
const INDEX_SHARE: usize = 4;
/// A commit block and the next transaction's descriptor lie side by side, so they are read together.
const WALK_BLOCKS: u32 = 2;
/// Copies that are read, and then written, at most.
const BATCH_MAX: usize = 16;

impl Journal {
    /// Copies all committed transactions to their places, in a file system of `blocks`, and records that on the disk;
    /// returns how many. `EINVAL`: the journal has features that only `e2fsck` understands. `room`: for index and
    /// copies.
    pub(crate) async fn recover(&mut self, room: &mut [Page], blocks: u32) -> Result<u32, Errno> {
        let count = if self.start == 0 { 0 } else { self.copy_committed(room, blocks, None).await? };
        // No remains may pass for the next transaction.
        self.sequence = self.sequence.wrapping_add(count).wrapping_add(1);
        self.empty().await?;
        Ok(count)
    }

    /// Copies all its blocks to their places: those in buffers may be newer, and not committed.
    pub(crate) async fn replay(&mut self, room: &mut [Page], blocks: u32) -> Result<(), Errno> {
        let expected = self.sequence.wrapping_sub(self.emptied);
        (self.start, self.sequence) = (self.first, self.emptied);
        let copied = self.copy_committed(room, blocks, Some(expected)).await;
        self.sequence = self.emptied.wrapping_add(expected);
        copied?;
        self.empty().await
    }

    /// `EIO`: not as many transactions as `expected`.
    async fn copy_committed(&mut self, room: &mut [Page], blocks: u32, expected: Option<u32>) -> Result<u32, Errno> {
        let (index, room) = room.split_at_mut(room.len() / INDEX_SHARE);
        let mut newest = NewestCopies::new(index.as_flattened_mut());
        loop {
            let count = self.walk(&mut newest, room).await?;
            if expected.is_some_and(|expected| count != expected) {
                return Err(Errno::EIO);
            }
            if newest.finish().next_back().is_some_and(|last| last.block >= blocks) {
                return Err(Errno::EINVAL);
            }
            self.copy_all(newest.finish(), room).await?;
            if !newest.next_part() {
                return Ok(count);
            }
        }
    }

    /// The block so far behind the journal's start; behind its end follows its first block.
    fn index_of(&self, distance: u32) -> u32 {
        self.first + (self.start - self.first + distance) % (self.length - self.first)
    }

    /// Notes the copies from `start` on; how many transactions have their end.
    async fn walk(&mut self, newest: &mut NewestCopies<'_>, room: &mut [Page]) -> Result<u32, Errno> {
        let (mut distance, mut count) = (0, 0);
        let mut read = Range::default();
        while distance < self.length {
            let index = self.index_of(distance);
            if !read.contains(&index) {
                read = self.read_run(index, room).await?;
            }
            let page = &room[(index - read.start) as usize];
            match format::header(page) {
                Some((kind, sequence)) if sequence == self.sequence.wrapping_add(count) => match kind {
                    DESCRIPTOR => {
                        for tag in format::tags(page) {
                            distance += 1;
                            newest.note(tag, distance);
                        }
                    }
                    COMMIT => {
                        newest.commit(distance);
                        count += 1;
                    }
                    REVOKE => return Err(Errno::EINVAL),
                    _ => break,
                },
                _ => break,
            }
            distance += 1;
        }
        Ok(count)
    }

    /// Reads block `index` of the journal and what lies behind it; which blocks.
    async fn read_run(&mut self, index: u32, room: &mut [Page]) -> Result<Range<u32>, Errno> {
        let (first, side_by_side) = self.run_from(index)?;
        let count = side_by_side.min(WALK_BLOCKS).min(self.length - index);
        read_run!(self.disk, first.into(), room[..count as usize].as_flattened_mut())?;
        Ok(index..index + count)
    }

    async fn copy_all(
        &mut self,
        mut copies: impl ExactSizeIterator<Item = JournalCopy>,
        room: &mut [Page],
    ) -> Result<(), Errno> {
        while copies.len() > 0 {
            let batch: Vec<JournalCopy, BATCH_MAX> = copies.by_ref().take(room.len().min(BATCH_MAX)).collect();
            let mut at = 0;
            for run in batch.chunk_by(|one, next| next.distance == one.distance + 1) {
                self.read_copies(run, &mut room[at..at + run.len()]).await?;
                at += run.len();
            }
            at = 0;
            for run in batch.chunk_by(|one, next| next.block == one.block + 1) {
                write(&mut self.disk, run[0].block, room[at..at + run.len()].as_flattened()).await?;
                at += run.len();
            }
        }
        Ok(())
    }

    /// Reads copies that follow one another in the journal, in as many pieces as it has there.
    async fn read_copies(&mut self, copies: &[JournalCopy], pages: &mut [Page]) -> Result<(), Errno> {
        let mut read = 0;
        while read < copies.len() {
            let index = self.index_of(copies[read].distance);
            let (first, side_by_side) = self.run_from(index)?;
            let below = copies.len().min(read + side_by_side.min(self.length - index) as usize);
            read_run!(self.disk, first.into(), pages[read..below].as_flattened_mut())?;
            read = below;
        }
        for (copy, page) in copies.iter().zip(pages) {
            if copy.escaped {
                page[..4].copy_from_slice(&JOURNAL_MAGIC);
            }
        }
        Ok(())
    }
}

//! After a cut: what the journal has committed goes to its places.
//!
//! Invariant: a transaction is copied whole or not at all; doing it twice does no harm. Not here: how
//! the journal is written (`journal.rs`).

use crate::format::journal_format::{self as format, COMMIT, DESCRIPTOR, JOURNAL_MAGIC, REVOKE, Tag};
use crate::volume::journal::Journal;
use renga_rt::Errno;

impl Journal {
    /// Copies all committed transactions to their places, in a file system of `blocks`, and records that on the disk;
    /// returns how many. `EINVAL`: the journal has features that only `e2fsck` understands.
    pub(crate) async fn recover(&mut self, blocks: u32) -> Result<u32, Errno> {
        let mut count = 0;
        if self.start != 0 {
            count = self.count_committed().await?;
            self.copy_all(count, blocks).await?;
        }
        // No remains may pass for the next transaction.
        self.sequence = self.sequence.wrapping_add(count).wrapping_add(1);
        self.empty().await?;
        Ok(count)
    }

    /// Copies all its blocks to their places: those in buffers may be newer, and not committed.
    pub(crate) async fn replay(&mut self, blocks: u32) -> Result<(), Errno> {
        let expected = self.sequence.wrapping_sub(self.emptied);
        (self.start, self.sequence) = (self.first, self.emptied);
        let counted = self.count_committed().await;
        let copied = match counted {
            Ok(count) if count == expected => self.copy_all(count, blocks).await,
            Ok(_) => Err(Errno::EIO),
            Err(errno) => Err(errno),
        };
        self.sequence = self.emptied.wrapping_add(expected);
        copied?;
        self.empty().await
    }

    fn behind(&self, index: u32) -> u32 {
        if index + 1 < self.length { index + 1 } else { self.first }
    }

    /// How many transactions from `start` on have their end.
    async fn count_committed(&mut self) -> Result<u32, Errno> {
        let (mut at, mut count) = (self.start, 0);
        let mut left = self.length;
        while left > 0 {
            self.read_own(at).await?;
            let skipped = match format::header(self.own) {
                Some((kind, sequence)) if sequence == self.sequence.wrapping_add(count) => match kind {
                    DESCRIPTOR => format::tags(self.own).count() as u32,
                    COMMIT => {
                        count += 1;
                        0
                    }
                    REVOKE => return Err(Errno::EINVAL),
                    _ => break,
                },
                _ => break,
            };
            for _ in 0..=skipped {
                at = self.behind(at);
            }
            left = left.saturating_sub(skipped + 1);
        }
        Ok(count)
    }

    async fn copy_all(&mut self, count: u32, blocks: u32) -> Result<(), Errno> {
        let (mut at, mut done) = (self.start, 0);
        let mut left = self.length;
        while done < count && left > 0 {
            self.read_own(at).await?;
            (at, left) = (self.behind(at), left - 1);
            match format::header(self.own) {
                Some((DESCRIPTOR, _)) => {
                    let mut number = 0;
                    while let Some(tag) = format::tags(self.own).nth(number) {
                        self.copy_one(at, tag, blocks).await?;
                        (at, left) = (self.behind(at), left.saturating_sub(1));
                        number += 1;
                    }
                }
                Some((COMMIT, _)) => done += 1,
                _ => return Err(Errno::EIO),
            }
        }
        Ok(())
    }

    async fn copy_one(&mut self, from: u32, tag: Tag, blocks: u32) -> Result<(), Errno> {
        if tag.block >= blocks {
            return Err(Errno::EINVAL);
        }
        self.read(self.place(from)?).await?;
        if tag.escaped {
            self.copy[..4].copy_from_slice(&JOURNAL_MAGIC);
        }
        self.write(tag.block).await
    }
}

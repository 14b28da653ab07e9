//! The journal: makes the changes of many blocks permanent all at once.
//!
//! A *transaction* is a copy of every dirty block of metadata, and then a commit block, which is one
//! sector: with it all of them count, without it none. It is put together in memory (`staged`), descriptors and
//! copies as they will lie in the journal, and so written in one piece. The blocks go to their own places later.
//! After a cut the next mount copies the committed ones there (`recovery.rs`, or `e2fsck -p`).
//!
//! Invariants: the blocks between `first` and `head` are committed, and were written in this order; the journal is
//! emptied only when all of it is in its place. A block with a copy in the journal is not reused before that. Not
//! here: what belongs together (`committer.rs`), finding the journal (`journal_file.rs`).

use crate::cache::metadata_writeback::RunWriter;
use crate::format::journal_format::{self as format, COMMIT, DESCRIPTOR, JOURNAL_MAGIC, Page, TAGS_MAX};
use crate::medium::disk_runs::{read_run, write_run};
use heapless::Vec;
use renga_proto::buffer::BufferedBlock;
use renga_proto::disk::Disk;
use renga_rt::{Client, Errno};

/// Runs of blocks that a journal's file may consist of.
pub(crate) const RUNS_MAX: usize = 16;
/// Attempts to write a block of the journal.
const TRIES_MAX: u32 = 4;

#[derive(Clone, Copy)]
pub(crate) struct JournalRun {
    pub(crate) first: u32,
    pub(crate) count: u32,
}

renga_rt::with_defaults! {
    pub(crate) struct Journal {
        pub(crate) disk: Client<Disk> = disk,
        /// Room for one of the journal's blocks, and for one of others.
        pub(crate) own: &'static mut Page = own,
        pub(crate) copy: &'static mut Page = copy,
        /// The transaction that is being put together: descriptors, and behind each its copies.
        staged: &'static mut [Page] = staged,
        /// Pages of it, and tags of its last descriptor, until that is ended.
        used: usize = 0,
        tags: usize = 0,
        pub(crate) runs: Vec<JournalRun, RUNS_MAX> = Vec::new(),
        /// The file has no block behind its last run.
        pub(crate) ends: bool = false,
        pub(crate) length: u32 = 0,
        pub(crate) first: u32 = 0,
        /// The next transaction's number and first block.
        pub(crate) sequence: u32 = 0,
        pub(crate) start: u32 = 0,
        head: u32 = 0,
        /// The number of its first transaction.
        pub(crate) emptied: u32 = 0,
        /// The block at `head` may resemble a transaction with the next number.
        dirty: bool = false,
    }
    fn of(disk: Client<Disk>, own: &'static mut Page, copy: &'static mut Page, staged: &'static mut [Page]);
}

impl Journal {
    /// A journal that is nowhere yet. `pages`: two, and room for the largest transaction.
    pub(crate) fn new(disk: Client<Disk>, pages: &'static mut [Page]) -> Self {
        let (fixed, staged) = pages.split_at_mut(2);
        let [own, copy] = fixed else { unreachable!("split there") };
        Journal::of(disk, own, copy, staged)
    }

    pub(crate) async fn read(&mut self, block: u32) -> Result<(), Errno> {
        read_run!(self.disk, block.into(), &mut self.copy[..])
    }

    fn place(&self, index: u32) -> Result<u32, Errno> {
        self.run_from(index).map(|(first, _)| first)
    }

    /// The block of the disk that is block `index` of the journal, and how many lie side by side from there on.
    pub(crate) fn run_from(&self, index: u32) -> Result<(u32, u32), Errno> {
        let mut left = index;
        for run in &self.runs {
            if left < run.count {
                return Ok((run.first + left, run.count - left));
            }
            left -= run.count;
        }
        Err(Errno::EIO)
    }

    pub(crate) async fn read_own(&mut self, index: u32) -> Result<(), Errno> {
        let first = self.place(index)?.into();
        read_run!(self.disk, first, &mut self.own[..])
    }

    async fn write_own(&mut self, index: u32) -> Result<(), Errno> {
        let first = self.place(index)?;
        write(&mut self.disk, first, &self.own[..]).await
    }

    /// Blocks that a transaction of all of `buffers` takes.
    fn most(buffers: usize) -> u32 {
        (buffers + buffers.div_ceil(TAGS_MAX) + 1) as u32
    }

    /// Whether there is room for the largest transaction, that of every buffer.
    pub(crate) fn is_large_enough(&self) -> bool {
        self.length.saturating_sub(self.first) > Self::most(self.staged.len())
    }

    /// Says on the disk that the journal is empty; a reader expects the next transaction at the
    /// start. All that it had must be in its place.
    pub(crate) async fn empty(&mut self) -> Result<(), Errno> {
        self.write_head(self.first).await?;
        (self.head, self.emptied, self.dirty) = (self.first, self.sequence, false);
        Ok(())
    }

    /// Says on the disk where the journal begins; 0: there is none to replay.
    pub(crate) async fn write_head(&mut self, start: u32) -> Result<(), Errno> {
        self.read_own(0).await?;
        format::set_head(self.own, self.sequence, start);
        self.write_own(0).await
    }

    /// Whether a transaction of about `blocks` still leaves room for the largest one.
    pub(crate) fn has_room(&self, blocks: u32) -> bool {
        self.length - self.head > blocks + Self::most(self.staged.len())
    }
    pub(crate) fn is_empty(&self) -> bool {
        self.head == self.first
    }

    pub(crate) fn begin(&mut self) {
        (self.used, self.tags) = (0, 0);
    }

    /// Adds a block to the transaction. One that its buffer has not got was not changed.
    pub(crate) async fn add(&mut self, writer: &mut RunWriter, buffered: BufferedBlock) -> Result<(), Errno> {
        let descriptor = if self.tags == 0 { self.used } else { self.used - 1 - self.tags };
        let at = descriptor + 1 + self.tags;
        let page = self.staged.get_mut(at).ok_or(Errno::EIO)?;
        if writer.copy(buffered, page).await.is_err() {
            return Ok(());
        }
        let escaped = page[..4] == JOURNAL_MAGIC;
        if escaped {
            page[..4].fill(0);
        }
        if self.tags == 0 {
            format::begin(&mut self.staged[descriptor], DESCRIPTOR, self.sequence);
        }
        format::put_tag(&mut self.staged[descriptor], self.tags, buffered.block as u32, escaped);
        (self.tags, self.used) = (self.tags + 1, at + 1);
        if self.tags == TAGS_MAX {
            self.end_descriptor();
        }
        Ok(())
    }

    pub(crate) fn end_descriptor(&mut self) {
        if self.tags > 0 {
            format::end_tags(&mut self.staged[self.used - 1 - self.tags], self.tags - 1);
            self.tags = 0;
        }
    }

    /// Writes the transaction, and then its commit block. On an error nothing has happened; it can be tried again.
    pub(crate) async fn write_transaction(&mut self) -> Result<(), Errno> {
        if self.used == 0 {
            return Ok(());
        }
        if self.length - self.head <= self.used as u32 {
            return Err(Errno::ENOSPC);
        }
        if self.dirty {
            // A commit block may have arrived although the disk said no: it must not count, as what it
            // stands for is about to be overwritten.
            self.own.fill(0);
            self.write_own(self.head).await?;
        }
        self.dirty = true;
        self.write_staged().await?;
        let end = self.head + self.used as u32;
        format::begin(self.own, COMMIT, self.sequence);
        self.write_own(end).await?;
        (self.head, self.dirty) = (end + 1, false);
        self.sequence = self.sequence.wrapping_add(1);
        Ok(())
    }

    /// Writes what is staged from `head` on, in as many pieces as the journal has there.
    async fn write_staged(&mut self) -> Result<(), Errno> {
        let mut from = 0;
        while from < self.used {
            let (first, side_by_side) = self.run_from(self.head + from as u32)?;
            let below = self.used.min(from + side_by_side as usize);
            let data = self.staged[from..below].as_flattened();
            write(&mut self.disk, first, data).await?;
            from = below;
        }
        Ok(())
    }

    /// Writes the blocks of the transaction that was just committed to their places.
    pub(crate) async fn place_transaction(&mut self) -> Result<(), Errno> {
        let (mut descriptor, used) = (0, self.used);
        while descriptor < used {
            let count = format::tags(&self.staged[descriptor]).count();
            let mut number = 0;
            while number < count {
                let (first, length) = self.neighbours(descriptor, number);
                let from = descriptor + 1 + number;
                write(&mut self.disk, first, self.staged[from..from + length].as_flattened()).await?;
                number += length;
            }
            descriptor += 1 + count;
        }
        Ok(())
    }

    /// The place of tag `number`, and how many from there on belong side by side. Their first bytes are put back.
    fn neighbours(&mut self, descriptor: usize, number: usize) -> (u32, usize) {
        let (head, copies) = self.staged.split_at_mut(descriptor + 1);
        let mut length = 0;
        let mut first = 0;
        for tag in format::tags(&head[descriptor]).skip(number) {
            if length > 0 && tag.block != first + length as u32 {
                break;
            }
            if length == 0 {
                first = tag.block;
            }
            if tag.escaped {
                copies[number + length][..4].copy_from_slice(&JOURNAL_MAGIC);
            }
            length += 1;
        }
        (first, length)
    }
}

/// Writes blocks that must arrive.
pub(crate) async fn write(disk: &mut Client<Disk>, first: u32, data: &[u8]) -> Result<(), Errno> {
    let mut written = Err(Errno::EIO);
    for _ in 0..TRIES_MAX {
        written = write_run!(*disk, first.into(), data);
        if written.is_ok() {
            break;
        }
    }
    written
}

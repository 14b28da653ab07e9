//! The journal: makes the changes of many blocks permanent all at once.
//!
//! A *transaction* is a copy of every changed block of books, and then a commit block, which is one
//! sector: with it all of them count, without it none. The blocks go to their own places later. After
//! a cut whoever mounts next copies the committed ones there (`recovery.rs`, or `e2fsck -p`).
//!
//! Invariants: what is between `first` and `head` is committed, and was written in this order; the
//! journal is emptied only when all of it is in its place. Nothing that the journal holds a copy of is
//! used for anything else before that. Not here: what belongs together (`inode_directory.rs`), which
//! blocks are books (`buffer.rs`).

use crate::cache::client::Cache;
use crate::format::bytes::u32_at;
use crate::format::journal_format::{self as format, COMMIT, DESCRIPTOR, Page, TAGS_MAX};
use heapless::Vec;
use renga_abi::PAGE_BYTES;
use renga_proto::disk::{Disk, ReadBlocks, WriteBlocks};
use renga_rt::{Client, Errno};

/// Runs of blocks that a journal's file may consist of.
const RUNS_MAX: usize = 16;
/// Times that the disk is asked to write a block of the journal.
const TRIES_MAX: u32 = 4;
/// Pointers to blocks in an inode, and where they are.
const DIRECT: u32 = 12;
const POINTERS_AT: usize = 40;
const PER_BLOCK: u32 = PAGE_BYTES as u32 / 4;

/// Blocks side by side.
#[derive(Clone, Copy)]
struct Run {
    first: u32,
    count: u32,
}

/// The journal of a mounted file system.
pub struct Journal {
    disk: Client<Disk>,
    /// Room for one of the journal's blocks, and for one that it holds a copy of.
    pub(crate) own: &'static mut Page,
    pub(crate) copy: &'static mut Page,
    runs: Vec<Run, RUNS_MAX>,
    /// The file has no block behind its last run.
    ends: bool,
    pub(crate) length: u32,
    pub(crate) first: u32,
    /// The next transaction's number and first block.
    pub(crate) sequence: u32,
    pub(crate) start: u32,
    head: u32,
    /// What is at `head` may look like a transaction with the next number.
    dirty: bool,
}

impl Journal {
    /// A journal that is nowhere yet.
    pub fn new(disk: Client<Disk>, pages: &'static mut [Page; 2]) -> Journal {
        let [own, copy] = pages;
        let runs = Vec::new();
        Journal {
            disk,
            own,
            copy,
            runs,
            ends: false,
            length: 0,
            first: 0,
            sequence: 0,
            start: 0,
            head: 0,
            dirty: false,
        }
    }

    /// Reads a block of the disk into `copy`.
    pub(crate) async fn read(&mut self, block: u32) -> Result<(), Errno> {
        self.disk.call(ReadBlocks { first: block.into() }, &mut self.copy[..]).await
    }
    /// Writes `copy` to a block of the disk.
    pub(crate) async fn write(&mut self, block: u32) -> Result<(), Errno> {
        self.disk.call(WriteBlocks { first: block.into() }, &self.copy[..]).await
    }

    /// The block of the disk that is block `index` of the journal.
    pub(crate) fn place(&self, index: u32) -> Result<u32, Errno> {
        let mut left = index;
        for run in &self.runs {
            if left < run.count {
                return Ok(run.first + left);
            }
            left -= run.count;
        }
        Err(Errno::EIO)
    }

    /// Reads block `index` of the journal into `own`.
    pub(crate) async fn read_own(&mut self, index: u32) -> Result<(), Errno> {
        let first = self.place(index)?.into();
        self.disk.call(ReadBlocks { first }, &mut self.own[..]).await
    }

    /// Writes `own` to block `index` of the journal.
    async fn write_own(&mut self, index: u32) -> Result<(), Errno> {
        let first = self.place(index)?.into();
        let mut written = Err(Errno::EIO);
        for _ in 0..TRIES_MAX {
            written = self.disk.call(WriteBlocks { first }, &self.own[..]).await;
            if written.is_ok() {
                break;
            }
        }
        written
    }

    /// Finds the journal whose inode is at `offset` of block `block`, in a file system of `blocks`.
    pub(crate) async fn open(&mut self, block: u32, offset: u32, blocks: u32) -> Result<(), Errno> {
        self.read(block).await?;
        let mut pointers = [0; 14];
        for (at, pointer) in pointers.iter_mut().enumerate() {
            *pointer = u32_at(&self.copy[..], offset as usize + POINTERS_AT + at * 4);
        }
        let [direct @ .., one, two] = pointers;
        self.runs.clear();
        self.ends = false;
        for pointer in direct {
            self.add(pointer, blocks)?;
        }
        debug_assert!(direct.len() == DIRECT as usize, "the others are indirect");
        self.add_indirect(one, blocks).await?;
        if two != 0 {
            self.check(two, blocks)?;
            for at in 0..PER_BLOCK as usize {
                self.read(two).await?;
                let one = u32_at(&self.copy[..], at * 4);
                if one == 0 {
                    break;
                }
                self.add_indirect(one, blocks).await?;
            }
        }
        let blocks = self.runs.iter().map(|run| run.count).sum();
        self.read_own(0).await?;
        let head = format::head(self.own, blocks)?;
        (self.length, self.first, self.sequence, self.start) = (head.length, head.first, head.sequence, head.start);
        Ok(())
    }

    fn check(&self, block: u32, blocks: u32) -> Result<(), Errno> {
        if (1..blocks).contains(&block) { Ok(()) } else { Err(Errno::EIO) }
    }

    /// The next block of the file; 0: it is at its end. One behind a hole is none of a journal.
    fn add(&mut self, block: u32, blocks: u32) -> Result<(), Errno> {
        if block == 0 {
            self.ends = true;
            return Ok(());
        }
        if self.ends {
            return Err(Errno::EIO);
        }
        self.check(block, blocks)?;
        match self.runs.last_mut() {
            Some(run) if run.first + run.count == block => run.count += 1,
            _ => self.runs.push(Run { first: block, count: 1 }).map_err(|_| Errno::EFBIG)?,
        }
        Ok(())
    }

    async fn add_indirect(&mut self, block: u32, blocks: u32) -> Result<(), Errno> {
        if block == 0 {
            return self.add(0, blocks);
        }
        self.check(block, blocks)?;
        self.read(block).await?;
        for at in 0..PER_BLOCK as usize {
            let pointer = u32_at(&self.copy[..], at * 4);
            self.add(pointer, blocks)?;
        }
        Ok(())
    }

    /// Blocks that a transaction of all of `buffers` takes.
    fn most(buffers: usize) -> u32 {
        (buffers + buffers.div_ceil(TAGS_MAX) + 1) as u32
    }

    /// Whether there is room for the largest transaction, that of every buffer.
    pub(crate) fn is_large_enough(&self, buffers: usize) -> bool {
        self.length.saturating_sub(self.first) > Self::most(buffers)
    }
    /// Whether it has to be emptied before the next transaction.
    pub(crate) fn is_full(&self, buffers: usize) -> bool {
        self.length - self.head < Self::most(buffers)
    }

    /// Says on the disk that the journal is empty; whoever reads it expects the next transaction at the
    /// start. What it held must be in its place.
    pub(crate) async fn empty(&mut self) -> Result<(), Errno> {
        self.write_head(self.first).await?;
        (self.head, self.dirty) = (self.first, false);
        Ok(())
    }

    /// Says on the disk where the journal begins; 0: there is none to replay.
    pub(crate) async fn write_head(&mut self, start: u32) -> Result<(), Errno> {
        self.read_own(0).await?;
        format::set_head(self.own, self.sequence, start);
        self.write_own(0).await
    }

    /// Writes all changed books that buffers hold, and commits them. On an error nothing has happened;
    /// it can be tried again.
    pub(crate) async fn commit(&mut self, cache: &mut Cache) -> Result<(), Errno> {
        if self.is_full(cache.count()) {
            return Err(Errno::EIO);
        }
        if self.dirty {
            // A commit block may have arrived although the disk said no: it must not count, as what it
            // stands for is about to be overwritten.
            self.own.fill(0);
            self.write_own(self.head).await?;
        }
        self.dirty = true;
        let end = self.write_copies(cache).await?;
        if end == self.head {
            self.dirty = false;
            return Ok(());
        }
        format::begin(self.own, COMMIT, self.sequence);
        self.write_own(end).await?;
        (self.head, self.dirty) = (end + 1, false);
        self.sequence = self.sequence.wrapping_add(1);
        cache.committed(false).await
    }

    /// Writes descriptors and copies from `head` on; where the commit block belongs.
    async fn write_copies(&mut self, cache: &mut Cache) -> Result<u32, Errno> {
        let (mut descriptor, mut tags) = (self.head, 0);
        format::begin(self.own, DESCRIPTOR, self.sequence);
        for buffer in 0..cache.count() {
            let at = descriptor + 1 + tags as u32;
            let logged = match cache.log(buffer, self.place(at)?.into()).await {
                Err(Errno::ENOENT) => continue,
                logged => logged?,
            };
            format::put_tag(self.own, tags, logged.block as u32, logged.escaped);
            tags += 1;
            if tags == TAGS_MAX {
                self.end_descriptor(descriptor, tags).await?;
                (descriptor, tags) = (at + 1, 0);
                format::begin(self.own, DESCRIPTOR, self.sequence);
            }
        }
        if tags == 0 {
            return Ok(descriptor);
        }
        self.end_descriptor(descriptor, tags).await?;
        Ok(descriptor + 1 + tags as u32)
    }

    async fn end_descriptor(&mut self, at: u32, tags: usize) -> Result<(), Errno> {
        format::end_tags(self.own, tags - 1);
        self.write_own(at).await
    }
}

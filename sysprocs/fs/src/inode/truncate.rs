//! Cutting and extending files, and giving their blocks back.
//!
//! A file is cut in pieces, from its end, each of which is a whole change: between two of them a commit may come, and
//! who only reads is served. The size is the new one from the first piece on; the inode table has the size up to which
//! there still are blocks (`uncut`), so that a cut of the power leaves the beginning of the former file, the new one at
//! least.
//!
//! Bounded by the medium's blocks, whatever it says: one that is free already ends the work (`EIO`). Invariant: a
//! pointer is cleared before its block is freed, unless the block of the pointer is freed too. Adjacent blocks are
//! freed as one run. Not here: recursion; each level of indirection has its function, as futures need.

use crate::data::client::{DataPage, page_of};
use crate::format::inode_record::{FILE_BYTES_MAX, POINTERS, REGULAR};
use crate::inode::active_inode::ActiveInode;
use crate::inode::append_room::Appends;
use crate::inode::block_route::{DIRECT, LINE, PER_BLOCK, PointerLine};
use renga_abi::PAGE_BYTES;
use renga_proto::buffer::directory::WriteBytes;
use renga_proto::pages::TO_END;
use renga_rt::Errno;

const PAGE: u64 = PAGE_BYTES as u64;
/// Blocks that go back in one piece at most: those of an indirect block.
const PIECE_BLOCKS: u64 = PER_BLOCK;
static ZEROS: [u8; PAGE_BYTES] = [0; PAGE_BYTES];

#[derive(Default)]
struct BlockRun {
    first: u32,
    count: u32,
}

/// The first block of the piece that block `index` of a file is in.
fn piece_of(index: u64) -> u64 {
    index.checked_sub(DIRECT).map_or(0, |behind| behind / PIECE_BLOCKS * PIECE_BLOCKS + DIRECT)
}

impl ActiveInode {
    /// Extends to `bytes`, or begins to cut: then `cut_on` is to follow until nothing is left to do, and no other
    /// change before that.
    pub(crate) async fn begin_truncate(&mut self, bytes: u64) -> Result<(), Errno> {
        self.check_regular()?;
        if bytes > FILE_BYTES_MAX {
            return Err(Errno::EFBIG);
        }
        self.begin_write().await?;
        let size = self.record.size();
        self.appends = Appends::default();
        if bytes < size {
            self.uncut = Some(size);
        } else {
            self.revoke(page_of(size), TO_END).await;
            self.data.cut(self.file(), TO_END, bytes).await?;
        }
        self.record.set_size(bytes);
        self.touch_content();
        Ok(())
    }

    /// Of an inode that is to be freed: its data are to go.
    pub(crate) fn begin_free(&mut self) {
        if self.record.is(REGULAR) && self.uncut.is_none() && self.record.size() > 0 {
            self.uncut = Some(self.record.size());
            self.record.set_size(0);
        }
    }

    /// Cuts the last piece off; returns whether more is left. After a failure nothing is: e2fsck finds the rest.
    pub(crate) async fn cut_on(&mut self) -> Result<bool, Errno> {
        let Some(end) = self.uncut else { return Ok(false) };
        let cut = self.cut_piece(end).await;
        if cut.is_err() {
            (self.uncut, self.broken) = (None, true);
        }
        cut
    }

    async fn cut_piece(&mut self, end: u64) -> Result<bool, Errno> {
        self.begin_change().await?;
        let (size, file) = (self.record.size(), self.file());
        let first = size.div_ceil(PAGE);
        let last = self.last_mapped(end.div_ceil(PAGE)).await?.filter(|last| *last >= first);
        // The pieces begin where indirect blocks do.
        let kept = last.map_or(first, |last| piece_of(last).max(first));
        self.revoke(page_of(kept * PAGE), TO_END).await;
        self.data.cut(file, page_of(kept * PAGE), size).await?;
        let more = kept > first;
        self.uncut = more.then_some(kept * PAGE);
        if !more {
            self.clear_behind(size).await?;
        }
        self.free_from(kept).await?;
        Ok(more)
    }

    /// Bytes behind the end in the last block are zero.
    async fn clear_behind(&mut self, size: u64) -> Result<(), Errno> {
        let within = (size % PAGE) as usize;
        let block = if within > 0 { self.map(size / PAGE).await? } else { 0 };
        if block == 0 {
            return Ok(());
        }
        let place = DataPage { file: self.file(), page: page_of(size), block, size };
        self.revoke(place.page, TO_END).await;
        self.data.write(place, within as u32, &ZEROS[within..], false).await
    }

    pub(crate) async fn free_from(&mut self, first: u64) -> Result<(), Errno> {
        let indirect = (DIRECT as usize..POINTERS).any(|at| self.record.pointer(at) != 0);
        self.frees_metadata = indirect || !self.record.is(REGULAR);
        let mut run = BlockRun::default();
        for index in first.min(DIRECT)..DIRECT {
            let block = self.record.pointer(index as usize);
            self.record.set_pointer(index as usize, 0);
            self.add_to(&mut run, block).await?;
        }
        let (mut base, mut span) = (DIRECT, PER_BLOCK);
        for depth in 1..=3 {
            let root = DIRECT as usize + depth - 1;
            let block = self.record.pointer(root);
            let from = first.saturating_sub(base);
            if block != 0 && from < span {
                if from == 0 {
                    self.record.set_pointer(root, 0);
                }
                match depth {
                    1 => self.free_one(&mut run, block, from).await?,
                    2 => self.free_two(&mut run, block, from).await?,
                    _ => self.free_three(&mut run, block, from).await?,
                }
            }
            base += span;
            span *= PER_BLOCK;
        }
        self.line = PointerLine::NONE;
        self.note_change();
        self.end_run(&mut run).await
    }

    /// Gives back what the indirect block `block` points to from `from` on; all: itself too.
    async fn free_one(&mut self, run: &mut BlockRun, block: u32, from: u64) -> Result<(), Errno> {
        for at in from..PER_BLOCK {
            let next = self.pointer(block, at as u32).await?;
            self.add_to(run, next).await?;
        }
        self.end_indirect(run, block, from).await
    }

    async fn free_two(&mut self, run: &mut BlockRun, block: u32, from: u64) -> Result<(), Errno> {
        for at in from / PER_BLOCK..PER_BLOCK {
            let next = self.pointer(block, at as u32).await?;
            if next != 0 {
                self.free_one(run, next, from.saturating_sub(at * PER_BLOCK)).await?;
            }
        }
        self.end_indirect(run, block, from.div_ceil(PER_BLOCK)).await
    }

    async fn free_three(&mut self, run: &mut BlockRun, block: u32, from: u64) -> Result<(), Errno> {
        let span = PER_BLOCK * PER_BLOCK;
        for at in from / span..PER_BLOCK {
            let next = self.pointer(block, at as u32).await?;
            if next != 0 {
                self.free_two(run, next, from.saturating_sub(at * span)).await?;
            }
        }
        self.end_indirect(run, block, from.div_ceil(span)).await
    }

    /// After all below pointer `from` on is in runs: clears those pointers, or, if there is none
    /// before them, gives the indirect block back.
    async fn end_indirect(&mut self, run: &mut BlockRun, block: u32, from: u64) -> Result<(), Errno> {
        if from == 0 {
            return self.add_to(run, block).await;
        }
        if from < PER_BLOCK {
            let start = from as usize * 4;
            let write = WriteBytes { block: block.into(), offset: start as u32, metadata: true };
            self.cache.call(write, &ZEROS[start..]).await?;
            self.line = PointerLine::NONE;
        }
        Ok(())
    }

    async fn add_to(&mut self, run: &mut BlockRun, block: u32) -> Result<(), Errno> {
        if block == 0 {
            return Ok(());
        }
        if run.count == 0 || run.first.checked_add(run.count) != Some(block) {
            self.end_run(run).await?;
            run.first = block;
        }
        run.count += 1;
        Ok(())
    }

    async fn end_run(&mut self, run: &mut BlockRun) -> Result<(), Errno> {
        let BlockRun { first, count } = core::mem::take(run);
        if count == 0 { Ok(()) } else { self.give_back(first, count).await }
    }
}

const _: () = assert!((PER_BLOCK as usize).is_multiple_of(LINE), "lines fill an indirect block");

//! Cutting and extending files, and giving their blocks back.
//!
//! Bounded by the medium's blocks, whatever it says: one that is free already ends the work (`EIO`).
//! Invariant: a pointer is cleared before its block is given back, unless the block that holds the
//! pointer is given back too. Blocks that lie side by side go back as one run.
//! Not here: recursion; each level of indirection has its function, as futures need.

use crate::content::client::Place;
use crate::format::inode_record::{POINTERS, REGULAR};
use crate::inode::active_inode::ActiveInode;
use crate::inode::block_map::{DIRECT, LINE, PER_BLOCK, PointerLine};
use crate::inode::content::{FILE_BYTES_MAX, page_of};
use renga_abi::PAGE_BYTES;
use renga_proto::pages::TO_END;
use renga_rt::Errno;

const PAGE: u64 = PAGE_BYTES as u64;
/// Blocks that go back in one piece when a file is freed: those of an indirect block.
const PIECE_BLOCKS: u64 = PER_BLOCK;
/// Zeros to clear the rest of a block with.
static ZEROS: [u8; PAGE_BYTES] = [0; PAGE_BYTES];

/// Blocks side by side that are to go back.
#[derive(Default)]
struct Run {
    first: u32,
    count: u32,
}

impl ActiveInode {
    /// Cuts or extends to `bytes`.
    pub(crate) async fn truncate(&mut self, bytes: u64) -> Result<(), Errno> {
        self.check_regular()?;
        if bytes > FILE_BYTES_MAX {
            return Err(Errno::EFBIG);
        }
        self.begin_write().await?;
        let size = self.record.size();
        self.recall(page_of(size.min(bytes)), TO_END).await;
        if bytes < size {
            if !bytes.is_multiple_of(PAGE) {
                let block = self.map(bytes / PAGE).await?;
                let within = (bytes % PAGE) as usize;
                if block != 0 {
                    let place = Place { file: self.file(), page: page_of(bytes), block, size: bytes };
                    self.content.write(place, within as u32, &ZEROS[within..], false).await?;
                }
            }
            self.content.cut(self.file(), page_of(bytes + PAGE - 1), bytes).await?;
            self.record.set_size(bytes);
            self.touch_content();
            return self.free_from(bytes.div_ceil(PAGE)).await;
        }
        self.content.cut(self.file(), TO_END, bytes).await?;
        self.record.set_size(bytes);
        self.touch_content();
        Ok(())
    }

    /// Cuts the last piece off a file that is being freed; false: what is left goes back at once. So does what has a
    /// hole where a piece was to be: pieces are no more than the file has blocks.
    pub(crate) async fn cut_piece(&mut self) -> Result<bool, Errno> {
        let size = self.record.size();
        let (blocks, sectors) = (size.div_ceil(PAGE), self.record.sectors());
        if !self.record.is(REGULAR) || blocks <= PIECE_BLOCKS {
            return Ok(false);
        }
        // The pieces begin where indirect blocks do.
        let kept = (blocks - 1).saturating_sub(DIRECT) / PIECE_BLOCKS * PIECE_BLOCKS + DIRECT;
        let page = page_of(kept * PAGE);
        self.recall(page, TO_END).await;
        self.content.cut(self.file(), page, kept * PAGE).await?;
        self.free_from(kept).await?;
        self.record.set_size(kept * PAGE);
        self.changed = true;
        self.save().await?;
        Ok(self.record.sectors() != sectors)
    }

    /// Gives back all blocks of the file from block `first` on.
    pub(crate) async fn free_from(&mut self, first: u64) -> Result<(), Errno> {
        let indirect = (DIRECT as usize..POINTERS).any(|at| self.record.pointer(at) != 0);
        self.books_go = indirect || !self.record.is(REGULAR);
        let mut run = Run::default();
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
        self.changed = true;
        self.end_run(&mut run).await
    }

    /// Gives back what the indirect block `block` points to from `from` on; all: itself too.
    async fn free_one(&mut self, run: &mut Run, block: u32, from: u64) -> Result<(), Errno> {
        for at in from..PER_BLOCK {
            let next = self.pointer(block, at as u32).await?;
            self.add_to(run, next).await?;
        }
        self.end_indirect(run, block, from).await
    }

    async fn free_two(&mut self, run: &mut Run, block: u32, from: u64) -> Result<(), Errno> {
        for at in from / PER_BLOCK..PER_BLOCK {
            let next = self.pointer(block, at as u32).await?;
            if next != 0 {
                self.free_one(run, next, from.saturating_sub(at * PER_BLOCK)).await?;
            }
        }
        self.end_indirect(run, block, from.div_ceil(PER_BLOCK)).await
    }

    async fn free_three(&mut self, run: &mut Run, block: u32, from: u64) -> Result<(), Errno> {
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
    async fn end_indirect(&mut self, run: &mut Run, block: u32, from: u64) -> Result<(), Errno> {
        if from == 0 {
            return self.add_to(run, block).await;
        }
        if from < PER_BLOCK {
            let start = from as usize * 4;
            self.cache.write_books(block, start as u32, &ZEROS[start..]).await?;
            self.line = PointerLine::NONE;
        }
        Ok(())
    }

    async fn add_to(&mut self, run: &mut Run, block: u32) -> Result<(), Errno> {
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

    async fn end_run(&mut self, run: &mut Run) -> Result<(), Errno> {
        let Run { first, count } = core::mem::take(run);
        if count == 0 { Ok(()) } else { self.give_back(first, count).await }
    }
}

const _: () = assert!((PER_BLOCK as usize).is_multiple_of(LINE), "lines fill an indirect block");
